// Executions that start when their arguments are there: the call waits for them, as XLA's GPU plugins do.
#include <condition_variable>
#include <mutex>
#include <set>

#include "designs.h"

namespace designs {

void WaitingExecute() {
  if (!Has("PJRT_DESIGN_EXECUTE", "waits")) return;
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    using Args = PJRT_LoadedExecutable_Execute_Args;
    // Invalid calls are left to the base.
    if (!HAS(args, Args, num_args) || args.argument_lists == nullptr) return original(&args);
    std::set<PJRT_Buffer*> arguments;
    for (size_t device = 0; device < args.num_devices; ++device) {
      for (size_t i = 0; i < args.num_args; ++i) arguments.insert(args.argument_lists[device][i]);
    }
    arguments.erase(nullptr);
    static std::mutex mutex;
    static std::condition_variable changed;
    static std::set<PJRT_Buffer*> used;
    {
      // Whoever takes an argument waits for those that use it, and the other way round.
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] {
        for (PJRT_Buffer* one : arguments) {
          if (used.count(one) > 0) return false;
        }
        return true;
      });
      used.insert(arguments.begin(), arguments.end());
    }
    // Errors are for the base to report. What was deleted has no event.
    for (PJRT_Buffer* one : arguments) AwaitBuffer(one);
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    for (PJRT_Buffer* one : arguments) used.erase(one);
    changed.notify_all();
    return error;
  });
}

}  // namespace designs
