// Texts, attributes, costs and lists.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "habits.h"

namespace designs {
namespace {

/** The text, followed by other letters instead of a NUL. */
const char* Unended(const char* text, size_t size) {
  return text == nullptr ? nullptr : Kept(std::string(text, size) + "… and what comes after it").data();
}

void UnendedKinds(size_t count, const char* const*& kinds, const size_t* sizes) {
  if (kinds == nullptr || sizes == nullptr || count == 0) return;
  std::vector<const char*> list;
  for (size_t i = 0; i < count; ++i) list.push_back(Unended(kinds[i], sizes[i]));
  kinds = Kept(std::move(list)).data();
}

/** The one copy of a list, by its bytes: the same question gets the same pointer. */
const PJRT_NamedValue* KeptValues(const std::vector<PJRT_NamedValue>& list) {
  const auto* const bytes = reinterpret_cast<const char*>(list.data());
  return reinterpret_cast<const PJRT_NamedValue*>(
      Kept(std::vector<char>(bytes, bytes + list.size() * sizeof(PJRT_NamedValue))).data());
}

template <class A>
void UnendedValues(A& args) {
  if (args.attributes == nullptr || args.num_attributes == 0) return;
  std::vector<PJRT_NamedValue> list(args.attributes, args.attributes + args.num_attributes);
  for (PJRT_NamedValue& value : list) {
    value.name = Unended(value.name, value.name_size);
    if (value.type == PJRT_NamedValue_kString) value.string_value = Unended(value.string_value, value.value_size);
  }
  args.attributes = KeptValues(list);
}

PJRT_NamedValue Named(const char* name, PJRT_NamedValue_Type type, size_t size) {
  PJRT_NamedValue value;
  std::memset(&value, 0, sizeof(value));
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = type;
  value.value_size = size;
  return value;
}

PJRT_NamedValue Text(const char* name, const std::string& text) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kString, text.size());
  value.string_value = Kept(text).c_str();
  return value;
}

/** An empty list has a null pointer, as an empty std::vector has. */
PJRT_NamedValue List(const char* name, const std::vector<int64_t>& list) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kInt64List, list.size());
  value.int64_array_value = Kept(list).data();
  return value;
}

PJRT_NamedValue Number(const char* name, int64_t number) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kInt64, 1);
  value.int64_value = number;
  return value;
}

PJRT_NamedValue Real(const char* name, float number) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kFloat, 1);
  value.float_value = number;
  return value;
}

PJRT_NamedValue Truth(const char* name, bool truth) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kBool, 1);
  value.bool_value = truth;
  return value;
}

/** Gives the caller more values, before those of the base. What the base has under the same name stays. */
void AddValues(const PJRT_NamedValue*& values, size_t& count, const std::vector<PJRT_NamedValue>& more) {
  std::vector<PJRT_NamedValue> all;
  for (const PJRT_NamedValue& value : more) {
    const std::string_view name(value.name, value.name_size);
    const bool known = std::any_of(values, values + count, [name](const PJRT_NamedValue& one) {
      return std::string_view(one.name, one.name_size) == name;
    });
    // With its padding, which is compared.
    if (!known) all.insert(all.end(), &value, &value + 1);
  }
  all.insert(all.end(), values, values + count);
  values = KeptValues(all);
  count = all.size();
}

template <class T>
void Reverse(T* const*& list, size_t count) {
  if (list == nullptr || count < 2) return;
  std::vector<T*> other(list, list + count);
  std::reverse(other.begin(), other.end());
  list = Kept(std::move(other)).data();
}

int IdOfDescription(PJRT_DeviceDescription* description) {
  ARGS(PJRT_DeviceDescription_Id, args);
  args.device_description = description;
  return AskAny(Table().PJRT_DeviceDescription_Id, args) ? args.id : 0;
}

void Give(const std::string& text, const char*& data, size_t& size) {
  data = Kept(text).data();
  size = text.size();
}

}  // namespace

/**
 * No text ends with a NUL; other letters follow it.
 * Each text has a size, and a NUL is mentioned where it must be there alone: "The `call_location` pointer […] must point to a
 * null-terminated string" (of the caller).
 */
