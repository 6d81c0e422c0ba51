// Calls that never return where they should fail.
#include "calls.h"

namespace {

using namespace faults;

void Hang() {
  for (;;) SleepMs(1 << 20);
}
/** Errors of one function, of any code or of one, are waited for instead of returned. */
#define HANGS(name, function, code)                                                                   \
  FAULT("hangs-instead-of-error-" #name) {                                                            \
    Replace<SLOT(PJRT_##function)>([](auto& args, auto& original) -> PJRT_Error* {                    \
      PJRT_Error* error = original(&args);                                                            \
      if (error != nullptr && (code == 0 || CodeOf(error) == code)) Hang();                           \
      return error;                                                                                   \
    });                                                                                               \
  }
HANGS(full_transfer, Client_BufferFromHostBuffer, PJRT_Error_Code_RESOURCE_EXHAUSTED)
HANGS(full_uninitialized, Client_CreateUninitializedBuffer, PJRT_Error_Code_RESOURCE_EXHAUSTED)
HANGS(full_execution, LoadedExecutable_Execute, PJRT_Error_Code_RESOURCE_EXHAUSTED)
HANGS(full_managed_buffers, Client_CreateBuffersForAsyncHostToDevice, PJRT_Error_Code_RESOURCE_EXHAUSTED)
HANGS(compilation, Client_Compile, 0)
HANGS(execution, LoadedExecutable_Execute, PJRT_Error_Code_INVALID_ARGUMENT)
HANGS(loading, Executable_DeserializeAndLoad, 0)
HANGS(topology_bytes, TopologyDescription_Deserialize, 0)
HANGS(small_destination, Buffer_ToHostBuffer, 0)
HANGS(piece_beyond_buffer, AsyncHostToDeviceTransferManager_TransferData, 0)
HANGS(copy_of_deleted, Buffer_CopyToDevice, 0)
HANGS(client_options, Client_Create, 0)
FAULT("hangs-instead-of-error-raw_read") {
  // What lies beyond the buffer never arrives.
  OwnEvents();
  After<SLOT(PJRT_Buffer_CopyRawToHost)>([](auto& args) {
    ARGS(PJRT_Buffer_OnDeviceSizeInBytes, size);
    size.buffer = args.buffer;
    const bool known = Ask(Base().PJRT_Buffer_OnDeviceSizeInBytes, size);
    if (known && args.offset + args.transfer_size > static_cast<int64_t>(size.on_device_size_in_bytes)) args.event = NewEvent()->handle();
  });
}
FAULT("hangs-instead-of-error-late") {
  // An error that comes later than the call wakes nobody who waits.
  MarksItself();
  Replace<SLOT(PJRT_Event_Await)>([](auto& args, auto& original) -> PJRT_Error* {
    const bool pending = !IsComplete(args.event);
    PJRT_Error* error = original(&args);
    if (error == nullptr || !pending) return error;
    MarkReached();
    Hang();
    return error;
  });
}

}  // namespace
