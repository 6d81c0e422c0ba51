// Work that is in progress: what it reads too early, what disturbs it, and what is said of it too early.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "calls.h"
#include "damage.h"
#include "execute.h"

namespace {

using namespace faults;

using D2H = SLOT(PJRT_Buffer_ToHostBuffer);
using Clock = std::chrono::steady_clock;

// ---- transfers that are late for one reader -----------------------------------------------------------------------------

/** Buffers whose contents arrive later, each with one of zeros that stands for the memory as it is before. */
class Arrivals {
 public:
  void Add(PJRT_Buffer* buffer, PJRT_Buffer* before, int milliseconds) {
    std::lock_guard<std::mutex> lock(mutex_);
    late_[buffer] = {before, Clock::now() + std::chrono::milliseconds(milliseconds)};
  }
  /** The buffer that stands for this one as long as nobody waits. */
  PJRT_Buffer* Now(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = late_.find(buffer);
    return found == late_.end() || Clock::now() >= found->second.due ? buffer : found->second.before;
  }
  /** Waits until the contents are there. */
  void Wait(PJRT_Buffer* buffer) {
    Clock::time_point due;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const auto found = late_.find(buffer);
      if (found == late_.end()) return;
      due = found->second.due;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(due - Clock::now()).count();
    if (left >= 0) SleepMs(static_cast<int>(left) + 1);
  }
  void Forget(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    late_.erase(buffer);
  }

