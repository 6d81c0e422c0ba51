// RawBuffer: the memory of a buffer as bytes, without a type.
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "c_api/extensions/device_event.h"
#include "c_api/extensions/extension.h"
#include "c_api/late.h"
#include "c_api/wrap.h"
#include "runtime/buffer.h"
#include "runtime/device_format.h"

namespace reference {
namespace {

extern const PJRT_RawBuffer_FunctionTable kTable;

// An alias of a buffer, or of a part of one. Keeps the memory alive beyond the buffer.
struct RawBuffer : PJRT_RawBuffer {
  std::shared_ptr<Client> client;
  MemorySpace* memory = nullptr;
  std::shared_ptr<Contents> contents;
  int64_t offset = 0;
  int64_t size = 0;
  std::atomic<int64_t> references{1};

  RawBuffer() : PJRT_RawBuffer{&kTable} {}
};

RawBuffer& Of(PJRT_RawBuffer* buffer) { return static_cast<RawBuffer&>(Given(buffer, "buffer")); }
const RawBuffer& Of(const PJRT_RawBuffer* buffer) { return static_cast<const RawBuffer&>(Given(buffer, "buffer")); }

void Reference(PJRT_RawBuffer* buffer) {
  static_cast<RawBuffer*>(buffer)->references.fetch_add(1, std::memory_order_relaxed);
}

void Release(PJRT_RawBuffer* buffer) {
  auto* const raw = static_cast<RawBuffer*>(buffer);
  if (raw->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete raw;
}

PJRT_RawBuffer* MakeAlias(const Buffer& buffer) {
  auto raw = std::make_unique<RawBuffer>();
  raw->client = buffer.client()->shared_from_this();
  raw->memory = buffer.memory();
  raw->contents = buffer.Use().contents;
  raw->size = static_cast<int64_t>(buffer.bytes());
  return raw.release();
}

void CheckWritable(const RawBuffer& raw) {
  if (!raw.contents->writable) throw InvalidArgument("the memory of the raw buffer must not be written to");
}

// Runs `copy` on the device's thread once the contents and the dependencies are ready.
EventPtr Schedule(const RawBuffer& raw, Work work, std::vector<EventPtr> dependencies,
                  std::function<void(std::byte* memory)> copy) {
  dependencies.push_back(raw.contents->ready);
  EventPtr done = Event::Pending();
  raw.memory->device()->queue(work).Schedule(
      dependencies, [contents = raw.contents, offset = raw.offset, copy = std::move(copy),
                     done](const Error* failed) mutable {
        if (failed == nullptr && contents->storage != nullptr) copy(contents->storage.get() + offset);
        // Released first, so that waiters find nothing held.
        contents.reset();
        copy = nullptr;
        if (failed != nullptr) {
          done->SetError(*failed);
        } else {
          done->SetDone();
        }
      });
  return done;
}

EventPtr Write(const RawBuffer& raw, const void* source, int64_t offset, int64_t size,
               std::vector<EventPtr> dependencies) {
  CheckRawRange(offset, size, raw.size);
  CheckWritable(raw);
  if (source == nullptr && size > 0) throw InvalidArgument("src is null");
  return Schedule(raw, Work::kToDevice, std::move(dependencies), [=](std::byte* memory) {
    if (size > 0) std::memcpy(memory + offset, source, static_cast<size_t>(size));
  });
}

EventPtr Read(const RawBuffer& raw, void* destination, int64_t offset, int64_t size,
              std::vector<EventPtr> dependencies) {
  CheckRawRange(offset, size, raw.size);
  if (destination == nullptr && size > 0) throw InvalidArgument("dst is null");
  return Schedule(raw, Work::kToHost, std::move(dependencies), [=](std::byte* memory) {
    if (size > 0) std::memcpy(destination, memory + offset, static_cast<size_t>(size));
  });
}

// Null while the memory is unknown.
void* Address(const RawBuffer& raw) {
  if (raw.contents->late && !raw.contents->ready->IsReady()) return nullptr;
  std::byte* const begin = raw.contents->storage.get();
  return begin == nullptr ? nullptr : raw.memory->AddressOf(begin + raw.offset);
}

// The functions of the object.

template <typename Body>
PJRT_Error* Answer(Body&& body) {
  try {
    std::forward<Body>(body)();
    return nullptr;
  } catch (...) {
    return MakeCaughtError();
  }
}

size_t Size(const PJRT_RawBuffer* buffer) { return static_cast<size_t>(Of(buffer).size); }
// Null if there are no memories.
PJRT_Memory* Memory(const PJRT_RawBuffer* buffer) { return static_cast<PJRT_Memory*>(Of(buffer).memory->handle); }
void* DevicePointer(const PJRT_RawBuffer* buffer) { return Address(Of(buffer)); }
// Null if the host cannot use it.
void* HostPointer(const PJRT_RawBuffer* buffer) {
  return Of(buffer).memory->host_addressable() ? Address(Of(buffer)) : nullptr;
}
bool IsMutable(const PJRT_RawBuffer* buffer) { return Of(buffer).contents->writable; }

PJRT_Error* WriteWithEvent(PJRT_RawBuffer* buffer, const void* source, int64_t offset, int64_t size,
                           PJRT_DeviceEventVector* dependencies, PJRT_DeviceEvent* event) {
  return Answer([&] {
    Given(event, "event") = MakeDeviceEvent(Write(Of(buffer), source, offset, size, EventsOf(dependencies)));
  });
}

PJRT_Error* ReadWithEvent(PJRT_RawBuffer* buffer, void* destination, int64_t offset, int64_t size,
                          PJRT_DeviceEventVector* dependencies, PJRT_DeviceEvent* event) {
  return Answer([&] {
    Given(event, "event") = MakeDeviceEvent(Read(Of(buffer), destination, offset, size, EventsOf(dependencies)));
  });
}

PJRT_Error* AllocationReady(PJRT_RawBuffer* buffer, PJRT_DeviceEvent* event) {
  return Answer([&] {
    const Contents& contents = *Of(buffer).contents;
    Given(event, "event") = MakeDeviceEvent(contents.late ? contents.ready : Event::Ready());
  });
}

PJRT_Error* ContentsReady(PJRT_RawBuffer* buffer, PJRT_DeviceEvent* event) {
  return Answer([&] { Given(event, "event") = MakeDeviceEvent(Of(buffer).contents->ready); });
}

PJRT_Error* Slice(PJRT_RawBuffer* buffer, int64_t offset, int64_t size, PJRT_RawBuffer** sliced) {
  return Answer([&] {
    const RawBuffer& whole = Of(buffer);
    CheckRawRange(offset, size, whole.size);
    auto piece = std::make_unique<RawBuffer>();
    piece->client = whole.client;
    piece->memory = whole.memory;
    piece->contents = whole.contents;
    piece->offset = whole.offset + offset;
    piece->size = size;
    Given(sliced, "sliced_buffer") = piece.release();
  });
}

EventPtr CopyBetween(const RawBuffer& source, const RawBuffer& destination, std::vector<EventPtr> dependencies) {
  if (source.size != destination.size) {
    throw InvalidArgument("a raw buffer of " + std::to_string(source.size) + " bytes is copied to one of " +
                          std::to_string(destination.size));
  }
  CheckWritable(destination);
  dependencies.push_back(destination.contents->ready);
  return Schedule(source, Work::kToDevice, std::move(dependencies), [to = destination.contents, at = destination.offset,
                                                    size = source.size](std::byte* memory) {
    if (size > 0) std::memcpy(to->storage.get() + at, memory, static_cast<size_t>(size));
  });
}

void ScheduleCopyTo(PJRT_RawBuffer* source, PJRT_DeviceEventVector* dependencies, PJRT_RawBuffer* destination,
                    PJRT_DeviceEventPromise* definition, PJRT_DeviceEventPromise* source_usage,
                    void (*on_allocation)(PJRT_Error* status, void* user_data), void* user_data) {
  EventPtr done;
  try {
    done = CopyBetween(Of(source), Of(destination), EventsOf(dependencies));
  } catch (const Error& error) {
    done = Event::Failed(error);
  }
  // Memory exists from the beginning.
  if (on_allocation != nullptr) on_allocation(nullptr, user_data);
  Fulfill(definition, done);
  Fulfill(source_usage, done);
}

const PJRT_RawBuffer_FunctionTable kTable = {
    PJRT_RawBuffer_FunctionTable_STRUCT_SIZE,
    sizeof(RawBuffer),
    nullptr,
    Reference,
    Release,
    Size,
    Memory,
    HostPointer,
    WriteWithEvent,
    ReadWithEvent,
    DevicePointer,
    AllocationReady,
    ContentsReady,
    IsMutable,
    Slice,
    ScheduleCopyTo,
};

// The functions of the extension.

PJRT_Error* CreateRawAliasOfBuffer(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args* args) {
  return CALL_EXTENSION(PJRT_RawBuffer_CreateRawAliasOfBuffer, args,
                        [&] { args->raw_buffer = MakeAlias(BufferOf(args->buffer)); });
}

PJRT_Error* Destroy(PJRT_RawBuffer_Destroy_Args* args) {
  return CALL_EXTENSION(PJRT_RawBuffer_Destroy, args, [&] {
    if (args->buffer != nullptr) Release(args->buffer);
  });
}

PJRT_Error* GetOnDeviceSizeInBytes(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args* args) {
  return CALL_EXTENSION(PJRT_RawBuffer_GetOnDeviceSizeInBytes, args,
                        [&] { args->on_device_size_in_bytes = Size(args->buffer); });
}

PJRT_Error* GetMemorySpace(PJRT_RawBuffer_GetMemorySpace_Args* args) {
  return CALL_EXTENSION(PJRT_RawBuffer_GetMemorySpace, args, [&] { args->memory_space = HandleOf(*Of(args->buffer).memory); });
}

PJRT_Error* CopyRawHostToDevice(PJRT_RawBuffer_CopyRawHostToDevice_Args* args) {
  return CALL_EXTENSION(PJRT_RawBuffer_CopyRawHostToDevice, args, [&] {
    const RawBuffer& raw = Of(args->buffer);
    args->event = MakeEvent(BeginOrFailLater(*raw.memory->device(), [&] {
      return Write(raw, args->src, args->offset, args->transfer_size, {});
    }));
  });
}

PJRT_Error* CopyRawDeviceToHost(PJRT_RawBuffer_CopyRawDeviceToHost_Args* args) {
  return CALL_EXTENSION(PJRT_RawBuffer_CopyRawDeviceToHost, args, [&] {
    const RawBuffer& raw = Of(args->buffer);
    args->event = MakeEvent(BeginOrFailLater(*raw.memory->device(), [&] {
      return Read(raw, args->dst, args->offset, args->transfer_size, {});
    }));
  });
}

PJRT_Error* GetHostPointer(PJRT_RawBuffer_GetHostPointer_Args* args) {
  return CALL_EXTENSION(PJRT_RawBuffer_GetHostPointer, args, [&] { args->host_pointer = HostPointer(args->buffer); });
}

}  // namespace

PJRT_Extension_Base* RawBufferExtension() {
  static PJRT_RawBuffer_Extension extension = {
      BaseOf(PJRT_Extension_Type_RawBuffer), CreateRawAliasOfBuffer, Destroy,
      GetOnDeviceSizeInBytes,                GetMemorySpace,         CopyRawHostToDevice,
      CopyRawDeviceToHost,                   GetHostPointer};
  return &extension.base;
}

}  // namespace reference
