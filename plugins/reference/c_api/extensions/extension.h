// Common code of the extensions. Each is a file with a node for the chain.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "c_api/call.h"
#include "c_api/handles.h"
#include "pjrt_c_extensions.h"

namespace reference {

// Nodes with their functions and type; ExtensionChain sets struct_size and next.
PJRT_Extension_Base* AbiVersionExtension();
PJRT_Extension_Base* CallbackExtension();
PJRT_Extension_Base* CrossHostTransfersExtension();
PJRT_Extension_Base* ExampleExtension();
PJRT_Extension_Base* ExecutableMetadataExtension();
PJRT_Extension_Base* FfiExtension();
PJRT_Extension_Base* HostMemoryAllocatorExtension();
PJRT_Extension_Base* LayoutsExtension();
PJRT_Extension_Base* MemoryDescriptionsExtension();
PJRT_Extension_Base* PhaseCompileExtension();
PJRT_Extension_Base* ProfilerExtension();
PJRT_Extension_Base* RawBufferExtension();
PJRT_Extension_Base* ShardingsExtension();
PJRT_Extension_Base* StreamExtension();

// Runs the body of an extension function. Unlike those of the API, the arguments of extensions have one size: `size` is
// that of the header.
template <typename Args, typename Body>
PJRT_Error* CallExtension(const char* name, Args* args, size_t size, Body&& body) {
  try {
    if (args == nullptr) throw InvalidArgument(std::string(name) + ": args is null");
    if (args->struct_size < size) {
      throw InvalidArgument(std::string(name) + ": struct_size is " + std::to_string(args->struct_size) +
                            ", expected " + std::to_string(size));
    }
    std::forward<Body>(body)();
    return nullptr;
  } catch (...) {
    return MakeCaughtError();
  }
}

// CALL(PJRT_FFI_Type_Register, args, [&] { ... })
#define CALL_EXTENSION(name, args, body) ::reference::CallExtension(#name, args, name##_Args_STRUCT_SIZE, body)

// Constant results of an executable: created once by `make`, and valid as long as the handle.
template <typename T, typename MakeAnswer>
T& AnswerOf(PJRT_Executable* handle, const void* key, MakeAnswer&& make) {
  PJRT_Executable& executable = Given(handle, "executable");
  const std::lock_guard<std::mutex> lock(executable.answers_mutex);
  std::shared_ptr<void>& answer = executable.answers[key];
  if (answer == nullptr) answer = std::make_shared<T>(make(*executable.executable));
  return *static_cast<T*>(answer.get());
}

// The base of a node of this type, for ExtensionChain to complete.
inline PJRT_Extension_Base BaseOf(PJRT_Extension_Type type) { return {0, type, nullptr}; }

}  // namespace reference
