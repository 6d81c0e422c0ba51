// Several reads of one thread at once, which get in each other's way.
#include <algorithm>
#include <cstring>
#include <thread>

#include "buffers.h"
#include "execute.h"

namespace {

using namespace faults;

/** A read whose end the caller has not asked for yet. */
struct Read {
  PJRT_Buffer* source;
  uint8_t* destination;
  size_t size;
  PJRT_Event* event;
  std::thread::id thread;
};
std::mutex mutex;
std::vector<Read> reads;

void Asked(PJRT_Event* event) {
  std::lock_guard<std::mutex> lock(mutex);
  reads.erase(std::remove_if(reads.begin(), reads.end(), [event](const Read& read) { return read.event == event; }), reads.end());
}
using Body = void (*)(const std::vector<Read>& before, const Read& read);
/** Calls `body` for each read with those that began before it, on the same thread, of other buffers. */
void ForRead(Read read, Body body) {
  if (read.destination == nullptr || read.event == nullptr || read.size == 0 || !IsReady(read.source)) return;
  Await(read.event);
  read.thread = std::this_thread::get_id();
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Read> before;
  std::copy_if(reads.begin(), reads.end(), std::back_inserter(before),
               [&](const Read& other) { return other.thread == read.thread && other.source != read.source; });
  body(before, read);
  reads.push_back(read);
}
void WatchEvents() {
  Before<SLOT(PJRT_Event_Await)>([](auto& args) { Asked(args.event); });
  Before<SLOT(PJRT_Event_OnReady)>([](auto& args) { Asked(args.event); });
  Before<SLOT(PJRT_Event_IsReady)>([](auto& args) { Asked(args.event); });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) { Asked(args.event); });
}
void SpoilLast(const Read& read) { read.destination[read.size - 1] ^= 0x11; }
template <size_t slots>
void InRing(const std::vector<Read>& before, const Read&) {
  if (before.size() >= slots) SpoilLast(before[before.size() - slots]);
}
void OfEqualSize(const std::vector<Read>& before, const Read& read) {
  for (const Read& other : before) {
    if (other.size == read.size) return void(std::memcpy(read.destination, other.destination, read.size));
  }
}
void OfAnotherDevice(const std::vector<Read>& before, const Read& read) {
  for (const Read& other : before) {
    if (DeviceOf(other.source) != DeviceOf(read.source)) return SpoilLast(read);
  }
}
void OfAnotherType(const std::vector<Read>& before, const Read& read) {
  for (const Read& other : before) {
    if (ShapeOf(other.source).type != ShapeOf(read.source).type) return SpoilLast(read);
  }
}
void SmallAfterLarge(const std::vector<Read>& before, const Read& read) {
  if (!before.empty() && before.back().size > read.size) SpoilLast(before.back());
}

/** What a read does to others, or they to it. */
#define READS(name, body)                                                                             \
  FAULT("reads-in-flight-" #name) {                                                                   \
    WatchEvents();                                                                                    \
    After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {                                            \
      ForRead({args.src, static_cast<uint8_t*>(args.dst), args.dst == nullptr ? 0 : HostBytes(args.src), args.event, {}}, body); \
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
  WatchEvents();
  After<SLOT(PJRT_Buffer_CopyRawToHost)>([](auto& args) {
    ForRead({args.buffer, static_cast<uint8_t*>(args.dst), static_cast<size_t>(args.transfer_size), args.event, {}}, InRing<1>);
  });
}

}  // namespace