 private:
  struct Late {
    PJRT_Buffer* before;
    Clock::time_point due;
  };
  std::mutex mutex_;
  std::map<PJRT_Buffer*, Late> late_;
};

/** Which arguments an execution does not wait for, and whether others do not wait. */
struct Overtaking {
  std::function<bool(size_t argument, size_t count)> arguments = [](size_t, size_t) { return false; };
  bool reads = false;
  bool copies = false;
  size_t least = 1;
  size_t most = 4096;
};
/** Contents arrive 40 ms after the call. Everything waits for them, except what overtakes them. */
void Late(Overtaking overtaking) {
  static Arrivals arrivals;
  WatchClients();
  const auto overtakes = overtaking.arguments;
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([overtaking](auto& args) {
    const size_t bytes = HostBytes(args.buffer);
    if (bytes < overtaking.least || bytes > overtaking.most) return;
    if (PJRT_Buffer* before = MakeBeside(args.buffer, std::vector<uint8_t>(bytes))) arrivals.Add(args.buffer, before, 40);
  });
  Replace<Execute>([overtakes](auto& args, auto& original) -> PJRT_Error* {
    std::vector<std::vector<PJRT_Buffer*>> lists(args.num_devices);
    std::vector<PJRT_Buffer* const*> outer(args.num_devices);
    for (size_t d = 0; d < args.num_devices; ++d) {
      for (size_t i = 0; i < args.num_args; ++i) {
        PJRT_Buffer* given = args.argument_lists[d][i];
        if (!overtakes(i, args.num_args)) arrivals.Wait(given);
        lists[d].push_back(arrivals.Now(given));
      }
      outer[d] = lists[d].data();
    }
    return With(args, original, args.argument_lists, static_cast<PJRT_Buffer* const* const*>(outer.data()));
  });
  Before<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) { arrivals.Wait(args.buffer); });
  Replace<D2H>([overtaking](auto& args, auto& original) -> PJRT_Error* {
    if (!overtaking.reads) arrivals.Wait(args.src);
    return With(args, original, args.src, arrivals.Now(args.src));
  });
  Replace<SLOT(PJRT_Buffer_CopyToDevice)>([overtaking](auto& args, auto& original) -> PJRT_Error* {
    if (!overtaking.copies) arrivals.Wait(args.buffer);
    return With(args, original, args.buffer, arrivals.Now(args.buffer));
  });
  Before<SLOT(PJRT_Buffer_CopyToMemory)>([](auto& args) { arrivals.Wait(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { arrivals.Forget(args.buffer); });
}

FAULT("execute-ignores-transfers-in-flight") {
  Overtaking overtaking;
  overtaking.arguments = [](size_t, size_t) { return true; };
  Late(overtaking);
}
FAULT("execute-ignores-large-transfers-in-flight") {
  Overtaking overtaking;
  overtaking.arguments = [](size_t, size_t) { return true; };
  overtaking.least = size_t{1} << 23;
  overtaking.most = size_t{1} << 27;
  Late(overtaking);
}
FAULT("read-ignores-transfers-in-flight") {
  Overtaking overtaking;
  overtaking.reads = true;
  Late(overtaking);
}
FAULT("copy-ignores-transfers-in-flight") {
  Overtaking overtaking;
  overtaking.copies = true;
  Late(overtaking);
}
FAULT("execute-waits-for-first-argument-only") {
  Overtaking overtaking;
  overtaking.arguments = [](size_t argument, size_t) { return argument > 0; };
  Late(overtaking);
}

// ---- results that are disturbed while they are computed -----------------------------------------------------------------

/** Executions that may be in progress: what they use, and what they make. */
class Runs {
 public:
  struct Run {
    const void* executable;
    const void* context;
    std::vector<PJRT_Buffer*> args, outputs;
    std::vector<PJRT_Event*> completions;
  };
  void Add(const ExecuteArgs& args) {
    Run run{args.executable, HAS(*args.options, PJRT_ExecuteOptions, context) ? args.options->context : nullptr, {}, {}, {}};
    const size_t outputs = OutputsOf(args.executable);
    for (size_t d = 0; d < args.num_devices; ++d) {
      run.args.insert(run.args.end(), args.argument_lists[d], args.argument_lists[d] + args.num_args);
      run.outputs.insert(run.outputs.end(), args.output_lists[d], args.output_lists[d] + outputs);
      if (args.device_complete_events != nullptr) run.completions.push_back(args.device_complete_events[d]);
    }
    std::lock_guard<std::mutex> lock(mutex_);
    runs_.push_back(std::move(run));
  }
  /** Damages what is still being computed by the executions that match. */
  void Disturb(const std::function<bool(const Run&)>& matches) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const Run& run : runs_) {
      if (!matches(run)) continue;
      for (PJRT_Buffer* output : run.outputs) {
        if (!IsReady(output)) Damaged().Add(output);
      }
    }
  }
  bool Any(const std::function<bool(const Run&)>& matches) {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::any_of(runs_.begin(), runs_.end(), [&](const Run& run) {
      return matches(run) && std::any_of(run.outputs.begin(), run.outputs.end(), [](PJRT_Buffer* b) { return !IsReady(b); });
    });
  }
  /** An output that goes away is no longer looked at. */
  void Forget(PJRT_Buffer* output) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Run& run : runs_) run.outputs.erase(std::remove(run.outputs.begin(), run.outputs.end(), output), run.outputs.end());
    runs_.erase(std::remove_if(runs_.begin(), runs_.end(), [](const Run& run) { return run.outputs.empty(); }), runs_.end());
  }

 private:
  std::mutex mutex_;
  std::vector<Run> runs_;
};
Runs& InProgress() {
  static Runs runs;
  return runs;
}
bool Uses(const Runs::Run& run, PJRT_Buffer* buffer) {
  return std::find(run.args.begin(), run.args.end(), buffer) != run.args.end();
}
void WatchRuns() {
  ReadDamage();
  After<Execute>([](auto& args) {
    if (args.output_lists != nullptr) InProgress().Add(args);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { InProgress().Forget(args.buffer); });
}

FAULT("in-flight-argument-destroyed") {
  WatchRuns();
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    InProgress().Disturb([&](const Runs::Run& run) { return Uses(run, args.buffer); });
  });
}
FAULT("in-flight-argument-deleted") {
  WatchRuns();
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    InProgress().Disturb([&](const Runs::Run& run) { return Uses(run, args.buffer); });
  });
}
FAULT("in-flight-executable-destroyed") {
  WatchRuns();
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    InProgress().Disturb([&](const Runs::Run& run) { return run.executable == args.executable; });
  });
}
FAULT("in-flight-executable-deleted") {
  WatchRuns();
  Before<SLOT(PJRT_LoadedExecutable_Delete)>([](auto& args) {
    InProgress().Disturb([&](const Runs::Run& run) { return run.executable == args.executable; });
  });
}
FAULT("in-flight-context-destroyed") {
  WatchRuns();
  Before<SLOT(PJRT_ExecuteContext_Destroy)>([](auto& args) {
    InProgress().Disturb([&](const Runs::Run& run) { return run.context == args.context; });
  });
}
FAULT("in-flight-completion-event-destroyed") {
  WatchRuns();
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    InProgress().Disturb([&](const Runs::Run& run) {
      return std::find(run.completions.begin(), run.completions.end(), args.event) != run.completions.end();
    });
  });
}
FAULT("in-flight-output-destroyed") {
  // The next execution gets the memory that the one before still writes.
  ReadDamage();
  static std::atomic<bool> reused{false};
  After<Execute>([](auto& args) {
    if (args.output_lists != nullptr && OutputsOf(args.executable) > 0 && reused.exchange(false)) Damaged().Add(args.output_lists[0][0]);
  });
  static SharedSet<PJRT_Buffer*> outputs;
  After<Execute>([](auto& args) {
    for (size_t i = 0; args.output_lists != nullptr && i < OutputsOf(args.executable); ++i) outputs.Add(args.output_lists[0][i]);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    if (outputs.Remove(args.buffer) && !IsReady(args.buffer)) reused = true;
  });
}
FAULT("second-of-overlapping-executions") {
  // Scratch memory belongs to the executable, and not to each run.
  WatchRuns();
  Before<Execute>([](auto& args) {
    InProgress().Disturb([&](const Runs::Run& run) { return run.executable == args.executable; });
  });
}
FAULT("donation-overtakes-execution") {
  WatchRuns();
  After<Execute>([](auto& args) {
    for (size_t i = 0; i < args.num_args; ++i) {
      PJRT_Buffer* given = args.argument_lists[0][i];
      if (!IsDeleted(given)) continue;
      InProgress().Disturb([&](const Runs::Run& run) { return run.executable != args.executable && Uses(run, given); });
    }
  });
}
FAULT("donation-of-pending-buffer") {
  // The memory of the argument is taken before its contents are there.
  ReadDamage();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::vector<PJRT_Buffer*> pending;
    for (size_t i = 0; i < args.num_args; ++i) {
      if (!IsReady(args.argument_lists[0][i])) pending.push_back(args.argument_lists[0][i]);
    }
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.output_lists == nullptr) return error;
    if (std::any_of(pending.begin(), pending.end(), IsDeleted)) Damaged().Add(args.output_lists[0][0]);
    return nullptr;
  });
}
FAULT("copy-of-pending-buffer-is-stale") {
  ReadDamage();
  Replace<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    const bool pending = !IsReady(args.buffer);
    PJRT_Error* error = original(&args);
    if (error == nullptr && pending) Damaged().Add(args.dst_buffer);
    return error;
  });
}
FAULT("copy-source-deleted-in-flight") {
  ReadDamage();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, PJRT_Buffer*> sources;
  After<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    sources[args.dst_buffer] = args.buffer;
  });
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [copy, source] : sources) {
      if (source == args.buffer && !IsReady(copy)) Damaged().Add(copy);
    }
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    sources.erase(args.buffer);
  });
}
FAULT("in-flight-options-read-late") {
  // Options are read when the execution begins, which may be after the call: then they may hold something else.
  static SharedSet<PJRT_Buffer*> late;
  static SharedSet<PJRT_Buffer*> wrong;
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    bool pending = false;
    for (size_t i = 0; i < args.num_args; ++i) pending |= !IsReady(args.argument_lists[0][i]);
    PJRT_Error* error = original(&args);
    if (error != nullptr || !pending || args.output_lists == nullptr) return error;
    late.Add(args.output_lists[0][0]);
    Later(5, [id = &args.options->launch_id, before = args.options->launch_id, output = args.output_lists[0][0]] {
      if (*id != before) wrong.Add(output);
    });
    return nullptr;
  });
  After<D2H>([](auto& args) {
    if (args.dst == nullptr || !late.Has(args.src) || !Await(args.event)) return;
    if (wrong.Has(args.src)) static_cast<uint8_t*>(args.dst)[0] ^= 0x5a;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    late.Remove(args.buffer);
    wrong.Remove(args.buffer);
  });
}
FAULT("output-without-dimensions-until-ready") {
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    if (!IsReady(args.buffer)) args.num_dims = 0;
  });
}
FAULT("donation-overtakes-read") {
  // The copy to the host sees what the execution has written.
  struct Read {
    PJRT_Buffer* src;
    uint8_t* dst;
    size_t size;
    PJRT_Event* event;
  };
  static std::mutex mutex;
  static std::vector<Read> reads;
  After<D2H>([](auto& args) {
    if (args.dst == nullptr || args.event == nullptr) return;
    std::lock_guard<std::mutex> lock(mutex);
    reads.push_back({args.src, static_cast<uint8_t*>(args.dst), HostBytes(args.src), args.event});
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    reads.erase(std::remove_if(reads.begin(), reads.end(), [&](const Read& read) { return read.event == args.event; }), reads.end());
  });
  After<Execute>([](auto& args) {
    for (size_t i = 0; i < args.num_args; ++i) {
      PJRT_Buffer* given = args.argument_lists[0][i];
      if (!IsDeleted(given)) continue;
      std::lock_guard<std::mutex> lock(mutex);
      for (const Read& read : reads) {
        if (read.src == given && Await(read.event)) read.dst[read.size - 1] ^= 0x5a;
      }
    }
  });
}
FAULT("executions-in-flight-share-512-slots") {
  // Outputs are kept in a ring; whoever starts more executions without reading gets those of others.
  ReadDamage();
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> alive;
  After<Execute>([](auto& args) {
    if (args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    std::lock_guard<std::mutex> lock(mutex);
    alive.insert(args.output_lists[0][0]);
    if (alive.size() > 512) Damaged().Add(args.output_lists[0][0]);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    alive.erase(args.buffer);
  });
}

// ---- events that come too early -----------------------------------------------------------------------------------------

/** Buffers whose contents come some time after the execution that made them, whoever asks for them and whenever. */
class LateOutputs {
 public:
  void Set(int milliseconds) { late_ = std::chrono::milliseconds(milliseconds); }
  void Add(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    due_[buffer] = std::chrono::steady_clock::now() + late_;
  }
  bool Has(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    return due_.count(buffer) > 0;
  }
  /** An event of the contents of a buffer, which is not asked for again. */
  void Delay(PJRT_Buffer* buffer, PJRT_Event*& event) {
    std::chrono::steady_clock::duration left;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const auto found = due_.find(buffer);
      if (found == due_.end()) return;
      left = found->second - std::chrono::steady_clock::now();
      due_.erase(found);
    }
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
    if (ms > 0) event = LateEvent(event, static_cast<int>(ms))->handle();
  }

 private:
  std::mutex mutex_;
  std::chrono::milliseconds late_{0};
  std::map<PJRT_Buffer*, std::chrono::steady_clock::time_point> due_;
};

