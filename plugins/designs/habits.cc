// What plugins of other architectures do and the header allows: PJRT_DESIGN_HABITS=late-notices,…. The header's sentence, or
// its silence, is quoted at each.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "../reference/c_api/functions.h"
#include "programs.h"

namespace designs {
namespace {

using Clock = std::chrono::steady_clock;

// What is static here lives as long as the process: callers may hold pointers into it, and threads may outlive main.

// ---- errors of the base, or of any design below this one

void DropAny(PJRT_Error* error) {
  if (error == nullptr) return;
  ARGS(PJRT_Error_Destroy, args);
  args.error = error;
  Table().PJRT_Error_Destroy(&args);
}

PJRT_Error_Code CodeOfAny(PJRT_Error* error) {
  ARGS(PJRT_Error_GetCode, args);
  args.error = error;
  PJRT_Error* failed = Table().PJRT_Error_GetCode(&args);
  DropAny(failed);
  return failed == nullptr ? args.code : PJRT_Error_Code_UNKNOWN;
}

std::string MessageOfAny(PJRT_Error* error) {
  ARGS(PJRT_Error_Message, args);
  args.error = error;
  Table().PJRT_Error_Message(&args);
  return args.message == nullptr ? std::string() : std::string(args.message, args.message_size);
}

bool HasPayloads(PJRT_Error* error) {
  if (!SLOT(PJRT_Error_ForEachPayload)::present()) return false;
  bool any = false;
  ARGS(PJRT_Error_ForEachPayload, args);
  args.error = error;
  args.visitor = [](const char*, size_t, const char*, size_t, void* found) { *static_cast<bool*>(found) = true; };
  args.user_arg = &any;
  DropAny(Table().PJRT_Error_ForEachPayload(&args));
  return any;
}

/** Calls a function of the table, and drops its error. */
template <class A>
bool AskAny(PJRT_Error* (*function)(A*), A& args) {
  PJRT_Error* error = function(&args);
  DropAny(error);
  return error == nullptr;
}

using Reword = void (*)(PJRT_Error_Code& code, std::string& message);

/**
 * Errors that a call may pass on from someone else (of an error buffer, of an event that the caller sets) stay as they are:
 * "the execution will fail with the given error code and message".
 */
template <class S>
constexpr bool kPassesOn =
    !std::is_same_v<typename S::Result, PJRT_Error*> || std::is_same_v<S, SLOT(PJRT_Error_GetCode)> ||
    std::is_same_v<S, SLOT(PJRT_Error_ForEachPayload)> || std::is_same_v<S, SLOT(PJRT_Event_Await)> ||
    std::is_same_v<S, SLOT(PJRT_Event_Error)> || std::is_same_v<S, SLOT(PJRT_Event_OnReady)> ||
    std::is_same_v<S, SLOT(PJRT_Event_IsReady)> || std::is_same_v<S, SLOT(PJRT_Event_Destroy)> ||
    std::is_same_v<S, SLOT(PJRT_Event_Create)> || std::is_same_v<S, SLOT(PJRT_Event_Set)> ||
    std::is_same_v<S, SLOT(PJRT_Client_Create)> || std::is_same_v<S, SLOT(PJRT_LoadedExecutable_Execute)> ||
    std::is_same_v<S, SLOT(PJRT_Buffer_ToHostBuffer)> || std::is_same_v<S, SLOT(PJRT_Buffer_CopyRawToHost)> ||
    std::is_same_v<S, SLOT(PJRT_Buffer_CopyToDevice)> || std::is_same_v<S, SLOT(PJRT_Buffer_CopyToMemory)> ||
    std::is_same_v<S, SLOT(PJRT_Buffer_ReadyEvent)>;

template <class S>
void RewordErrorsOf(Reword reword) {
  if constexpr (!kPassesOn<S>) {
    Replace<S>([reword](auto& args, auto& original) -> PJRT_Error* {
      PJRT_Error* error = original(&args);
      // What has payloads keeps them.
      if (error == nullptr || HasPayloads(error)) return error;
      PJRT_Error_Code code = CodeOfAny(error);
      std::string message = MessageOfAny(error);
      DropAny(error);
      reword(code, message);
      return MakeError(code, message);
    });
  }
}

void RewordErrors(Reword reword) {
#define REWORD(name) RewordErrorsOf<SLOT(PJRT_##name)>(reword);
  REFERENCE_C_API_FUNCTIONS(REWORD)
#undef REWORD
}

/**
 * Messages of several kilobytes, in UTF-8 beyond ASCII, of many lines.
 * "Gets the human-readable reason for `error`": nothing is said of its length, of lines or of letters.
 */
void TracedMessages() {
  RewordErrors([](PJRT_Error_Code&, std::string& message) {
    message = "[узел-7/加速器 №3] " + message + "\n\nServer stack (µs since start):\n";
    for (int frame = 0; frame < 64; ++frame) {
      message += "\t#" + std::to_string(frame) + "\t«воркер»::φ<" + std::to_string(frame * 7919) +
                 ">(const Tensor<α, β> &x, \"%s%n\", '\\0', ]]>) — réseau.cc:" + std::to_string(100 + frame) + "\n";
    }
  });
}

/** Other codes. "Codes are based on https://abseil.io/…": the header says of no wrong call which code it has. */
void OtherCodes() {
  RewordErrors([](PJRT_Error_Code& code, std::string&) {
    if (code == PJRT_Error_Code_INVALID_ARGUMENT) code = PJRT_Error_Code_UNKNOWN;
    if (code == PJRT_Error_Code_NOT_FOUND) code = PJRT_Error_Code_OUT_OF_RANGE;
    if (code == PJRT_Error_Code_FAILED_PRECONDITION) code = PJRT_Error_Code_ABORTED;
  });
}

// ---- events

/** Whether an event is complete with an error now: of such the header says "immediately indicate an error". */
bool FailedAlready(PJRT_Event* event) {
  ARGS(PJRT_Event_IsReady, ready);
  ready.event = event;
  if (!AskAny(Table().PJRT_Event_IsReady, ready) || !ready.is_ready) return false;
  ARGS(PJRT_Event_Error, error);
  error.event = event;
  return !AskAny(Table().PJRT_Event_Error, error);
}

/** Completion of an event becomes visible some time after it. */
class Notice {
 public:
  explicit Notice(int milliseconds) : pause_(milliseconds) {}
  void Complete() {
    std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
    visible_ = Clock::now() + pause_;
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
  const std::chrono::milliseconds pause_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  Clock::time_point visible_;
};

std::mutex& notices_mutex = *new std::mutex();
auto& notices = *new std::map<PJRT_Event*, std::shared_ptr<Notice>>();

template <class A>
std::shared_ptr<Notice> NoticeOf(const A& args) {
  if (!HAS(args, A, event)) return nullptr;
  std::lock_guard<std::mutex> lock(notices_mutex);
  const auto found = notices.find(args.event);
  return found == notices.end() ? nullptr : found->second;
}

/** Calls back `then(error)` instead, and leaves the arguments of the caller as they were. */
template <class O>
PJRT_Error* OnReadyThen(PJRT_Event_OnReady_Args& args, O& original, std::function<void(PJRT_Error*)> then) {
  auto* const boxed = new std::function<void(PJRT_Error*)>(std::move(then));
  const auto callback = args.callback;
  void* const user = args.user_arg;
  args.user_arg = boxed;
  args.callback = [](PJRT_Error* error, void* box) {
    const std::unique_ptr<std::function<void(PJRT_Error*)>> call(static_cast<std::function<void(PJRT_Error*)>*>(box));
    (*call)(error);
  };
  PJRT_Error* error = original(&args);
  args.callback = callback;
  args.user_arg = user;
  if (error != nullptr) delete boxed;
  return error;
}

bool CanCallBack(const PJRT_Event_OnReady_Args& args) {
  return HAS(args, PJRT_Event_OnReady_Args, user_arg) && args.event != nullptr && args.callback != nullptr;
}

/** Makes events have notices, once. */
void Notices() {
  static bool installed = false;
  if (installed) return;
  installed = true;
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    if (!HAS(args, PJRT_Event_Destroy_Args, event)) return;
    std::lock_guard<std::mutex> lock(notices_mutex);
    notices.erase(args.event);
  });
  Replace<SLOT(PJRT_Event_IsReady)>([](auto& args, auto& original) -> PJRT_Error* {
    const auto notice = NoticeOf(args);
    PJRT_Error* error = original(&args);
    if (error == nullptr && args.is_ready && notice != nullptr && !notice->Visible()) args.is_ready = false;
    return error;
  });
  Replace<SLOT(PJRT_Event_Await)>([](auto& args, auto& original) -> PJRT_Error* {
    const auto notice = NoticeOf(args);
    PJRT_Error* error = original(&args);
    if (notice != nullptr) notice->Wait();
    return error;
  });
  Replace<SLOT(PJRT_Event_OnReady)>([](auto& args, auto& original) -> PJRT_Error* {
    const auto notice = NoticeOf(args);
    if (notice == nullptr || !CanCallBack(args)) return original(&args);
    return OnReadyThen(args, original, [notice, callback = args.callback, user = args.user_arg](PJRT_Error* error) {
      std::thread([=] {
        notice->Wait();
        callback(error, user);
      }).detach();
    });
  });
}

void SeeLater(PJRT_Event* event, int milliseconds) {
  if (event == nullptr || FailedAlready(event)) return;
  const auto notice = std::make_shared<Notice>(milliseconds);
  ARGS(PJRT_Event_OnReady, args);
  args.event = event;
  args.user_arg = new std::shared_ptr<Notice>(notice);
  args.callback = [](PJRT_Error* error, void* user) {
    DropAny(error);
    auto* const kept = static_cast<std::shared_ptr<Notice>*>(user);
    (*kept)->Complete();
    delete kept;
  };
  if (!AskAny(Table().PJRT_Event_OnReady, args)) return;
  std::lock_guard<std::mutex> lock(notices_mutex);
  notices[event] = notice;
}

using WithEvent = void (*)(PJRT_Event* event);

/** Does something with each new event that says of work on a device. */
void WithNewEvents(WithEvent with) {
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
  After<SLOT(PJRT_LoadedExecutable_Execute)>([with](auto& args) {
    for (size_t i = 0; args.device_complete_events != nullptr && i < args.num_devices; ++i) {
      if (args.device_complete_events[i] != nullptr) with(args.device_complete_events[i]);
    }
  });
}

/**
 * No event reads as ready until a message of the server is there, also if all is done; callbacks come on a thread of their own.
 * "Returns true if this PJRT_Event has completed", "Registers `callback` to be called once `event` is ready": nothing is said of
 * how soon that is after the data, except of deleted and donated buffers ("immediately"), whose events are left alone; nor of
 * the thread.
 */
void LateNotices() {
  Notices();
  WithNewEvents([](PJRT_Event* event) { SeeLater(event, 6); });
}

/**
 * An execution reads as complete 40 ms after its outputs do.
 * "each `PJRT_Event` will become ready once the corresponding device execution is complete": nothing is said of outputs' events.
 */
void LateCompletion() {
  Notices();
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args) {
    for (size_t i = 0; args.device_complete_events != nullptr && i < args.num_devices; ++i) {
      SeeLater(args.device_complete_events[i], 40);
    }
  });
}

