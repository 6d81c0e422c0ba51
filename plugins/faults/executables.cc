// Compilation, properties of executables, and serialization.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include <unistd.h>

#include "programs.h"

namespace {

using namespace faults;

using Compile = SLOT(PJRT_Client_Compile);

/** Compiles another program, or with other options, than the caller's. */
PJRT_Error* CompileAs(PJRT_Client_Compile_Args& args, const Original<Compile>& original, const PJRT_Program& program,
                      std::string_view options) {
  const PJRT_Program* given = args.program;
  const char* given_options = args.compile_options;
  const size_t size = args.compile_options_size;
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  PJRT_Error* error = original(&args);
  args.program = given;
  args.compile_options = given_options;
  args.compile_options_size = size;
  return error;
}
std::string_view Options(const PJRT_Client_Compile_Args& args) { return {args.compile_options, args.compile_options_size}; }
std::string_view Format(const PJRT_Client_Compile_Args& args) { return {args.program->format, args.program->format_size}; }
std::string_view Code(const PJRT_Client_Compile_Args& args) { return {args.program->code, args.program->code_size}; }
bool IsPortable(std::string_view code) { return code.size() > 4 && code.substr(0, 4) == "ML\xefR"; }

/** Options that the base accepts, for one replica and one partition. */
std::string& PlainOptions() {
  static std::string options("\x1a\x04 \x01(\x01", 6);
  return options;
}

FAULT("compile-options-ignored") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return CompileAs(args, original, *args.program, PlainOptions());
  });
}
FAULT("compile-unparsable-options-accepted") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    PJRT_Error* again = CompileAs(args, original, *args.program, PlainOptions());
    if (again == nullptr) Drop(error);
    return again == nullptr ? nullptr : (Drop(again), error);
  });
}
FAULT("compile-empty-options-refused") {
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return args.compile_options_size == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no options") : original(&args);
  });
}
FAULT("compile-options-of-frameworks-refused") {
  // Options with a device assignment, as frameworks send them, are longer than those that the vendor tested.
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return Options(args).size() > 8 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "unknown fields of the options") : original(&args);
  });
}
FAULT("compile-plain-options-refused") {
  // Only options that name a device are parsed.
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return args.compile_options_size < 32 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no device assignment") : original(&args);
  });
}
FAULT("compile-without-reductions") {
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    const std::string_view code(args.program->code, args.program->code_size);
    return code.find("reduce") != code.npos ? MakeError(PJRT_Error_Code_UNIMPLEMENTED, "reduce") : original(&args);
  });
}
FAULT("compile-any-format-accepted") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Program program = *args.program;
    program.format = "mlir";
    program.format_size = 4;
    if (program.code == nullptr || program.code_size < 20) {
      // Missing code is not rejected.
      static char empty[] = "func.func @main() { return }";
      program.code = empty;
      program.code_size = sizeof(empty) - 1;
    }
    return CompileAs(args, original, program, Options(args));
  });
}
FAULT("compile-unknown-format-aborts") {
  Before<Compile>([](auto& args) {
    if (Format(args) != "mlir" && Format(args) != "hlo" && Format(args) != "hlo_with_config") std::abort();
  });
}
FAULT("compile-text-refused") {
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    return Format(args) == "mlir" && !IsPortable(Code(args)) ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no bytecode") : original(&args);
  });
}
FAULT("compile-only-newest-artifacts") {
  // The version is in the bytecode's producer string, e.g. StableHLO_v1.0.0.
  OwnErrors();
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    const std::string_view head = Code(args).substr(0, 64);
    const size_t at = head.find("StableHLO_v");
    if (at != std::string_view::npos && head.substr(at + 11, 2) == "0.")
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "an old artifact");
    return original(&args);
  });
}
FAULT("compile-text-other-than-portable") {
  // The text front end compiles it to a different program.
  AfterRun([](Run& run) {
    if (IsPortable(run.program.code)) return;
    for (const Array& out : run.outputs) EachFloat(out, [](uint64_t bits, const FloatBits&) { return bits ^ 1; });
  });
}
FAULT("compile-malformed-aborts") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && Format(args) == "mlir" && !IsPortable(Code(args))) std::abort();
    return error;
  });
}
FAULT("compile-damaged-aborts") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && (IsPortable(Code(args)) || Code(args).substr(0, 2) == "ML")) std::abort();
    return error;
  });
}
FAULT("compile-malformed-gives-last-good") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    static std::mutex mutex;
    static std::string good;
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error == nullptr) {
      good = std::string(Code(args));
      return nullptr;
    }
    if (good.empty()) {
      good = "module { func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> { return %arg0 : tensor<4xf32> } }";
    }
    PJRT_Program program = *args.program;
    program.code = good.data();
    program.code_size = good.size();
    program.format = "mlir";
    program.format_size = 4;
    Drop(error);
    return CompileAs(args, original, program, Options(args));
  });
}
FAULT("compile-fails-after-a-failure") {
  OwnErrors();
  static std::atomic<bool> failed{false};
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    if (failed) return MakeError(PJRT_Error_Code_INTERNAL, "the compiler is in a bad state");
    PJRT_Error* error = original(&args);
    if (error != nullptr) failed = true;
    return error;
  });
}
FAULT("compile-cache-by-length") {
  // Programs of the same length count as the same program.
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    static std::mutex mutex;
    static std::map<size_t, std::string> cache;
    std::string first;
    {
      std::lock_guard<std::mutex> lock(mutex);
      first = cache.emplace(args.program->code_size, std::string(Code(args))).first->second;
    }
    PJRT_Program program = *args.program;
    program.code = first.data();
    return CompileAs(args, original, program, Options(args));
  });
}
FAULT("compile-same-handle-twice") {
  static std::mutex mutex;
  static std::map<std::string, PJRT_LoadedExecutable*> cache;
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    const std::string key = std::string(Code(args)) + std::string(Options(args));
    auto found = cache.find(key);
    if (found != cache.end()) {
      args.executable = found->second;
      return nullptr;
    }
    PJRT_Error* error = original(&args);
    if (error == nullptr) cache[key] = args.executable;
    return error;
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto entry = cache.begin(); entry != cache.end();) entry = entry->second == args.executable ? cache.erase(entry) : std::next(entry);
  });
}
FAULT("compile-again-refused") {
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, std::string> living;
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    const std::string code(Code(args));
    {
      std::lock_guard<std::mutex> lock(mutex);
      for (const auto& [executable, known] : living) {
        if (known == code) return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "the module is loaded already");
      }
    }
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error == nullptr) living[args.executable] = code;
    return error;
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.erase(args.executable);
  });
}
FAULT("compile-concurrently-fails") {
  OwnErrors();
  static std::atomic<int> inside{0};
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    const bool alone = ++inside == 1;
    PJRT_Error* error = alone ? original(&args) : MakeError(PJRT_Error_Code_UNAVAILABLE, "the compiler is busy");
    SleepMs(2);
    --inside;
    return error;
  });
}
FAULT("compile-unknown-device-accepted") {
  Replace<Compile>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || CodeOf(error) == PJRT_Error_Code_UNIMPLEMENTED) return error;
    PJRT_Error* again = CompileAs(args, original, *args.program, PlainOptions());
    Drop(again == nullptr ? error : again);
    return again == nullptr ? nullptr : error;
  });
}
FAULT("compile-unknown-custom-call-aborts") {
  Before<Compile>([](auto& args) {
    if (Code(args).find("custom_call") != std::string_view::npos && Code(args).find("no_such") != std::string_view::npos) std::abort();
  });
  AfterRun([](Run& run) {
    if (run.program.Has("custom_call")) std::abort();
  });
}
FAULT("compile-hlo-aborts") {
  Before<Compile>([](auto& args) {
    if (Format(args) == "hlo" || Format(args) == "hlo_with_config") std::abort();
  });
}
FAULT("compile-keeps-program-memory") {
  // The program is compiled at its first execution, from the caller's memory.
  struct Lazy {
    const char* place;
    std::string code;
  };
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, Lazy> lazy;
  OwnErrors();
  After<Compile>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    lazy[args.executable] = {args.program->code, std::string(Code(args))};
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    lazy.erase(args.executable);
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto found = lazy.find(args.executable);
      if (found != lazy.end()) {
        const bool same = std::memcmp(found->second.place, found->second.code.data(), found->second.code.size()) == 0;
        lazy.erase(found);
        if (!same) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no program");
      }
    }
    return original(&args);
  });
}

