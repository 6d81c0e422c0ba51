// Consumers of other versions: plugins that use the structs of their own header, whatever the caller has. Cases that
// send one struct of another size do not detect these; a whole run as such a consumer does (`asApi` in the catalogue).
#include <cstring>

#include "calls.h"

namespace {

using namespace faults;

/** Whether the struct is at least as large as in this header. */
template <class S>
void DemandOwnSize(const char* what, size_t own) {
  OwnErrors();
  Replace<S>([what, own](auto& args, auto& original) -> PJRT_Error* {
    return args.struct_size < own ? BadSize(what, own, args.struct_size) : original(&args);
  });
}

// ---- older callers --------------------------------------------------------------------------------------------------

FAULT("caller-older-refused-by-create") {
  // As plugins built from XLA do: a consumer with an older header gets no client.
  DemandOwnSize<SLOT(PJRT_Client_Create)>("PJRT_Client_Create_Args", PJRT_Client_Create_Args_STRUCT_SIZE);
}
FAULT("caller-older-refused-by-load") {
  // The compile options that override are older than a year, so "everyone has them".
  DemandOwnSize<SLOT(PJRT_Executable_DeserializeAndLoad)>(
      "PJRT_Executable_DeserializeAndLoad_Args", offsetof(PJRT_Executable_DeserializeAndLoad_Args, load_options));
}
FAULT("caller-older-options-read-past") {
  Before<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args) {
    // Newer than the struct of many callers: for them this reads past its end.
    if (args.options->call_location == nullptr) return;
    volatile size_t length = std::strlen(args.options->call_location);
    (void)length;
  });
}
FAULT("caller-older-options-ignored") {
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    if (HAS(*args.options, PJRT_ExecuteOptions, call_location)) return original(&args);
    // Options of an unexpected size count as none.
    PJRT_ExecuteOptions none{};
    none.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    return With(args, original, args.options, &none);
  });
}

// ---- newer callers --------------------------------------------------------------------------------------------------

FAULT("caller-newer-refused-by-initialize") {
  OwnErrors();
  Replace<SLOT(PJRT_Plugin_Initialize)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.struct_size == PJRT_Plugin_Initialize_Args_STRUCT_SIZE) return original(&args);
    return BadSize("PJRT_Plugin_Initialize_Args", PJRT_Plugin_Initialize_Args_STRUCT_SIZE, args.struct_size);
  });
}
FAULT("caller-newer-extension-taken-for-profiler") {
  Before<SLOT(PJRT_Plugin_Initialize)>([](auto& args) {
    for (PJRT_Extension_Base* node = args.extension_start; node != nullptr; node = node->next) {
      volatile int64_t id = reinterpret_cast<PJRT_Profiler_Extension*>(node)->traceme_context_id;
      (void)id;
    }
  });
}
FAULT("caller-newer-struct-written-to-its-end") {
  After<SLOT(PJRT_Client_CreateAliasBuffer)>([](auto& args) {
    // Meant as a mark after the plugin's own fields, but placed by the caller's size.
    const uint64_t mark = ~uint64_t{0};
    if (args.struct_size >= sizeof(args) + sizeof(mark))
      std::memcpy(reinterpret_cast<char*>(&args) + args.struct_size - sizeof(mark), &mark, sizeof(mark));
  });
}
FAULT("caller-newer-refused-by-extension") {
  auto* layouts = Extension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts);
  if (layouts == nullptr) return;
  OwnErrors();
  ReplaceIn<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>(
      layouts->PJRT_Layouts_PJRT_Buffer_MemoryLayout, [](auto& args, auto original) -> PJRT_Error* {
        const size_t own = PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args_STRUCT_SIZE;
        return args.struct_size == own ? original(&args) : BadSize("Buffer_MemoryLayout_Args", own, args.struct_size);
      });
}
FAULT("caller-newer-extension-refused-by-extension") {
  auto* layouts = Extension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts);
  if (layouts == nullptr) return;
  OwnErrors();
  ReplaceIn<PJRT_Layouts_MemoryLayout_Serialize_Args>(
      layouts->PJRT_Layouts_MemoryLayout_Serialize, [](auto& args, auto original) -> PJRT_Error* {
        if (args.extension_start == nullptr) return original(&args);
        return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no extensions");
      });
}

}  // namespace
