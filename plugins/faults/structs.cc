// Argument structs: sizes, extensions on calls, nested structs, unterminated strings, outputs and inputs.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include "calls.h"

namespace {

using namespace faults;

/** Rejects calls whose struct_size differs from this header's. */
template <class S>
void DemandExactSize(size_t expected) {
  Replace<S>([expected](auto& args, auto& original) -> PJRT_Error* {
    if (args.struct_size != expected) return BadSize("args", expected, args.struct_size);
    return original(&args);
  });
}
FAULT("struct-larger-refused") {
  OwnErrors();
  DemandExactSize<SLOT(PJRT_Buffer_ToHostBuffer)>(PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE);
  DemandExactSize<SLOT(PJRT_Client_PlatformName)>(PJRT_Client_PlatformName_Args_STRUCT_SIZE);
  DemandExactSize<SLOT(PJRT_Event_Await)>(PJRT_Event_Await_Args_STRUCT_SIZE);
}
FAULT("struct-larger-refused-without-client") {
  OwnErrors();
  DemandExactSize<SLOT(PJRT_Plugin_Attributes)>(PJRT_Plugin_Attributes_Args_STRUCT_SIZE);
  DemandExactSize<SLOT(PJRT_ExecuteContext_Create)>(PJRT_ExecuteContext_Create_Args_STRUCT_SIZE);
  DemandExactSize<SLOT(PJRT_TopologyDescription_PlatformName)>(PJRT_TopologyDescription_PlatformName_Args_STRUCT_SIZE);
}
FAULT("struct-larger-refused-by-create") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    // Whatever the base's own size is: smaller than this header's is accepted, larger is not.
    if (args.struct_size > PJRT_Client_Create_Args_STRUCT_SIZE)
      return BadSize("PJRT_Client_Create_Args", PJRT_Client_Create_Args_STRUCT_SIZE, args.struct_size);
    return original(&args);
  });
}
FAULT("struct-padding-refused") {
  OwnErrors();
  DemandExactSize<SLOT(PJRT_Event_IsReady)>(PJRT_Event_IsReady_Args_STRUCT_SIZE);
  DemandExactSize<SLOT(PJRT_Buffer_ElementType)>(PJRT_Buffer_ElementType_Args_STRUCT_SIZE);
}
FAULT("struct-sizeof-demanded") {
  OwnErrors();
  // sizeof has padding after the end of the last field.
  DemandExactSize<SLOT(PJRT_Buffer_IsDeleted)>(sizeof(PJRT_Buffer_IsDeleted_Args));
}
FAULT("struct-small-aborts") {
  Before<SLOT(PJRT_Memory_Kind)>([](auto& args) {
    if (args.struct_size < PJRT_Memory_Kind_Args_STRUCT_SIZE) std::abort();
  });
  Before<SLOT(PJRT_Plugin_Attributes)>([](auto& args) {
    if (args.struct_size < 24) std::abort();
  });
}
FAULT("struct-size-never-read") {
  // Most hand-written plugins do this: the caller's size is ignored.
  Replace<SLOT(PJRT_Executable_Name)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Executable_Name_Args own = args;
    own.struct_size = PJRT_Executable_Name_Args_STRUCT_SIZE;
    PJRT_Error* error = original(&own);
    args.executable_name = own.executable_name;
    args.executable_name_size = own.executable_name_size;
    return error;
  });
}
FAULT("struct-writes-past-older") {
  // Statistics are written in full whatever the caller's size.
  Replace<SLOT(PJRT_Device_MemoryStats)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    char* fields = reinterpret_cast<char*>(&args);
    std::memset(fields + args.struct_size, 0, sizeof(PJRT_Device_MemoryStats_Args) + 8 - args.struct_size);
    return error;
  });
}
FAULT("struct-writes-past-older-attributes") {
  Replace<SLOT(PJRT_Plugin_Attributes)>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t size = args.struct_size;
    args.struct_size = PJRT_Plugin_Attributes_Args_STRUCT_SIZE;
    PJRT_Error* error = original(&args);
    reinterpret_cast<uint64_t*>(&args)[4] = 0;
    args.struct_size = size;
    return error;
  });
}
FAULT("struct-reads-past-older-create") {
  Before<SLOT(PJRT_Client_Create)>([](auto& args) {
    // A field of a newer header, read without checking the caller's size.
    volatile const char* past = reinterpret_cast<const char*>(&args) + PJRT_Client_Create_Args_STRUCT_SIZE;
    (void)past[-1];
    (void)past[0];
  });
}
FAULT("struct-older-refused") {
  OwnErrors();
  // Only the newest size of a struct that has grown.
  Replace<SLOT(PJRT_Client_CreateViewOfDeviceBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    static size_t largest = 0;
    largest = std::max(largest, args.struct_size);
    if (args.struct_size < offsetof(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory) + sizeof(void*))
      return BadSize("PJRT_Client_CreateViewOfDeviceBuffer_Args", 112, args.struct_size);
    return original(&args);
  });
}
FAULT("struct-outputs-before-it-is-written") {
  // Eight bytes before the struct: a negative array index.
  After<SLOT(PJRT_Client_ProcessIndex)>([](auto& args) { reinterpret_cast<uint64_t*>(&args)[-1] = 0; });
}

