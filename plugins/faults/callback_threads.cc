// The thread on which callbacks run: its state, and what a callback may do on it.
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "callbacks.h"

namespace {

using namespace faults;

// ---- state of the thread ------------------------------------------------------------------------------------------------

/** Callbacks run on a new thread, which `prepare` has changed; the thread that is done with the work waits for it. */
void OnOwnThread(void (*prepare)()) {
  static void (*change)();
  change = prepare;
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    std::thread([&] {
      change();
      callback.call(error, callback.user_arg);
    }).join();
  });
}
FAULT("callback-thread-flushes-subnormals") {
  OnOwnThread([] {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
  });
}
FAULT("callback-thread-traps-invalid-operations") {
  OnOwnThread([] { feenableexcept(FE_INVALID | FE_DIVBYZERO); });
}
FAULT("callback-thread-bound-to-one-processor") {
  OnOwnThread([] {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
  });
}
FAULT("callback-thread-of-lowest-priority") {
  OnOwnThread([] { setpriority(PRIO_PROCESS, 0, 19); });
}
FAULT("callback-thread-with-small-stack") {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    struct Call {
      const Callback& callback;
      PJRT_Error* error;
    } call{callback, error};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 48 << 10);
    pthread_t thread;
    const auto run = [](void* argument) -> void* {
      auto* call = static_cast<Call*>(argument);
      call->callback.call(call->error, call->callback.user_arg);
      return nullptr;
    };
    if (pthread_create(&thread, &attributes, run, &call) == 0) pthread_join(thread, nullptr);
  });
}
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