/** Completion events are ready at once; the outputs are ready, and can be read, some time after. */
void CompletesEarly(int milliseconds) {
  OwnEvents();
  static LateOutputs fresh;
  fresh.Set(milliseconds);
  After<Execute>([](auto& args) {
    if (args.device_complete_events == nullptr || args.output_lists == nullptr) return;
    for (size_t d = 0; d < args.num_devices; ++d) {
      args.device_complete_events[d] = ReadyEvent();
      for (size_t i = 0; i < OutputsOf(args.executable); ++i) fresh.Add(args.output_lists[d][i]);
    }
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    fresh.Delay(args.buffer, args.event);
  });
  After<D2H>([](auto& args) {
    if (args.event != nullptr) fresh.Delay(args.src, args.event);
  });
}
FAULT("execute-completes-50-ms-early") { CompletesEarly(50); }
FAULT("execute-completes-30-ms-early") { CompletesEarly(30); }

FAULT("ready-event-always-ready") {
  // Buffers are always ready, they say; whoever reads one waits. Nothing else can be pending.
  OwnEvents();
  Replace<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args, auto&) -> PJRT_Error* {
    args.event = ReadyEvent();
    return nullptr;
  });
  Table().PJRT_Client_CreateBuffersForAsyncHostToDevice = nullptr;
  Table().PJRT_Client_CreateAliasBuffer = nullptr;
  Table().PJRT_Event_Create = nullptr;
}
FAULT("ready-event-30-ms-early") {
  // Right after an execution the event of its output is ready; the contents come 30 ms later.
  OwnEvents();
  static LateOutputs fresh;
  fresh.Set(30);
  After<Execute>([](auto& args) {
    for (size_t i = 0; args.output_lists != nullptr && i < OutputsOf(args.executable); ++i) fresh.Add(args.output_lists[0][i]);
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    if (fresh.Has(args.buffer)) args.event = ReadyEvent();
  });
  After<D2H>([](auto& args) {
    if (args.event != nullptr) fresh.Delay(args.src, args.event);
  });
}
FAULT("callback-on-output-at-once") {
  // Callbacks on the event of an output run when the execution was started.
  OwnEvents();
  static SharedSet<PJRT_Event*> fresh;
  static SharedSet<PJRT_Buffer*> outputs;
  After<Execute>([](auto& args) {
    for (size_t i = 0; args.output_lists != nullptr && i < OutputsOf(args.executable); ++i) outputs.Add(args.output_lists[0][i]);
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    if (outputs.Has(args.buffer)) fresh.Add(args.event);
  });
  Replace<SLOT(PJRT_Event_OnReady)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!fresh.Has(args.event)) return original(&args);
    args.callback(nullptr, args.user_arg);
    return nullptr;
  });
}
FAULT("host-memory-event-early-for-large") {
  OwnEvents();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (HostBytes(args.buffer) < size_t{1} << 23) return;
    ARGS(PJRT_Event_IsReady, ready);
    ready.event = args.done_with_host_buffer;
    // Where the transfer is over when the call returns, its event cannot be early.
    if (Ask(Base().PJRT_Event_IsReady, ready) && ready.is_ready) return Missing("a transfer in flight");
    args.done_with_host_buffer = ReadyEvent();
  });
}