/** Walks the extensions of a call with a wrong assumption. */
template <class S>
void WalkExtensions(std::function<void(PJRT_Extension_Base*)> look) {
  Before<S>([look](auto& args) {
    for (PJRT_Extension_Base* node = args.extension_start; node != nullptr; node = node->next) look(node);
  });
}
FAULT("call-extension-unknown-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Buffer_Dimensions)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.extension_start ? MakeError(PJRT_Error_Code_UNIMPLEMENTED, "no extensions") : original(&args);
  });
  Replace<SLOT(PJRT_Plugin_Attributes)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.extension_start ? MakeError(PJRT_Error_Code_UNIMPLEMENTED, "no extensions") : original(&args);
  });
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.extension_start ? MakeError(PJRT_Error_Code_UNIMPLEMENTED, "no extensions") : original(&args);
  });
}
FAULT("call-extension-unknown-read-past-base") {
  WalkExtensions<SLOT(PJRT_LoadedExecutable_Execute)>([](PJRT_Extension_Base* node) {
    volatile const int64_t* payload = reinterpret_cast<const int64_t*>(node + 1);
    (void)payload[0];
    (void)payload[1];
  });
}
FAULT("call-extension-only-first-looked-at") {
  // Takes the first extension for a profiler without checking its type.
  WalkExtensions<SLOT(PJRT_Client_Compile)>([](PJRT_Extension_Base* node) {
    if (node->struct_size < PJRT_Extension_Base_STRUCT_SIZE + 8 && node->type != PJRT_Extension_Type_Profiler) std::abort();
  });
}
FAULT("call-profiler-extension-dereferenced") {
  auto look = [](PJRT_Extension_Base* node) {
    if (node->type != PJRT_Extension_Type_Profiler) return;
    volatile const size_t* profiler =
        reinterpret_cast<const size_t*>(reinterpret_cast<PJRT_Profiler_Extension*>(node)->profiler_api);
    (void)*profiler;
  };
  WalkExtensions<SLOT(PJRT_Client_Compile)>(look);
  WalkExtensions<SLOT(PJRT_LoadedExecutable_Execute)>(look);
}
FAULT("call-extension-required") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_TopologyDescription)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.extension_start == nullptr ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no extension") : original(&args);
  });
}

// ---- nested structs -----------------------------------------------------------------------------------------------------