/**
 * The event of a host buffer that is copied during the call comes 60 ms later.
 * "Event indicating when it's safe to free `data`": it may be safe before. What the caller may do after the call
 * (kImmutableOnlyDuringCall) does not depend on it.
 */
void LateDone() {
  Notices();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) {
      SeeLater(args.done_with_host_buffer, 60);
    }
  });
}

/**
 * The first time that someone asks, no event is ready: asking is what makes the device's queue be looked at.
 * As above; waiting and callbacks need no question, and after them the event is ready.
 */
void PolledEvents() {
  static std::mutex& mutex = *new std::mutex();
  static auto& unasked = *new std::set<PJRT_Event*>();
  static const auto forget = [](PJRT_Event* event) {
    std::lock_guard<std::mutex> lock(mutex);
    return unasked.erase(event) > 0;
  };
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    if (HAS(args, PJRT_Event_Destroy_Args, event)) forget(args.event);
  });
  After<SLOT(PJRT_Event_IsReady)>([](auto& args) {
    if (forget(args.event)) args.is_ready = false;
  });
  Replace<SLOT(PJRT_Event_Await)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (HAS(args, PJRT_Event_Await_Args, event)) forget(args.event);
    return error;
  });
  Replace<SLOT(PJRT_Event_OnReady)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!CanCallBack(args)) return original(&args);
    return OnReadyThen(args, original,
                       [event = args.event, callback = args.callback, user = args.user_arg](PJRT_Error* error) {
                         forget(event);
                         callback(error, user);
                       });
  });
  WithNewEvents([](PJRT_Event* event) {
    if (FailedAlready(event)) return;
    std::lock_guard<std::mutex> lock(mutex);
    unasked.insert(event);
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
  static std::once_flag once;
  Replace<SLOT(PJRT_Event_OnReady)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!CanCallBack(args)) return original(&args);
    std::call_once(once, [] {
      std::thread([] {
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
      }).detach();
    });
    return OnReadyThen(args, original, [callback = args.callback, user = args.user_arg](PJRT_Error* error) {
      std::lock_guard<std::mutex> lock(mutex);
      waiting.push_back([=] { callback(error, user); });
      changed.notify_all();
    });
  });
}

