// Several reads of one thread at once, which get in each other's way.
#include <algorithm>
#include <memory>
#include <thread>

#include "buffers.h"
#include "calls.h"

namespace {

using namespace faults;

/** A read, from its beginning until the caller asks for its end. */
struct Read {
  PJRT_Buffer* source;
  uint8_t* destination;
  size_t size;
  std::thread::id thread = std::this_thread::get_id();
  PJRT_Event* event = nullptr;
  bool over = false, spoilt = false;
};
std::mutex mutex;
std::vector<std::shared_ptr<Read>> reads;

using Reads = std::vector<std::shared_ptr<Read>>;
void Spoil(Read& read) {
  if (read.over) read.destination[read.size - 1] ^= 0x11;
  read.spoilt = true;
}
void Asked(PJRT_Event* event) {
  std::lock_guard<std::mutex> lock(mutex);
  reads.erase(std::remove_if(reads.begin(), reads.end(), [event](const auto& read) { return read->event == event; }), reads.end());
}
/** The event of a read, after `body` got those of other buffers that the thread has begun before it. */
PJRT_Event* Begin(Read begun, PJRT_Event* real, void (*body)(const Reads& before, Read& read)) {
  if (begun.destination == nullptr || real == nullptr || begun.size == 0) return real;
  OwnEvent* own = NewEvent();
  auto read = std::make_shared<Read>(begun);
  read->event = own->handle();
  {
    std::lock_guard<std::mutex> lock(mutex);
    Reads before;
    std::copy_if(reads.begin(), reads.end(), std::back_inserter(before),
                 [&](const auto& other) { return other->thread == read->thread && other->source != read->source; });
    body(before, *read);
    reads.push_back(read);
  }
  Later(0, [read, real, own] {
    const bool good = Await(real);
    {
      std::lock_guard<std::mutex> lock(mutex);
      read->over = good;
      if (good && read->spoilt) read->destination[read->size - 1] ^= 0x11;
    }
    Forward(real, own);
  });
  return own->handle();
}
void WatchReads() {
  OwnEvents();
  Before<SLOT(PJRT_Event_Await)>([](auto& args) { Asked(args.event); });
  Before<SLOT(PJRT_Event_OnReady)>([](auto& args) { Asked(args.event); });
  Before<SLOT(PJRT_Event_IsReady)>([](auto& args) { Asked(args.event); });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) { Asked(args.event); });
}
template <size_t slots>
void InRing(const Reads& before, Read&) {
  if (before.size() >= slots && !before[before.size() - slots]->spoilt) Spoil(*before[before.size() - slots]);
}
void OfEqualSize(const Reads& before, Read& read) {
  read.spoilt = std::any_of(before.begin(), before.end(), [&](const auto& other) { return other->size == read.size; });
}
void OfAnotherDevice(const Reads& before, Read& read) {
  read.spoilt = std::any_of(before.begin(), before.end(),
                            [&](const auto& other) { return DeviceOf(other->source) != DeviceOf(read.source); });
}
void OfAnotherType(const Reads& before, Read& read) {
  read.spoilt = std::any_of(before.begin(), before.end(),
                            [&](const auto& other) { return ShapeOf(other->source).type != ShapeOf(read.source).type; });
}
void SmallAfterLarge(const Reads& before, Read& read) {
  if (!before.empty() && before.back()->size > read.size && !before.back()->spoilt) Spoil(*before.back());
}

/** What a read does to others, or they to it. */
#define READS(name, body)                                                                             \
  FAULT("reads-in-flight-" #name) {                                                                   \
    WatchReads();                                                                                     \
    After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {                                            \
      args.event = Begin({args.src, static_cast<uint8_t*>(args.dst), HostBytes(args.src)}, args.event, body); \
    });                                                                                               \
  }
READS(share_one_place, InRing<1>)
READS(in_a_ring_of_8, InRing<8>)
READS(in_a_ring_of_64, InRing<64>)
READS(in_a_ring_of_256, InRing<256>)
READS(of_equal_size, OfEqualSize)
READS(of_several_devices, OfAnotherDevice)
READS(of_several_types, OfAnotherType)
READS(small_after_large, SmallAfterLarge)
FAULT("reads-in-flight-raw") {
  WatchReads();
  After<SLOT(PJRT_Buffer_CopyRawToHost)>([](auto& args) {
    args.event = Begin({args.buffer, static_cast<uint8_t*>(args.dst), static_cast<size_t>(args.transfer_size)}, args.event, InRing<1>);
  });
}

}  // namespace