FAULT("nested-program-size-exact") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t size = args.program->struct_size;
    return size != PJRT_Program_STRUCT_SIZE ? BadSize("PJRT_Program", PJRT_Program_STRUCT_SIZE, size) : original(&args);
  });
}
FAULT("nested-execute-options-larger-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t size = args.options->struct_size;
    return size > PJRT_ExecuteOptions_STRUCT_SIZE ? BadSize("PJRT_ExecuteOptions", PJRT_ExecuteOptions_STRUCT_SIZE, size)
                                                  : original(&args);
  });
}
FAULT("nested-execute-options-older-refused") {
  OwnErrors();
  if (Base().pjrt_api_version.minor_version < PJRT_API_MINOR) return Missing("the newest execute options");
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t size = args.options->struct_size;
    return size < PJRT_ExecuteOptions_STRUCT_SIZE ? BadSize("PJRT_ExecuteOptions", PJRT_ExecuteOptions_STRUCT_SIZE, size)
                                                  : original(&args);
  });
}
FAULT("nested-layout-size-checked") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.device_layout && args.device_layout->struct_size > 200) return BadSize("layout", 80, args.device_layout->struct_size);
    return original(&args);
  });
  Replace<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.host_layout && args.host_layout->struct_size > 200) return BadSize("layout", 80, args.host_layout->struct_size);
    return original(&args);
  });
}
FAULT("nested-layout-extension-followed") {
  Before<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (args.device_layout == nullptr) return;
    for (auto* node = args.device_layout->extension_start; node != nullptr; node = node->next) {
    }
  });
}
FAULT("nested-shape-spec-size-checked") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_shape_specs; ++i) {
      if (args.shape_specs[i].struct_size != PJRT_ShapeSpec_STRUCT_SIZE)
        return BadSize("PJRT_ShapeSpec", PJRT_ShapeSpec_STRUCT_SIZE, args.shape_specs[i].struct_size);
    }
    return original(&args);
  });
}
FAULT("nested-named-value-size-checked") {
  OwnErrors();
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_AddMetadata)>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_metadata; ++i) {
      if (args.transfer_metadata[i].struct_size != PJRT_NamedValue_STRUCT_SIZE)
        return BadSize("PJRT_NamedValue", PJRT_NamedValue_STRUCT_SIZE, args.transfer_metadata[i].struct_size);
    }
    return original(&args);
  });
}

// ---- strings ------------------------------------------------------------------------------------------------------------

FAULT("string-format-needs-terminator") {
  Before<SLOT(PJRT_Client_Compile)>([](auto& args) {
    volatile size_t length = std::strlen(args.program->format);
    (void)length;
  });
}
/** Makes a text longer than it is, by what follows it in memory. */
void Lengthen(const char*& text, size_t& size, std::string_view tail) {
  static std::mutex mutex;
  static std::set<std::string> kept;
  std::lock_guard<std::mutex> lock(mutex);
  const std::string& found = *kept.insert(std::string(text, size).append(tail)).first;
  text = found.data();
  size = found.size();
}
FAULT("string-debug-runs-past-its-end") {
  After<SLOT(PJRT_DeviceDescription_DebugString)>([](auto& args) {
    Lengthen(args.debug_string, args.debug_string_size, std::string_view("\0!\x7f\x02", 4));
  });
}
FAULT("string-memory-counts-terminator") {
  After<SLOT(PJRT_Memory_DebugString)>([](auto& args) {
    Lengthen(args.debug_string, args.debug_string_size, std::string_view("\0", 1));
  });
}
FAULT("string-executable-name-has-junk") {
  After<SLOT(PJRT_Executable_Name)>([](auto& args) {
    Lengthen(args.executable_name, args.executable_name_size, "\x7f");
  });
}
FAULT("string-platform-version-has-junk") {
  After<SLOT(PJRT_Client_PlatformVersion)>([](auto& args) {
    Lengthen(args.platform_version, args.platform_version_size, "\xfe");
  });
}
FAULT("string-attribute-name-counts-terminator") {
  After<SLOT(PJRT_Plugin_Attributes)>([](auto& args) {
    ChangeList(args.attributes, args.num_attributes, [](auto& copy) {
      for (PJRT_NamedValue& value : copy) Lengthen(value.name, value.name_size, std::string_view("\0", 1));
    });
  });
}
FAULT("string-format-stops-at-nul") {
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Program program = *args.program;
    if (program.format != nullptr) program.format_size = strnlen(program.format, program.format_size);
    return With(args, original, args.program, &program);
  });
}
/** A message that a caller gives ends at the first NUL. */
template <class S>
void StopMessageAtNul() {
  Replace<S>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.error_message == nullptr) return original(&args);
    return With(args, original, args.error_message_size, strnlen(args.error_message, args.error_message_size));
  });
}
FAULT("string-event-message-stops-at-nul") { StopMessageAtNul<SLOT(PJRT_Event_Set)>(); }
FAULT("string-buffer-message-stops-at-nul") { StopMessageAtNul<SLOT(PJRT_Client_CreateErrorBuffer)>(); }
FAULT("string-transfer-message-stops-at-nul") {
  StopMessageAtNul<SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError)>();
}
FAULT("string-payload-stops-at-nul") {
  Replace<SLOT(PJRT_Client_CreateErrorBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_CreateErrorBuffer_Args, num_payload)) return original(&args);
    std::vector<PJRT_NamedValue> payload(args.payload, args.payload + args.num_payload);
    for (PJRT_NamedValue& value : payload) {
      value.name_size = strnlen(value.name, value.name_size);
      if (value.type == PJRT_NamedValue_kString) value.value_size = strnlen(value.string_value, value.value_size);
    }
    return With(args, original, args.payload, payload.data());
  });
}
FAULT("string-topology-needs-terminator") {
  Before<SLOT(PJRT_TopologyDescription_Create)>([](auto& args) {
    if (args.topology_name == nullptr) return;
    volatile size_t length = std::strlen(args.topology_name);
    (void)length;
  });
}
FAULT("string-program-needs-terminator") {
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    // Text up to a NUL, wherever that is.
    if (args.program->code == nullptr || std::memcmp(args.program->code, "ML\xefR", 4) == 0) return original(&args);
    PJRT_Program program = *args.program;
    program.code_size = std::strlen(program.code);
    return With(args, original, args.program, &program);
  });
}
FAULT("string-serialized-needs-terminator") {
  Replace<SLOT(PJRT_Executable_DeserializeAndLoad)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.serialized_executable == nullptr) return original(&args);
    return With(args, original, args.serialized_executable_size, std::strlen(args.serialized_executable));
  });
}
FAULT("string-error-message-needs-terminator") {
  Before<SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError)>([](auto& args) {
    volatile size_t length = std::strlen(args.error_message);
    (void)length;
  });
}

