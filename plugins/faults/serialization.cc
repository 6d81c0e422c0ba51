// Executables as bytes: serialization, and loading from bytes.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "../wrapper/shared_set.h"
#include "calls.h"
#include "execute.h"

namespace {

using namespace faults;

using GetExecutable = SLOT(PJRT_LoadedExecutable_GetExecutable);
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
    return With(args, original, args.serialized_executable_size, size - 16);
  });
}
FAULT("deserialize-null-with-success") {
  After<Deserialize>([](auto& args) { args.loaded_executable = nullptr; });
}
FAULT("deserialize-loses-name") {
  static SharedSet<PJRT_LoadedExecutable*> loaded;
  static SharedSet<PJRT_Executable*> nameless;
  WatchClients();
  After<Deserialize>([](auto& args) { loaded.Add(args.loaded_executable); });
  After<GetExecutable>([](auto& args) {
    if (loaded.Has(args.loaded_executable)) nameless.Add(args.executable);
    else nameless.Remove(args.executable);
  });
  After<SLOT(PJRT_Executable_Name)>([](auto& args) {
    if (!nameless.Has(args.executable)) return;
    args.executable_name = "restored";
    args.executable_name_size = 8;
  });
}
/** Changes outputs of deserialized executables. */
FAULT("deserialize-computes-otherwise") {
  static SharedSet<PJRT_LoadedExecutable*> loaded;
  WatchClients();
  After<Deserialize>([](auto& args) { loaded.Add(args.loaded_executable); });
  After<Execute>([](auto& args) {
    if (!loaded.Has(args.executable)) return;
    PJRT_Buffer*& out = args.output_lists[0][0];
    if (ShapeOf(out).count() > 0) Change(out, [](uint8_t* bytes) { *bytes ^= 1; });
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) { loaded.Remove(args.executable); });
}
FAULT("deserialize-twice-refused") {
  OwnErrors();
  static SharedSet<std::string> seen;
  Replace<Deserialize>([](auto& args, auto& original) -> PJRT_Error* {
    if (!seen.Add(std::string(args.serialized_executable, args.serialized_executable_size)))
      return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "loaded already");
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
    return With(args, original, args.overridden_serialized_compile_options, nullptr,
                args.overridden_serialized_compile_options_size, 0);
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
    return With(args, original, args.serialized_executable, good.data(), args.serialized_executable_size, good.size());
  });
}
FAULT("deserialize-loses-donation") {
  static SharedSet<PJRT_LoadedExecutable*> loaded;
  WatchClients();
  After<Deserialize>([](auto& args) { loaded.Add(args.loaded_executable); });
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return loaded.Has(args.executable) ? WithoutDonation(args, original) : original(&args);
  });
}

}  // namespace
