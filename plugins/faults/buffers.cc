// Buffers: metadata, deletion, readiness, external references.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "../wrapper/shared_set.h"
#include "buffer_from_host.h"
#include "buffers.h"
#include "calls.h"

namespace {

using namespace faults;

// ---- metadata -----------------------------------------------------------------------------------------------------------

FAULT("metadata-s4-is-s8") {
  After<SLOT(PJRT_Buffer_ElementType)>([](auto& args) {
    if (args.type == PJRT_Buffer_Type_S4) args.type = PJRT_Buffer_Type_S8;
  });
}
FAULT("metadata-types-of-an-older-enum") {
  After<SLOT(PJRT_Buffer_ElementType)>([](auto& args) {
    if (args.type > PJRT_Buffer_Type_TOKEN) args.type = static_cast<PJRT_Buffer_Type>(args.type + 1);
  });
}
FAULT("metadata-pred-is-u8") {
  After<SLOT(PJRT_Buffer_ElementType)>([](auto& args) {
    if (args.type == PJRT_Buffer_Type_PRED) args.type = PJRT_Buffer_Type_U8;
  });
}
FAULT("metadata-dims-reversed") {
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    ReverseList(args.dims, args.num_dims);
  });
}
FAULT("metadata-dims-in-one-place") {
  // The dimensions of all buffers share memory.
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    static std::vector<int64_t> room(64);
    for (size_t i = 0; i < args.num_dims && i < room.size(); ++i) room[i] = args.dims[i];
    args.dims = room.data();
  });
}
FAULT("metadata-unpadded-dims-in-one-place") {
  After<SLOT(PJRT_Buffer_UnpaddedDimensions)>([](auto& args) {
    static std::vector<int64_t> room(64);
    for (size_t i = 0; i < args.num_dims && i < room.size(); ++i) room[i] = args.unpadded_dims[i];
    args.unpadded_dims = room.data();
  });
}
FAULT("metadata-unpadded-dims-padded") {
  After<SLOT(PJRT_Buffer_UnpaddedDimensions)>([](auto& args) {
    ChangeList(args.unpadded_dims, args.num_dims, [](auto& dims) {
      if (!dims.empty()) dims.back() = (dims.back() + 7) / 8 * 8;
    });
  });
}
FAULT("metadata-static-shape-is-dynamic") {
  Replace<SLOT(PJRT_Buffer_DynamicDimensionIndices)>([](auto& args, auto&) -> PJRT_Error* {
    static const size_t zero = 0;
    args.dynamic_dim_indices = &zero;
    args.num_dynamic_dims = ShapeOf(args.buffer).dims.empty() ? 0 : 1;
    return nullptr;
  });
}
FAULT("metadata-size-too-small") {
  After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) { args.on_device_size_in_bytes /= 2; });
}
FAULT("metadata-size-zero") {
  After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) { args.on_device_size_in_bytes = 0; });
}
FAULT("metadata-on-cpu-changes") {
  After<SLOT(PJRT_Buffer_IsOnCpu)>([](auto& args) {
    static std::atomic<int> calls{0};
    args.is_on_cpu = ++calls % 2 == 0;
  });
}
FAULT("metadata-on-cpu-without-readable-memory") {
  After<SLOT(PJRT_Buffer_IsOnCpu)>([](auto& args) { args.is_on_cpu = true; });
  After<SLOT(PJRT_Buffer_UnsafePointer)>([](auto& args) { args.buffer_pointer = 0x7000; });
}
FAULT("metadata-pointer-zero") {
  After<SLOT(PJRT_Buffer_UnsafePointer)>([](auto& args) { args.buffer_pointer = 0; });
}
FAULT("metadata-pointer-moves") {
  After<SLOT(PJRT_Buffer_UnsafePointer)>([](auto& args) {
    static std::atomic<int> calls{0};
    if (++calls % 2 == 0) args.buffer_pointer += 64;
  });
}

