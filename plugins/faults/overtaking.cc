// Reads of small arrays that take a moment, in which their source is deleted, taken or converted.
#include <map>

#include "buffers.h"
#include "calls.h"
#include "damage.h"
#include "execute.h"

namespace {

using namespace faults;

/** What is being read, by what happens when it ends meanwhile. */
class Readings {
 public:
  using Overtaken = std::function<void()>;
  int Begin(PJRT_Buffer* source, Overtaken overtaken) {
    std::lock_guard<std::mutex> lock(mutex_);
    readings_[++last_] = {source, std::move(overtaken)};
    return last_;
  }
  void End(int reading) {
    std::lock_guard<std::mutex> lock(mutex_);
    readings_.erase(reading);
  }
  void Overtake(PJRT_Buffer* source) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (last_ > 0) MarkReached();
    for (const auto& [_, reading] : readings_) {
      if (reading.source == source) reading.overtaken();
    }
  }

 private:
  struct Reading {
    PJRT_Buffer* source;
    Overtaken overtaken;
  };
  std::mutex mutex_;
  std::map<int, Reading> readings_;
  int last_ = 0;
};
Readings& InProgress() {
  static Readings readings;
  return readings;
}

constexpr size_t kSmall = 1024;

/** Puts a read into the destination 4 ms off. */
PJRT_Event* SlowRead(PJRT_Buffer* source, void* destination, size_t size, PJRT_Event* real) {
  if (destination == nullptr || real == nullptr || size == 0 || size > kSmall) return real;
  auto* spoilt = new std::atomic<bool>{false};
  const int reading = InProgress().Begin(source, [spoilt] { *spoilt = true; });
  OwnEvent* own = NewEvent();
  Later(4, [=] {
    const bool good = Await(real);
    InProgress().End(reading);
    if (good && *spoilt) static_cast<uint8_t*>(destination)[size - 1] ^= 0x11;
    Forward(real, own);
  });
  return own->handle();
}
void SlowReads() {
  OwnEvents();
  After<SLOT(PJRT_Buffer_ToHostBuffer)>(
      [](auto& args) { args.event = SlowRead(args.src, args.dst, HostBytes(args.src), args.event); });
}
void SlowRawReads() {
  OwnEvents();
  After<SLOT(PJRT_Buffer_CopyRawToHost)>([](auto& args) {
    args.event = SlowRead(args.buffer, args.dst, static_cast<size_t>(args.transfer_size), args.event);
  });
}
template <class Copy>
void SlowCopies() {
  ReadDamage();
  After<Copy>([](auto& args) {
    if (HostBytes(args.buffer) > kSmall) return;
    const int reading = InProgress().Begin(args.buffer, [copy = args.dst_buffer] { Damaged().Add(copy); });
    Later(20, [reading] { InProgress().End(reading); });
  });
}
void SlowDeviceCopies() { SlowCopies<SLOT(PJRT_Buffer_CopyToDevice)>(); }
void SlowMemoryCopies() { SlowCopies<SLOT(PJRT_Buffer_CopyToMemory)>(); }

void Deletion() {
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) { InProgress().Overtake(args.buffer); });
}
void Destruction() {
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { InProgress().Overtake(args.buffer); });
}
void Donation() {
  After<Execute>([](auto& args) {
    for (size_t d = 0; d < args.num_devices; ++d) {
      for (size_t i = 0; i < args.num_args; ++i) {
        if (IsDeleted(args.argument_lists[d][i])) InProgress().Overtake(args.argument_lists[d][i]);
      }
    }
  });
}
void Bitcast() {
  After<SLOT(PJRT_Buffer_Bitcast)>([](auto& args) { InProgress().Overtake(args.buffer); });
}
void ControlDependency() {
  After<SLOT(PJRT_Buffer_DonateWithControlDependency)>([](auto& args) { InProgress().Overtake(args.buffer); });
}

/** What is read slowly, and what overtakes it. */
#define OVERTAKEN(name, reader, end) \
  FAULT("overtaken-" #name) {        \
    MarksItself();                   \
    reader();                        \
    end();                           \
  }
OVERTAKEN(small_read_by_deletion, SlowReads, Deletion)
OVERTAKEN(small_read_by_destruction, SlowReads, Destruction)
OVERTAKEN(small_read_by_donation, SlowReads, Donation)
OVERTAKEN(small_read_by_bitcast, SlowReads, Bitcast)
OVERTAKEN(small_read_by_dependency, SlowReads, ControlDependency)
OVERTAKEN(raw_read_by_deletion, SlowRawReads, Deletion)
OVERTAKEN(raw_read_by_donation, SlowRawReads, Donation)
OVERTAKEN(raw_read_by_bitcast, SlowRawReads, Bitcast)
OVERTAKEN(device_copy_by_donation, SlowDeviceCopies, Donation)
OVERTAKEN(memory_copy_by_donation, SlowMemoryCopies, Donation)
OVERTAKEN(memory_copy_by_deletion, SlowMemoryCopies, Deletion)

}  // namespace
