// Designs whose ids are not 0, 1, 2, …: the header says only that they differ.
#include <climits>
#include <cstdlib>
#include <string_view>

#include "designs.h"

namespace designs {
namespace {

/** `first`, `first + step`, … in place of the ids 0, 1, … of the base. */
struct Ids {
  int64_t first, step;
  int Of(int id) const { return static_cast<int>(first + step * id); }
  /** The base's id, or for what is none of these ids the least number. */
  int Back(int64_t id) const {
    const int64_t steps = (id - first) / step;
    return steps >= 0 && steps < INT_MAX && id == first + steps * step ? static_cast<int>(steps) : INT_MIN;
  }
};

std::optional<Ids> IdsOf(const char* variable) {
  const auto setting = Setting(variable);
  if (!setting) return std::nullopt;
  const std::vector<std::string> parts = Split(*setting);
  if (parts.size() != 2 || std::atoll(parts[1].c_str()) == 0) Die(std::string(variable) + ": expected FIRST,STEP");
  return Ids{std::atoll(parts[0].c_str()), std::atoll(parts[1].c_str())};
}

/** Whether a field is inside the caller's struct. */
template <class Args, class Field>
bool Reaches(const Args& args, Field Args::*field) {
  const auto begin = reinterpret_cast<const char*>(&args), at = reinterpret_cast<const char*>(&(args.*field));
  return args.struct_size >= static_cast<size_t>(at - begin) + sizeof(Field);
}

/** A lookup gets the base's id instead. */
template <class S>
void LookUp(int S::Args::*id, const std::function<int(int)>& back) {
  Replace<S>([=](auto& args, auto& original) -> PJRT_Error* {
    if (!Reaches(args, id)) return original(&args);
    const int given = args.*id;
    args.*id = back(given);
    PJRT_Error* error = original(&args);
    args.*id = given;
    return error;
  });
}

// ---- ids in messages

using Change = std::function<int64_t(int64_t)>;
/** Fields that lead to the ids: `replica_device_ids` in CompileOptionsProto and in DeviceAssignmentProto. */
constexpr uint64_t kPath[] = {3, 9, 3, 1};
constexpr size_t kInOptions = 0, kInAssignment = 2;

uint64_t ReadVarint(const char*& at, const char* end) {
  uint64_t value = 0;
  for (int shift = 0; at < end && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

void WriteVarint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

/** A message with other ids, the rest as it is; the message itself if it cannot be read. */
std::string WithIds(std::string_view message, size_t depth, const Change& change) {
  std::string result;
  const char* at = message.data();
  const char* const end = at + message.size();
  if (depth == std::size(kPath)) {
    while (at < end) WriteVarint(result, static_cast<uint64_t>(change(static_cast<int64_t>(ReadVarint(at, end)))));
    return result;
  }
  while (at < end) {
    const char* const begin = at;
    const uint64_t tag = ReadVarint(at, end);
    uint64_t size = 0;
    switch (tag & 7) {
      case 0: ReadVarint(at, end); break;
      case 1: size = 8; break;
      case 2: size = ReadVarint(at, end); break;
      case 5: size = 4; break;
      default: return std::string(message);
    }
    if (size > static_cast<size_t>(end - at)) return std::string(message);
    const std::string_view inside(at, size);
    at += size;
    if (tag == (kPath[depth] << 3 | 2)) {
      const std::string changed = WithIds(inside, depth + 1, change);
      WriteVarint(result, tag);
      WriteVarint(result, changed.size());
      result += changed;
    } else {
      result.append(begin, at);
    }
  }
  return result;
}

/** Compile options that the caller gives. */
template <class S>
void TranslateIn(const char* S::Args::*bytes, size_t S::Args::*size, const Change& change) {
  Replace<S>([=](auto& args, auto& original) -> PJRT_Error* {
    if (!Reaches(args, size) || args.*bytes == nullptr) return original(&args);
    const std::string_view given(args.*bytes, args.*size);
    const std::string translated = WithIds(given, kInOptions, change);
    args.*bytes = translated.data();
    args.*size = translated.size();
    PJRT_Error* error = original(&args);
    args.*bytes = given.data();
    args.*size = given.size();
    return error;
  });
}

/** A message that the plugin gives, with an owner that the caller deletes. */
template <class S, class Owner>
void TranslateOut(size_t S::Args::*size, Owner* S::Args::*owner, void (*S::Args::*deleter)(Owner*), size_t depth,
                  const Change& change) {
  After<S>([=](auto& args) {
    auto* translated = new std::string(WithIds({args.serialized_bytes, args.*size}, depth, change));
    (args.*deleter)(args.*owner);
    args.serialized_bytes = translated->data();
    args.*size = translated->size();
    args.*owner = reinterpret_cast<Owner*>(translated);
    args.*deleter = [](Owner* text) { delete reinterpret_cast<std::string*>(text); };
  });
}

#define ARGS_OF(function, field) &PJRT_##function##_Args::field

void OtherDeviceIds() {
  const auto ids = IdsOf("PJRT_DESIGN_DEVICE_IDS");
  if (!ids) return;
  const Change there = [ids](int64_t id) { return int64_t{ids->Back(id)}; };
  const Change back = [ids](int64_t id) { return int64_t{ids->Of(static_cast<int>(id))}; };
  After<SLOT(PJRT_DeviceDescription_Id)>([ids](auto& args) { args.id = ids->Of(args.id); });
  LookUp<SLOT(PJRT_Client_LookupDevice)>(ARGS_OF(Client_LookupDevice, id), [ids](int id) { return ids->Back(id); });
  After<SLOT(PJRT_Client_DefaultDeviceAssignment)>([ids](auto& args) {
    for (int i = 0; i < args.num_replicas * args.num_partitions; ++i) {
      args.default_assignment[i] = ids->Of(args.default_assignment[i]);
    }
  });
#define OPTIONS_IN(function, bytes) \
  TranslateIn<SLOT(PJRT_##function)>(ARGS_OF(function, bytes), ARGS_OF(function, bytes##_size), there)
  OPTIONS_IN(Client_Compile, compile_options);
  OPTIONS_IN(Compile, compile_options);
  OPTIONS_IN(Client_Load, compile_options);
  OPTIONS_IN(Executable_DeserializeAndLoad, overridden_serialized_compile_options);
#define IDS_OUT(function, owner, depth)                                                                \
  TranslateOut<SLOT(PJRT_##function)>(ARGS_OF(function, serialized_bytes_size), ARGS_OF(function, owner), \
                                      ARGS_OF(function, owner##_deleter), depth, back)
  IDS_OUT(Executable_GetCompileOptions, serialized_compile_options, kInOptions);
  IDS_OUT(LoadedExecutable_GetDeviceAssignment, serialized_device_assignment, kInAssignment);
}

/** Local hardware ids of devices: -1 stands for "undefined", and by it nothing is found. */
void OtherHardwareIds(const std::function<int(int)>& of, const std::function<int(int)>& back) {
  After<SLOT(PJRT_Device_LocalHardwareId)>([of](auto& args) { args.local_hardware_id = of(args.local_hardware_id); });
  LookUp<SLOT(PJRT_Client_LookupAddressableDevice)>(ARGS_OF(Client_LookupAddressableDevice, local_hardware_id), back);
}

}  // namespace

void OtherIds() {
  OtherDeviceIds();
  if (const auto ids = IdsOf("PJRT_DESIGN_HARDWARE_IDS")) {
    OtherHardwareIds([ids](int id) { return id < 0 ? id : ids->Of(id); }, [ids](int id) { return ids->Back(id); });
  }
  if (const auto ids = IdsOf("PJRT_DESIGN_MEMORY_IDS")) {
    After<SLOT(PJRT_Memory_Id)>([ids](auto& args) { args.id = ids->Of(args.id); });
  }
}

void NoHardwareIds() {
  OtherHardwareIds([](int) { return -1; }, [](int) { return INT_MIN; });
}

void SomeHardwareIds() {
  OtherHardwareIds([](int id) { return id % 2 == 0 ? id : -1; }, [](int id) { return id % 2 == 0 ? id : INT_MIN; });
}

}  // namespace designs