/**
 * With kImmutableZeroCopy the host buffer is used until PJRT_Buffer_Destroy.
 * "the runtime will call `done_with_host_buffer` when the PjRtBuffer is freed", and Delete drops the memory "without freeing the
 * `buffer` object itself".
 */
void ZeroCopyUntilFreed() {
  struct Held {
    OwnEvent* own;
    PJRT_Event* base;
  };
  static std::mutex& mutex = *new std::mutex();
  static auto& held = *new std::map<PJRT_Buffer*, Held>();
  OwnEvents();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableZeroCopy) return;
    if (args.done_with_host_buffer == nullptr || args.buffer == nullptr) return;
    OwnEvent* own = NewEvent();
    std::lock_guard<std::mutex> lock(mutex);
    held[args.buffer] = {own, args.done_with_host_buffer};
    args.done_with_host_buffer = own->handle();
  });
  Replace<SLOT(PJRT_Buffer_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Buffer_Destroy_Args, buffer)) return original(&args);
    Held kept{};
    {
      std::lock_guard<std::mutex> lock(mutex);
      const auto found = held.find(args.buffer);
      if (found != held.end()) {
        kept = found->second;
        held.erase(found);
      }
    }
    PJRT_Error* error = original(&args);
    if (kept.own == nullptr) return error;
    // What still reads it finishes first.
    std::thread([kept] {
      ARGS(PJRT_Event_Await, await);
      await.event = kept.base;
      DropAny(Table().PJRT_Event_Await(&await));
      ARGS(PJRT_Event_Destroy, destroy);
      destroy.event = kept.base;
      DropAny(Table().PJRT_Event_Destroy(&destroy));
      kept.own->Set();
    }).detach();
    return error;
  });
}

/**
 * Until its event is ready, a read writes something else to the destination.
 * "Event that signals when the copy has completed": before, the contents of `dst` are not defined. Nothing beyond the size
 * needed is touched.
 */
void ScribblingReads() {
  Replace<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Buffer_ToHostBuffer_Args, event) || args.dst == nullptr || args.src == nullptr) {
      return original(&args);
    }
    ARGS(PJRT_Buffer_ToHostBuffer, query);
    query.struct_size = std::min(args.struct_size, query.struct_size);
    query.src = args.src;
    query.host_layout = args.host_layout;
    PJRT_Error* error = original(&query);
    if (error == nullptr && query.dst_size <= args.dst_size) std::memset(args.dst, 0xa5, query.dst_size);
    DropAny(error);
    return original(&args);
  });
}

// ---- remote devices