// ---- deletion -----------------------------------------------------------------------------------------------------------

FAULT("delete-not-noticed") {
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) { args.is_deleted = false; });
}
FAULT("delete-reads-true-from-the-start") {
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) { args.is_deleted = true; });
}
FAULT("delete-twice-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Buffer_Delete)>([](auto& args, auto& original) -> PJRT_Error* {
    return IsDeleted(args.buffer) ? MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "deleted already") : original(&args);
  });
}
FAULT("delete-does-nothing") { Ignore<SLOT(PJRT_Buffer_Delete)>(); }
FAULT("delete-of-empty-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Buffer_Delete)>([](auto& args, auto& original) -> PJRT_Error* {
    return HostBytes(args.buffer) == 0 ? MakeError(PJRT_Error_Code_INTERNAL, "no memory") : original(&args);
  });
}
FAULT("delete-frees-the-neighbour") {
  // Two buffers of one arena: destroying one invalidates the other.
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> living;
  After<H2D>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.insert(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.erase(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    living.erase(args.buffer);
    for (PJRT_Buffer* other : living) {
      const size_t bytes = HostBytes(other);
      if (uint8_t* data = bytes > 0 ? BytesOf(other) : nullptr) std::memset(data, 0xdd, bytes);
    }
  });
}
FAULT("delete-then-destroy-crashes") {
  static SharedSet<PJRT_Buffer*> deleted;
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) { deleted.Add(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    if (deleted.Has(args.buffer)) std::abort();
  });
}
/** A call on a deleted buffer that crashes instead of failing. */
template <class S>
void AbortsOnDeleted(PJRT_Buffer* S::Args::*buffer) {
  Before<S>([buffer](auto& args) {
    if (IsDeleted(args.*buffer)) std::abort();
  });
}
FAULT("deleted-copy-crashes") { AbortsOnDeleted<SLOT(PJRT_Buffer_CopyToDevice)>(&PJRT_Buffer_CopyToDevice_Args::buffer); }
FAULT("deleted-copy-to-memory-crashes") { AbortsOnDeleted<SLOT(PJRT_Buffer_CopyToMemory)>(&PJRT_Buffer_CopyToMemory_Args::buffer); }
FAULT("deleted-read-crashes") { AbortsOnDeleted<SLOT(PJRT_Buffer_ToHostBuffer)>(&PJRT_Buffer_ToHostBuffer_Args::src); }
FAULT("deleted-address-crashes") {
  AbortsOnDeleted<SLOT(PJRT_Buffer_UnsafePointer)>(&PJRT_Buffer_UnsafePointer_Args::buffer);
  AbortsOnDeleted<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>(&PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer);
}

// ---- readiness ----------------------------------------------------------------------------------------------------------

using Ready = SLOT(PJRT_Buffer_ReadyEvent);

