// Transfers to the host, and raw copies.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "calls.h"
#include "programs.h"

namespace {

using namespace faults;

using D2H = SLOT(PJRT_Buffer_ToHostBuffer);

/** Changes the bytes that arrive, which makes the call wait for them. */
void ChangeReceived(std::function<void(const Array&)> change) {
  After<D2H>([change](auto& args) {
    if (args.dst == nullptr || args.event == nullptr || !Await(args.event)) return;
    Array array;
    array.shape = ShapeOf(args.src);
    array.bytes = static_cast<uint8_t*>(args.dst);
    if (array.count() > 0) change(array);
  });
}
FAULT("read-size-of-31-bits") {
  After<D2H>([](auto& args) {
    constexpr size_t kMost = size_t{1} << 31;
    if (args.dst == nullptr || args.dst_size <= kMost || !Await(args.event)) return;
    std::memset(static_cast<char*>(args.dst) + kMost, 0, args.dst_size - kMost);
  });
}
FAULT("read-size-packed") {
  After<D2H>([](auto& args) {
    if (args.dst != nullptr) return;
    const PJRT_Buffer_Type type = ShapeOf(args.src).type;
    if (type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_U4) args.dst_size = (args.dst_size + 1) / 2;
  });
}
FAULT("read-size-padded") {
  After<D2H>([](auto& args) {
    if (args.dst == nullptr) args.dst_size = (args.dst_size + 63) / 64 * 64;
  });
}
FAULT("read-size-refused") {
  OwnErrors();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst == nullptr) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "dst must not be null");
    return original(&args);
  });
}
FAULT("read-size-zero") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst != nullptr) return original(&args);
    PJRT_Error* error = original(&args);
    if (error == nullptr) args.dst_size = 0;
    return error;
  });
}
FAULT("read-overruns-destination") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    const size_t bytes = HostBytes(args.src);
    if (error == nullptr && args.dst != nullptr && args.dst_size > bytes && Await(args.event))
      std::memset(static_cast<char*>(args.dst) + bytes, 0, std::min<size_t>(args.dst_size - bytes, 8));
    return error;
  });
}
FAULT("read-small-destination-accepted") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = HostBytes(args.src);
    if (args.dst == nullptr || args.dst_size >= bytes) return original(&args);
    std::vector<char> whole(bytes);
    PJRT_Error* error = With(args, original, args.dst, whole.data(), args.dst_size, bytes);
    if (error == nullptr && Await(args.event)) std::memcpy(args.dst, whole.data(), args.dst_size);
    return error;
  });
}
FAULT("read-small-destination-written-then-refused") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && args.dst != nullptr && args.dst_size > 0) *static_cast<uint8_t*>(args.dst) ^= 0xff;
    return error;
  });
}
FAULT("read-event-early") {
  // The event is ready, the bytes come later.
  OwnEvents();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = HostBytes(args.src);
    if (args.dst == nullptr || bytes == 0 || args.dst_size < bytes) return original(&args);
    auto* staging = new std::vector<char>(bytes);
    PJRT_Error* error = With(args, original, args.dst, staging->data());
    if (error != nullptr) return error;
    PJRT_Event* real = args.event;
    args.event = ReadyEvent();
    Later(10, [real, staging, dst = args.dst] {
      if (Await(real)) std::memcpy(dst, staging->data(), staging->size());
    });
    return nullptr;
  });
}
FAULT("read-does-not-wait") {
  // Pending data reads as zeros.
  OwnEvents();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst == nullptr) return original(&args);
    SleepMs(5);
    if (IsReady(args.src)) return original(&args);
    std::memset(args.dst, 0, HostBytes(args.src));
    args.event = ReadyEvent();
    return nullptr;
  });
}
FAULT("read-error-lost") {
  OwnEvents();
  After<D2H>([](auto& args) {
    if (args.dst != nullptr && args.event != nullptr) args.event = WithoutError(args.event);
  });
}
FAULT("read-empty-without-event") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr && HostBytes(args.src) == 0) args.event = nullptr;
    return error;
  });
}
FAULT("read-empty-refused") {
  OwnErrors();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    return HostBytes(args.src) == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no elements") : original(&args);
  });
}
FAULT("read-host-layout-ignored") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.host_layout, nullptr);
  });
}
FAULT("read-always-row-major") {
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    std::vector<int64_t> order(ShapeOf(args.src).dims.size());
    std::iota(order.rbegin(), order.rend(), 0);
    PJRT_Buffer_MemoryLayout layout = InOrder(order);
    return With(args, original, args.host_layout, &layout);
  });
}
FAULT("read-host-layout-kept-for-next") {
  // The layout of one read applies to the next ones.
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    static std::vector<int64_t> last;
    if (args.host_layout != nullptr && args.host_layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled)
      last.assign(args.host_layout->tiled.minor_to_major,
                  args.host_layout->tiled.minor_to_major + args.host_layout->tiled.minor_to_major_size);
    if (args.host_layout != nullptr || last.empty() || last.size() != ShapeOf(args.src).dims.size()) return original(&args);
    PJRT_Buffer_MemoryLayout layout = InOrder(last);
    return With(args, original, args.host_layout, &layout);
  });
}
FAULT("read-host-layout-read-after-call") {
  // The layout is read when the data is ready.
  OwnEvents();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    const PJRT_Buffer_MemoryLayout* layout = args.host_layout;
    if (error != nullptr || args.dst == nullptr || layout == nullptr || layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled)
      return error;
    const int64_t* place = layout->tiled.minor_to_major;
    const std::vector<int64_t> seen(place, place + layout->tiled.minor_to_major_size);
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    auto* dst = static_cast<uint8_t*>(args.dst);
    Later(8, [place, seen, real, event, dst] {
      const bool good = Await(real);
      if (good && std::memcmp(place, seen.data(), seen.size() * sizeof(int64_t)) != 0) *dst ^= 1;
      Forward(real, event);
    });
    return nullptr;
  });
}
FAULT("read-host-layout-by-strides-crashes") {
  Before<D2H>([](auto& args) {
    if (args.host_layout != nullptr && args.host_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) std::abort();
  });
}
FAULT("read-default-layout-transposed") {
  ChangeReceived([](const Array& array) {
    if (array.shape.dims.size() != 2) return;
    const size_t size = ElementBytes(array.shape.type), rows = array.shape.dims[0], columns = array.shape.dims[1];
    std::vector<uint8_t> copy(array.bytes, array.bytes + array.count() * size);
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < columns; ++j)
        std::memcpy(array.bytes + (j * rows + i) * size, copy.data() + (i * columns + j) * size, size);
    }
  });
}
FAULT("read-concurrent-shares-staging") {
  static std::atomic<int> inside{0};
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst == nullptr) return original(&args);
    const bool alone = ++inside == 1;
    PJRT_Error* error = original(&args);
    SleepMs(2);
    const size_t bytes = HostBytes(args.src);
    if (error == nullptr && (!alone || inside > 1) && bytes > 0 && Await(args.event)) *static_cast<uint8_t*>(args.dst) ^= 1;
    --inside;
    return error;
  });
}
FAULT("read-cut-short-by-delete") {
  // A copy in progress is dropped when its source is deleted or destroyed.
  OwnEvents();
  static SharedSet<PJRT_Buffer*> gone;
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = HostBytes(args.src);
    if (args.dst == nullptr || bytes == 0 || args.dst_size < bytes) return original(&args);
    auto* staging = new std::vector<char>(bytes);
    PJRT_Error* error = With(args, original, args.dst, staging->data());
    if (error != nullptr) return error;
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    gone.Remove(args.src);
    Later(8, [real, event, staging, dst = args.dst, source = args.src] {
      const bool good = Await(real);
      if (!good) return event->Set(PJRT_Error_Code_INTERNAL, "failed");
      if (!gone.Has(source)) std::memcpy(dst, staging->data(), staging->size());
      event->Set();
    });
    return nullptr;
  });
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) { gone.Add(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { gone.Add(args.buffer); });
}
FAULT("read-of-deleted-succeeds") {
  OwnEvents();
  Replace<D2H>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.dst == nullptr || MessageOf(error).find("deleted") == std::string::npos) return error;
    Drop(error);
    args.event = ReadyEvent();
    return nullptr;
  });
}

