// Stream: for external producers of buffers. A device has one stream, its work queue.
#include "c_api/extensions/extension.h"
#include "runtime/buffer.h"

namespace reference {
namespace {

// The hardware id plus one, because 0 means "no stream" to some.
intptr_t StreamOf(const Device& device) { return device.local_hardware_id() + 1; }

PJRT_Error* GetStream(PJRT_Get_Stream_For_External_Ready_Events_Args* args) {
  return CALL_EXTENSION(PJRT_Get_Stream_For_External_Ready_Events, args, [&] {
    const Device& device = *Given(args->device, "device").device;
    if (!device.addressable()) throw InvalidArgument("the device belongs to another process");
    args->stream = StreamOf(device);
  });
}

// Work queued after this sees the complete buffer.
PJRT_Error* WaitStream(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args* args) {
  return CALL_EXTENSION(PJRT_Wait_Until_Buffer_Ready_On_Stream, args, [&] {
    const Buffer& buffer = *Given(args->buffer, "buffer").buffer;
    for (Device* device : buffer.client()->addressable_devices()) {
      if (StreamOf(*device) != args->stream) continue;
      buffer.ready()->Await();
      return;
    }
    throw InvalidArgument("no device has the stream " + std::to_string(args->stream));
  });
}

}  // namespace

PJRT_Extension_Base* StreamExtension() {
  static PJRT_Stream_Extension extension = {BaseOf(PJRT_Extension_Type_Stream), GetStream, WaitStream};
  return &extension.base;
}

}  // namespace reference