/** What is known here, or sent without waiting for an answer, takes no round trip. */
template <class S>
constexpr bool kAsksServer =
    std::is_same_v<S, SLOT(PJRT_Client_Compile)> || std::is_same_v<S, SLOT(PJRT_Compile)> ||
    std::is_same_v<S, SLOT(PJRT_Client_Load)> || std::is_same_v<S, SLOT(PJRT_Client_DefaultDeviceAssignment)> ||
    std::is_same_v<S, SLOT(PJRT_Client_BufferFromHostBuffer)> ||
    std::is_same_v<S, SLOT(PJRT_Client_CreateUninitializedBuffer)> ||
    std::is_same_v<S, SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice)> ||
    std::is_same_v<S, SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferData)> ||
    std::is_same_v<S, SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral)> ||
    std::is_same_v<S, SLOT(PJRT_LoadedExecutable_Execute)> || std::is_same_v<S, SLOT(PJRT_Executable_Serialize)> ||
    std::is_same_v<S, SLOT(PJRT_Executable_DeserializeAndLoad)> ||
    std::is_same_v<S, SLOT(PJRT_Executable_OptimizedProgram)> ||
    std::is_same_v<S, SLOT(PJRT_Executable_GetCostAnalysis)> ||
    std::is_same_v<S, SLOT(PJRT_Executable_GetCompiledMemoryStats)> ||
    std::is_same_v<S, SLOT(PJRT_Device_MemoryStats)> || std::is_same_v<S, SLOT(PJRT_Buffer_OnDeviceSizeInBytes)> ||
    std::is_same_v<S, SLOT(PJRT_Buffer_ToHostBuffer)> || std::is_same_v<S, SLOT(PJRT_Buffer_CopyRawToHost)> ||
    std::is_same_v<S, SLOT(PJRT_Buffer_CopyToDevice)> || std::is_same_v<S, SLOT(PJRT_Buffer_CopyToMemory)> ||
    std::is_same_v<S, SLOT(PJRT_Buffer_ReadyEvent)>;

/** Calls that ask the server take 5 ms. Nothing is said of how long a call takes. */
void RoundTrips() {
#define ROUND_TRIP(name) \
  if constexpr (kAsksServer<SLOT(PJRT_##name)>) Before<SLOT(PJRT_##name)>([](auto&) { SleepMs(5); });
  REFERENCE_C_API_FUNCTIONS(ROUND_TRIP)
#undef ROUND_TRIP
}

/**
 * Statistics of memory are samples, at most one in 150 ms for a device.
 * "Device memory/allocator statistics. […] Intended for diagnostic purposes."
 */
void StaleStats() {
  using Args = PJRT_Device_MemoryStats_Args;
  struct Sample {
    Clock::time_point taken;
    std::vector<unsigned char> bytes;
  };
  static std::mutex& mutex = *new std::mutex();
  static auto& samples = *new std::map<PJRT_Device*, Sample>();
  constexpr size_t kOutputs = offsetof(Args, bytes_in_use);
  Replace<SLOT(PJRT_Device_MemoryStats)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, Args, bytes_in_use)) return original(&args);
    const size_t size = std::min(args.struct_size, sizeof(Args));
    auto* const bytes = reinterpret_cast<unsigned char*>(&args);
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = samples.find(args.device);
    if (found != samples.end() && found->second.bytes.size() == size &&
        Clock::now() - found->second.taken < std::chrono::milliseconds(150)) {
      std::memcpy(bytes + kOutputs, found->second.bytes.data() + kOutputs, size - kOutputs);
      return nullptr;
    }
    PJRT_Error* error = original(&args);
    if (error == nullptr) samples[args.device] = {Clock::now(), std::vector<unsigned char>(bytes, bytes + size)};
    return error;
  });
  Before<SLOT(PJRT_Device_ClearMemoryStats)>([](auto&) {
    std::lock_guard<std::mutex> lock(mutex);
    samples.clear();
  });
  Before<SLOT(PJRT_Client_Destroy)>([](auto&) {
    std::lock_guard<std::mutex> lock(mutex);
    samples.clear();
  });
}

/**
 * What the caller gives for good is copied too. "On non-CPU platforms this acts identically to
 * kImmutableUntilTransferCompletes": for designs whose memory is not the host's.
 */
void DeviceCopies() {
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics) ||
        args.host_buffer_semantics != PJRT_HostBufferSemantics_kMutableZeroCopy) {
      return original(&args);
    }
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
    PJRT_Error* error = original(&args);
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kMutableZeroCopy;
    return error;
  });
}

/** A client takes 600 ms to end. "Shuts down and frees `client`": nothing is said of how long that takes. */
void SlowExit() {
  Before<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (HAS(args, PJRT_Client_Destroy_Args, client) && args.client != nullptr) SleepMs(600);
  });
}

// ---- compilers that generate code when it is needed

/** Whether an executable has run, shared by all handles of it. */
using Ran = std::shared_ptr<std::atomic<bool>>;
std::mutex& ran_mutex = *new std::mutex();
auto& ran_loaded = *new std::map<PJRT_LoadedExecutable*, Ran>();
auto& ran_executables = *new std::map<PJRT_Executable*, Ran>();

Ran RanOf(PJRT_LoadedExecutable* loaded) {
  std::lock_guard<std::mutex> lock(ran_mutex);
  Ran& ran = ran_loaded[loaded];
  if (ran == nullptr) ran = std::make_shared<std::atomic<bool>>(false);
  return ran;
}

/**
 * The first execution takes 120 ms longer, inside the call; until then there is no code, of size 0.
 * Nothing is said of how long Execute takes, and nothing at all of PJRT_Executable_SizeOfGeneratedCodeInBytes.
 */
