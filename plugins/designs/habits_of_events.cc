// When events read as ready, and when and where callbacks come.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <thread>
#include <vector>

#include "habits.h"

namespace designs {
namespace {

/** Completion of an event becomes visible some time after it. */
class Notice {
 public:
  void Complete(int milliseconds) {
    std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
    visible_ = Clock::now() + std::chrono::milliseconds(milliseconds);
    changed_.notify_all();
  }
  bool Visible() {
    std::lock_guard<std::mutex> lock(mutex_);
    return done_ && Clock::now() >= visible_;
  }
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
    const auto until = visible_;
    lock.unlock();
    std::this_thread::sleep_until(until);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  Clock::time_point visible_;
};

/** The notices of events, which they wait for. */
class Notices {
 public:
  /** Wraps the functions of events. */
  Notices() {
    Replace<SLOT(PJRT_Event_IsReady)>([this](auto& args, auto& original) -> PJRT_Error* {
      const auto notice = Of(args);
      PJRT_Error* error = original(&args);
      if (error == nullptr && args.is_ready && notice != nullptr && !notice->Visible()) args.is_ready = false;
      return error;
    });
    Replace<SLOT(PJRT_Event_Await)>([this](auto& args, auto& original) -> PJRT_Error* {
      const auto notice = Of(args);
      PJRT_Error* error = original(&args);
      if (notice != nullptr) notice->Wait();
      return error;
    });
    ChangeCallbacks([this](PJRT_Event* event, Callback callback) -> Callback {
      const auto notice = notices_.Get(event).value_or(nullptr);
      if (notice == nullptr) return callback;
      return [notice, callback](PJRT_Error* error) {
        std::thread([=] {
          notice->Wait();
          callback(error);
        }).detach();
      };
    });
  }
  void Set(PJRT_Event* event, std::shared_ptr<Notice> notice) { notices_.Set(event, std::move(notice)); }

 private:
  template <class A>
  std::shared_ptr<Notice> Of(const A& args) {
    return HAS(args, A, event) ? notices_.Get(args.event).value_or(nullptr) : nullptr;
  }
  Notes<PJRT_Event, std::shared_ptr<Notice>> notices_;
};

/** Whether an event is complete with an error now: of such the header says "immediately indicate an error". */
bool FailedAlready(const PJRT_Api& api, PJRT_Event* event) {
  ARGS(PJRT_Event_IsReady, ready);
  ready.event = event;
  PJRT_Error* failed = api.PJRT_Event_IsReady(&ready);
  DropBy(api, failed);
  if (failed != nullptr || !ready.is_ready) return false;
  ARGS(PJRT_Event_Error, error);
  error.event = event;
  failed = api.PJRT_Event_Error(&error);
  DropBy(api, failed);
  return failed != nullptr;
}

Notices& NoticesAbove() {
  static Notices& notices = *new Notices();
  return notices;
}

/** An event reads as ready some time after it is. */
void SeeLater(PJRT_Event* event, int milliseconds) {
  if (event == nullptr || FailedAlready(Table(), event)) return;
  const auto notice = std::make_shared<Notice>();
  if (WhenReady(Table(), event, [notice, milliseconds](bool) { notice->Complete(milliseconds); })) {
    NoticesAbove().Set(event, notice);
  }
}

/** Does something with the events of an execution. */
template <class A>
void ForEachCompletion(const A& args, void (*with)(PJRT_Event*)) {
  for (size_t i = 0; args.device_complete_events != nullptr && i < args.num_devices; ++i) {
    if (args.device_complete_events[i] != nullptr) with(args.device_complete_events[i]);
  }
}

/** Does something with each new event that says of work on a device. */
void WithNewEvents(void (*with)(PJRT_Event*)) {
#define NEW_EVENT(function, field)                                                                   \
  After<SLOT(PJRT_##function)>([with](auto& args) {                                                  \
    if (HAS(args, PJRT_##function##_Args, field) && args.field != nullptr) with(args.field);         \
  })
  NEW_EVENT(Buffer_ReadyEvent, event);
  NEW_EVENT(Buffer_CopyRawToHost, event);
  NEW_EVENT(Client_BufferFromHostBuffer, done_with_host_buffer);
  NEW_EVENT(AsyncHostToDeviceTransferManager_TransferData, done_with_h2d_transfer);
  NEW_EVENT(AsyncHostToDeviceTransferManager_TransferLiteral, done_with_h2d_transfer);
#undef NEW_EVENT
  // A query of the size has no event.
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([with](auto& args) {
    if (args.dst != nullptr && args.event != nullptr) with(args.event);
  });
  After<SLOT(PJRT_LoadedExecutable_Execute)>([with](auto& args) { ForEachCompletion(args, with); });
}

}  // namespace

/**
 * No event reads as ready until a message of the server is there, also if all is done; callbacks come on a thread of their own.
 * "Returns true if this PJRT_Event has completed", "Registers `callback` to be called once `event` is ready": nothing is said of
 * how soon that is after the data, except of deleted and donated buffers ("immediately"), whose events are left alone; nor of
 * the thread.
 */
void LateNotices() {
  NoticesAbove();
  WithNewEvents([](PJRT_Event* event) { SeeLater(event, 6); });
}

/**
 * An execution reads as complete 40 ms after its outputs do.
 * "each `PJRT_Event` will become ready once the corresponding device execution is complete": nothing is said of outputs' events.
 */
void LateCompletion() {
  NoticesAbove();
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args) {
    ForEachCompletion(args, [](PJRT_Event* event) { SeeLater(event, 40); });
  });
}