// ---- raw copies ---------------------------------------------------------------------------------------------------------

using Raw = SLOT(PJRT_Buffer_CopyRawToHost);

FAULT("raw-offset-ignored") {
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* { return With(args, original, args.offset, 0); });
}
FAULT("raw-offset-of-31-bits") {
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.offset, args.offset & 0x7fffffff);
  });
}
FAULT("raw-nothing-refused") {
  OwnErrors();
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    return args.transfer_size == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "nothing to copy") : original(&args);
  });
}
FAULT("raw-range-unchecked") {
  OwnEvents();
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      Drop(error);
      args.event = ReadyEvent();
      return nullptr;
    }
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    Await(real);
    event->Set();
    return nullptr;
  });
}
FAULT("raw-last-byte-refused") {
  OwnErrors();
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t bytes = HostBytes(args.buffer);
    return args.offset > 0 && static_cast<size_t>(args.offset + args.transfer_size) >= bytes
               ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "out of range")
               : original(&args);
  });
}
FAULT("raw-whole-cut-short") {
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    const int64_t whole = static_cast<int64_t>(HostBytes(args.buffer));
    if (args.offset != 0 || args.transfer_size != whole) return original(&args);
    return With(args, original, args.transfer_size, whole - 1);
  });
}
FAULT("raw-outside-copies-part") {
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    const int64_t bytes = static_cast<int64_t>(HostBytes(args.buffer));
    if (args.offset >= 0 && args.offset < bytes && args.offset + args.transfer_size > bytes)
      std::memset(args.dst, 0x5a, static_cast<size_t>(bytes - args.offset));
    return original(&args);
  });
}
FAULT("raw-destination-rounded-down") {
  // The copy engine writes words.
  Replace<Raw>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.dst, reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(args.dst) & ~uintptr_t{3}));
  });
}
using Future = SLOT(PJRT_Buffer_CopyRawToHostFuture);
FAULT("raw-future-offset-rounded-down") {
  Replace<Future>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.offset, args.offset & ~int64_t{3});
  });
}
FAULT("raw-future-event-ready-at-once") {
  OwnEvents();
  After<Future>([](auto& args) { args.event = ReadyEvent(); });
}
FAULT("raw-future-error-lost") {
  OwnEvents();
  After<Future>([](auto& args) { args.event = WithoutError(args.event); });
}
FAULT("raw-future-offset-ignored") {
  Replace<Future>([](auto& args, auto& original) -> PJRT_Error* { return With(args, original, args.offset, 0); });
}
FAULT("raw-future-needs-source") {
  // The deferred copy is cancelled when its source is deleted.
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, OwnEvent*> pending;
  After<Future>([](auto& args) {
    OwnEvent* event = LateEvent(args.event, 0);
    args.event = event->handle();
    std::lock_guard<std::mutex> lock(mutex);
    pending[args.buffer] = event;
  });
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = pending.find(args.buffer);
    if (found != pending.end()) found->second->Set(PJRT_Error_Code_CANCELLED, "the source was deleted");
  });
}

FAULT("to-host-failure-deletes-buffer") {
  Replace<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.src == nullptr) return error;
    ARGS(PJRT_Buffer_Delete, gone);
    gone.buffer = args.src;
    Ask(Base().PJRT_Buffer_Delete, gone);
    return error;
  });
}
FAULT("to-host-failure-writes-destination") {
  Replace<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && args.dst != nullptr) std::memset(args.dst, 0xee, args.dst_size);
    return error;
  });
}

}  // namespace