void FirstRun() {
  Before<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args) {
    if (!HAS(args, PJRT_LoadedExecutable_Execute_Args, executable) || args.executable == nullptr) return;
    if (!RanOf(args.executable)->exchange(true)) SleepMs(120);
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    if (!HAS(args, PJRT_LoadedExecutable_Destroy_Args, executable)) return;
    std::lock_guard<std::mutex> lock(ran_mutex);
    ran_loaded.erase(args.executable);
  });
  After<SLOT(PJRT_LoadedExecutable_GetExecutable)>([](auto& args) {
    const Ran ran = RanOf(args.loaded_executable);
    std::lock_guard<std::mutex> lock(ran_mutex);
    ran_executables[args.executable] = ran;
  });
  Before<SLOT(PJRT_Executable_Destroy)>([](auto& args) {
    if (!HAS(args, PJRT_Executable_Destroy_Args, executable)) return;
    std::lock_guard<std::mutex> lock(ran_mutex);
    ran_executables.erase(args.executable);
  });
  static const auto has_code = [](PJRT_Executable* executable) {
    std::lock_guard<std::mutex> lock(ran_mutex);
    const auto found = ran_executables.find(executable);
    return found == ran_executables.end() || *found->second;
  };
  After<SLOT(PJRT_Executable_SizeOfGeneratedCodeInBytes)>([](auto& args) {
    if (!has_code(args.executable)) args.size_in_bytes = 0;
  });
  After<SLOT(PJRT_Executable_GetCompiledMemoryStats)>([](auto& args) {
    if (!has_code(args.executable)) args.generated_code_size_in_bytes = 0;
  });
}

constexpr char kMagic[] = "JITIMAGE";
constexpr size_t kMagicSize = sizeof(kMagic) - 1, kHead = kMagicSize + 16, kSum = 8, kPadding = size_t{1} << 20;

uint64_t SumOf(const char* bytes, size_t size) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 1099511628211u;
  return sum;
}

void Append(std::string& to, uint64_t number) { to.append(reinterpret_cast<const char*>(&number), sizeof(number)); }

uint64_t NumberAt(const char* bytes) {
  uint64_t number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

/**
 * Each serialization has other bytes, and a megabyte of a cache besides.
 * "Returns a platform-specific serialization of `executable`. The serialization is not guaranteed to be stable over time."
 */
void SaltedSerialization() {
  OwnErrors();
  After<SLOT(PJRT_Executable_Serialize)>([](auto& args) {
    static std::atomic<uint64_t> count{0};
    uint64_t salt = static_cast<uint64_t>(Clock::now().time_since_epoch().count()) * 2654435761u + ++count;
    auto* const made = new std::string(kMagic);
    made->reserve(kHead + args.serialized_bytes_size + kPadding + kSum);
    Append(*made, salt);
    Append(*made, args.serialized_bytes_size);
    made->append(args.serialized_bytes, args.serialized_bytes_size);
    for (size_t i = 0; i < kPadding / sizeof(salt); ++i) Append(*made, salt = salt * 6364136223846793005u + 1);
    Append(*made, SumOf(made->data(), made->size()));
    if (args.serialized_executable_deleter != nullptr) args.serialized_executable_deleter(args.serialized_executable);
    args.serialized_bytes = made->data();
    args.serialized_bytes_size = made->size();
    args.serialized_executable = reinterpret_cast<PJRT_SerializedExecutable*>(made);
    args.serialized_executable_deleter = [](PJRT_SerializedExecutable* owner) {
      delete reinterpret_cast<std::string*>(owner);
    };
  });
  Replace<SLOT(PJRT_Executable_DeserializeAndLoad)>([](auto& args, auto& original) -> PJRT_Error* {
    using Args = PJRT_Executable_DeserializeAndLoad_Args;
    const char* const bytes = args.serialized_executable;
    const size_t size = args.serialized_executable_size;
    // Null pointers, and what is no such image, are for the base to judge.
    if (!HAS(args, Args, loaded_executable) || bytes == nullptr || size < kMagicSize ||
        std::memcmp(bytes, kMagic, kMagicSize) != 0) {
      return original(&args);
    }
    if (size < kHead + kPadding + kSum || NumberAt(bytes + kMagicSize + 8) != size - kHead - kPadding - kSum ||
        NumberAt(bytes + size - kSum) != SumOf(bytes, size - kSum)) {
      return MakeError(PJRT_Error_Code_DATA_LOSS, "the image of the executable is damaged");
    }
    args.serialized_executable = bytes + kHead;
    args.serialized_executable_size = size - kHead - kPadding - kSum;
    PJRT_Error* error = original(&args);
    args.serialized_executable = bytes;
    args.serialized_executable_size = size;
    return error;
  });
}

/**
 * The first read of a buffer takes 40 ms longer: what the host may see is made then.
 * "Asynchronously copies the buffer's value into a preallocated host buffer": nothing is said of how long that takes.
 */
void FirstRead() {
  static std::mutex& mutex = *new std::mutex();
  static auto& read = *new std::set<PJRT_Buffer*>();
  Notices();
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (args.dst == nullptr) return;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!read.insert(args.src).second) return;
    }
    SeeLater(args.event, 40);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    if (!HAS(args, PJRT_Buffer_Destroy_Args, buffer)) return;
    std::lock_guard<std::mutex> lock(mutex);
    read.erase(args.buffer);
  });
}

/**
 * The options of a compilation have a field more, of the vendor.
 * "Returns the CompileOptions that were used to compile this executable", as a message, whose readers skip unknown fields.
 */
void AnnotatedOptions() {
  After<SLOT(PJRT_Executable_GetCompileOptions)>([](auto& args) {
    auto* const made = new std::string(args.serialized_bytes, args.serialized_bytes_size);
    // Field 20001, of bytes.
    *made += "\x8a\xe2\x09\x07jit=1;\n";
    if (args.serialized_compile_options_deleter != nullptr) {
      args.serialized_compile_options_deleter(args.serialized_compile_options);
    }
    args.serialized_bytes = made->data();
    args.serialized_bytes_size = made->size();
    args.serialized_compile_options = reinterpret_cast<PJRT_SerializedCompileOptions*>(made);
    args.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions* owner) {
      delete reinterpret_cast<std::string*>(owner);
    };
  });
}

