// Extensions: the chain of the table, and the functions of each extension.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "../wrapper/shared_set.h"
#include "faults.h"
#include "profiler.h"

namespace {

using namespace faults;

// ---- the chain ----------------------------------------------------------------------------------------------------------

/** An extension of this library. */
PJRT_Extension_Base* NewExtension(int type, size_t size = sizeof(PJRT_Extension_Base)) {
  auto* made = static_cast<PJRT_Extension_Base*>(std::calloc(1, size + 64));
  made->struct_size = size;
  made->type = static_cast<PJRT_Extension_Type>(type);
  return made;
}

FAULT("extension-chain-is-a-ring") {
  PJRT_Extension_Base* node = ExtensionCopy(PJRT_Extension_Type_Layouts);
  if (node == nullptr) return;
  while (node->next != nullptr) node = node->next;
  node->next = Table().extension_start;
}
FAULT("extension-twice") {
  PJRT_Extension_Base* layouts = ExtensionCopy(PJRT_Extension_Type_Layouts);
  if (layouts == nullptr) return;
  PJRT_Extension_Base* twin = NewExtension(layouts->type, layouts->struct_size);
  std::memcpy(twin, layouts, layouts->struct_size);
  AddExtension(twin);
}
FAULT("extension-type-out-of-enum") { AddExtension(NewExtension(4711)); }
FAULT("extension-size-without-base") {
  if (PJRT_Extension_Base* layouts = ExtensionCopy(PJRT_Extension_Type_Layouts)) layouts->struct_size = 16;
}
FAULT("extension-size-ends-inside-slot") {
  if (PJRT_Extension_Base* layouts = ExtensionCopy(PJRT_Extension_Type_Layouts)) layouts->struct_size -= 4;
}
FAULT("extension-function-null") {
  if (auto* layouts = Extension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts)) {
    // The second slot after the base: destroying a layout.
    std::memset(reinterpret_cast<char*>(layouts) + sizeof(PJRT_Extension_Base), 0, sizeof(void*));
  }
}
FAULT("extension-function-is-data") {
  if (auto* layouts = Extension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts)) {
    static int data = 42;
    void* pointer = &data;
    std::memcpy(reinterpret_cast<char*>(layouts) + sizeof(PJRT_Extension_Base), &pointer, sizeof(pointer));
  }
}
FAULT("extension-appears-on-initialize") {
  After<SLOT(PJRT_Plugin_Initialize)>([](auto&) { AddExtension(NewExtension(PJRT_Extension_Type_Example, 48)); });
}
FAULT("extension-appears-with-client") {
  After<SLOT(PJRT_Client_Create)>([](auto&) {
    static std::atomic<bool> done{false};
    if (!done.exchange(true)) AddExtension(NewExtension(PJRT_Extension_Type_Example, 48));
  });
}
FAULT("extension-pointer-wild") {
  if (PJRT_Extension_Base* layouts = ExtensionCopy(PJRT_Extension_Type_Layouts))
    layouts->next = reinterpret_cast<PJRT_Extension_Base*>(0x10);
}

// ---- functions of extensions --------------------------------------------------------------------------------------------

PJRT_Layouts_Extension* Layouts() { return Extension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts); }