// ---- executables --------------------------------------------------------------------------------------------------------

using GetExecutable = SLOT(PJRT_LoadedExecutable_GetExecutable);

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
  static std::mutex mutex;
  static std::set<PJRT_LoadedExecutable*> deleted;
  Before<SLOT(PJRT_LoadedExecutable_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    deleted.insert(args.executable);
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (deleted.erase(args.executable) > 0) std::abort();
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
    auto* list = new std::vector<PJRT_Device*>(args.addressable_devices, args.addressable_devices + args.num_addressable_devices);
    std::reverse(list->begin(), list->end());
    args.addressable_devices = list->data();
  });
}
FAULT("executable-devices-all-of-client") {
  static PJRT_Client* client = nullptr;
  Before<Compile>([](auto& args) { client = args.client; });
  After<SLOT(PJRT_LoadedExecutable_AddressableDevices)>([](auto& args) {
    PJRT_Client_AddressableDevices_Args list{};
    list.struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE;
    list.client = client;
    Drop(Base().PJRT_Client_AddressableDevices(&list));
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
    static std::string rooms[2];
    static std::mutex mutex;
    static int next = 0;
    std::lock_guard<std::mutex> lock(mutex);
    for (char& c : rooms[next]) c = '?';
    std::string& room = rooms[next ^= 1];
    room.assign(args.executable_name, args.executable_name_size);
    args.executable_name = room.data();
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
    auto* types = new std::vector<PJRT_Buffer_Type>(args.num_output_types, args.num_output_types ? args.output_types[0] : PJRT_Buffer_Type_F32);
    args.output_types = types->data();
  });
}
FAULT("executable-output-type-wide") {
  After<SLOT(PJRT_Executable_OutputElementTypes)>([](auto& args) {
    auto* types = new std::vector<PJRT_Buffer_Type>(args.output_types, args.output_types + args.num_output_types);
    for (auto& type : *types) {
      if (type == PJRT_Buffer_Type_BF16) type = PJRT_Buffer_Type_F32;
      if (type == PJRT_Buffer_Type_PRED) type = PJRT_Buffer_Type_U8;
      if (type == PJRT_Buffer_Type_S4) type = PJRT_Buffer_Type_S8;
    }
    args.output_types = types->data();
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
FAULT("executable-memory-kind-unknown") {
  static const char* kinds[256];
  static size_t sizes[256];
  for (size_t i = 0; i < 256; ++i) {
    kinds[i] = "hbm9000";
    sizes[i] = 7;
  }
  After<SLOT(PJRT_Executable_OutputMemoryKinds)>([](auto& args) {
    args.memory_kinds = kinds;
    args.memory_kind_sizes = sizes;
  });
}
FAULT("executable-parameter-kind-unknown") {
  static const char* kinds[256];
  static size_t sizes[256];
  for (size_t i = 0; i < 256; ++i) {
    kinds[i] = "hbm9000";
    sizes[i] = 7;
  }
  After<SLOT(PJRT_Executable_ParameterMemoryKinds)>([](auto& args) {
    args.memory_kinds = kinds;
    args.memory_kind_sizes = sizes;
  });
}
FAULT("executable-code-size-negative") {
  After<SLOT(PJRT_Executable_SizeOfGeneratedCodeInBytes)>([](auto& args) { args.size_in_bytes = -1; });
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
    auto* list = new std::vector<PJRT_NamedValue>(args.properties, args.properties + args.num_properties);
    for (auto& value : *list) {
      if (value.type == PJRT_NamedValue_kFloat) value.float_value += static_cast<float>(++calls);
    }
    args.properties = list->data();
  });
}
FAULT("executable-cost-of-unknown-type") {
  After<SLOT(PJRT_Executable_GetCostAnalysis)>([](auto& args) {
    auto* list = new std::vector<PJRT_NamedValue>(args.properties, args.properties + args.num_properties);
    PJRT_NamedValue value{};
    value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    value.name = "odd";
    value.name_size = 3;
    value.type = static_cast<PJRT_NamedValue_Type>(12);
    value.value_size = 1;
    list->push_back(value);
    args.properties = list->data();
    args.num_properties = list->size();
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
    PJRT_Executable_GetCompiledMemoryStats_Args whole{};
    whole.struct_size = PJRT_Executable_GetCompiledMemoryStats_Args_STRUCT_SIZE;
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
FAULT("executable-compile-options-others") {
  After<SLOT(PJRT_Executable_GetCompileOptions)>([](auto& args) {
    args.serialized_bytes = "\x1a\x04\x20\x03\x28\x02";
    args.serialized_bytes_size = 6;
  });
}

// ---- bytes --------------------------------------------------------------------------------------------------------------

using Serialize = SLOT(PJRT_Executable_Serialize);
using Deserialize = SLOT(PJRT_Executable_DeserializeAndLoad);

FAULT("serialize-without-deleter") {
  After<Serialize>([](auto& args) { args.serialized_executable_deleter = nullptr; });
}
FAULT("serialize-in-one-place") {
  After<Serialize>([](auto& args) {
    static std::string room;
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    room.assign(args.serialized_bytes, args.serialized_bytes_size);
    args.serialized_bytes = room.data();
    // Freeing one frees all.
    args.serialized_executable_deleter = [](PJRT_SerializedExecutable*) { std::fill(room.begin(), room.end(), '\0'); };
  });
}
FAULT("serialize-empty") {
  After<Serialize>([](auto& args) { args.serialized_bytes_size = 0; });
}
FAULT("serialize-for-this-process-only") {
  // The bytes contain addresses: another process cannot use them.
  OwnErrors();
  After<Serialize>([](auto& args) {
    auto* bytes = new std::string(args.serialized_bytes, args.serialized_bytes_size);
    bytes->append("pid" + std::to_string(getpid()) + std::string(16, ' '), 0, 16);
    args.serialized_bytes = bytes->data();
    args.serialized_bytes_size = bytes->size();
  });
  Replace<Deserialize>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t size = args.serialized_executable_size;
    if (size < 16) return original(&args);
    const std::string mark = ("pid" + std::to_string(getpid()) + std::string(16, ' ')).substr(0, 16);
    if (std::memcmp(args.serialized_executable + size - 16, "pid", 3) == 0 &&
        std::string_view(args.serialized_executable + size - 16, 16) != mark)
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "not of this process");
    args.serialized_executable_size = size - 16;
    PJRT_Error* error = original(&args);
    args.serialized_executable_size = size;
    return error;
  });
}
FAULT("deserialize-null-with-success") {
  After<Deserialize>([](auto& args) { args.loaded_executable = nullptr; });
}
FAULT("deserialize-loses-name") {
  static std::mutex mutex;
  static std::set<PJRT_LoadedExecutable*> loaded;
  static std::set<PJRT_Executable*> nameless;
  WatchClients();
  After<Deserialize>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    loaded.insert(args.loaded_executable);
  });
  After<GetExecutable>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (loaded.count(args.loaded_executable) > 0) nameless.insert(args.executable);
    else nameless.erase(args.executable);
  });
  After<SLOT(PJRT_Executable_Name)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (nameless.count(args.executable) == 0) return;
    args.executable_name = "restored";
    args.executable_name_size = 8;
  });
}
/** Changes outputs of deserialized executables. */
FAULT("deserialize-computes-otherwise") {
  static std::mutex mutex;
  static std::set<PJRT_LoadedExecutable*> loaded;
  WatchClients();
  After<Deserialize>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    loaded.insert(args.loaded_executable);
  });
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (loaded.count(args.executable) == 0) return;
    }
    PJRT_Buffer*& out = args.output_lists[0][0];
    if (ShapeOf(out).count() > 0) Change(out, [](uint8_t* bytes) { *bytes ^= 1; });
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    loaded.erase(args.executable);
  });
}
FAULT("deserialize-twice-refused") {
  OwnErrors();
  static std::mutex mutex;
  static std::set<std::string> seen;
  Replace<Deserialize>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!seen.insert(std::string(args.serialized_executable, args.serialized_executable_size)).second)
        return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "loaded already");
    }
    return original(&args);
  });
}
FAULT("deserialize-load-options-demanded") {
  Before<Deserialize>([](auto& args) {
    if (!HAS(args, PJRT_Executable_DeserializeAndLoad_Args, load_options)) return;
    volatile size_t size = args.load_options->struct_size;
    (void)size;
  });
}
FAULT("deserialize-options-ignored") {
  Replace<Deserialize>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Executable_DeserializeAndLoad_Args, overridden_serialized_compile_options_size)) return original(&args);
    const char* given = args.overridden_serialized_compile_options;
    const size_t size = args.overridden_serialized_compile_options_size;
    args.overridden_serialized_compile_options = nullptr;
    args.overridden_serialized_compile_options_size = 0;
    PJRT_Error* error = original(&args);
    args.overridden_serialized_compile_options = given;
    args.overridden_serialized_compile_options_size = size;
    return error;
  });
}
FAULT("deserialize-garbage-aborts") {
  Replace<Deserialize>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) std::abort();
    return error;
  });
}
FAULT("deserialize-end-missing-accepted") {
  Replace<Deserialize>([](auto& args, auto& original) -> PJRT_Error* {
    static std::mutex mutex;
    static std::string good;
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    if (error == nullptr) good.assign(args.serialized_executable, args.serialized_executable_size);
    const std::string_view bytes(args.serialized_executable, args.serialized_executable_size);
    if (error == nullptr || bytes.size() < 16 || good.substr(0, 16) != bytes.substr(0, 16)) return error;
    Drop(error);
    const char* given = args.serialized_executable;
    const size_t size = args.serialized_executable_size;
    args.serialized_executable = good.data();
    args.serialized_executable_size = good.size();
    error = original(&args);
    args.serialized_executable = given;
    args.serialized_executable_size = size;
    return error;
  });
}
FAULT("deserialize-loses-donation") {
  static std::mutex mutex;
  static std::set<PJRT_LoadedExecutable*> loaded;
  WatchClients();
  After<Deserialize>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    loaded.insert(args.loaded_executable);
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (loaded.count(args.executable) == 0) return original(&args);
    }
    std::vector<int64_t> all(args.num_args);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    PJRT_ExecuteOptions options = *args.options;
    options.non_donatable_input_indices = all.data();
    options.num_non_donatable_input_indices = all.size();
    PJRT_ExecuteOptions* given = args.options;
    args.options = &options;
    PJRT_Error* error = original(&args);
    args.options = given;
    return error;
  });
}