// ---- memory

/**
 * An address changes with each question unless the buffer has an external reference. It cannot be used then.
 * "The returned data pointer may become invalid at any point unless the external reference count is greater than 0"; "should not
 * be deleted or moved by the PJRT implementation (e.g. for memory compaction)"; UnsafePointer: "platform-dependent address […]
 * often but not guaranteed to be the physical/device address".
 */
void MovingPointers() {
  static std::mutex& mutex = *new std::mutex();
  static auto& pins = *new std::map<PJRT_Buffer*, size_t>();
  static const auto moved = [](PJRT_Buffer* buffer, uintptr_t address) -> uintptr_t {
    static uintptr_t moves = 0;
    std::lock_guard<std::mutex> lock(mutex);
    if (address == 0 || pins.count(buffer) > 0) return address;
    // Above what processors use, so that nobody could take it for a pointer.
    return (address & ((uintptr_t{1} << 48) - 1)) | (++moves % 0x7ffe + 1) << 48;
  };
  OwnErrors();
  After<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    pins[args.buffer]++;
  });
  After<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = pins.find(args.buffer);
    if (found != pins.end() && --found->second == 0) pins.erase(found);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    if (!HAS(args, PJRT_Buffer_Destroy_Args, buffer)) return;
    std::lock_guard<std::mutex> lock(mutex);
    pins.erase(args.buffer);
  });
  After<SLOT(PJRT_Buffer_UnsafePointer)>([](auto& args) { args.buffer_pointer = moved(args.buffer, args.buffer_pointer); });
  After<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>([](auto& args) {
    args.device_memory_ptr =
        reinterpret_cast<void*>(moved(args.buffer, reinterpret_cast<uintptr_t>(args.device_memory_ptr)));
  });
  Replace<SLOT(PJRT_Client_CreateViewOfDeviceBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (HAS(args, PJRT_Client_CreateViewOfDeviceBuffer_Args, device_buffer_ptr) &&
        reinterpret_cast<uintptr_t>(args.device_buffer_ptr) >> 48 != 0) {
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer has been moved from this address");
    }
    return original(&args);
  });
}

/** The header of a buffer and its elements fill pages. */
size_t Pages(size_t size) { return (size + 64 + 4095) / 4096 * 4096; }

/**
 * Storage is pages: whatever an array needs, and a header of 64 bytes; the end of what is read raw is zeros.
 * "Gets the number of bytes of the buffer storage on the device": not of its elements.
 */
void PagedSizes() {
  After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) {
    args.on_device_size_in_bytes = Pages(args.on_device_size_in_bytes);
  });
  Replace<SLOT(PJRT_Buffer_CopyRawToHost)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Buffer_CopyRawToHost_Args, event) || args.buffer == nullptr || args.dst == nullptr ||
        args.offset < 0 || args.transfer_size < 0 || !SLOT(PJRT_Buffer_OnDeviceSizeInBytes)::present()) {
      return original(&args);
    }
    ARGS(PJRT_Buffer_OnDeviceSizeInBytes, size);
    size.buffer = args.buffer;
    if (!Ask(Base().PJRT_Buffer_OnDeviceSizeInBytes, size)) return original(&args);
    const auto stored = static_cast<int64_t>(size.on_device_size_in_bytes);
    const auto pages = static_cast<int64_t>(Pages(size.on_device_size_in_bytes));
    const int64_t wanted = args.transfer_size;
    // All of it elements, or beyond the end.
    if (args.offset > pages || wanted > pages - args.offset || args.offset + wanted <= stored) return original(&args);
    const int64_t head = std::max<int64_t>(0, stored - args.offset);
    PJRT_Error* error = nullptr;
    if (head > 0) {
      args.transfer_size = head;
      error = original(&args);
      args.transfer_size = wanted;
    } else {
      ARGS(PJRT_Buffer_ReadyEvent, ready);
      ready.buffer = args.buffer;
      error = Base().PJRT_Buffer_ReadyEvent(&ready);
      if (error == nullptr) args.event = ready.event;
    }
    if (error == nullptr) std::memset(static_cast<char*>(args.dst) + head, 0, static_cast<size_t>(wanted - head));
    return error;
  });
}

/**
 * Of the statistics of memory there is one, and fields of the others are junk.
 * "All returned stats except `bytes_in_use` are optional": each has a field that says that it is not set.
 */
void BareStats() {
  After<SLOT(PJRT_Device_MemoryStats)>([](auto& args) {
#define NOT_SET(field)                                                                              \
  if (HAS(args, PJRT_Device_MemoryStats_Args, field##_is_set)) {                                    \
    args.field = -0x5a5a5a5a5a5a5a5a;                                                               \
    args.field##_is_set = false;                                                                    \
  }
    NOT_SET(peak_bytes_in_use)
    NOT_SET(num_allocs)
    NOT_SET(largest_alloc_size)
    NOT_SET(bytes_limit)
    NOT_SET(bytes_reserved)
    NOT_SET(peak_bytes_reserved)
    NOT_SET(bytes_reservable_limit)
    NOT_SET(largest_free_block_bytes)
    NOT_SET(pool_bytes)
    NOT_SET(peak_pool_bytes)
    NOT_SET(peak_allocated_bytes)
#undef NOT_SET
  });
}

// ---- executions

/**
 * A program runs on its own devices only. "Setting this field may not be supported on all platforms or executables."
 */
void NoExecuteDevice() {
  OwnErrors();
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    if (HAS(args, PJRT_LoadedExecutable_Execute_Args, execute_device) && args.execute_device != nullptr) {
      return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "execute_device is not supported");
    }
    return original(&args);
  });
}

