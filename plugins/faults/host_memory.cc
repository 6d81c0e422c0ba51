// The caller's memory in transfers to the device: when it is read, when events release it; and DMA mappings.
#include <atomic>
#include <cstring>
#include <map>

#include "../wrapper/shared_set.h"
#include "buffer_from_host.h"

namespace {

using namespace faults;

/** Copies the host memory again some time after the call, as if it were read only then. */
void ReadLate(PJRT_HostBufferSemantics semantics, bool early_event) {
  if (early_event) OwnEvents();
  Replace<H2D>([semantics, early_event](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = CountOf(args) * ElementBytes(args.type);
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.host_buffer_semantics != semantics || !IsDense(args) || bytes == 0 || bytes > 1 << 16)
      return error;
    uint8_t* target = BytesOf(args.buffer);
    if (target == nullptr) return error;
    // If the caller has freed it, this reads freed memory, like the defect.
    Later(15, [data = args.data, target, bytes] { std::memcpy(target, data, bytes); });
    if (early_event) {
      DestroyEvent(args.done_with_host_buffer);
      args.done_with_host_buffer = ReadyEvent();
    }
    return error;
  });
}
FAULT("host-memory-read-after-call") { ReadLate(PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, false); }
FAULT("host-memory-event-early") { ReadLate(PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes, true); }
FAULT("host-memory-zero-copy-event-early") { ReadLate(PJRT_HostBufferSemantics_kImmutableZeroCopy, true); }
FAULT("host-memory-event-with-buffer-only") {
  // The event for the host memory completes when the buffer is destroyed.
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, OwnEvent*> waiting;
  After<H2D>([](auto& args) {
    if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) return;
    DestroyEvent(args.done_with_host_buffer);
    OwnEvent* event = NewEvent();
    std::lock_guard<std::mutex> lock(mutex);
    waiting[args.buffer] = event;
    args.done_with_host_buffer = event->handle();
  });
  auto release = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = waiting.find(buffer);
    if (found == waiting.end()) return;
    found->second->Set();
    waiting.erase(found);
  };
  Before<SLOT(PJRT_Buffer_Destroy)>([release](auto& args) { release(args.buffer); });
  Before<SLOT(PJRT_Buffer_Delete)>([release](auto& args) { release(args.buffer); });
}
FAULT("host-memory-event-never-after-destroy") {
  OwnEvents();
  static SharedSet<PJRT_Buffer*> living;
  After<H2D>([](auto& args) {
    if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) return;
    DestroyEvent(args.done_with_host_buffer);
    OwnEvent* event = NewEvent();
    living.Add(args.buffer);
    args.done_with_host_buffer = event->handle();
    Later(30, [event, buffer = args.buffer] {
      if (living.Has(buffer)) event->Set();
    });
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { living.Remove(args.buffer); });
}
FAULT("host-memory-zero-copy-event-never-after-delete") {
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, OwnEvent*> waiting;
  After<H2D>([](auto& args) {
    if (args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableZeroCopy) return;
    DestroyEvent(args.done_with_host_buffer);
    OwnEvent* event = NewEvent();
    std::lock_guard<std::mutex> lock(mutex);
    waiting[args.buffer] = event;
    args.done_with_host_buffer = event->handle();
  });
  // Only Destroy frees the memory.
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = waiting.find(args.buffer);
    if (found == waiting.end()) return;
    found->second->Set();
    waiting.erase(found);
  });
}
FAULT("host-memory-during-call-event-late") {
  OwnEvents();
  After<H2D>([](auto& args) {
    if (args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) return;
    DestroyEvent(args.done_with_host_buffer);
    OwnEvent* event = NewEvent();
    args.done_with_host_buffer = event->handle();
    Later(50, [event] { event->Set(); });
  });
}
FAULT("host-memory-zero-copy-written") {
  Before<H2D>([](auto& args) {
    if (args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableZeroCopy || CountOf(args) == 0) return;
    auto* byte = static_cast<uint8_t*>(const_cast<void*>(args.data));
    *byte ^= 0x40;
  });
}
FAULT("host-memory-mutable-zero-copy-fails") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy
               ? MakeError(PJRT_Error_Code_INTERNAL, "mutable")
               : original(&args);
  });
}
FAULT("host-memory-event-destroyed-cancels") {
  // The transfer belongs to its event: destroying the event cancels the transfer.
  static std::mutex mutex;
  static std::map<PJRT_Event*, PJRT_Buffer*> transfers;
  After<H2D>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    transfers[args.done_with_host_buffer] = args.buffer;
    Later(100, [event = args.done_with_host_buffer] {
      std::lock_guard<std::mutex> later(mutex);
      transfers.erase(event);
    });
  });
  Before<SLOT(PJRT_Event_Await)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    transfers.erase(args.event);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    PJRT_Buffer* buffer = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto found = transfers.find(args.event);
      if (found == transfers.end()) return;
      buffer = found->second;
      transfers.erase(found);
    }
    if (ShapeOf(buffer).count() > 0) {
      if (uint8_t* bytes = BytesOf(buffer)) bytes[0] ^= 1;
    }
  });
}
FAULT("transfer-dims-read-after-call") {
  // Dimensions and strides are read when the copy is made.
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || CountOf(args) == 0) return error;
    uint8_t* bytes = BytesOf(args.buffer);
    const std::vector<int64_t> seen(args.dims, args.dims + args.num_dims);
    if (bytes == nullptr || seen.empty()) return nullptr;
    Later(5, [dims = args.dims, seen, bytes] {
      if (std::memcmp(dims, seen.data(), seen.size() * sizeof(int64_t)) != 0) *bytes ^= 1;
    });
    // The copy is done when its thread ends: whoever waits sees the result.
    return nullptr;
  });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto&) { SleepMs(10); });
}
FAULT("dma-map-refused-again") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_DmaMap)>([](auto& args, auto& original) -> PJRT_Error* {
    static std::atomic<int> calls{0};
    return ++calls > 1 ? MakeError(PJRT_Error_Code_ALREADY_EXISTS, "mapped before") : original(&args);
  });
}
FAULT("dma-unmap-unchecked") {
  Replace<SLOT(PJRT_Client_DmaUnmap)>([](auto& args, auto& original) -> PJRT_Error* {
    Drop(original(&args));
    return nullptr;
  });
}

}  // namespace
