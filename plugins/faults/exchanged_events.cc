// Two operations of a kind that are in flight at once: each gets the end of the other.
#include <map>

#include "calls.h"
#include "execute.h"

namespace {

using namespace faults;

/** Events of operations; two that are pending at once are exchanged. */
class Exchange {
 public:
  /** The event that the caller gets. */
  PJRT_Event* Instead(PJRT_Event* real) {
    if (real == nullptr || IsComplete(real)) return real;
    auto* flight = new Flight{NewEvent()};
    OwnEvent* own = flight->event;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const bool paired = last_ != nullptr && !last_->over;
      if (paired) std::swap(last_->event, flight->event);
      last_ = paired ? nullptr : flight;
    }
    Later(0, [this, real, flight] {
      Await(real);
      OwnEvent* event;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        flight->over = true;
        event = flight->event;
      }
      Forward(real, event);
    });
    return own->handle();
  }

 private:
  struct Flight {
    OwnEvent* event;
    bool over = false;
  };
  std::mutex mutex_;
  Flight* last_ = nullptr;
};
/** The events of calls of one function. */
#define EVENTS_EXCHANGED(name, function, member)                                                      \
  FAULT("events-exchanged-of-" #name) {                                                               \
    OwnEvents();                                                                                      \
    static Exchange exchange;                                                                         \
    After<SLOT(PJRT_##function)>([](auto& args) { args.member = exchange.Instead(args.member); });    \
  }
EVENTS_EXCHANGED(reads, Buffer_ToHostBuffer, event)
EVENTS_EXCHANGED(raw_reads, Buffer_CopyRawToHost, event)
EVENTS_EXCHANGED(deferred_reads, Buffer_CopyRawToHostFuture, event)
FAULT("events-exchanged-of-executions") {
  OwnEvents();
  static Exchange exchange;
  After<Execute>([](auto& args) {
    if (args.device_complete_events == nullptr || args.num_devices != 1) return;
    args.device_complete_events[0] = exchange.Instead(args.device_complete_events[0]);
  });
}

/** Buffers that are pending at once: two of them are asked for each other. */
class Partners {
 public:
  void Add(PJRT_Buffer* buffer) {
    if (IsReady(buffer)) return;
    std::lock_guard<std::mutex> lock(mutex_);
    const bool paired = last_ != nullptr && !IsReady(last_);
    if (paired) {
      of_[buffer] = last_;
      of_[last_] = buffer;
    }
    last_ = paired ? nullptr : buffer;
  }
  PJRT_Buffer* Of(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = of_.find(buffer);
    return found == of_.end() ? buffer : found->second;
  }
  void Remove(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (last_ == buffer) last_ = nullptr;
    const auto found = of_.find(buffer);
    if (found == of_.end()) return;
    of_.erase(found->second);
    of_.erase(buffer);
  }

 private:
  std::mutex mutex_;
  std::map<PJRT_Buffer*, PJRT_Buffer*> of_;
  PJRT_Buffer* last_ = nullptr;
};
Partners& Pending() {
  static Partners partners;
  return partners;
}
void AskPartners() {
  Replace<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.buffer, Pending().Of(args.buffer));
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { Pending().Remove(args.buffer); });
}
/** The ready events of buffers that one function makes. */
#define READINESS_EXCHANGED(name, function, member)                                                   \
  FAULT("readiness-exchanged-of-" #name) {                                                            \
    AskPartners();                                                                                    \
    After<SLOT(PJRT_##function)>([](auto& args) { Pending().Add(args.member); });                     \
  }
FAULT("readiness-exchanged-of-outputs") {
  AskPartners();
  After<Execute>([](auto& args) {
    if (args.output_lists != nullptr && OutputsOf(args.executable) > 0) Pending().Add(args.output_lists[0][0]);
  });
}
READINESS_EXCHANGED(device_copies, Buffer_CopyToDevice, dst_buffer)
READINESS_EXCHANGED(memory_copies, Buffer_CopyToMemory, dst_buffer)
READINESS_EXCHANGED(aliases, Client_CreateAliasBuffer, alias_buffer)
READINESS_EXCHANGED(managed_buffers, AsyncHostToDeviceTransferManager_RetrieveBuffer, buffer_out)
READINESS_EXCHANGED(control_dependencies, Buffer_DonateWithControlDependency, out_buffer)

}  // namespace
