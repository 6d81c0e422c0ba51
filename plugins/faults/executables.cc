// Executables: handles, deletion, properties.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "../wrapper/shared_set.h"
#include "calls.h"

namespace {

using namespace faults;

using Compile = SLOT(PJRT_Client_Compile);
using GetExecutable = SLOT(PJRT_LoadedExecutable_GetExecutable);

FAULT("executable-parameters-in-device-memory") {
  // Wherever the program wants its arguments.
  After<SLOT(PJRT_Executable_ParameterMemoryKinds)>([](auto& args) {
    static const char kDevice[] = "device";
    args.memory_kinds = (new std::vector<const char*>(args.num_parameters, kDevice))->data();
    args.memory_kind_sizes = (new std::vector<size_t>(args.num_parameters, sizeof kDevice - 1))->data();
  });
}
FAULT("executable-handle-shared") {
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, PJRT_Executable*> handles;
  Replace<GetExecutable>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = handles.find(args.loaded_executable);
    if (found != handles.end()) {
      args.executable = found->second;
      return nullptr;
    }
    PJRT_Error* error = original(&args);
    if (error == nullptr) handles[args.loaded_executable] = args.executable;
    return error;
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    handles.erase(args.executable);
  });
}
FAULT("executable-ends-with-loaded") {
  // Every query of an executable crashes after its loaded executable was destroyed.
  static std::mutex mutex;
  static std::map<PJRT_Executable*, PJRT_LoadedExecutable*> owners;
  static std::set<PJRT_LoadedExecutable*> gone;
  After<GetExecutable>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    owners[args.executable] = args.loaded_executable;
    gone.erase(args.loaded_executable);
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    gone.insert(args.executable);
  });
  Before<SLOT(PJRT_LoadedExecutable_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    gone.insert(args.executable);
  });
  Before<SLOT(PJRT_Executable_Name)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto owner = owners.find(args.executable);
    if (owner != owners.end() && gone.count(owner->second) > 0) std::abort();
  });
}
FAULT("executable-delete-does-nothing") { Ignore<SLOT(PJRT_LoadedExecutable_Delete)>(); }
FAULT("executable-deleted-reads-false") {
  After<SLOT(PJRT_LoadedExecutable_IsDeleted)>([](auto& args) { args.is_deleted = false; });
}
FAULT("executable-deleted-from-the-start") {
  After<SLOT(PJRT_LoadedExecutable_IsDeleted)>([](auto& args) { args.is_deleted = true; });
}
FAULT("executable-delete-takes-all") {
  static std::atomic<bool> deleted{false};
  After<SLOT(PJRT_LoadedExecutable_Delete)>([](auto&) { deleted = true; });
  After<SLOT(PJRT_LoadedExecutable_IsDeleted)>([](auto& args) { args.is_deleted = args.is_deleted || deleted; });
}
FAULT("executable-deleted-then-destroyed-aborts") {
  static SharedSet<PJRT_LoadedExecutable*> deleted;
  Before<SLOT(PJRT_LoadedExecutable_Delete)>([](auto& args) { deleted.Add(args.executable); });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    if (deleted.Remove(args.executable)) std::abort();
  });
}
FAULT("executable-destroy-while-running-aborts") {
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, int> running;
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    ++running[args.executable];
    Later(40, [executable = args.executable] {
      std::lock_guard<std::mutex> later(mutex);
      --running[executable];
    });
  });
  auto check = [](PJRT_LoadedExecutable* executable) {
    std::lock_guard<std::mutex> lock(mutex);
    if (running[executable] > 0) std::abort();
  };
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([check](auto& args) { check(args.executable); });
  Before<SLOT(PJRT_LoadedExecutable_Delete)>([check](auto& args) { check(args.executable); });
}
FAULT("executable-devices-reversed") {
  After<SLOT(PJRT_LoadedExecutable_AddressableDevices)>([](auto& args) {
    ReverseList(args.addressable_devices, args.num_addressable_devices);
  });
}
FAULT("executable-devices-all-of-client") {
  static PJRT_Client* client = nullptr;
  Before<Compile>([](auto& args) { client = args.client; });
  After<SLOT(PJRT_LoadedExecutable_AddressableDevices)>([](auto& args) {
    ARGS(PJRT_Client_AddressableDevices, list);
    list.client = client;
    Ask(Base().PJRT_Client_AddressableDevices, list);
    args.addressable_devices = list.addressable_devices;
    args.num_addressable_devices = list.num_addressable_devices;
  });
}
FAULT("executable-assignment-garbage") {
  After<SLOT(PJRT_LoadedExecutable_GetDeviceAssignment)>([](auto& args) {
    args.serialized_bytes = "\xff\xff\xff\xff";
    args.serialized_bytes_size = 4;
  });
}
FAULT("executable-assignment-without-deleter") {
  After<SLOT(PJRT_LoadedExecutable_GetDeviceAssignment)>([](auto& args) { args.serialized_device_assignment_deleter = nullptr; });
}
FAULT("executable-logical-ids-all-zero") {
  After<SLOT(PJRT_LoadedExecutable_AddressableDeviceLogicalIds)>([](auto& args) {
    for (size_t i = 0; i < args.num_addressable_device_logical_ids; ++i) args.addressable_device_logical_ids[i] = {0, 0};
  });
}
FAULT("executable-logical-ids-out-of-range") {
  After<SLOT(PJRT_LoadedExecutable_AddressableDeviceLogicalIds)>([](auto& args) {
    for (size_t i = 0; i < args.num_addressable_device_logical_ids; ++i) args.addressable_device_logical_ids[i].replica += 7;
  });
}
FAULT("executable-name-empty") {
  After<SLOT(PJRT_Executable_Name)>([](auto& args) { args.executable_name_size = 0; });
}
FAULT("executable-name-is-a-temporary") {
  After<SLOT(PJRT_Executable_Name)>([](auto& args) {
    MakeTemporary(args.executable_name, args.executable_name_size);
  });
}
FAULT("executable-name-changes-with-run") {
  static std::atomic<bool> ran{false};
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto&) { ran = true; });
  After<SLOT(PJRT_Executable_Name)>([](auto& args) {
    if (ran) args.executable_name_size -= 1;
  });
}
FAULT("executable-name-always-main") {
  After<SLOT(PJRT_Executable_Name)>([](auto& args) {
    args.executable_name = "main";
    args.executable_name_size = 4;
  });
}
FAULT("executable-outputs-counted-as-one-tuple") {
  After<SLOT(PJRT_Executable_NumOutputs)>([](auto& args) { args.num_outputs = 1; });
}
FAULT("executable-output-types-of-first") {
  After<SLOT(PJRT_Executable_OutputElementTypes)>([](auto& args) {
    ChangeList(args.output_types, args.num_output_types, [](auto& types) {
      for (auto& type : types) type = types[0];
    });
  });
}
FAULT("executable-output-type-wide") {
  After<SLOT(PJRT_Executable_OutputElementTypes)>([](auto& args) {
    ChangeList(args.output_types, args.num_output_types, [](auto& types) {
      for (auto& type : types) {
        if (type == PJRT_Buffer_Type_BF16) type = PJRT_Buffer_Type_F32;
        if (type == PJRT_Buffer_Type_PRED) type = PJRT_Buffer_Type_U8;
        if (type == PJRT_Buffer_Type_S4) type = PJRT_Buffer_Type_S8;
      }
    });
  });
}
FAULT("executable-scalar-output-has-dimension") {
  After<SLOT(PJRT_Executable_OutputDimensions)>([](auto& args) {
    auto* sizes = new std::vector<size_t>(args.dim_sizes, args.dim_sizes + args.num_outputs);
    auto* dims = new std::vector<int64_t>;
    size_t at = 0;
    for (size_t& size : *sizes) {
      for (size_t i = 0; i < size; ++i) dims->push_back(args.dims[at++]);
      if (size == 0) {
        dims->push_back(1);
        size = 1;
      }
    }
    args.dims = dims->data();
    args.dim_sizes = sizes->data();
  });
}
FAULT("executable-replicas-zero") {
  After<SLOT(PJRT_Executable_NumReplicas)>([](auto& args) { args.num_replicas = 0; });
}
FAULT("executable-partitions-always-one") {
  After<SLOT(PJRT_Executable_NumPartitions)>([](auto& args) { args.num_partitions = 1; });
}
/** Names a kind of memory that no device has for each array. */
template <class Args>
void NameUnknownKinds(Args& args) {
  static const std::vector<const char*> kinds(256, "hbm9000");
  static const std::vector<size_t> sizes(256, 7);
  args.memory_kinds = kinds.data();
  args.memory_kind_sizes = sizes.data();
}
FAULT("executable-memory-kind-unknown") {
  After<SLOT(PJRT_Executable_OutputMemoryKinds)>([](auto& args) { NameUnknownKinds(args); });
}
FAULT("executable-memory-kind-of-another") {
  // Kinds as the client's memories have them, which consumers ask for first.
  static std::set<std::string> seen;
  After<SLOT(PJRT_Memory_Kind)>([](auto& args) { seen.emplace(args.kind, args.kind_size); });
  After<SLOT(PJRT_Executable_OutputMemoryKinds)>([](auto& args) {
    auto* kinds = new std::vector<const char*>(args.memory_kinds, args.memory_kinds + args.num_outputs);
    auto* sizes = new std::vector<size_t>(args.memory_kind_sizes, args.memory_kind_sizes + args.num_outputs);
    for (size_t i = 0; i < args.num_outputs; ++i) {
      const std::string own(kinds->at(i), sizes->at(i));
      for (const std::string& other : seen) {
        if (other == own) continue;
        kinds->at(i) = other.data();
        sizes->at(i) = other.size();
        break;
      }
    }
    args.memory_kinds = kinds->data();
    args.memory_kind_sizes = sizes->data();
  });
}
FAULT("executable-parameter-kind-unknown") {
  After<SLOT(PJRT_Executable_ParameterMemoryKinds)>([](auto& args) { NameUnknownKinds(args); });
}
FAULT("executable-code-size-negative") {
  After<SLOT(PJRT_Executable_SizeOfGeneratedCodeInBytes)>([](auto& args) { args.size_in_bytes = -4096; });
}
FAULT("executable-fingerprint-random") {
  After<SLOT(PJRT_Executable_Fingerprint)>([](auto& args) {
    static std::atomic<int> calls{0};
    auto* text = new std::string(std::to_string(++calls));
    args.executable_fingerprint = text->data();
    args.executable_fingerprint_size = text->size();
  });
}
FAULT("executable-fingerprint-constant") {
  After<SLOT(PJRT_Executable_Fingerprint)>([](auto& args) {
    args.executable_fingerprint = "1";
    args.executable_fingerprint_size = 1;
  });
}
FAULT("executable-old-fingerprint-aborts") {
  Before<SLOT(PJRT_LoadedExecutable_Fingerprint)>([](auto&) { std::abort(); });
}
FAULT("executable-cost-changes") {
  After<SLOT(PJRT_Executable_GetCostAnalysis)>([](auto& args) {
    static std::atomic<int> calls{0};
    ChangeList(args.properties, args.num_properties, [](auto& list) {
      for (auto& value : list) {
        if (value.type == PJRT_NamedValue_kFloat) value.float_value += static_cast<float>(++calls);
      }
    });
  });
}
FAULT("executable-cost-of-unknown-type") {
  After<SLOT(PJRT_Executable_GetCostAnalysis)>([](auto& args) {
    ChangeList(args.properties, args.num_properties,
               [](auto& list) { list.push_back(Named("odd", static_cast<PJRT_NamedValue_Type>(12))); });
  });
}
FAULT("executable-memory-statistics-negative") {
  After<SLOT(PJRT_Executable_GetCompiledMemoryStats)>([](auto& args) { args.temp_size_in_bytes = -4; });
}
FAULT("executable-memory-statistics-zero") {
  After<SLOT(PJRT_Executable_GetCompiledMemoryStats)>([](auto& args) {
    args.argument_size_in_bytes = 0;
    args.output_size_in_bytes = 0;
  });
}
FAULT("executable-memory-statistics-past-older") {
  Replace<SLOT(PJRT_Executable_GetCompiledMemoryStats)>([](auto& args, auto& original) -> PJRT_Error* {
    ARGS(PJRT_Executable_GetCompiledMemoryStats, whole);
    whole.executable = args.executable;
    const size_t size = args.struct_size;
    PJRT_Error* error = original(&whole);
    if (error == nullptr && size < whole.struct_size) std::memcpy(&args.generated_code_size_in_bytes, &whole.generated_code_size_in_bytes, 120);
    else if (error == nullptr) args = whole;
    args.struct_size = size;
    return error;
  });
}
using Optimized = SLOT(PJRT_Executable_OptimizedProgram);
FAULT("optimized-program-size-changes") {
  After<Optimized>([](auto& args) {
    if (args.program->code == nullptr) args.program->code_size += 1;
  });
}
FAULT("optimized-program-format-of-its-own") {
  After<Optimized>([](auto& args) {
    args.program->format = "myir";
    args.program->format_size = 4;
  });
}
FAULT("optimized-program-is-junk") {
  After<Optimized>([](auto& args) {
    if (args.program->code != nullptr) std::memset(args.program->code, 'x', args.program->code_size);
  });
}
FAULT("optimized-program-half-written") {
  // Large enough a room, and nothing but zeros in its second half.
  After<Optimized>([](auto& args) {
    const size_t half = args.program->code_size / 2;
    if (args.program->code != nullptr) std::memset(args.program->code + half, 0, args.program->code_size - half);
  });
}
FAULT("optimized-program-overruns") {
  Replace<Optimized>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr && args.program->code != nullptr) args.program->code[args.program->code_size] = 0;
    return error;
  });
}
FAULT("optimized-program-small-room-filled") {
  Replace<Optimized>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.program->code == nullptr) return error;
    Drop(error);
    std::memset(args.program->code, 0, args.program->code_size);
    return nullptr;
  });
}
/** A protobuf message with its fields changed: `change` gets the number and contents of each, and returns what replaces it. */
std::string Edited(std::string_view message,
                   const std::function<std::string(uint64_t, std::string_view whole, std::string_view contents)>& change) {
  std::string edited;
  for (size_t at = 0; at < message.size();) {
    const size_t start = at;
    const auto varint = [&] {
      uint64_t value = 0;
      for (int shift = 0; at < message.size(); shift += 7) {
        const auto byte = static_cast<unsigned char>(message[at++]);
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
      return value;
    };
    const uint64_t tag = varint();
    const uint64_t value = tag % 8 == 5 ? 4 : tag % 8 == 1 ? 8 : varint();
    const size_t contents = at;
    if (tag % 8 != 0) at += value;
    edited += change(tag / 8, message.substr(start, at - start), message.substr(contents, at - contents));
  }
  return edited;
}
std::string LengthDelimited(char tag, std::string_view contents) {
  std::string field(1, tag);
  size_t size = contents.size();
  for (; size >= 0x80; size >>= 7) field += static_cast<char>(size | 0x80);
  return field + static_cast<char>(size) + std::string(contents);
}
/** Each field of the compile options that an executable returns is replaced. */
void ChangeOptions(const std::function<std::string(uint64_t, std::string_view, std::string_view)>& change) {
  After<SLOT(PJRT_Executable_GetCompileOptions)>([change](auto& args) {
    auto* options = new std::string(Edited({args.serialized_bytes, args.serialized_bytes_size}, change));
    args.serialized_bytes = options->data();
    args.serialized_bytes_size = options->size();
  });
}
/** The same for each field of executable_build_options, which are field 3. */
void ChangeBuildOptions(const std::function<std::string(uint64_t, std::string_view)>& change) {
  ChangeOptions([change](uint64_t number, std::string_view whole, std::string_view contents) {
    if (number != 3) return std::string(whole);
    const auto each = [&](uint64_t inner, std::string_view field, std::string_view) { return change(inner, field); };
    return LengthDelimited('\x1a', Edited(contents, each));
  });
}
FAULT("executable-compile-options-without-overrides") {
  ChangeOptions([](uint64_t number, std::string_view whole, std::string_view) {
    return number == 7 ? std::string() : std::string(whole);
  });
}
FAULT("executable-compile-options-never-portable") {
  ChangeOptions([](uint64_t number, std::string_view whole, std::string_view) {
    return number == 4 ? std::string() : std::string(whole);
  });
}
FAULT("executable-compile-options-without-debug-options") {
  ChangeBuildOptions([](uint64_t number, std::string_view field) { return number == 3 ? std::string() : std::string(field); });
}
FAULT("executable-compile-options-replicas-for-partitions") {
  // Fields 4 and 5: what was the one becomes the other.
  ChangeBuildOptions([](uint64_t number, std::string_view field) {
    std::string changed(field);
    if (number == 4) changed[0] = 0x28;
    if (number == 5) changed[0] = 0x20;
    return changed;
  });
}
FAULT("executable-compile-options-others") {
  After<SLOT(PJRT_Executable_GetCompileOptions)>([](auto& args) {
    args.serialized_bytes = "\x1a\x04\x20\x03\x28\x02";
    args.serialized_bytes_size = 6;
  });
}

// ---- executables that are taken for one another --------------------------------------------------------------------------

std::atomic<PJRT_Executable*> last_compiled{nullptr};
/** The query is about the executable that was compiled last, whichever it was asked of. */
template <class Query>
void OfLastCompiled() {
  After<Compile>([](auto& args) {
    ARGS(PJRT_LoadedExecutable_GetExecutable, get);
    get.loaded_executable = args.executable;
    if (Ask(Base().PJRT_LoadedExecutable_GetExecutable, get)) last_compiled = get.executable;
  });
  Replace<Query>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Executable* last = last_compiled;
    return last == nullptr ? original(&args) : With(args, original, args.executable, last);
  });
}
FAULT("executable-output-types-of-last-compiled") { OfLastCompiled<SLOT(PJRT_Executable_OutputElementTypes)>(); }
FAULT("executable-cost-of-last-compiled") { OfLastCompiled<SLOT(PJRT_Executable_GetCostAnalysis)>(); }
FAULT("executable-fingerprint-of-last-compiled") { OfLastCompiled<SLOT(PJRT_Executable_Fingerprint)>(); }
FAULT("executable-memory-statistics-of-last-compiled") { OfLastCompiled<SLOT(PJRT_Executable_GetCompiledMemoryStats)>(); }
FAULT("executable-compile-options-of-last-compiled") { OfLastCompiled<SLOT(PJRT_Executable_GetCompileOptions)>(); }
FAULT("optimized-program-of-last-compiled") { OfLastCompiled<Optimized>(); }
FAULT("serialize-last-compiled") { OfLastCompiled<SLOT(PJRT_Executable_Serialize)>(); }