// ---- what calls leave in their structs ----------------------------------------------------------------------------------

FAULT("args-input-overwritten") {
  After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) { args.buffer = nullptr; });
  After<SLOT(PJRT_Plugin_Attributes)>([](auto& args) { args.struct_size = 0; });
  After<SLOT(PJRT_Client_Create)>([](auto& args) { args.num_options = 99; });
}
FAULT("args-output-left-alone") {
  Replace<SLOT(PJRT_Device_LocalHardwareId)>([](auto& args, auto& original) -> PJRT_Error* {
    const int before = args.local_hardware_id;
    PJRT_Error* error = original(&args);
    args.local_hardware_id = before;
    return error;
  });
}
FAULT("args-output-written-on-failure") {
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) args.device = reinterpret_cast<PJRT_Device*>(0x100);
    return error;
  });
}
FAULT("args-bool-written-as-word") {
  After<SLOT(PJRT_Buffer_IsOnCpu)>([](auto& args) {
    // Eight bytes for one, and the next field as if there were one: past the end of the struct.
    uint64_t word = args.is_on_cpu ? ~uint64_t{0} : 0;
    std::memcpy(&args.is_on_cpu, &word, sizeof(word));
    std::memcpy(reinterpret_cast<char*>(&args) + sizeof(args), &word, sizeof(word));
  });
}
FAULT("unimplemented-as-internal") {
  OwnErrors();
  // Unsupported functions return INTERNAL, which callers cannot recognise.
  Replace<SLOT(PJRT_Buffer_DynamicDimensionIndices)>([](auto&, auto&) -> PJRT_Error* {
    return MakeError(PJRT_Error_Code_INTERNAL, "dynamic dimensions are not supported");
  });
  Replace<SLOT(PJRT_Client_TopologyDescription)>([](auto&, auto&) -> PJRT_Error* {
    return MakeError(PJRT_Error_Code_INTERNAL, "no topology");
  });
}
FAULT("unimplemented-aborts") {
  Before<SLOT(PJRT_Executable_GetCostAnalysis)>([](auto&) { std::abort(); });
}
FAULT("unimplemented-as-success") {
  // A stub that reports success and does nothing.
  Ignore<SLOT(PJRT_Executable_OptimizedProgram)>();
  Ignore<SLOT(PJRT_Executable_GetCompiledMemoryStats)>();
}

// ---- enums --------------------------------------------------------------------------------------------------------------

FAULT("enum-host-layout-type-aborts") {
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (args.host_layout != nullptr && args.host_layout->type > PJRT_Buffer_MemoryLayout_Type_Strides) std::abort();
  });
}
FAULT("enum-error-code-kept") {
  OwnErrors();
  // An unknown code is returned as it came.
  Replace<SLOT(PJRT_Event_Set)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.error_code > PJRT_Error_Code_UNAUTHENTICATED) std::abort();
    return original(&args);
  });
}

}  // namespace