/**
 * Outputs read as ready 35 ms after the execution reads as complete.
 * As late-completion, the other way round: ReadyEvent is "triggered when […] the data in the PJRT_Buffer becomes ready". Errors
 * are not late.
 */
void LateOutputs() {
  static Notices& notices = *new Notices();
  static auto& outputs = *new Notes<PJRT_Buffer, std::shared_ptr<Notice>>();
  static const auto see_later = [](PJRT_Buffer* output) {
    ARGS(PJRT_Buffer_ReadyEvent, ready);
    ready.buffer = output;
    if (output == nullptr || !Ask(Base().PJRT_Buffer_ReadyEvent, ready)) return;
    const auto notice = std::make_shared<Notice>();
    if (WhenReady(Base(), ready.event, [notice](bool failed) { notice->Complete(failed ? 0 : 35); })) {
      outputs.Set(output, notice);
    }
    DestroyEvent(ready.event);
  };
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args) {
    const size_t count = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t device = 0; device < args.num_devices; ++device) {
      for (size_t i = 0; i < count; ++i) see_later(args.output_lists[device][i]);
    }
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    const auto notice = outputs.Get(args.buffer);
    if (notice && !FailedAlready(Base(), args.event)) notices.Set(args.event, *notice);
  });
}

/**
 * The event of a host buffer that is copied during the call comes 60 ms later.
 * "Event indicating when it's safe to free `data`": it may be safe before. What the caller may do after the call
 * (kImmutableOnlyDuringCall) does not depend on it.
 */
void LateDone() {
  NoticesAbove();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) {
      SeeLater(args.done_with_host_buffer, 60);
    }
  });
}

/**
 * The first read of a buffer takes 40 ms longer: what the host may see is made then.
 * "Asynchronously copies the buffer's value into a preallocated host buffer": nothing is said of how long that takes.
 */
void FirstRead() {
  static auto& read = *new SharedSet<PJRT_Buffer*>();
  NoticesAbove();
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (args.dst != nullptr && read.Add(args.src)) SeeLater(args.event, 40);
  });
  BeforeDestroy<PJRT_Buffer>([](PJRT_Buffer* buffer) { read.Remove(buffer); });
}

/**
 * The first time that someone asks, no event is ready: asking is what makes the device's queue be looked at.
 * As late-notices; waiting and callbacks need no question, and after them the event is ready.
 */
void PolledEvents() {
  static auto& unasked = *new SharedSet<PJRT_Event*>();
  BeforeDestroy<PJRT_Event>([](PJRT_Event* event) { unasked.Remove(event); });
  After<SLOT(PJRT_Event_IsReady)>([](auto& args) {
    if (unasked.Remove(args.event)) args.is_ready = false;
  });
  Replace<SLOT(PJRT_Event_Await)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (HAS(args, PJRT_Event_Await_Args, event)) unasked.Remove(args.event);
    return error;
  });
  ChangeCallbacks([](PJRT_Event* event, Callback callback) -> Callback {
    return [event, callback](PJRT_Error* error) {
      unasked.Remove(event);
      callback(error);
    };
  });
  WithNewEvents([](PJRT_Event* event) {
    if (!FailedAlready(Table(), event)) unasked.Add(event);
  });
}

/**
 * One thread collects what is to be called back and calls it after 3 ms, the last first, each on a thread that ends with it.
 * "A callback to be performed once an event is ready": order, thread and delay are not mentioned.
 */
void BatchedCallbacks() {
  static std::mutex& mutex = *new std::mutex();
  static std::condition_variable& changed = *new std::condition_variable();
  static auto& waiting = *new std::vector<std::function<void()>>();
  static const auto serve = [] {
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return !waiting.empty(); });
      }
      SleepMs(3);
      std::vector<std::function<void()>> batch;
      {
        std::lock_guard<std::mutex> lock(mutex);
        batch.swap(waiting);
      }
      // A callback that waits for another one must not keep it: threads, which start in this order.
      for (auto call = batch.rbegin(); call != batch.rend(); ++call) std::thread(*call).detach();
    }
  };
  ChangeCallbacks([](PJRT_Event*, Callback callback) -> Callback {
    static std::once_flag once;
    std::call_once(once, [] { std::thread(serve).detach(); });
    return [callback](PJRT_Error* error) {
      std::lock_guard<std::mutex> lock(mutex);
      waiting.push_back([=] { callback(error); });
      changed.notify_all();
    };
  });
}

}  // namespace designs
