// Where buffers are, how large they are, when they are freed, and what statistics of memory say.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "habits.h"

namespace designs {
namespace {

/** What is to be destroyed later, on a thread of its own. */
class Reaper {
 public:
  static Reaper& The() {
    static auto& reaper = *new Reaper();
    return reaper;
  }

  void Add(std::function<void()> work) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!std::exchange(started_, true)) {
      // Nothing is destroyed after the base's own statics are.
      std::atexit([] { The().Drain(); });
      std::thread([this] { Serve(); }).detach();
    }
    queue_.push_back({Clock::now() + std::chrono::milliseconds(25), std::move(work)});
    changed_.notify_all();
    // Not more than that is kept.
    if (queue_.size() > 64) Drain(lock);
  }

  /** Returns when nothing is left of what was there, and whether there was any; does itself what has not begun. */
  bool Drain() {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool any = !queue_.empty() || busy_ > 0;
    Drain(lock);
    return any;
  }

 private:
  struct Entry {
    Clock::time_point due;
    std::function<void()> work;
  };

  /** Does the first of it. */
  void Work(std::unique_lock<std::mutex>& lock) {
    const std::function<void()> work = std::move(queue_.front().work);
    queue_.pop_front();
    ++busy_;
    lock.unlock();
    const bool outer = std::exchange(working, true);
    work();
    working = outer;
    lock.lock();
    --busy_;
    changed_.notify_all();
  }

  void Drain(std::unique_lock<std::mutex>& lock) {
    while (!queue_.empty()) Work(lock);
    // Called back by what it destroys, a thread does not wait for itself.
    if (!working) changed_.wait(lock, [this] { return busy_ == 0; });
  }

  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !queue_.empty(); });
      const Clock::time_point due = queue_.front().due;
      changed_.wait_until(lock, due, [this] { return queue_.empty(); });
      // Someone may have done it.
      if (!queue_.empty() && Clock::now() >= queue_.front().due) Work(lock);
    }
  }

  static thread_local bool working;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> queue_;
  int busy_ = 0;
  bool started_ = false;
};

thread_local bool Reaper::working = false;

/** A call that finds no memory is made again when what is to be destroyed is. */
template <class S>
void TryAgain() {
  Replace<S>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    const auto no_memory = [&] { return error != nullptr && CodeOfAny(error) == PJRT_Error_Code_RESOURCE_EXHAUSTED; };
    if (!no_memory() || !Reaper::The().Drain()) return error;
    // The base frees what its devices still use a little later.
    for (int attempt = 0; attempt < 10 && no_memory(); ++attempt) {
      DropAny(error);
      SleepMs(attempt == 0 ? 0 : 1);
      error = original(&args);
    }
    return error;
  });
}

/** Destroys a handle later; what is no valid call is for the base to refuse. */
template <class S, class H>
void DestroyLater(H* S::Args::*handle, size_t end) {
  Replace<S>([=](auto& args, auto& original) -> PJRT_Error* {
    if (args.struct_size < end || args.*handle == nullptr) return original(&args);
    Reaper::The().Add([destroyed = args.*handle, handle, &original] {
      typename S::Args later{};
      later.struct_size = sizeof(later);
      later.*handle = destroyed;
      DropAny(original(&later));
    });
    return nullptr;
  });
}

/** The header of a buffer and its elements fill pages. */
size_t Pages(size_t size) { return (size + 64 + 4095) / 4096 * 4096; }

}  // namespace

/**
 * Buffers and executables are destroyed 25 ms later, by a thread of their own; memory, and host memory that they alias, is free
 * from then on.
 * "The device memory will be freed when all async operations using the buffer have completed, according to the allocation
 * semantics of the underlying platform"; "the runtime will call `done_with_host_buffer` when the PjRtBuffer is freed".
 */
void LazyDestroy() {
  using Buffer = PJRT_Buffer_Destroy_Args;
  using Loaded = PJRT_LoadedExecutable_Destroy_Args;
  DestroyLater<SLOT(PJRT_Buffer_Destroy)>(&Buffer::buffer, offsetof(Buffer, buffer) + sizeof(void*));
  DestroyLater<SLOT(PJRT_LoadedExecutable_Destroy)>(&Loaded::executable, offsetof(Loaded, executable) + sizeof(void*));
  Before<SLOT(PJRT_Client_Destroy)>([](auto&) { Reaper::The().Drain(); });
  TryAgain<SLOT(PJRT_Client_BufferFromHostBuffer)>();
  TryAgain<SLOT(PJRT_Client_CreateUninitializedBuffer)>();
  TryAgain<SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice)>();
  TryAgain<SLOT(PJRT_Buffer_CopyToDevice)>();
  TryAgain<SLOT(PJRT_Buffer_CopyToMemory)>();
  TryAgain<SLOT(PJRT_LoadedExecutable_Execute)>();
}