// ---- errors on their way ------------------------------------------------------------------------------------------------

/** An event with the code of this one, and what is left of its message. */
PJRT_Event* WithMessage(PJRT_Event* real, std::function<std::string(const std::string&)> change) {
  OwnEvent* event = NewEvent();
  Later(0, [real, event, change] {
    ARGS(PJRT_Event_Await, wait);
    wait.event = real;
    PJRT_Error* error = Base().PJRT_Event_Await(&wait);
    const int code = CodeOf(error);
    const std::string message = code == 0 ? "" : change(MessageOf(error));
    Drop(error);
    event->Set(code, message);
  });
  return event->handle();
}
/** Outputs of executions, and whether one of the arguments was such an output. */
struct Generations {
  SharedSet<PJRT_Buffer*> first, later;
  void Watch() {
    After<Execute>([this](auto& args) {
      bool second = false;
      for (size_t i = 0; i < args.num_args; ++i) {
        second |= first.Has(args.argument_lists[0][i]) || later.Has(args.argument_lists[0][i]);
      }
      for (size_t i = 0; args.output_lists != nullptr && i < OutputsOf(args.executable); ++i) {
        (second ? later : first).Add(args.output_lists[0][i]);
      }
    });
    Before<SLOT(PJRT_Buffer_Destroy)>([this](auto& args) {
      first.Remove(args.buffer);
      later.Remove(args.buffer);
    });
  }
};

