// Numbers kept in too few bits, and texts in rooms that are too small: right for everything short.
#include "buffers.h"
#include "calls.h"
#include "living.h"

namespace {

using namespace faults;

// ---- texts --------------------------------------------------------------------------------------------------------------

/** A text or a list from the caller, of which this much is read. */
#define TEXT_READ(name, function, member, kept)                                                       \
  FAULT("limit-of-" #name) {                                                                          \
    Replace<SLOT(PJRT_##function)>([](auto& args, auto& original) -> PJRT_Error* {                    \
      const size_t size = args.member;                                                                \
      return With(args, original, args.member, kept);                                                 \
    });                                                                                               \
  }
TEXT_READ(error_buffer_message_4095, Client_CreateErrorBuffer, error_message_size, size & 0xfff)
TEXT_READ(error_buffer_message_31, Client_CreateErrorBuffer, error_message_size, std::min<size_t>(size, 31))
TEXT_READ(created_event_message_255, Event_Set, error_message_size, size & 0xff)
TEXT_READ(alias_message_256, Client_FulfillAliasBuffer, error_message_size, std::min<size_t>(size, 256))
TEXT_READ(managed_buffer_message_32, AsyncHostToDeviceTransferManager_SetBufferError, error_message_size, std::min<size_t>(size, 32))
FAULT("limit-of-executable-name") {
  After<SLOT(PJRT_Executable_Name)>([](auto& args) { args.executable_name_size = std::min<size_t>(args.executable_name_size, 31); });
}
FAULT("limit-of-error-messages") {
  After<SLOT(PJRT_Error_Message)>([](auto& args) { args.message_size = std::min<size_t>(args.message_size, 255); });
}

// ---- sizes --------------------------------------------------------------------------------------------------------------

bool IsCopied(PJRT_HostBufferSemantics semantics) { return semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall; }
/** Arrays of more bytes than this are wrong behind them. */
#define WRONG_BEYOND(name, function, source, member, most)                                            \
  FAULT("limit-of-" #name) {                                                                          \
    WatchClients();                                                                                   \
    Subject<SLOT(PJRT_##function)>();                                                                 \
    After<SLOT(PJRT_##function)>([](auto& args) {                                                     \
      if (HostBytes(args.member) > most && source)                                                    \
        Change(args.member, [](uint8_t* bytes) { bytes[most] ^= 0x11; });                             \
    });                                                                                               \
  }
WRONG_BEYOND(transfer_2_16, Client_BufferFromHostBuffer, IsCopied(args.host_buffer_semantics), buffer, (size_t{1} << 16))
WRONG_BEYOND(memory_copy_2_16, Buffer_CopyToMemory, IsReady(args.buffer), dst_buffer, (size_t{1} << 16))
WRONG_BEYOND(device_copy_2_20, Buffer_CopyToDevice, IsReady(args.buffer), dst_buffer, (size_t{1} << 20))
FAULT("limit-of-read") {
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (args.dst == nullptr || HostBytes(args.src) <= size_t{1} << 20 || !IsReady(args.src) || !Await(args.event)) return;
    static_cast<uint8_t*>(args.dst)[size_t{1} << 20] ^= 0x11;
  });
}
FAULT("limit-of-size-on-device") {
  After<SLOT(PJRT_Buffer_OnDeviceSizeInBytes)>([](auto& args) { args.on_device_size_in_bytes &= 0xfffff; });
}
FAULT("limit-of-dimensions") {
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    if (std::all_of(args.dims, args.dims + args.num_dims, [](int64_t dim) { return dim < 65536; })) return;
    ChangeList(args.dims, args.num_dims, [](auto& dims) {
      for (int64_t& dim : dims) dim &= 0xffff;
    });
  });
}

// ---- offsets and numbers of things --------------------------------------------------------------------------------------

/** Keeps the lowest bits of a number. */
#define FEW_BITS(name, function, member, mask)                                                        \
  FAULT("bits-of-" #name) {                                                                           \
    Replace<SLOT(PJRT_##function)>([](auto& args, auto& original) -> PJRT_Error* {                    \
      return With(args, original, args.member, args.member & mask);                                   \
    });                                                                                               \
  }
FEW_BITS(raw_offset_8, Buffer_CopyRawToHost, offset, 0xff)
FEW_BITS(raw_offset_16, Buffer_CopyRawToHost, offset, 0xffff)
FEW_BITS(raw_offset_20, Buffer_CopyRawToHost, offset, 0xfffff)
FEW_BITS(deferred_raw_offset_16, Buffer_CopyRawToHostFuture, offset, 0xffff)
FEW_BITS(piece_offset_16, AsyncHostToDeviceTransferManager_TransferData, offset, 0xffff)
FEW_BITS(piece_offset_8, AsyncHostToDeviceTransferManager_TransferData, offset, 0xff)
FEW_BITS(managed_buffer_index_8, AsyncHostToDeviceTransferManager_TransferData, buffer_index, 0xff)
FAULT("bits-of-strides-16") {
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    std::vector<int64_t> strides(args.byte_strides, args.byte_strides + args.num_byte_strides);
    for (int64_t& stride : strides) stride = static_cast<int16_t>(stride);
    return With(args, original, args.byte_strides, args.byte_strides == nullptr ? nullptr : strides.data());
  });
}
/** Arrays of five dimensions and more are refused by one function. */
#define RANK_REFUSED(name, function, rank)                                                            \
  FAULT("limit-of-rank-" #name) {                                                                     \
    OwnErrors();                                                                                      \
    Replace<SLOT(PJRT_##function)>([](auto& args, auto& original) -> PJRT_Error* {                    \
      return args.rank > 4 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "too many dimensions") : original(&args); \
    });                                                                                               \
  }
RANK_REFUSED(uninitialized, Client_CreateUninitializedBuffer, shape_num_dims)
RANK_REFUSED(views, Client_CreateViewOfDeviceBuffer, num_dims)
RANK_REFUSED(error_buffers, Client_CreateErrorBuffer, shape_num_dims)
RANK_REFUSED(managed_buffers, Client_CreateBuffersForAsyncHostToDevice, shape_specs[0].num_dims)

}  // namespace