FAULT("layouts-serialization-changes") {
  if (auto* layouts = Layouts()) {
    ReplaceIn<PJRT_Layouts_MemoryLayout_Serialize_Args>(layouts->PJRT_Layouts_MemoryLayout_Serialize, [](auto& args, auto original) -> PJRT_Error* {
      static std::atomic<int> calls{0};
      PJRT_Error* error = original(&args);
      if (error == nullptr && ++calls % 2 == 0) args.serialized_bytes_size = 0;
      return error;
    });
  }
}
FAULT("layouts-client-default-fails") {
  OwnErrors();
  if (auto* layouts = Layouts()) {
    ReplaceIn<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>(
        layouts->PJRT_Layouts_PJRT_Client_GetDefaultLayout,
        [](auto&, auto) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no default layout"); });
  }
}
FAULT("layouts-buffer-reversed") {
  if (auto* layouts = Layouts()) {
    static SharedSet<const void*> seen;
    ReplaceIn<PJRT_Layouts_MemoryLayout_Destroy_Args>(layouts->PJRT_Layouts_MemoryLayout_Destroy, [](auto& args, auto original) -> PJRT_Error* {
      seen.Remove(args.layout);
      return original(&args);
    });
    ReplaceIn<PJRT_Layouts_MemoryLayout_Serialize_Args>(layouts->PJRT_Layouts_MemoryLayout_Serialize, [](auto& args, auto original) -> PJRT_Error* {
      PJRT_Error* error = original(&args);
      if (error != nullptr) return error;
      if (!seen.Add(args.layout)) return nullptr;
      // The first text of a layout differs from later ones.
      args.serialized_bytes = "{0,1}";
      args.serialized_bytes_size = 5;
      return nullptr;
    });
  }
}
FAULT("layouts-null-destroy-aborts") {
  if (auto* layouts = Layouts()) {
    ReplaceIn<PJRT_Layouts_MemoryLayout_Destroy_Args>(layouts->PJRT_Layouts_MemoryLayout_Destroy, [](auto& args, auto original) -> PJRT_Error* {
      if (args.layout == nullptr) std::abort();
      return original(&args);
    });
  }
}
FAULT("layouts-one-output-too-few") {
  if (auto* layouts = Layouts()) {
    ReplaceIn<PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args>(
        layouts->PJRT_Layouts_PJRT_Executable_GetOutputLayouts, [](auto& args, auto original) -> PJRT_Error* {
          PJRT_Error* error = original(&args);
          if (error == nullptr && args.num_outputs > 0) args.num_outputs -= 1;
          return error;
        });
  }
}
FAULT("layouts-one-parameter-too-few") {
  if (auto* layouts = Layouts()) {
    ReplaceIn<PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args>(
        layouts->PJRT_Layouts_PJRT_Executable_GetParameterLayouts, [](auto& args, auto original) -> PJRT_Error* {
          PJRT_Error* error = original(&args);
          if (error == nullptr && args.num_parameters > 0) args.num_parameters -= 1;
          return error;
        });
  }
}
FAULT("layouts-topology-default-fails") {
  OwnErrors();
  if (auto* layouts = Layouts()) {
    ReplaceIn<PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args>(
        layouts->PJRT_Layouts_PJRT_Topology_GetDefaultLayout,
        [](auto&, auto) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no default layout"); });
  }
}
FAULT("memory-descriptions-kind-empty") {
  if (auto* e = Extension<PJRT_MemoryDescriptions_Extension>(PJRT_Extension_Type_MemoryDescriptions)) {
    ReplaceIn<PJRT_MemoryDescription_Kind_Args>(e->PJRT_MemoryDescription_Kind, [](auto& args, auto original) -> PJRT_Error* {
      PJRT_Error* error = original(&args);
      if (error == nullptr) args.kind_size = 0;
      return error;
    });
  }
}
FAULT("memory-descriptions-default-out-of-range") {
  if (auto* e = Extension<PJRT_MemoryDescriptions_Extension>(PJRT_Extension_Type_MemoryDescriptions)) {
    ReplaceIn<PJRT_DeviceDescription_MemoryDescriptions_Args>(e->PJRT_DeviceDescription_MemoryDescriptions, [](auto& args, auto original) -> PJRT_Error* {
      PJRT_Error* error = original(&args);
      if (error == nullptr) args.default_memory_index = args.num_memory_descriptions + 2;
      return error;
    });
  }
}
FAULT("ffi-types-share-an-id") {
  if (auto* e = Extension<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI)) {
    ReplaceIn<PJRT_FFI_Type_Register_Args>(e->type_register, [](auto& args, auto original) -> PJRT_Error* {
      const bool asks = args.type_id == 0;
      PJRT_Error* error = original(&args);
      if (error == nullptr && asks) args.type_id = 1;
      return error;
    });
  }
}
FAULT("ffi-type-again-accepted") {
  if (auto* e = Extension<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI)) {
    ReplaceIn<PJRT_FFI_Type_Register_Args>(e->type_register, [](auto& args, auto original) -> PJRT_Error* {
      Drop(original(&args));
      return nullptr;
    });
  }
}
FAULT("ffi-user-data-twice-accepted") {
  if (auto* e = Extension<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI)) {
    ReplaceIn<PJRT_FFI_UserData_Add_Args>(e->user_data_add, [](auto& args, auto original) -> PJRT_Error* {
      Drop(original(&args));
      return nullptr;
    });
  }
}
FAULT("stream-wait-fails") {
  OwnErrors();
  if (auto* e = Extension<PJRT_Stream_Extension>(PJRT_Extension_Type_Stream)) {
    ReplaceIn<PJRT_Wait_Until_Buffer_Ready_On_Stream_Args>(e->wait_stream, [](auto&, auto) -> PJRT_Error* {
      return MakeError(PJRT_Error_Code_INTERNAL, "the stream cannot wait");
    });
  }
}
FAULT("stream-wait-deletes-the-buffer") {
  if (auto* e = Extension<PJRT_Stream_Extension>(PJRT_Extension_Type_Stream)) {
    ReplaceIn<PJRT_Wait_Until_Buffer_Ready_On_Stream_Args>(e->wait_stream, [](auto& args, auto original) -> PJRT_Error* {
      PJRT_Error* error = original(&args);
      ARGS(PJRT_Buffer_Delete, deletion);
      deletion.buffer = args.buffer;
      Ask(Base().PJRT_Buffer_Delete, deletion);
      return error;
    });
  }
}

