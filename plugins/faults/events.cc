// Events: early, late, never, twice, lost errors, callbacks.
#include <signal.h>

#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <map>
#include <thread>

#include "../wrapper/shared_set.h"
#include "callbacks.h"
#include "calls.h"

namespace {

using namespace faults;

using OnReady = SLOT(PJRT_Event_OnReady);
using AwaitEvent = SLOT(PJRT_Event_Await);
using IsReady = SLOT(PJRT_Event_IsReady);
using ErrorOf = SLOT(PJRT_Event_Error);

FAULT("event-callback-twice") {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    callback.call(error, callback.user_arg);
    callback.call(nullptr, callback.user_arg);
  });
}
FAULT("event-callback-never") {
  ChangeCallbacks([](const Callback&, PJRT_Error*) {});
}
FAULT("event-callback-not-when-ready") {
  Replace<OnReady>([](auto& args, auto& original) -> PJRT_Error* { return IsComplete(args.event) ? nullptr : original(&args); });
}
FAULT("event-callback-error-lost") {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    Drop(error);
    callback.call(nullptr, callback.user_arg);
  });
}
FAULT("event-callback-argument-lost") {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) { callback.call(error, nullptr); });
}
FAULT("event-callback-at-once") {
  // Before the work is done.
  Replace<OnReady>([](auto& args, auto&) -> PJRT_Error* {
    args.callback(nullptr, args.user_arg);
    return nullptr;
  });
}
FAULT("event-callback-last-one-only") {
  static std::mutex mutex;
  static std::map<PJRT_Event*, int> registered;
  Replace<OnReady>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!IsComplete(args.event) && registered[args.event]++ > 0) return nullptr;
    }
    return original(&args);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    registered.erase(args.event);
  });
}
FAULT("event-callbacks-share-an-error") {
  static std::mutex mutex;
  static std::map<std::string, PJRT_Error*> shared;
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    if (error != nullptr) {
      std::lock_guard<std::mutex> lock(mutex);
      PJRT_Error*& one = shared[MessageOf(error)];
      if (one == nullptr) {
        one = error;
      } else {
        Drop(error);
        error = one;
      }
    }
    callback.call(error, callback.user_arg);
  });
}
FAULT("event-callback-rounds-down") {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    const int before = std::fegetround();
    std::fesetround(FE_DOWNWARD);
    callback.call(error, callback.user_arg);
    std::fesetround(before);
  });
}
FAULT("event-callback-blocks-signals") {
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    callback.call(error, callback.user_arg);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  });
}
FAULT("event-callbacks-under-a-lock") {
  // Callbacks run while holding the lock that every call takes.
  static std::mutex lock;
  static std::atomic<std::thread::id> holder{};
  ChangeCallbacks([](const Callback& callback, PJRT_Error* error) {
    std::lock_guard<std::mutex> held(lock);
    holder = std::this_thread::get_id();
    callback.call(error, callback.user_arg);
    holder = std::thread::id();
  });
  auto enter = [] {
    if (holder.load() == std::this_thread::get_id()) {
      for (;;) SleepMs(1000);
    }
    std::lock_guard<std::mutex> held(lock);
  };
  Before<SLOT(PJRT_Buffer_ElementType)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Buffer_ReadyEvent)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Client_PlatformName)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Buffer_Dimensions)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Event_Destroy)>([enter](auto&) { enter(); });
  Before<SLOT(PJRT_Client_BufferFromHostBuffer)>([enter](auto&) { enter(); });
}
FAULT("event-destroy-drops-callbacks") {
  static std::mutex mutex;
  static std::map<PJRT_Event*, std::vector<std::atomic<bool>*>> pending;
  struct Guarded {
    Callback callback;
    std::atomic<bool>* dropped;
  };
  Replace<OnReady>([](auto& args, auto& original) -> PJRT_Error* {
    auto* guarded = new Guarded{{args.callback, args.user_arg}, new std::atomic<bool>{false}};
    {
      std::lock_guard<std::mutex> lock(mutex);
      pending[args.event].push_back(guarded->dropped);
    }
    return With(args, original, args.user_arg, guarded, args.callback, [](PJRT_Error* error, void* user_arg) {
      auto* own = static_cast<Guarded*>(user_arg);
      // Slower than a caller that destroys the event at once.
      SleepMs(3);
      if (own->dropped->load()) return Drop(error);
      own->callback.call(error, own->callback.user_arg);
    });
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (std::atomic<bool>* dropped : pending[args.event]) *dropped = true;
    pending.erase(args.event);
  });
}
FAULT("event-destroy-waits") {
  // Destroying an event waits for it: a deadlock in its own callback, and wherever it never completes.
  static SharedSet<PJRT_Event*> calling;
  struct Own {
    Callback callback;
    PJRT_Event* event;
  };
  Replace<OnReady>([](auto& args, auto& original) -> PJRT_Error* {
    auto* own = new Own{{args.callback, args.user_arg}, args.event};
    return With(args, original, args.user_arg, own, args.callback, [](PJRT_Error* error, void* user_arg) {
      auto* own = static_cast<Own*>(user_arg);
      calling.Add(own->event);
      own->callback.call(error, own->callback.user_arg);
      calling.Remove(own->event);
    });
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    while (calling.Has(args.event)) SleepMs(5);
  });
}
FAULT("event-destroy-pending-aborts") {
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    if (args.event != nullptr && !IsComplete(args.event)) std::abort();
  });
}
FAULT("event-await-does-not-wait") {
  Replace<AwaitEvent>([](auto& args, auto& original) -> PJRT_Error* { return IsComplete(args.event) ? original(&args) : nullptr; });
}
FAULT("event-await-error-lost") {
  Replace<AwaitEvent>([](auto& args, auto& original) -> PJRT_Error* {
    Drop(original(&args));
    return nullptr;
  });
}
FAULT("event-await-second-time-fails") {
  OwnErrors();
  static SharedSet<PJRT_Event*> waited;
  Replace<AwaitEvent>([](auto& args, auto& original) -> PJRT_Error* {
    return waited.Add(args.event) ? original(&args) : MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "waited for already");
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) { waited.Remove(args.event); });
}
FAULT("event-await-one-thread-at-a-time") {
  // The second thread that waits is never released.
  static SharedSet<PJRT_Event*> waiting;
  Replace<AwaitEvent>([](auto& args, auto& original) -> PJRT_Error* {
    const bool first = waiting.Add(args.event);
    while (!first) SleepMs(1000);
    PJRT_Error* error = original(&args);
    SleepMs(1);
    waiting.Remove(args.event);
    return error;
  });
}
FAULT("event-not-ready-after-await") {
  static std::atomic<int> calls{0};
  After<IsReady>([](auto& args) {
    if (++calls % 2 == 0) args.is_ready = false;
  });
}
FAULT("event-with-error-not-ready") {
  Replace<IsReady>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || !args.is_ready) return error;
    args.is_ready = Await(args.event);
    return nullptr;
  });
}
FAULT("event-ready-too-soon") {
  After<IsReady>([](auto& args) { args.is_ready = true; });
}
FAULT("event-is-ready-blocks") {
  Before<IsReady>([](auto& args) { Await(args.event); });
}
FAULT("event-error-moved-out") {
  // The second query for the error finds none.
  static SharedSet<PJRT_Event*> asked;
  Replace<ErrorOf>([](auto& args, auto& original) -> PJRT_Error* { return asked.Add(args.event) ? original(&args) : nullptr; });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) { asked.Remove(args.event); });
}
FAULT("event-error-although-good") {
  OwnErrors();
  Replace<ErrorOf>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    return error != nullptr ? error : MakeError(PJRT_Error_Code_UNKNOWN, "OK");
  });
}
FAULT("event-error-code-generalized") {
  // Late errors are all INTERNAL.
  OwnErrors();
  auto generalize = [](PJRT_Error* error) -> PJRT_Error* {
    if (error == nullptr) return nullptr;
    std::string message = MessageOf(error);
    Drop(error);
    return MakeError(PJRT_Error_Code_INTERNAL, message);
  };
  Replace<ErrorOf>([generalize](auto& args, auto& original) -> PJRT_Error* { return generalize(original(&args)); });
  Replace<AwaitEvent>([generalize](auto& args, auto& original) -> PJRT_Error* { return generalize(original(&args)); });
}

