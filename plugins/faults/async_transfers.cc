// Asynchronous transfers to the device.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "../wrapper/shared_set.h"
#include "calls.h"

namespace {

using namespace faults;

using Manager = SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice);
using Piece = SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferData);

/** Number of buffers of a transfer manager. */
int BuffersOf(PJRT_AsyncHostToDeviceTransferManager* manager) {
  ARGS(PJRT_AsyncHostToDeviceTransferManager_BufferCount, args);
  args.transfer_manager = manager;
  Ask(Base().PJRT_AsyncHostToDeviceTransferManager_BufferCount, args);
  return static_cast<int>(args.buffer_count);
}

FAULT("async-count-off-by-one") {
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_BufferCount)>([](auto& args) { args.buffer_count += 1; });
}
FAULT("async-size-of-first-for-all") {
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_BufferSize)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.buffer_index, 0);
  });
}
FAULT("async-device-null") {
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_Device)>([](auto& args) { args.device_out = nullptr; });
}
FAULT("async-memory-ignored") {
  Replace<Manager>([](auto& args, auto& original) -> PJRT_Error* {
    ARGS(PJRT_Memory_AddressableByDevices, devices);
    devices.memory = args.memory;
    Ask(Base().PJRT_Memory_AddressableByDevices, devices);
    ARGS(PJRT_Device_DefaultMemory, memory);
    memory.device = devices.devices[0];
    Ask(Base().PJRT_Device_DefaultMemory, memory);
    return With(args, original, args.memory, memory.memory);
  });
}
FAULT("async-offset-ignored") {
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.offset, 0);
  });
}
FAULT("async-pieces-in-order-only") {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, int64_t> end;
  After<Manager>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (int i = 0; i < static_cast<int>(args.num_shape_specs); ++i) end[{args.transfer_manager, i}] = 0;
  });
  OwnErrors();
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      int64_t& at = end[{args.transfer_manager, args.buffer_index}];
      if (args.offset != at) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "pieces must come in order");
      at += args.transfer_size;
    }
    return original(&args);
  });
}
FAULT("async-ready-at-once") {
  OwnEvents();
  static SharedSet<PJRT_Buffer*> made;
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) { made.Add(args.buffer_out); });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    if (made.Has(args.buffer)) args.event = ReadyEvent();
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { made.Remove(args.buffer); });
}
FAULT("async-ready-after-first-piece") {
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    // The first chunk is treated as the last one; later ones are written after completion.
    static SharedSet<std::pair<const void*, int>> done;
    const bool first = done.Add({args.transfer_manager, args.buffer_index});
    return With(args, original, args.is_last_transfer, first || args.is_last_transfer);
  });
}
FAULT("async-last-piece-empty-refused") {
  OwnErrors();
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    return args.transfer_size == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "nothing to transfer") : original(&args);
  });
}
FAULT("async-after-last-accepted") {
  OwnEvents();
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    Drop(error);
    args.done_with_h2d_transfer = ReadyEvent();
    return nullptr;
  });
}
FAULT("async-source-read-late") {
  OwnEvents();
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    // The event is ready at once, but the source is read later.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args own = args;
    args.done_with_h2d_transfer = ReadyEvent();
    Later(12, [own]() mutable { Ask(Base().PJRT_AsyncHostToDeviceTransferManager_TransferData, own); });
    (void)original;
    return nullptr;
  });
}
FAULT("async-buffers-mixed-up") {
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    const int count = BuffersOf(args.transfer_manager);
    return With(args, original, args.buffer_index, count > 1 ? count - 1 - args.buffer_index : args.buffer_index);
  });
}
FAULT("async-retrieve-waits-for-data") {
  // A buffer without data cannot be retrieved.
  OwnErrors();
  static SharedSet<const void*> fed;
  After<Piece>([](auto& args) { fed.Add(args.transfer_manager); });
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    return fed.Has(args.transfer_manager) ? original(&args) : MakeError(PJRT_Error_Code_UNAVAILABLE, "no data yet");
  });
}
FAULT("async-retrieve-index-unchecked") {
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    const bool outside = args.buffer_index < 0 || args.buffer_index > 1000;
    return With(args, original, args.buffer_index, outside ? 0 : args.buffer_index);
  });
}
FAULT("async-layout-count-unchecked") {
  Replace<Manager>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.num_device_layouts == args.num_shape_specs) return original(&args);
    return With(args, original, args.device_layouts, nullptr, args.num_device_layouts, 0);
  });
}
FAULT("async-layouts-demanded") {
  OwnErrors();
  Replace<Manager>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_device_layouts; ++i) {
      if (args.device_layouts[i] == nullptr) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no layout");
    }
    return args.device_layouts == nullptr ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no layouts") : original(&args);
  });
}
FAULT("async-metadata-refused") {
  Fail<SLOT(PJRT_AsyncHostToDeviceTransferManager_AddMetadata)>(PJRT_Error_Code_INTERNAL, "metadata");
}
FAULT("async-error-lost") {
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.error_code, PJRT_Error_Code_INTERNAL);
  });
}
FAULT("async-error-for-all-buffers") {
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError)>([](auto& args) {
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args own = args;
    const int count = std::min(BuffersOf(args.transfer_manager), 4);
    for (int i = 0; i < count; ++i) {
      if (i == args.buffer_index) continue;
      own.buffer_index = i;
      Ask(Base().PJRT_AsyncHostToDeviceTransferManager_SetBufferError, own);
    }
  });
}
FAULT("async-destroyed-manager-hangs-buffers") {
  // Destroying a manager leaves its buffers pending.
  static SharedSet<const void*> finished;
  After<Piece>([](auto& args) {
    if (args.is_last_transfer) finished.Add(args.transfer_manager);
  });
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.transfer_manager == nullptr || finished.Has(args.transfer_manager) ? original(&args) : nullptr;
  });
}
FAULT("async-destroyed-manager-cancels") {
  // Data passed to the manager is lost when it is destroyed.
  OwnEvents();
  static std::mutex mutex;
  static std::map<const void*, std::vector<PJRT_Buffer*>> buffers;
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    buffers[args.transfer_manager].push_back(args.buffer_out);
  });
  static std::set<PJRT_Buffer*> cancelled;
  Before<SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (PJRT_Buffer* buffer : buffers[args.transfer_manager]) cancelled.insert(buffer);
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (cancelled.count(args.buffer) == 0) return;
    OwnEvent* event = NewEvent();
    event->Set(PJRT_Error_Code_CANCELLED, "the manager is gone");
    args.event = event->handle();
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    cancelled.erase(args.buffer);
  });
}
FAULT("async-unretrieved-aborts") {
  static SharedSet<const void*> taken;
  Before<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) { taken.Add(args.transfer_manager); });
  Before<SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy)>([](auto& args) {
    if (args.transfer_manager != nullptr && !taken.Remove(args.transfer_manager)) std::abort();
  });
}
FAULT("async-buffer-destroyed-first-refused") {
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, const void*> owners;
  static std::set<const void*> orphaned;
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    owners[args.buffer_out] = args.transfer_manager;
    orphaned.erase(args.transfer_manager);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = owners.find(args.buffer);
    if (found != owners.end()) orphaned.insert(found->second);
  });
  Replace<Piece>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    return orphaned.count(args.transfer_manager) > 0 ? MakeError(PJRT_Error_Code_NOT_FOUND, "the buffer is gone") : original(&args);
  });
}
using Literal = SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral);
FAULT("async-literal-spoils-last") {
  Replace<Literal>([](auto& args, auto& original) -> PJRT_Error* {
    size_t bytes = ElementBytes(args.shape_element_type);
    for (size_t i = 0; i < args.shape_num_dims; ++i) bytes *= static_cast<size_t>(args.shape_dims[i]);
    if (bytes == 0) return original(&args);
    auto* copy = new std::vector<uint8_t>(static_cast<const uint8_t*>(args.data), static_cast<const uint8_t*>(args.data) + bytes);
    copy->back() ^= 1;
    return With(args, original, args.data, copy->data());
  });
}

}  // namespace