/**
 * Every second argument is never donated; that it must be is refused when the program is compiled.
 * "the compiler might mark the input as `may-alias`, which could lead PjRt to donate the input buffer": it need not.
 */
void PickyDonation() {
  RefusePrograms([](const Contents& contents) -> std::string {
    return contents.must_donate ? "arguments that must be donated are not supported" : "";
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    using Args = PJRT_LoadedExecutable_Execute_Args;
    // Invalid calls are left to the base.
    if (!HAS(args, Args, num_args) || args.options == nullptr ||
        !HAS(*args.options, PJRT_ExecuteOptions, num_non_donatable_input_indices) ||
        (args.options->num_non_donatable_input_indices > 0 && args.options->non_donatable_input_indices == nullptr)) {
      return original(&args);
    }
    std::set<int64_t> kept(args.options->non_donatable_input_indices,
                           args.options->non_donatable_input_indices + args.options->num_non_donatable_input_indices);
    for (size_t i = 1; i < args.num_args; i += 2) kept.insert(static_cast<int64_t>(i));
    const std::vector<int64_t> indices(kept.begin(), kept.end());
    // The options belong to the caller; the base gets a copy of the same size.
    std::vector<unsigned char> copy(args.options->struct_size);
    std::memcpy(copy.data(), args.options, copy.size());
    auto* const options = reinterpret_cast<PJRT_ExecuteOptions*>(copy.data());
    options->non_donatable_input_indices = indices.data();
    options->num_non_donatable_input_indices = indices.size();
    std::vector<unsigned char> whole(args.struct_size);
    std::memcpy(whole.data(), &args, whole.size());
    auto* const call = reinterpret_cast<Args*>(whole.data());
    call->options = options;
    return original(call);
  });
}

// ---- descriptions

/** One copy of each list, as long as the process lives: the same question gets the same pointer. */
template <class T>
T* const* Kept(const std::vector<T*>& list) {
  static std::mutex& mutex = *new std::mutex();
  static auto& kept = *new std::set<std::vector<T*>>();
  std::lock_guard<std::mutex> lock(mutex);
  return kept.insert(list).first->data();
}

template <class T>
void Reverse(T* const*& list, size_t count) {
  if (list == nullptr || count < 2) return;
  std::vector<T*> other(list, list + count);
  std::reverse(other.begin(), other.end());
  list = Kept(other);
}

/**
 * Lists of devices and memories are in other orders, and descriptions of a topology in the reverse one.
 * "Returns a list of …": no order is mentioned. "The device descriptions can be returned in any order, but will be in the same
 * order across calls within a process." Lists that belong to lists of Execute keep their order.
 */
void ShuffledLists() {
  After<SLOT(PJRT_Client_Devices)>([](auto& args) { Reverse(args.devices, args.num_devices); });
  After<SLOT(PJRT_Client_AddressableDevices)>([](auto& args) {
    if (args.addressable_devices == nullptr || args.num_addressable_devices < 2) return;
    std::vector<PJRT_Device*> other(args.addressable_devices, args.addressable_devices + args.num_addressable_devices);
    std::rotate(other.begin(), other.begin() + 1, other.end());
    args.addressable_devices = Kept(other);
  });
  After<SLOT(PJRT_Client_AddressableMemories)>([](auto& args) {
    Reverse(args.addressable_memories, args.num_addressable_memories);
  });
  After<SLOT(PJRT_Device_AddressableMemories)>([](auto& args) { Reverse(args.memories, args.num_memories); });
  After<SLOT(PJRT_Memory_AddressableByDevices)>([](auto& args) { Reverse(args.devices, args.num_devices); });
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    Reverse(args.descriptions, args.num_descriptions);
  });
}

/** One copy of each text. */
const std::string& KeptText(const std::string& text) {
  static std::mutex& mutex = *new std::mutex();
  static auto& kept = *new std::set<std::string>();
  std::lock_guard<std::mutex> lock(mutex);
  return *kept.insert(text).first;
}

int IdOfDescription(PJRT_DeviceDescription* description) {
  ARGS(PJRT_DeviceDescription_Id, args);
  args.device_description = description;
  return AskAny(Table().PJRT_DeviceDescription_Id, args) ? args.id : 0;
}

/** Devices of one client are of two kinds. "A vendor-dependent string that uniquely identifies the kind of device". */
void MixedKinds() {
  After<SLOT(PJRT_DeviceDescription_Kind)>([](auto& args) {
    if (args.device_kind == nullptr || IdOfDescription(args.device_description) % 2 == 0) return;
    const std::string& kind = KeptText(std::string(args.device_kind, args.device_kind_size) + " rev. B (16 Go, 5 µm)");
    args.device_kind = kind.data();
    args.device_kind_size = kind.size();
  });
}

/**
 * Texts for logs have many lines, and those for users are no names of classes.
 * "Should be verbose enough to describe the current device unambiguously"; "should be reasonably terse, for example […]".
 */
void LongDescriptions() {
  static const auto lines = [](const char* text, size_t size) -> const std::string& {
    std::string all(text, size);
    for (int line = 0; line < 48; ++line) all += "\n\tлиния " + std::to_string(line) + ":\t↔ port " + std::to_string(line * 3);
    return KeptText(all);
  };
  After<SLOT(PJRT_DeviceDescription_DebugString)>([](auto& args) {
    const std::string& text = lines(args.debug_string, args.debug_string_size);
    args.debug_string = text.data();
    args.debug_string_size = text.size();
  });
  After<SLOT(PJRT_Memory_DebugString)>([](auto& args) {
    const std::string& text = lines(args.debug_string, args.debug_string_size);
    args.debug_string = text.data();
    args.debug_string_size = text.size();
  });
  After<SLOT(PJRT_DeviceDescription_ToString)>([](auto& args) {
    const std::string& text = KeptText("ускоритель №" + std::to_string(IdOfDescription(args.device_description)));
    args.to_string = text.data();
    args.to_string_size = text.size();
  });
}

