// The thread on which callbacks run: its state where it is the caller's, and what a callback may do on it.
#include <fenv.h>
#include <signal.h>

#include "callbacks.h"

namespace {

using namespace faults;

// ---- state of the thread ------------------------------------------------------------------------------------------------

FAULT("view-callback-rounds-up") {
  ChangeDeleter([](const Kept& kept, void* pointer) {
    const int before = fegetround();
    fesetround(FE_UPWARD);
    kept.call(pointer, kept.user_arg);
    fesetround(before);
  });
}
FAULT("view-callback-blocks-signals") {
  ChangeDeleter([](const Kept& kept, void* pointer) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    kept.call(pointer, kept.user_arg);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  });
}

// ---- calls from a callback, on the same thread --------------------------------------------------------------------------

/** How many callbacks of this thread have not returned yet. */
thread_local int depth = 0;
void CountDepth() {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    ++depth;
    callback.call(error, callback.user_arg);
    --depth;
  });
}
void Hang() {
  for (;;) SleepMs(1 << 20);
}
/** A function that takes the lock that is held while callbacks run. */
#define LOCKED_IN_CALLBACKS(name, function)                                                           \
  FAULT("hangs-in-callbacks-" #name) {                                                                \
    Subject<SLOT(PJRT_##function)>();                                                                 \
    Before<SLOT(PJRT_##function)>([](auto&) {                                                         \
      if (depth > 0) Hang();                                                                          \
    });                                                                                               \
    CountDepth();                                                                                     \
  }
LOCKED_IN_CALLBACKS(execute, LoadedExecutable_Execute)
LOCKED_IN_CALLBACKS(read, Buffer_ToHostBuffer)
LOCKED_IN_CALLBACKS(buffer_destroy, Buffer_Destroy)
LOCKED_IN_CALLBACKS(memory_copy, Buffer_CopyToMemory)
FAULT("hangs-in-nested-callbacks") {
  // A callback on an event that is ready runs in the call, under a lock that the callback around it holds.
  Before<SLOT(PJRT_Event_OnReady)>([](auto& args) {
    if (depth > 1 && IsComplete(args.event)) Hang();
  });
  CountDepth();
}
FAULT("callback-registered-in-callback-lost") {
  CountDepth();
  Replace<SLOT(PJRT_Event_OnReady)>([](auto& args, auto& original) -> PJRT_Error* {
    return depth > 0 ? nullptr : original(&args);
  });
}
FAULT("callback-failures-of-calls-lost") {
  // The status of a call is kept by thread, and that of the callback's own thread is reset.
  CountDepth();
  Replace<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || depth == 0) return error;
    Drop(error);
    args.event = nullptr;
    return nullptr;
  });
}

}  // namespace