// ---- the profiler -------------------------------------------------------------------------------------------------------

/** An error of the base's profiler: it has no profiler to start. */
PLUGIN_Profiler_Error* ProfilerError() {
  PLUGIN_Profiler_Start_Args args{sizeof(args), nullptr};
  return base_profiler.start(&args);
}

FAULT("profiler-second-one-refused") {
  ChangeProfiler([](PLUGIN_Profiler_Api& table) {
    table.create = [](PLUGIN_Profiler_Create_Args* args) {
      MarkReached();
      static std::atomic<int> created{0};
      return created++ == 0 ? base_profiler.create(args) : ProfilerError();
    };
  });
}
FAULT("profiler-never-stops") {
  ChangeProfiler([](PLUGIN_Profiler_Api& table) {
    table.stop = [](PLUGIN_Profiler_Stop_Args*) -> PLUGIN_Profiler_Error* {
      MarkReached();
      return nullptr;
    };
  });
}
FAULT("profiler-writes-past-its-size") {
  ChangeProfiler([](PLUGIN_Profiler_Api& table) {
    table.collect_data = [](PLUGIN_Profiler_CollectData_Args* args) {
      MarkReached();
      uint8_t* const room = args->buffer;
      PLUGIN_Profiler_Error* error = base_profiler.collect_data(args);
      if (error == nullptr && room != nullptr) room[args->buffer_size_in_bytes] = 0;
      return error;
    };
  });
}
FAULT("profiler-gives-no-data") {
  ChangeProfiler([](PLUGIN_Profiler_Api& table) {
    table.collect_data = [](PLUGIN_Profiler_CollectData_Args* args) -> PLUGIN_Profiler_Error* {
      MarkReached();
      if (args->buffer != nullptr) return nullptr;
      PLUGIN_Profiler_Error* error = base_profiler.collect_data(args);
      args->buffer = nullptr;
      return error;
    };
  });
}
FAULT("profiler-gives-no-buffer") {
  ChangeProfiler([](PLUGIN_Profiler_Api& table) {
    table.collect_data = [](PLUGIN_Profiler_CollectData_Args* args) {
      MarkReached();
      const bool asks_for_size = args->buffer == nullptr;
      PLUGIN_Profiler_Error* error = base_profiler.collect_data(args);
      if (asks_for_size) args->buffer = nullptr;
      return error;
    };
  });
}
FAULT("profiler-data-damaged") {
  ChangeProfiler([](PLUGIN_Profiler_Api& table) {
    table.collect_data = [](PLUGIN_Profiler_CollectData_Args* args) {
      MarkReached();
      PLUGIN_Profiler_Error* error = base_profiler.collect_data(args);
      // The first plane claims to be longer than everything.
      if (error == nullptr && args->buffer != nullptr && args->buffer_size_in_bytes > 2) args->buffer[1] = 0x7f;
      return error;
    };
  });
}
FAULT("profiler-needs-struct-size") {
  ChangeProfiler([](PLUGIN_Profiler_Api& table) {
    table.start = [](PLUGIN_Profiler_Start_Args* args) {
      MarkReached();
      return args->struct_size < sizeof(*args) ? ProfilerError() : base_profiler.start(args);
    };
  });
}