PJRT_NamedValue Named(const char* name, PJRT_NamedValue_Type type, size_t size) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = type;
  value.value_size = size;
  return value;
}

PJRT_NamedValue Text(const char* name, const std::string& text) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kString, text.size());
  value.string_value = KeptText(text).c_str();
  return value;
}

PJRT_NamedValue List(const char* name, const std::vector<int64_t>& list) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kInt64List, list.size());
  value.int64_array_value = (new std::vector<int64_t>(list))->data();
  return value;
}

PJRT_NamedValue Number(const char* name, int64_t number) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kInt64, 1);
  value.int64_value = number;
  return value;
}

PJRT_NamedValue Real(const char* name, float number) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kFloat, 1);
  value.float_value = number;
  return value;
}

PJRT_NamedValue Truth(const char* name, bool truth) {
  PJRT_NamedValue value = Named(name, PJRT_NamedValue_kBool, 1);
  value.bool_value = truth;
  return value;
}

std::mutex& given_mutex = *new std::mutex();
auto& given_values = *new std::map<const void*, std::deque<std::vector<PJRT_NamedValue>>>();

/** The list of `owner` with more values. What has been given stays; it is given again while the base's list is the same. */
void AddValues(const void* owner, const PJRT_NamedValue*& values, size_t& count, const std::vector<PJRT_NamedValue>& more) {
  std::vector<PJRT_NamedValue> all(values, values + count);
  for (const PJRT_NamedValue& value : more) {
    const std::string name(value.name, value.name_size);
    const bool known = std::any_of(values, values + count, [&](const PJRT_NamedValue& one) {
      return std::string(one.name, one.name_size) == name;
    });
    if (!known) all.push_back(value);
  }
  std::lock_guard<std::mutex> lock(given_mutex);
  auto& given = given_values[owner];
  if (given.empty() || given.back().size() != all.size() ||
      (!all.empty() && std::memcmp(given.back().data(), all.data(), all.size() * sizeof(PJRT_NamedValue)) != 0)) {
    given.push_back(all);
  }
  values = given.back().data();
  count = all.size();
}

/**
 * The analysis of costs has properties of all types, unknown costs are -1, and one is infinite.
 * "Different platforms may return different properties".
 */
void OddCosts() {
  After<SLOT(PJRT_Executable_GetCostAnalysis)>([](auto& args) {
    static const auto& more = *new std::vector<PJRT_NamedValue>{
        Text("bound by", "mémoire"),           Number("cycles", -1),           List("tiles per core", {3, 0, 128}),
        Real("optimal_seconds", INFINITY),     Truth("estimated", true),       Real("utilization{}", -1),
    };
    AddValues(args.executable, args.properties, args.num_properties, more);
  });
  // "have the same lifetime as `executable`".
  Before<SLOT(PJRT_Executable_Destroy)>([](auto& args) {
    if (!HAS(args, PJRT_Executable_Destroy_Args, executable)) return;
    std::lock_guard<std::mutex> lock(given_mutex);
    given_values.erase(args.executable);
  });
}

/**
 * The plugin has no attributes. "Returns an array of plugin attributes", of which some are common ("Common keys include …", in old
 * headers "One example attribute is the minimum supported StableHLO version"): none is demanded.
 */
void NoPluginAttributes() {
  After<SLOT(PJRT_Plugin_Attributes)>([](auto& args) {
    args.attributes = nullptr;
    args.num_attributes = 0;
  });
}

}  // namespace

void Habits() {
  const auto list = Setting("PJRT_DESIGN_HABITS");
  if (!list) return;
  const std::vector<std::string> wanted = Split(*list);
  // In the order in which they wrap each other: events made here are known before notices are.
  static const std::pair<const char*, void (*)()> all[] = {
      {"device-copies", DeviceCopies},
      {"zero-copy-until-freed", ZeroCopyUntilFreed},
      {"first-run", FirstRun},
      {"salted-serialization", SaltedSerialization},
      {"annotated-options", AnnotatedOptions},
      {"moving-pointers", MovingPointers},
      {"paged-sizes", PagedSizes},
      {"bare-stats", BareStats},
      {"stale-stats", StaleStats},
      {"picky-donation", PickyDonation},
      {"no-execute-device", NoExecuteDevice},
      {"shuffled-lists", ShuffledLists},
      {"mixed-kinds", MixedKinds},
      {"long-descriptions", LongDescriptions},
      {"odd-costs", OddCosts},
      {"no-plugin-attributes", NoPluginAttributes},
      {"scribbling-reads", ScribblingReads},
      {"first-read", FirstRead},
      {"late-done", LateDone},
      {"late-completion", LateCompletion},
      {"late-notices", LateNotices},
      {"polled-events", PolledEvents},
      {"batched-callbacks", BatchedCallbacks},
      {"round-trips", RoundTrips},
      {"slow-exit", SlowExit},
      {"other-codes", OtherCodes},
      {"traced-messages", TracedMessages},
  };
  for (const std::string& name : wanted) {
    if (std::none_of(std::begin(all), std::end(all), [&](const auto& one) { return name == one.first; })) {
      Die("PJRT_DESIGN_HABITS: " + name + " is not known");
    }
  }
  for (const auto& [name, install] : all) {
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) install();
  }
}

}  // namespace designs