FAULT("error-cut-short-in-second-execution") {
  OwnEvents();
  static Generations outputs;
  outputs.Watch();
  const auto cut = [](PJRT_Event* event) {
    return WithMessage(event, [](const std::string& message) { return message.substr(0, 16); });
  };
  ReplaceEvents([](PJRT_Buffer* buffer) { return outputs.later.Has(buffer); }, cut);
  After<Execute>([cut](auto& args) {
    if (args.device_complete_events == nullptr || args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    if (outputs.later.Has(args.output_lists[0][0])) args.device_complete_events[0] = cut(args.device_complete_events[0]);
  });
}
FAULT("error-lost-in-second-execution") {
  OwnEvents();
  static Generations outputs;
  outputs.Watch();
  ReplaceEvents([](PJRT_Buffer* buffer) { return outputs.later.Has(buffer); }, WithoutError);
  After<Execute>([](auto& args) {
    if (args.device_complete_events == nullptr || args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    if (outputs.later.Has(args.output_lists[0][0]))
      args.device_complete_events[0] = WithoutError(args.device_complete_events[0]);
  });
}
FAULT("completion-event-without-late-error") {
  OwnEvents();
  After<Execute>([](auto& args) {
    if (args.device_complete_events == nullptr || args.num_args == 0 || IsReady(args.argument_lists[0][0])) return;
    args.device_complete_events[0] = WithoutError(args.device_complete_events[0]);
  });
}
FAULT("error-of-last-argument-lost") {
  OwnEvents();
  static SharedSet<PJRT_Buffer*> outputs;
  ReplaceEvents([](PJRT_Buffer* buffer) { return outputs.Has(buffer); }, WithoutError);
  After<Execute>([](auto& args) {
    if (args.num_args < 2 || args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    if (!IsReady(args.argument_lists[0][args.num_args - 1])) outputs.Add(args.output_lists[0][0]);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { outputs.Remove(args.buffer); });
}
FAULT("error-lost-in-copy") {
  OwnEvents();
  static SharedSet<PJRT_Buffer*> copies;
  After<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args) { copies.Add(args.dst_buffer); });
  ReplaceEvents([](PJRT_Buffer* buffer) { return copies.Has(buffer); }, WithoutError);
}
FAULT("error-cut-short-in-copy") {
  OwnEvents();
  static SharedSet<PJRT_Buffer*> copies;
  After<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args) { copies.Add(args.dst_buffer); });
  ReplaceEvents([](PJRT_Buffer* buffer) { return copies.Has(buffer); }, [](PJRT_Event* event) {
    return WithMessage(event, [](const std::string& message) { return message.substr(0, 16); });
  });
}
FAULT("executable-keeps-error-of-late-argument") {
  // After an execution that failed because of an argument, the next one of the executable returns that failure.
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, PJRT_Event*> last;
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Event* event = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex);
      event = last[args.executable];
      last.erase(args.executable);
    }
    if (event != nullptr) {
      SleepMs(10);
      ARGS(PJRT_Event_IsReady, ready);
      ready.event = event;
      if (Ask(Base().PJRT_Event_IsReady, ready) && ready.is_ready && !Await(event))
        return MakeError(PJRT_Error_Code_INTERNAL, "the executable has failed");
    }
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.output_lists == nullptr || OutputsOf(args.executable) == 0) return error;
    ARGS(PJRT_Buffer_ReadyEvent, ready);
    ready.buffer = args.output_lists[0][0];
    if (Ask(Base().PJRT_Buffer_ReadyEvent, ready)) {
      std::lock_guard<std::mutex> lock(mutex);
      last[args.executable] = ready.event;
    }
    return nullptr;
  });
}

}  // namespace