FAULT("event-of-buffer-ends-with-first-owner") {
  // The ready event of a buffer is one handle, without a count of those who have it.
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, PJRT_Event*> given;
  static SharedSet<PJRT_Event*> ended;
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto [known, added] = given.emplace(args.buffer, args.event);
    if (added) return;
    DestroyEvent(args.event);
    args.event = known->second;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    given.erase(args.buffer);
  });
  Replace<SLOT(PJRT_Event_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [buffer, event] : given) {
      if (event == args.event) return ended.Add(event), nullptr;
    }
    return original(&args);
  });
  Replace<AwaitEvent>([](auto& args, auto& original) -> PJRT_Error* {
    return ended.Has(args.event) ? MakeError(PJRT_Error_Code_INTERNAL, "the event was destroyed") : original(&args);
  });
}

// ---- events that the caller makes ---------------------------------------------------------------------------------------

using Set = SLOT(PJRT_Event_Set);
FAULT("created-event-starts-ready") {
  OwnEvents();
  After<SLOT(PJRT_Event_Create)>([](auto& args) { args.event = ReadyEvent(); });
  Ignore<Set>();
}
FAULT("created-event-set-does-nothing") { Ignore<Set>(); }
FAULT("created-event-code-lost") {
  Replace<Set>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.error_code == PJRT_Error_Code_OK) return original(&args);
    return With(args, original, args.error_code, PJRT_Error_Code_INTERNAL);
  });
}
FAULT("created-event-message-not-copied") {
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Event*, std::pair<int, std::pair<const char*, size_t>>> set;
  After<Set>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    set[args.event] = {args.error_code, {args.error_message, args.error_message_size}};
  });
  auto error = [](PJRT_Event* event, PJRT_Error* real) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = set.find(event);
    if (found == set.end() || real == nullptr) return real;
    Drop(real);
    const auto& [code, text] = found->second;
    return MakeError(static_cast<PJRT_Error_Code>(code), std::string(text.first, text.second));
  };
  Replace<AwaitEvent>([error](auto& args, auto& original) -> PJRT_Error* { return error(args.event, original(&args)); });
  Replace<ErrorOf>([error](auto& args, auto& original) -> PJRT_Error* { return error(args.event, original(&args)); });
}
FAULT("created-event-abandoned-hangs") {
  static SharedSet<PJRT_Event*> unset;
  After<SLOT(PJRT_Event_Create)>([](auto& args) { unset.Add(args.event); });
  Before<Set>([](auto& args) { unset.Remove(args.event); });
  Replace<SLOT(PJRT_Event_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    return unset.Remove(args.event) ? nullptr : original(&args);
  });
}
FAULT("created-event-set-twice-aborts") {
  static SharedSet<PJRT_Event*> set;
  Before<Set>([](auto& args) {
    if (!set.Add(args.event)) std::abort();
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) { set.Remove(args.event); });
}

}  // namespace