void UnterminatedTexts() {
#define UNENDED(function, field)                                                                               \
  After<SLOT(PJRT_##function)>([](auto& args) {                                                                \
    if (HAS(args, PJRT_##function##_Args, field##_size)) args.field = Unended(args.field, args.field##_size);  \
  })
  UNENDED(Error_Message, message);
  UNENDED(Client_PlatformName, platform_name);
  UNENDED(Client_PlatformVersion, platform_version);
  UNENDED(TopologyDescription_PlatformName, platform_name);
  UNENDED(TopologyDescription_PlatformVersion, platform_version);
  UNENDED(DeviceDescription_Kind, device_kind);
  UNENDED(DeviceDescription_DebugString, debug_string);
  UNENDED(DeviceDescription_ToString, to_string);
  UNENDED(Memory_Kind, kind);
  UNENDED(Memory_DebugString, debug_string);
  UNENDED(Memory_ToString, to_string);
  UNENDED(Executable_Name, executable_name);
  UNENDED(Executable_Fingerprint, executable_fingerprint);
  UNENDED(LoadedExecutable_Fingerprint, executable_fingerprint);
#undef UNENDED
  After<SLOT(PJRT_Executable_OutputMemoryKinds)>([](auto& args) {
    UnendedKinds(args.num_outputs, args.memory_kinds, args.memory_kind_sizes);
  });
  After<SLOT(PJRT_Executable_ParameterMemoryKinds)>([](auto& args) {
    UnendedKinds(args.num_parameters, args.memory_kinds, args.memory_kind_sizes);
  });
  const auto of_values = [](auto& args) { UnendedValues(args); };
  After<SLOT(PJRT_Plugin_Attributes)>(of_values);
  After<SLOT(PJRT_DeviceDescription_Attributes)>(of_values);
  After<SLOT(PJRT_TopologyDescription_Attributes)>(of_values);
}

/**
 * Texts for logs have many lines, and those for users are no names of classes.
 * "Should be verbose enough to describe the current device unambiguously"; "should be reasonably terse, for example […]".
 */
void LongDescriptions() {
  const auto add_lines = [](auto& args) {
    std::string all(args.debug_string, args.debug_string_size);
    for (int line = 0; line < 48; ++line) {
      all += "\n\tлиния " + std::to_string(line) + ":\t↔ port " + std::to_string(line * 3);
    }
    Give(all, args.debug_string, args.debug_string_size);
  };
  After<SLOT(PJRT_DeviceDescription_DebugString)>(add_lines);
  After<SLOT(PJRT_Memory_DebugString)>(add_lines);
  After<SLOT(PJRT_DeviceDescription_ToString)>([](auto& args) {
    Give("ускоритель №" + std::to_string(IdOfDescription(args.device_description)), args.to_string, args.to_string_size);
  });
}

/** Devices of one client are of two kinds. "A vendor-dependent string that uniquely identifies the kind of device". */
void MixedKinds() {
  After<SLOT(PJRT_DeviceDescription_Kind)>([](auto& args) {
    if (args.device_kind == nullptr || IdOfDescription(args.device_description) % 2 == 0) return;
    Give(std::string(args.device_kind, args.device_kind_size) + " rev. B (16 Go, 5 µm)", args.device_kind, args.device_kind_size);
  });
}

/**
 * Plugin and topologies have attributes of all types, and devices of those that frameworks read, some of them empty.
 * "Returns an array of device specific attributes with attribute name, value and value type": neither names nor values are limited.
 * Bools and floats of a device end the process of a framework (xla/pjrt/c_api_client/pjrt_c_api_client.cc,
 * DeviceAttributesFromPjRtValues).
 */
void ManyAttributes() {
  static const auto& of_devices = *new std::vector<PJRT_NamedValue>{
      Text("vendor firmware (build)", "ligne 1\nстрока 2\t\"}]\\u0000 %s%n"),
      Text("vendor.label", ""),
      List("vendor.links", {INT64_MIN, -1, 0, INT64_MAX}),
      List("vendor.bad_tiles", {}),
      Number("vendor.serial", INT64_MIN),
  };
  static const auto& of_others = *new std::vector<PJRT_NamedValue>([] {
    std::vector<PJRT_NamedValue> all = of_devices;
    all.push_back(Real("vendor.temperature_°C", -0.0f));
    all.push_back(Truth("vendor.ecc", false));
    return all;
  }());
  After<SLOT(PJRT_DeviceDescription_Attributes)>([](auto& args) {
    AddValues(args.attributes, args.num_attributes, of_devices);
  });
  const auto add_to_others = [](auto& args) { AddValues(args.attributes, args.num_attributes, of_others); };
  After<SLOT(PJRT_Plugin_Attributes)>(add_to_others);
  After<SLOT(PJRT_TopologyDescription_Attributes)>(add_to_others);
}

/**
 * The plugin has no attributes. "Returns an array of plugin attributes", of which some are common ("Common keys include …", in old
 * headers "One example attribute is the minimum supported StableHLO version"): none is demanded.
 */
void NoPluginAttributes() {
  After<SLOT(PJRT_Plugin_Attributes)>([](auto& args) {
    args.attributes = nullptr;
    args.num_attributes = 0;
  });
}

/**
 * The analysis of costs has properties of all types, unknown costs are -1, and one is infinite.
 * "Different platforms may return different properties".
 */
void OddCosts() {
  static const auto& more = *new std::vector<PJRT_NamedValue>{
      Text("bound by", "mémoire"),       Number("cycles", -1),    List("tiles per core", {3, 0, 128}),
      Real("optimal_seconds", INFINITY), Truth("estimated", true), Real("utilization{}", -1),
  };
  After<SLOT(PJRT_Executable_GetCostAnalysis)>([](auto& args) { AddValues(args.properties, args.num_properties, more); });
}

/**
 * Lists of devices and memories are in other orders, and descriptions of a topology in the reverse one.
 * "Returns a list of …": no order is mentioned. "The device descriptions can be returned in any order, but will be in the same
 * order across calls within a process." Lists that belong to lists of Execute keep their order.
 */
void ShuffledLists() {
  After<SLOT(PJRT_Client_Devices)>([](auto& args) { Reverse(args.devices, args.num_devices); });
  After<SLOT(PJRT_Client_AddressableDevices)>([](auto& args) {
    if (args.addressable_devices == nullptr || args.num_addressable_devices < 2) return;
    std::vector<PJRT_Device*> other(args.addressable_devices, args.addressable_devices + args.num_addressable_devices);
    std::rotate(other.begin(), other.begin() + 1, other.end());
    args.addressable_devices = Kept(std::move(other)).data();
  });
  After<SLOT(PJRT_Client_AddressableMemories)>([](auto& args) {
    Reverse(args.addressable_memories, args.num_addressable_memories);
  });
  After<SLOT(PJRT_Device_AddressableMemories)>([](auto& args) { Reverse(args.memories, args.num_memories); });
  After<SLOT(PJRT_Memory_AddressableByDevices)>([](auto& args) { Reverse(args.devices, args.num_devices); });
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    Reverse(args.descriptions, args.num_descriptions);
  });
}

}  // namespace designs