// ---- memory -------------------------------------------------------------------------------------------------------------

FAULT("raw-buffer-size-zero") {
  if (auto* e = Extension<PJRT_RawBuffer_Extension>(PJRT_Extension_Type_RawBuffer)) {
    ReplaceIn<PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args>(e->PJRT_RawBuffer_GetOnDeviceSizeInBytes, [](auto& args, auto original) -> PJRT_Error* {
      PJRT_Error* error = original(&args);
      if (error == nullptr) args.on_device_size_in_bytes = 0;
      return error;
    });
  }
}
FAULT("raw-buffer-copies-nothing") {
  OwnEvents();
  if (auto* e = Extension<PJRT_RawBuffer_Extension>(PJRT_Extension_Type_RawBuffer)) {
    ReplaceIn<PJRT_RawBuffer_CopyRawHostToDevice_Args>(e->PJRT_RawBuffer_CopyRawHostToDevice, [](auto& args, auto) -> PJRT_Error* {
      args.event = ReadyEvent();
      return nullptr;
    });
  }
}
FAULT("raw-buffer-writes-at-beginning") {
  if (auto* e = Extension<PJRT_RawBuffer_Extension>(PJRT_Extension_Type_RawBuffer)) {
    ReplaceIn<PJRT_RawBuffer_CopyRawHostToDevice_Args>(e->PJRT_RawBuffer_CopyRawHostToDevice, [](auto& args, auto original) -> PJRT_Error* {
      const int64_t offset = args.offset;
      args.offset = 0;
      PJRT_Error* error = original(&args);
      args.offset = offset;
      return error;
    });
  }
}
FAULT("host-allocator-gives-null") {
  if (auto* e = Extension<PJRT_HostMemoryAllocator_Extension>(PJRT_Extension_Type_HostMemoryAllocator)) {
    static PJRT_HostMemoryAllocator_Allocate original = e->allocate;
    e->allocate = [](PJRT_HostMemoryAllocator_Allocate_Args* args) {
      MarkReached();
      auto result = original(args);
      args->ptr = nullptr;
      return result;
    };
  }
}
PJRT_Callback_Extension* Callbacks() { return Extension<PJRT_Callback_Extension>(PJRT_Extension_Type_Callback); }
FAULT("callback-extension-never-runs") {
  if (auto* callbacks = Callbacks()) {
    ReplaceIn<PJRT_Callback_InvokeCallback_Args>(callbacks->invoke_callback, [](auto&, auto) -> PJRT_Error* { return nullptr; });
  }
}
FAULT("callback-extension-runs-twice") {
  if (auto* callbacks = Callbacks()) {
    ReplaceIn<PJRT_Callback_InvokeCallback_Args>(callbacks->invoke_callback, [](auto& args, auto original) -> PJRT_Error* {
      Drop(original(&args));
      return original(&args);
    });
  }
}
FAULT("callback-extension-keeps-one") {
  // The next registration takes the place of the last.
  if (auto* callbacks = Callbacks()) {
    ReplaceIn<PJRT_Callback_RegisterCallback_Args>(callbacks->register_callback, [](auto& args, auto original) -> PJRT_Error* {
      static std::atomic<bool> registered{false};
      return registered.exchange(true) ? nullptr : original(&args);
    });
  }
}
FAULT("callback-extension-loses-user-arg") {
  if (auto* callbacks = Callbacks()) {
    ReplaceIn<PJRT_Callback_RegisterCallback_Args>(callbacks->register_callback, [](auto& args, auto original) -> PJRT_Error* {
      void* const given = args.user_arg;
      args.user_arg = nullptr;
      PJRT_Error* error = original(&args);
      args.user_arg = given;
      return error;
    });
  }
}
FAULT("callback-extension-error-of-before") {
  // The error of the first invocation is given to all callbacks.
  if (auto* callbacks = Callbacks()) {
    ReplaceIn<PJRT_Callback_InvokeCallback_Args>(callbacks->invoke_callback, [](auto& args, auto original) -> PJRT_Error* {
      static const int code = static_cast<PJRT_Callback_PrefatalArgs*>(args.args)->error_code;
      PJRT_Callback_PrefatalArgs changed = *static_cast<PJRT_Callback_PrefatalArgs*>(args.args);
      changed.error_code = static_cast<PJRT_Error_Code>(code);
      void* const given = args.args;
      args.args = &changed;
      PJRT_Error* error = original(&args);
      args.args = given;
      return error;
    });
  }
}
FAULT("callback-extension-runs-later") {
  if (auto* callbacks = Callbacks()) {
    ReplaceIn<PJRT_Callback_InvokeCallback_Args>(callbacks->invoke_callback, [](auto& args, auto original) -> PJRT_Error* {
      auto* kept = new PJRT_Callback_InvokeCallback_Args(args);
      Later(2000, [kept, original] { Drop(original(kept)); });
      return nullptr;
    });
  }
}
FAULT("abi-version-incompatible-with-itself") {
  if (auto* e = Extension<PJRT_AbiVersion_Extension>(PJRT_Extension_Type_AbiVersion)) {
    OwnErrors();
    ReplaceIn<PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args>(
        e->runtime_abi_version_is_compatible_with_runtime,
        [](auto&, auto) -> PJRT_Error* { return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "incompatible"); });
  }
}
FAULT("abi-version-garbage-aborts") {
  if (auto* e = Extension<PJRT_AbiVersion_Extension>(PJRT_Extension_Type_AbiVersion)) {
    ReplaceIn<PJRT_RuntimeAbiVersion_FromProto_Args>(e->runtime_abi_version_from_proto, [](auto& args, auto original) -> PJRT_Error* {
      PJRT_Error* error = original(&args);
      if (error == nullptr) return nullptr;
      std::abort();
    });
  }
}
FAULT("abi-version-of-executable-missing") {
  OwnErrors();
  if (auto* e = Extension<PJRT_AbiVersion_Extension>(PJRT_Extension_Type_AbiVersion)) {
    ReplaceIn<PJRT_Executable_GetAbiVersion_Args>(e->executable_get_abi_version, [](auto&, auto) -> PJRT_Error* {
      return MakeError(PJRT_Error_Code_INTERNAL, "no version");
    });
  }
}
FAULT("shardings-one-too-many") {
  if (auto* e = Extension<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings)) {
    ReplaceIn<PJRT_Shardings_PJRT_Executable_OutputShardings_Args>(
        e->PJRT_Shardings_PJRT_Executable_OutputShardings, [](auto& args, auto original) -> PJRT_Error* {
          PJRT_Error* error = original(&args);
          if (error == nullptr) args.num_outputs += 1;
          return error;
        });
  }
}
FAULT("metadata-of-executables-fails") {
  OwnErrors();
  if (auto* e = Extension<PJRT_ExecutableMetadata_Extension>(PJRT_Extension_Type_ExecutableMetadata)) {
    ReplaceIn<PJRT_ExecutableMetadata_GetExecutableMetadata_Args>(
        e->get_executable_metadata, [](auto&, auto) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no metadata"); });
  }
}
FAULT("profiler-without-functions") {
  if (auto* e = Extension<PJRT_Profiler_Extension>(PJRT_Extension_Type_Profiler)) e->profiler_api = nullptr;
}
FAULT("stream-fails") {
  OwnErrors();
  if (auto* e = Extension<PJRT_Stream_Extension>(PJRT_Extension_Type_Stream)) {
    ReplaceIn<PJRT_Get_Stream_For_External_Ready_Events_Args>(
        e->get_stream, [](auto&, auto) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no stream"); });
  }
}
FAULT("phases-without-names") {
  if (auto* e = Extension<PJRT_PhaseCompile_Extension>(PJRT_Extension_Type_PhaseCompile)) {
    ReplaceIn<PJRT_PhaseCompile_Get_PhaseNames_Args>(e->phase_compile_get_phase_names, [](auto& args, auto original) -> PJRT_Error* {
      PJRT_Error* error = original(&args);
      if (error == nullptr) args.num_phase_names = 0;
      return error;
    });
  }
}

}  // namespace
