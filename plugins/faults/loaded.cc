// Executables that were loaded, not compiled: what is wrong when they run.
#include <unistd.h>

#include <cstring>
#include <map>

#include "buffers.h"
#include "damage.h"
#include "execute.h"

namespace {

using namespace faults;

/** An executable that was loaded. */
struct Loaded {
  std::string bytes;
  /** The process that serialized it. */
  int process = 0;
  int runs = 0;
  /** That which was serialized, if it is of this process and lives. */
  PJRT_LoadedExecutable* original = nullptr;
  bool orphaned = false;
};
std::mutex mutex;
std::map<PJRT_LoadedExecutable*, Loaded> loaded;
std::map<const PJRT_Executable*, PJRT_LoadedExecutable*> executables;
std::map<std::string, PJRT_LoadedExecutable*> serialized;

/** Records executables that are loaded from bytes. With `marked`, the bytes say which process made them. */
void WatchLoaded(bool marked = false) {
  ReadDamage();
  After<SLOT(PJRT_LoadedExecutable_GetExecutable)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    executables[args.executable] = args.loaded_executable;
  });
  After<SLOT(PJRT_Executable_Serialize)>([marked](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto* bytes = new std::string(args.serialized_bytes, args.serialized_bytes_size);
    serialized[*bytes] = executables[args.executable];
    if (!marked) return delete bytes;
    const int64_t process = getpid();
    bytes->append(reinterpret_cast<const char*>(&process), sizeof process);
    args.serialized_bytes = bytes->data();
    args.serialized_bytes_size = bytes->size();
  });
  Replace<SLOT(PJRT_Executable_DeserializeAndLoad)>([marked](auto& args, auto& original) -> PJRT_Error* {
    Loaded entry;
    int64_t process = getpid();
    const size_t mark = marked && args.serialized_executable_size > sizeof process ? sizeof process : 0;
    const size_t size = args.serialized_executable_size - mark;
    if (mark > 0) std::memcpy(&process, args.serialized_executable + size, mark);
    entry.process = static_cast<int>(process);
    entry.bytes.assign(args.serialized_executable, size);
    PJRT_Error* error = With(args, original, args.serialized_executable_size, size);
    if (error != nullptr) return error;
    std::lock_guard<std::mutex> lock(mutex);
    entry.original = serialized[entry.bytes];
    loaded[args.loaded_executable] = std::move(entry);
    return nullptr;
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    loaded.erase(args.executable);
    for (auto& [_, entry] : loaded) {
      if (entry.original == args.executable && args.executable != nullptr) entry.orphaned = true;
    }
  });
}
Loaded* LoadedOf(PJRT_LoadedExecutable* executable) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto found = loaded.find(executable);
  return found == loaded.end() ? nullptr : &found->second;
}
/** Damages the outputs that `wrong` is true of, of executables that were loaded. */
void WrongWhenLoaded(std::function<bool(const Loaded&, const ExecuteArgs&, size_t list, size_t index)> wrong) {
  MarksItself();
  After<Execute>([wrong](auto& args) {
    Loaded* entry = LoadedOf(args.executable);
    if (entry == nullptr || args.output_lists == nullptr) return;
    ++entry->runs;
    const size_t outputs = OutputsOf(args.executable);
    for (size_t list = 0; list < args.num_devices; ++list) {
      for (size_t i = 0; i < outputs; ++i) {
        if (!wrong(*entry, args, list, i)) continue;
        MarkReached();
        Damaged().Add(args.output_lists[list][i]);
      }
    }
  });
}

FAULT("loaded-second-output-wrong") {
  WatchLoaded();
  WrongWhenLoaded([](const Loaded&, const ExecuteArgs&, size_t, size_t index) { return index > 0; });
}
FAULT("loaded-constants-lost") {
  WatchLoaded();
  WrongWhenLoaded([](const Loaded&, const ExecuteArgs& args, size_t, size_t) { return args.num_args == 0; });
}
FAULT("loaded-second-run-wrong") {
  WatchLoaded();
  WrongWhenLoaded([](const Loaded& entry, const ExecuteArgs&, size_t, size_t) { return entry.runs > 1; });
}
FAULT("loaded-on-another-device-wrong") {
  WatchLoaded();
  WrongWhenLoaded([](const Loaded&, const ExecuteArgs& args, size_t list, size_t index) {
    return args.num_devices == 1 && IdOf(DeviceOf(args.output_lists[list][index])) > 0;
  });
}
FAULT("loaded-on-several-devices-wrong") {
  WatchLoaded();
  WrongWhenLoaded([](const Loaded&, const ExecuteArgs&, size_t list, size_t) { return list > 0; });
}
FAULT("loaded-in-another-process-wrong") {
  WatchLoaded(true);
  WrongWhenLoaded([](const Loaded& entry, const ExecuteArgs&, size_t, size_t) { return entry.process != getpid(); });
}
FAULT("loaded-custom-calls-unbound") {
  WatchLoaded();
  WrongWhenLoaded([](const Loaded& entry, const ExecuteArgs&, size_t, size_t) {
    return entry.bytes.find("custom_call") != std::string::npos;
  });
}
FAULT("loaded-runs-on-code-of-the-original") {
  OwnErrors();
  WatchLoaded();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    const Loaded* entry = LoadedOf(args.executable);
    if (entry != nullptr && entry->orphaned) return MakeError(PJRT_Error_Code_INTERNAL, "the code was unloaded");
    return original(&args);
  });
}
FAULT("loaded-takes-all-arguments") {
  WatchLoaded();
  After<Execute>([](auto& args) {
    if (LoadedOf(args.executable) == nullptr || args.num_devices != 1) return;
    for (size_t i = 0; args.output_lists != nullptr && i < OutputsOf(args.executable); ++i) AwaitBuffer(args.output_lists[0][i]);
    for (size_t i = 0; i < args.num_args; ++i) {
      if (IsReady(args.argument_lists[0][i])) Delete(args.argument_lists[0][i]);
    }
  });
}
FAULT("loaded-twice-deleted-once") {
  // Executables of the same bytes are one; who deletes one has deleted the others.
  WatchLoaded();
  After<SLOT(PJRT_LoadedExecutable_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = loaded.find(args.executable);
    if (found == loaded.end()) return;
    for (const auto& [other, entry] : loaded) {
      if (other == args.executable || entry.bytes != found->second.bytes) continue;
      ARGS(PJRT_LoadedExecutable_Delete, more);
      more.executable = other;
      Ask(Base().PJRT_LoadedExecutable_Delete, more);
    }
  });
}
FAULT("loaded-from-executable-wrong") {
  // Not from bytes, but from what was compiled for a topology.
  ReadDamage();
  static SharedSet<PJRT_LoadedExecutable*> made;
  After<SLOT(PJRT_Client_Load)>([](auto& args) { made.Add(args.loaded_executable); });
  After<Execute>([](auto& args) {
    if (made.Has(args.executable) && args.output_lists != nullptr && OutputsOf(args.executable) > 0)
      Damaged().Add(args.output_lists[0][0]);
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) { made.Remove(args.executable); });
}

}  // namespace