/**
 * An address changes with each question unless the buffer has an external reference. It cannot be used then.
 * "The returned data pointer may become invalid at any point unless the external reference count is greater than 0"; "should not
 * be deleted or moved by the PJRT implementation (e.g. for memory compaction)"; UnsafePointer: "platform-dependent address […]
 * often but not guaranteed to be the physical/device address".
 */
void MovingPointers() {
  static auto& pins = *new Notes<PJRT_Buffer, size_t>();
  static const auto moved = [](PJRT_Buffer* buffer, uintptr_t address) -> uintptr_t {
    static std::atomic<uintptr_t> moves{0};
    if (address == 0 || pins.Get(buffer).value_or(0) > 0) return address;
    // Above what processors use, so that nobody could take it for a pointer.
    return (address & ((uintptr_t{1} << 48) - 1)) | (++moves % 0x7ffe + 1) << 48;
  };
  OwnErrors();
  After<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>([](auto& args) {
    pins.Change(args.buffer, [](size_t& count) { ++count; });
  });
  After<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    pins.Change(args.buffer, [](size_t& count) { count -= count > 0 ? 1 : 0; });
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
      error = With(args, original, args.transfer_size, head);
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

#define STATISTIC(field, number, is_set)                         \
  if (HAS(args, PJRT_Device_MemoryStats_Args, field##_is_set)) { \
    args.field = number;                                         \
    args.field##_is_set = is_set;                                \
  }

/**
 * Of the statistics of memory there is one, and fields of the others are junk.
 * "All returned stats except `bytes_in_use` are optional": each has a field that says that it is not set.
 */
void BareStats() {
  After<SLOT(PJRT_Device_MemoryStats)>([](auto& args) {
#define NOT_SET(field) STATISTIC(field, -0x5a5a5a5a5a5a5a5a, false)
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
  const auto clear = [](auto&) {
    std::lock_guard<std::mutex> lock(mutex);
    samples.clear();
  };
  Before<SLOT(PJRT_Device_ClearMemoryStats)>(clear);
  Before<SLOT(PJRT_Client_Destroy)>(clear);
}

/**
 * Memory is counted in pieces of 64 KiB, and an allocator holds a pool that never shrinks, of a power of two.
 * "Number of bytes in use"; "Number of bytes of memory held by the allocator. This may be higher than bytes_in_use if the
 * allocator holds a pool of memory (e.g. BFCAllocator)."
 */
void PooledStats() {
  static std::mutex& mutex = *new std::mutex();
  static auto& pools = *new std::map<PJRT_Device*, int64_t>();
  After<SLOT(PJRT_Device_MemoryStats)>([](auto& args) {
    using Args = PJRT_Device_MemoryStats_Args;
    const bool limited = HAS(args, Args, bytes_limit_is_set) && args.bytes_limit_is_set && args.bytes_limit > 0;
    const int64_t limit = limited ? args.bytes_limit : INT64_MAX;
    const auto pieces = [limit](int64_t bytes) {
      return bytes > limit - 65536 ? bytes : (bytes + 65535) / 65536 * 65536;
    };
    args.bytes_in_use = pieces(args.bytes_in_use);
    int64_t most = args.bytes_in_use;
    if (HAS(args, Args, peak_bytes_in_use_is_set) && args.peak_bytes_in_use_is_set) {
      most = std::max(most, args.peak_bytes_in_use = pieces(args.peak_bytes_in_use));
    }
    int64_t held = int64_t{1} << 21;
    {
      std::lock_guard<std::mutex> lock(mutex);
      int64_t& pool = pools[args.device];
      while (held < most && held < limit / 2) held *= 2;
      pool = held = std::min(limit, std::max({pool, held, most}));
    }
    STATISTIC(bytes_reserved, 0, true)
    STATISTIC(peak_bytes_reserved, 0, true)
    STATISTIC(largest_free_block_bytes, held - args.bytes_in_use, true)
    STATISTIC(pool_bytes, held, true)
    STATISTIC(peak_pool_bytes, held, true)
  });
  Before<SLOT(PJRT_Client_Destroy)>([](auto&) {
    std::lock_guard<std::mutex> lock(mutex);
    pools.clear();
  });
}

}  // namespace designs
