// What is remembered of an object stays when the object goes, and is taken for that of the next one at its address.
#include <map>
#include <set>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "calls.h"

namespace {

using namespace faults;

/** The first answer about an address is kept for ever. */
#define KEPT(name, function, object, answer)                                                          \
  FAULT("address-keeps-" #name) {                                                                     \
    After<SLOT(PJRT_##function)>([](auto& args) {                                                     \
      static std::mutex mutex;                                                                        \
      static std::map<const void*, std::decay_t<decltype(args.answer)>> kept;                         \
      std::lock_guard<std::mutex> lock(mutex);                                                        \
      args.answer = kept.emplace(args.object, args.answer).first->second;                             \
    });                                                                                               \
  }
KEPT(element_type, Buffer_ElementType, buffer, type)
KEPT(device, Buffer_Device, buffer, device)
KEPT(memory, Buffer_Memory, buffer, memory)
KEPT(size_on_device, Buffer_OnDeviceSizeInBytes, buffer, on_device_size_in_bytes)
KEPT(number_of_outputs, Executable_NumOutputs, executable, num_outputs)
KEPT(error_code, Error_GetCode, error, code)
KEPT(number_of_managed_buffers, AsyncHostToDeviceTransferManager_BufferCount, transfer_manager, buffer_count)
/** The same for a list or a text. */
#define KEPT_LIST(name, function, object, values, count)                                              \
  FAULT("address-keeps-" #name) {                                                                     \
    After<SLOT(PJRT_##function)>([](auto& args) {                                                     \
      using Value = std::remove_const_t<std::remove_pointer_t<std::decay_t<decltype(args.values)>>>;  \
      static std::mutex mutex;                                                                        \
      static std::map<const void*, std::vector<Value>> kept;                                          \
      std::lock_guard<std::mutex> lock(mutex);                                                        \
      auto& first = kept[args.object];                                                                \
      if (first.empty()) first.assign(args.values, args.values + args.count);                         \
      args.values = first.data();                                                                     \
      args.count = first.size();                                                                      \
    });                                                                                               \
  }
KEPT_LIST(dimensions, Buffer_Dimensions, buffer, dims, num_dims)
KEPT_LIST(executable_name, Executable_Name, executable, executable_name, executable_name_size)
KEPT_LIST(output_types, Executable_OutputElementTypes, executable, output_types, num_output_types)
KEPT_LIST(error_message, Error_Message, error, message, message_size)

/** What was true of an address once is true for ever. */
#define STICKY(name, function, object, answer)                                                        \
  FAULT("address-stays-" #name) {                                                                     \
    static SharedSet<const void*> before;                                                             \
    After<SLOT(PJRT_##function)>([](auto& args) {                                                     \
      if (args.answer) before.Add(args.object);                                                       \
      args.answer = before.Has(args.object);                                                          \
    });                                                                                               \
  }
STICKY(deleted, Buffer_IsDeleted, buffer, is_deleted)
STICKY(executable_deleted, LoadedExecutable_IsDeleted, executable, is_deleted)
STICKY(ready, Event_IsReady, event, is_ready)
FAULT("address-keeps-references") {
  // A reference that was not given back before the buffer was destroyed pins the next one there: it is never deleted.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, int> references;
  After<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    ++references[args.buffer];
  });
  After<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    --references[args.buffer];
  });
  static std::set<PJRT_Buffer*> pinned;
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (references[args.buffer] > 0) pinned.insert(args.buffer);
  });
  Replace<SLOT(PJRT_Buffer_Delete)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    return pinned.count(args.buffer) > 0 ? nullptr : original(&args);
  });
}
FAULT("address-keeps-host-array") {
  // Transfers of one address and size are cached, and nobody looks whether something else is there by now.
  static std::mutex mutex;
  struct Sent {
    size_t bytes;
    std::vector<uint8_t> contents;
  };
  static std::map<const void*, Sent> sent;
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    size_t bytes = ElementBytes(args.type);
    for (size_t i = 0; i < args.num_dims; ++i) bytes *= static_cast<size_t>(std::max<int64_t>(args.dims[i], 0));
    const bool dense = args.num_byte_strides == 0 && bytes > 0 && bytes < 4096;
    if (!dense || args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) return original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    const auto* data = static_cast<const uint8_t*>(args.data);
    auto found = sent.find(args.data);
    if (found == sent.end() || found->second.bytes != bytes)
      found = sent.insert_or_assign(args.data, Sent{bytes, std::vector<uint8_t>(data, data + bytes)}).first;
    return With(args, original, args.data, static_cast<const void*>(found->second.contents.data()));
  });
}

}  // namespace
