// A cache of compilations, whose handles are counted.
#include <map>
#include <mutex>
#include <string>

#include "designs.h"

namespace designs {
namespace {

std::mutex mutex;
/** By client, and all that the executable depends on. */
auto& known = *new std::map<std::pair<const PJRT_Client*, std::string>, PJRT_LoadedExecutable*>();
auto& references = *new std::map<const PJRT_LoadedExecutable*, size_t>();

/** The handle that the client got for these inputs, with one more reference, or else that of `make`. */
PJRT_Error* Share(const PJRT_Client* client, const std::string& inputs, PJRT_LoadedExecutable*& handle,
                  const std::function<PJRT_Error*()>& make) {
  const std::pair key(client, inputs);
  {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = known.find(key);
    if (found != known.end()) {
      handle = found->second;
      references[handle]++;
      return nullptr;
    }
  }
  PJRT_Error* error = make();
  if (error != nullptr) return error;
  std::lock_guard<std::mutex> lock(mutex);
  // Of two that were made at the same time, one is shared.
  known.emplace(key, handle);
  references[handle] = 1;
  return nullptr;
}

/** Forgets what `is` is true of. */
template <class F>
void Forget(F is) {
  for (auto entry = known.begin(); entry != known.end();) entry = is(*entry) ? known.erase(entry) : std::next(entry);
}

/** With its length, so that no two lists of parts are alike. */
std::string Part(const char* bytes, size_t size) { return std::to_string(size) + ":" + std::string(bytes, size); }

}  // namespace

void SharedCompilations() {
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    const PJRT_Program* program = args.program;
    // What is wrong is for the base to say.
    if (!HAS(args, PJRT_Client_Compile_Args, executable) || program == nullptr || program->code == nullptr ||
        program->format == nullptr || args.compile_options == nullptr) {
      return original(&args);
    }
    const std::string inputs = "compile" + Part(program->format, program->format_size) +
                               Part(program->code, program->code_size) +
                               Part(args.compile_options, args.compile_options_size);
    return Share(args.client, inputs, args.executable, [&] { return original(&args); });
  });
  Replace<SLOT(PJRT_Executable_DeserializeAndLoad)>([](auto& args, auto& original) -> PJRT_Error* {
    using Args = PJRT_Executable_DeserializeAndLoad_Args;
    if (!HAS(args, Args, loaded_executable) || args.serialized_executable == nullptr ||
        (HAS(args, Args, overridden_serialized_compile_options) && args.overridden_serialized_compile_options != nullptr) ||
        (HAS(args, Args, load_options) && args.load_options != nullptr)) {
      return original(&args);
    }
    const std::string inputs = "load" + Part(args.serialized_executable, args.serialized_executable_size);
    return Share(args.client, inputs, args.loaded_executable, [&] { return original(&args); });
  });
  Replace<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      const auto found = references.find(args.executable);
      if (found != references.end()) {
        if (--found->second > 0) return nullptr;
        references.erase(found);
        Forget([&](const auto& entry) { return entry.second == args.executable; });
      }
    }
    return original(&args);
  });
  // A client that comes at the same address has executables of its own.
  Before<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    Forget([&](const auto& entry) { return entry.first.first == args.client; });
  });
}

}  // namespace designs