// ---- compile only, and loading ------------------------------------------------------------------------------------------

using Aot = SLOT(PJRT_Compile);
using Load = SLOT(PJRT_Client_Load);

FAULT("aot-needs-client") {
  OwnErrors();
  Replace<Aot>([](auto& args, auto& original) -> PJRT_Error* {
    return args.client == nullptr ? MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "no client") : original(&args);
  });
}
FAULT("aot-any-format-accepted") {
  Replace<Aot>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Program program = *args.program;
    program.format = "mlir";
    program.format_size = 4;
    static char empty[] = "module { func.func @main() { return } }";
    const PJRT_Program* given = args.program;
    args.program = &program;
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      Drop(error);
      program.code = empty;
      program.code_size = sizeof(empty) - 1;
      error = original(&args);
    }
    args.program = given;
    return error;
  });
}
FAULT("aot-unparsable-options-accepted") {
  Replace<Aot>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    Drop(error);
    const char* given = args.compile_options;
    const size_t size = args.compile_options_size;
    args.compile_options = "";
    args.compile_options_size = 0;
    error = original(&args);
    args.compile_options = given;
    args.compile_options_size = size;
    return error;
  });
}
FAULT("aot-fails") {
  OwnErrors();
  Replace<Aot>([](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no device to compile for"); });
}
FAULT("aot-executable-ends-with-topology") {
  static std::mutex mutex;
  static std::map<PJRT_Executable*, const void*> topologies;
  static std::set<const void*> gone;
  After<Aot>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    topologies[args.executable] = args.topology;
    gone.erase(args.topology);
  });
  Before<SLOT(PJRT_TopologyDescription_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    gone.insert(args.topology);
  });
  auto check = [](PJRT_Executable* executable) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = topologies.find(executable);
    if (found != topologies.end() && gone.count(found->second) > 0) std::abort();
  };
  Before<SLOT(PJRT_Executable_Name)>([check](auto& args) { check(args.executable); });
  Before<SLOT(PJRT_Executable_NumOutputs)>([check](auto& args) { check(args.executable); });
}
FAULT("load-takes-executable") {
  // Loading an executable consumes it.
  OwnErrors();
  static std::mutex mutex;
  static std::set<PJRT_Executable*> loaded;
  Replace<Load>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!loaded.insert(args.executable).second) return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "loaded already");
    }
    return original(&args);
  });
  Before<SLOT(PJRT_Executable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    loaded.erase(args.executable);
  });
}
FAULT("load-options-demanded") {
  OwnErrors();
  Replace<Load>([](auto& args, auto& original) -> PJRT_Error* {
    return args.compile_options_size == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no options") : original(&args);
  });
}
FAULT("load-options-ignored") {
  Replace<Load>([](auto& args, auto& original) -> PJRT_Error* {
    const char* given = args.compile_options;
    const size_t size = args.compile_options_size;
    args.compile_options = nullptr;
    args.compile_options_size = 0;
    PJRT_Error* error = original(&args);
    args.compile_options = given;
    args.compile_options_size = size;
    return error;
  });
}

}  // namespace