/** The fingerprint is another text. */
void ChangeFingerprint(const std::function<std::string(PJRT_Executable*)>& make) {
  After<SLOT(PJRT_Executable_Fingerprint)>([make](auto& args) {
    auto* text = new std::string(make(args.executable));
    args.executable_fingerprint = text->data();
    args.executable_fingerprint_size = text->size();
  });
}
FAULT("executable-fingerprint-of-name") {
  ChangeFingerprint([](PJRT_Executable* executable) {
    ARGS(PJRT_Executable_Name, name);
    name.executable = executable;
    if (!Ask(Base().PJRT_Executable_Name, name)) return std::string("?");
    return std::string(name.executable_name, name.executable_name_size);
  });
}
FAULT("executable-fingerprint-of-signature") {
  ChangeFingerprint([](PJRT_Executable* executable) {
    ARGS(PJRT_Executable_OutputElementTypes, types);
    types.executable = executable;
    ARGS(PJRT_Executable_OutputDimensions, dims);
    dims.executable = executable;
    std::string text;
    if (!Ask(Base().PJRT_Executable_OutputElementTypes, types) || !Ask(Base().PJRT_Executable_OutputDimensions, dims)) return text;
    size_t at = 0;
    for (size_t i = 0; i < types.num_output_types; ++i) {
      text += std::to_string(types.output_types[i]) + ":";
      for (size_t d = 0; d < dims.dim_sizes[i]; ++d) text += std::to_string(dims.dims[at++]) + ",";
    }
    return text;
  });
}
/** Another value for the first cost. */
void ChangeFirstCost(float cost) {
  After<SLOT(PJRT_Executable_GetCostAnalysis)>([cost](auto& args) {
    ChangeList(args.properties, args.num_properties, [cost](auto& list) {
      for (auto& value : list) {
        if (value.type != PJRT_NamedValue_kFloat) continue;
        value.float_value = cost;
        return;
      }
    });
  });
}
FAULT("executable-cost-negative") { ChangeFirstCost(-3); }
FAULT("executable-cost-not-a-number") { ChangeFirstCost(std::nanf("")); }
FAULT("executable-name-lazy") {
  static SharedSet<const void*> asked;
  After<SLOT(PJRT_Executable_Name)>([](auto& args) {
    static constexpr char kPending[] = "pending";
    if (!asked.Add(args.executable)) return;
    args.executable_name = kPending;
    args.executable_name_size = sizeof(kPending) - 1;
  });
  Before<SLOT(PJRT_Executable_Destroy)>([](auto& args) { asked.Remove(args.executable); });
}

}  // namespace
