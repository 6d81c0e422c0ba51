// Functions of one family, of which one has a defect that its siblings do not have.
#include <cstring>
#include <map>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "calls.h"
#include "damage.h"

namespace {

using namespace faults;

using ToMemory = SLOT(PJRT_Buffer_CopyToMemory);
using RawRead = SLOT(PJRT_Buffer_CopyRawToHost);

// ---- copies to memories, unlike those to devices ------------------------------------------------------------------------

FAULT("memory-copy-deletes-source") {
  After<ToMemory>([](auto& args) {
    if (IsReady(args.buffer) && AwaitBuffer(args.dst_buffer)) Delete(args.buffer);
  });
}
FAULT("memory-copy-of-pending-is-stale") {
  ReadDamage();
  Replace<ToMemory>([](auto& args, auto& original) -> PJRT_Error* {
    const bool pending = !IsReady(args.buffer);
    PJRT_Error* error = original(&args);
    if (error == nullptr && pending) Damaged().Add(args.dst_buffer);
    return error;
  });
}
FAULT("memory-copy-source-deleted-in-flight") {
  ReadDamage();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, PJRT_Buffer*> sources;
  After<ToMemory>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    sources[args.dst_buffer] = args.buffer;
  });
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [copy, source] : sources) {
      if (source == args.buffer && !IsReady(copy)) Damaged().Add(copy);
    }
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    sources.erase(args.buffer);
  });
}
FAULT("memory-copy-error-lost") {
  OwnEvents();
  static SharedSet<PJRT_Buffer*> copies;
  After<ToMemory>([](auto& args) { copies.Add(args.dst_buffer); });
  ReplaceEvents([](PJRT_Buffer* buffer) { return copies.Has(buffer); }, WithoutError);
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { copies.Remove(args.buffer); });
}
FAULT("memory-copy-transposes") {
  // The copy is square and column-major, and does not say so.
  WatchClients();
  After<ToMemory>([](auto& args) {
    const Shape shape = ShapeOf(args.dst_buffer);
    if (shape.dims.size() != 2 || shape.dims[0] != shape.dims[1] || !IsReady(args.buffer)) return;
    const size_t n = static_cast<size_t>(shape.dims[0]), width = ElementBytes(shape.type);
    Change(args.dst_buffer, [&](uint8_t* bytes) {
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
          std::swap_ranges(bytes + (i * n + j) * width, bytes + (i * n + j + 1) * width, bytes + (j * n + i) * width);
        }
      }
    });
  });
}

// ---- raw reads, unlike reads --------------------------------------------------------------------------------------------

FAULT("raw-read-does-not-wait") {
  OwnEvents();
  Replace<RawRead>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.dst == nullptr || IsReady(args.buffer)) return original(&args);
    std::memset(args.dst, 0, static_cast<size_t>(args.transfer_size));
    args.event = ReadyEvent();
    return nullptr;
  });
}
FAULT("raw-read-error-lost") {
  OwnEvents();
  After<RawRead>([](auto& args) { args.event = WithoutError(args.event); });
}
FAULT("raw-read-of-deleted-succeeds") {
  OwnEvents();
  Subject<RawRead>();
  Replace<RawRead>([](auto& args, auto& original) -> PJRT_Error* {
    if (!IsDeleted(args.buffer)) return original(&args);
    args.event = ReadyEvent();
    return nullptr;
  });
}
FAULT("raw-read-cut-short-by-delete") {
  // A raw read that waits for its data is dropped when its source goes.
  OwnEvents();
  static std::mutex mutex;
  static std::multimap<PJRT_Buffer*, OwnEvent*> waiting;
  After<RawRead>([](auto& args) {
    if (IsReady(args.buffer)) return;
    OwnEvent* own = NewEvent();
    Later(0, [real = args.event, own] { Forward(real, own); });
    args.event = own->handle();
    std::lock_guard<std::mutex> lock(mutex);
    waiting.emplace(args.buffer, own);
  });
  const auto drop = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto [begin, end] = waiting.equal_range(buffer);
    for (auto read = begin; read != end; ++read) read->second->Set(PJRT_Error_Code_CANCELLED, "the buffer was deleted");
    waiting.erase(begin, end);
  };
  Before<SLOT(PJRT_Buffer_Delete)>([drop](auto& args) { drop(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([drop](auto& args) { drop(args.buffer); });
}

// ---- other ways to make a buffer, unlike transfers ----------------------------------------------------------------------

PJRT_Device* FirstDevice(PJRT_Client* client) {
  ARGS(PJRT_Client_AddressableDevices, list);
  list.client = client;
  return Ask(Base().PJRT_Client_AddressableDevices, list) ? list.addressable_devices[0] : nullptr;
}
/** The kind of the memory is kept, its device is not. */
PJRT_Memory* OnFirstDevice(PJRT_Client* client, PJRT_Memory* memory) {
  const auto kind = [](PJRT_Memory* of) {
    ARGS(PJRT_Memory_Kind, args);
    args.memory = of;
    Ask(Base().PJRT_Memory_Kind, args);
    return std::string(args.kind, args.kind_size);
  };
  ARGS(PJRT_Device_AddressableMemories, list);
  list.device = FirstDevice(client);
  Ask(Base().PJRT_Device_AddressableMemories, list);
  for (size_t i = 0; i < list.num_memories; ++i) {
    if (memory != nullptr && kind(list.memories[i]) == kind(memory)) return list.memories[i];
  }
  return memory;
}
#define ON_FIRST_DEVICE(name, function, member, place)                                                \
  FAULT("first-device-for-" #name) {                                                                  \
    Replace<SLOT(PJRT_##function)>([](auto& args, auto& original) -> PJRT_Error* {                    \
      if (args.member == nullptr) return original(&args);                                             \
      return With(args, original, args.member, place);                                                \
    });                                                                                               \
  }
ON_FIRST_DEVICE(uninitialized, Client_CreateUninitializedBuffer, device, FirstDevice(args.client))
ON_FIRST_DEVICE(views, Client_CreateViewOfDeviceBuffer, device, FirstDevice(args.client))
ON_FIRST_DEVICE(error_buffers, Client_CreateErrorBuffer, memory, OnFirstDevice(args.client, args.memory))
ON_FIRST_DEVICE(aliases, Client_CreateAliasBuffer, memory, OnFirstDevice(args.client, args.memory))

/** Arrays without elements are refused by one function. */
#define EMPTY_REFUSED(name, function, dimensions, rank)                                               \
  FAULT("empty-refused-by-" #name) {                                                                  \
    OwnErrors();                                                                                      \
    Replace<SLOT(PJRT_##function)>([](auto& args, auto& original) -> PJRT_Error* {                    \
      const bool empty = std::count(args.dimensions, args.dimensions + args.rank, 0) > 0;             \
      return empty ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no elements") : original(&args);    \
    });                                                                                               \
  }
EMPTY_REFUSED(uninitialized, Client_CreateUninitializedBuffer, shape_dims, shape_num_dims)
EMPTY_REFUSED(error_buffers, Client_CreateErrorBuffer, shape_dims, shape_num_dims)
EMPTY_REFUSED(aliases, Client_CreateAliasBuffer, shape_dims, shape_num_dims)
FAULT("empty-refused-by-memory-copies") {
  OwnErrors();
  Replace<ToMemory>([](auto& args, auto& original) -> PJRT_Error* {
    return HostBytes(args.buffer) == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no elements") : original(&args);
  });
}

}  // namespace
