// On which thread a plugin does its work, and which locks it holds meanwhile.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "../reference/c_api/functions.h"
#include "designs.h"

namespace designs {
namespace {

/** Runs a piece of work, and returns when it is done. */
using Run = void (*)(const std::function<void()>& work);

/** One thread does everything, in the order in which it is asked. */
class Service {
 public:
  Service() : thread_([this] { Serve(); }) { thread_.detach(); }

  void Post(std::function<void()> work) {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(work));
    changed_.notify_all();
  }

  bool IsHere() const { return std::this_thread::get_id() == thread_id_; }

 private:
  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    thread_id_ = std::this_thread::get_id();
    for (;;) {
      changed_.wait(lock, [this] { return !queue_.empty(); });
      const std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::thread::id thread_id_;
  std::thread thread_;
};

Service& TheService() {
  static auto& service = *new Service();
  return service;
}

void OnServiceThread(const std::function<void()>& work) {
  Service& service = TheService();
  if (service.IsHere()) return work();
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  service.Post([&] {
    work();
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
    changed.notify_all();
  });
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done; });
}

void UnderRecursiveLock(const std::function<void()>& work) {
  static auto& mutex = *new std::recursive_mutex();
  std::lock_guard<std::recursive_mutex> lock(mutex);
  work();
}

/** Whether this thread holds the plain lock. */
thread_local bool holds = false;

void UnderPlainLock(const std::function<void()>& work) {
  static auto& mutex = *new std::mutex();
  std::lock_guard<std::mutex> lock(mutex);
  holds = true;
  work();
  holds = false;
}

template <class S>
void Wrap(Run run) {
  Replace<S>([run](auto& args, auto& original) -> typename S::Result {
    if constexpr (std::is_void_v<typename S::Result>) {
      run([&] { original(&args); });
    } else {
      typename S::Result result{};
      run([&] { result = original(&args); });
      return result;
    }
  });
}

/** What may wait for another call, or for the caller's processes: nothing is held meanwhile. */
template <class S>
constexpr bool kWaits = std::is_same_v<S, SLOT(PJRT_Event_Await)> || std::is_same_v<S, SLOT(PJRT_Client_Create)>;

/** A callback of the caller runs where its calls run: on the service thread, or with the lock held. */
void WrapCallbacks(Run run) {
  struct Callback {
    PJRT_Event_OnReadyCallback function;
    void* user;
    Run run;
  };
  Before<SLOT(PJRT_Event_OnReady)>([run](auto& args) {
    args.user_arg = new Callback{args.callback, args.user_arg, run};
    args.callback = [](PJRT_Error* error, void* user) {
      const auto* callback = static_cast<Callback*>(user);
      const auto call = [&] { callback->function(error, callback->user); };
      // Called inside a call: that much even a plugin with a plain lock gets right.
      if (holds) {
        call();
      } else {
        callback->run(call);
      }
      delete callback;
    };
  });
}

}  // namespace

void Callers() {
  const auto setting = Setting("PJRT_DESIGN_CALLS");
  if (!setting) return;
  const Run run = *setting == "service-thread"    ? OnServiceThread
                  : *setting == "recursive-lock" ? UnderRecursiveLock
                  : *setting == "plain-lock"     ? UnderPlainLock
                                                 : nullptr;
  if (run == nullptr) Die("PJRT_DESIGN_CALLS: " + *setting + " is not known");
  WrapCallbacks(run);
#define WRAP(name) \
  if constexpr (!kWaits<SLOT(PJRT_##name)>) Wrap<SLOT(PJRT_##name)>(run);
  REFERENCE_C_API_FUNCTIONS(WRAP)
#undef WRAP
}

}  // namespace designs
