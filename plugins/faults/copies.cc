// Copies to other devices and memories.
#include <cstdlib>
#include <cstring>
#include <map>

#include "buffers.h"
#include "calls.h"

namespace {

using namespace faults;

using ToDev = SLOT(PJRT_Buffer_CopyToDevice);
using ToMem = SLOT(PJRT_Buffer_CopyToMemory);

FAULT("copy-lands-on-source-device") {
  Replace<ToDev>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.dst_device, DeviceOf(args.buffer));
  });
}
FAULT("copy-last-element-lost") {
  WatchClients();
  After<ToDev>([](auto& args) {
    const size_t bytes = HostBytes(args.dst_buffer);
    if (bytes > 0) Change(args.dst_buffer, [bytes](uint8_t* data) { data[bytes - 1] ^= 0x11; });
  });
}
FAULT("copy-empty-refused") {
  OwnErrors();
  Replace<ToDev>([](auto& args, auto& original) -> PJRT_Error* {
    return HostBytes(args.buffer) == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no elements") : original(&args);
  });
}
FAULT("copy-deletes-source") {
  After<ToDev>([](auto& args) {
    AwaitBuffer(args.dst_buffer);
    Delete(args.buffer);
  });
}
FAULT("copy-shares-memory-with-source") {
  // Deleting the source affects the copy.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, PJRT_Buffer*> copies;
  auto note = [](PJRT_Buffer* source, PJRT_Buffer* copy) {
    std::lock_guard<std::mutex> lock(mutex);
    copies[source] = copy;
  };
  After<ToDev>([note](auto& args) { note(args.buffer, args.dst_buffer); });
  After<ToMem>([note](auto& args) { note(args.buffer, args.dst_buffer); });
  auto spoil = [](PJRT_Buffer* source) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto entry = copies.begin(); entry != copies.end();) {
      if (entry->first == source) {
        const size_t bytes = HostBytes(entry->second);
        if (uint8_t* data = bytes > 0 ? BytesOf(entry->second) : nullptr) std::memset(data, 0xdd, bytes);
        entry = copies.erase(entry);
      } else {
        entry = entry->second == source ? copies.erase(entry) : std::next(entry);
      }
    }
  };
  Before<SLOT(PJRT_Buffer_Delete)>([spoil](auto& args) { spoil(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([spoil](auto& args) {
    if (args.buffer != nullptr) spoil(args.buffer);
  });
}
FAULT("copy-of-pending-is-empty") {
  // A copy of pending data.
  Before<ToDev>([](auto& args) {
    if (!IsReady(args.buffer)) std::abort();
  });
}
FAULT("copy-to-memory-stays") {
  Replace<ToMem>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.dst_memory, MemoryOf(args.buffer));
  });
}
FAULT("copy-to-memory-spoils-last") {
  WatchClients();
  After<ToMem>([](auto& args) {
    const size_t bytes = HostBytes(args.dst_buffer);
    if (bytes > 0) Change(args.dst_buffer, [bytes](uint8_t* data) { data[bytes - 1] ^= 0x11; });
  });
}
FAULT("copy-returns-no-buffer") {
  After<ToDev>([](auto& args) {
    Destroy(args.dst_buffer);
    args.dst_buffer = nullptr;
  });
}
FAULT("copy-to-memory-returns-no-buffer") {
  After<ToMem>([](auto& args) {
    Destroy(args.dst_buffer);
    args.dst_buffer = nullptr;
  });
}
FAULT("copy-to-same-place-does-nothing") {
  // There seems to be nothing to do, so nothing is returned either.
  Replace<ToDev>([](auto& args, auto& original) -> PJRT_Error* {
    return args.dst_device == DeviceOf(args.buffer) ? nullptr : original(&args);
  });
  Replace<ToMem>([](auto& args, auto& original) -> PJRT_Error* {
    return args.dst_memory == MemoryOf(args.buffer) ? nullptr : original(&args);
  });
}
FAULT("copy-to-same-place-made") {
  // A copy via the host, into the memory of the source.
  WatchClients();
  Replace<ToDev>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.dst_device != DeviceOf(args.buffer)) return error;
    Drop(error);
    args.dst_buffer = MakeBeside(args.buffer, ReadBack(args.buffer));
    return nullptr;
  });
  Replace<ToMem>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.dst_memory != MemoryOf(args.buffer)) return error;
    Drop(error);
    args.dst_buffer = MakeBeside(args.buffer, ReadBack(args.buffer));
    return nullptr;
  });
}

}  // namespace