FAULT("ready-event-is-one-object") {
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, PJRT_Event*> events;
  Replace<Ready>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = events.find(args.buffer);
    if (found != events.end()) {
      args.event = found->second;
      return nullptr;
    }
    PJRT_Error* error = original(&args);
    if (error == nullptr) events[args.buffer] = args.event;
    return error;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    events.erase(args.buffer);
  });
  Replace<SLOT(PJRT_Event_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [buffer, event] : events) {
      if (event == args.event) return nullptr;
    }
    return original(&args);
  });
}
FAULT("ready-at-once") {
  OwnEvents();
  After<Ready>([](auto& args) {
    DestroyEvent(args.event);
    args.event = ReadyEvent();
  });
}
FAULT("ready-of-deleted-refused") {
  OwnErrors();
  Replace<Ready>([](auto& args, auto& original) -> PJRT_Error* {
    return IsDeleted(args.buffer) ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "deleted") : original(&args);
  });
}
FAULT("ready-of-deleted-is-good") {
  OwnEvents();
  Replace<Ready>([](auto& args, auto& original) -> PJRT_Error* {
    if (!IsDeleted(args.buffer)) return original(&args);
    args.event = ReadyEvent();
    return nullptr;
  });
}
FAULT("ready-spoilt-by-delete") {
  OwnEvents();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::vector<OwnEvent*>> pending;
  After<Ready>([](auto& args) {
    OwnEvent* event = LateEvent(args.event, 12);
    args.event = event->handle();
    std::lock_guard<std::mutex> lock(mutex);
    pending[args.buffer].push_back(event);
  });
  auto spoil = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    for (OwnEvent* event : pending[buffer]) event->Set(PJRT_Error_Code_CANCELLED, "the buffer is gone");
    pending.erase(buffer);
  };
  Before<SLOT(PJRT_Buffer_Delete)>([spoil](auto& args) { spoil(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([spoil](auto& args) { spoil(args.buffer); });
}
FAULT("ready-never") {
  OwnEvents();
  After<Ready>([](auto& args) { args.event = NewEvent()->handle(); });
}
FAULT("ready-deadlocks-when-concurrent") {
  static std::atomic<int> inside{0};
  Before<Ready>([](auto&) {
    if (++inside > 1) {
      for (;;) SleepMs(1000);
    }
    SleepMs(2);
    --inside;
  });
}

// ---- external references ------------------------------------------------------------------------------------------------

FAULT("reference-below-zero-accepted") {
  Replace<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args, auto& original) -> PJRT_Error* {
    Drop(original(&args));
    return nullptr;
  });
}
FAULT("reference-second-refused") {
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, int> held;
  Replace<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    if (held[args.buffer] > 0) return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "held already");
    ++held[args.buffer];
    return original(&args);
  });
  Before<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    --held[args.buffer];
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    held.erase(args.buffer);
  });
}
FAULT("reference-pointer-null") {
  After<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>([](auto& args) { args.device_memory_ptr = nullptr; });
}
FAULT("reference-pointer-needs-ready") {
  // The address is refused while the contents are being computed.
  OwnErrors();
  Replace<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>([](auto& args, auto& original) -> PJRT_Error* {
    return IsReady(args.buffer) ? original(&args) : MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "the buffer is not ready");
  });
}
FAULT("reference-pointer-is-a-copy") {
  After<SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer)>([](auto& args) {
    const size_t bytes = HostBytes(args.buffer);
    auto* copy = new std::vector<uint8_t>(bytes + 64);
    if (args.device_memory_ptr != nullptr) std::memcpy(copy->data(), args.device_memory_ptr, bytes);
    args.device_memory_ptr = copy->data();
  });
}
FAULT("reference-does-not-hold") {
  // Deleting overwrites the memory despite external references.
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    const size_t bytes = HostBytes(args.buffer);
    if (uint8_t* data = bytes > 0 ? BytesOf(args.buffer) : nullptr) std::memset(data, 0xdd, bytes);
  });
}
FAULT("reference-is-a-flag") {
  // The first release ends all references: deleting the buffer then overwrites what the others hold.
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> released;
  Before<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    released.insert(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (released.count(args.buffer) == 0) return;
    const size_t bytes = HostBytes(args.buffer);
    if (uint8_t* data = bytes > 0 ? BytesOf(args.buffer) : nullptr) std::memset(data, 0xdd, bytes);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    released.erase(args.buffer);
  });
}
FAULT("reference-release-after-delete-aborts") {
  Before<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    ARGS(PJRT_Buffer_IsDeleted, asked);
    asked.buffer = args.buffer;
    Ask(Base().PJRT_Buffer_IsDeleted, asked);
    if (asked.is_deleted) std::abort();
  });
}
FAULT("reference-destroy-aborts") {
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, int> held;
  Before<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    ++held[args.buffer];
  });
  After<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    --held[args.buffer];
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (held[args.buffer] > 0) std::abort();
    held.erase(args.buffer);
  });
}

}  // namespace
