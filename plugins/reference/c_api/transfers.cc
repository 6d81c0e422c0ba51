// Copies: PJRT_Client_BufferFromHostBuffer, PJRT_Buffer_ToHostBuffer, CopyRawToHost, CopyRawToHostFuture, CopyToDevice and
// CopyToMemory.
#include "runtime/transfers.h"

#include <utility>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/late.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"

namespace reference::c_api {

PJRT_Error* Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args* args) {
  return Call("PJRT_Client_BufferFromHostBuffer", args, [&] {
    MemorySpace& memory = PlaceOf(args->client, args->device, args->memory);
    HostArray host;
    host.data = args->data;
    host.type = StorableTypeFrom(args->type, args->dims, args->num_dims);
    EventPtr done = Event::Ready();
    args->buffer = MakeBuffer(MakeOrFailLater(memory, host.type, [&] {
      if (args->byte_strides != nullptr) {
        if (args->num_byte_strides != 0 && args->num_byte_strides != args->num_dims) {
          throw InvalidArgument("an array of " + std::to_string(args->num_dims) + " dimensions has " +
                                std::to_string(args->num_byte_strides) + " strides");
        }
        host.byte_strides = Int64sFrom(args->byte_strides, args->num_byte_strides, "byte_strides");
      }
      const int semantics = static_cast<int>(args->host_buffer_semantics);
      if (semantics < PJRT_HostBufferSemantics_kImmutableOnlyDuringCall ||
          semantics > PJRT_HostBufferSemantics_kMutableZeroCopy) {
        throw InvalidArgument(std::to_string(semantics) + " are no semantics of host buffers");
      }
      const Layout layout = LayoutFrom(args->device_layout, host.type);
      auto sent = BufferFromHost(host, static_cast<HostBufferSemantics>(semantics), &memory, layout);
      done = std::move(sent.second);
      return std::move(sent.first);
    }));
    args->done_with_host_buffer = MakeEvent(std::move(done));
  });
}

PJRT_Error* Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args* args) {
  return Call("PJRT_Buffer_ToHostBuffer", args, [&] {
    const Buffer& buffer = BufferOf(args->src, "src");
    const Layout layout = args->host_layout == nullptr ? OnHost(buffer.layout(), buffer.type())
                                                       : LayoutFrom(args->host_layout, buffer.type());
    if (args->dst == nullptr) {
      args->dst_size = HostBytes(buffer, layout);
      args->event = nullptr;
      return;
    }
    args->event = MakeEvent(BeginOrFailLater(*buffer.device(), [&] {
      return CopyToHost(buffer, layout, args->dst, args->dst_size);
    }));
  });
}

PJRT_Error* Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args* args) {
  return Call("PJRT_Buffer_CopyRawToHost", args, [&] {
    const Buffer& buffer = BufferOf(args->buffer);
    args->event = MakeEvent(BeginOrFailLater(*buffer.device(), [&] {
      return CopyRawToHost(buffer, args->dst, args->offset, args->transfer_size);
    }));
  });
}

PJRT_Error* Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args* args) {
  return Call("PJRT_Buffer_CopyRawToHostFuture", args, [&] {
    const Buffer& buffer = BufferOf(args->buffer);
    auto copy = std::make_unique<RawCopyPromise>(CopyRawToHostLater(buffer, args->offset, args->transfer_size));
    args->event = MakeEvent(copy->done);
    args->callback_data = copy.release();
    args->future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* answer) {
      // Called once: completes what waits for the data.
      const std::unique_ptr<RawCopyPromise> promise(static_cast<RawCopyPromise*>(answer->callback_data));
      promise->start(answer->dst, ErrorFromCaller(answer->error_code, answer->error_message, answer->error_message_size));
    };
  });
}

PJRT_Error* Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args* args) {
  return Call("PJRT_Buffer_CopyToDevice", args, [&] {
    const Buffer& buffer = BufferOf(args->buffer);
    Device& device = DeviceOf(args->dst_device, "dst_device");
    MemorySpace& memory = DefaultMemoryOf(device);
    args->dst_buffer = MakeBuffer(MakeOrFailLater(memory, buffer.type(), [&] {
      if (buffer.device() == &device) {
        throw InvalidArgument("the buffer is on device " + std::to_string(device.id()) + " already");
      }
      return CopyToMemory(buffer, &memory);
    }));
  });
}

PJRT_Error* Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args* args) {
  return Call("PJRT_Buffer_CopyToMemory", args, [&] {
    const Buffer& buffer = BufferOf(args->buffer);
    MemorySpace& memory = MemoryOf(args->dst_memory, "dst_memory");
    args->dst_buffer =
        MakeBuffer(MakeOrFailLater(memory, buffer.type(), [&] { return CopyToMemory(buffer, &memory); }));
  });
}

PJRT_Error* Buffer_DonateWithControlDependency(PJRT_Buffer_DonateWithControlDependency_Args* args) {
  return Call("PJRT_Buffer_DonateWithControlDependency", args, [&] {
    auto [buffer, dependency] = DonateWithDependency(BufferOf(args->buffer));
    args->out_buffer = MakeBuffer(std::move(buffer));
    args->callback_data = new EventPtr(std::move(dependency));
    args->dependency_ready_callback = [](PJRT_Buffer_DonateWithControlDependency_Callback_Args* answer) {
      const std::unique_ptr<EventPtr> event(static_cast<EventPtr*>(answer->callback_data));
      auto error = ErrorFromCaller(answer->error_code, answer->error_message, answer->error_message_size);
      if (error) {
        (*event)->SetError(std::move(*error));
      } else {
        (*event)->SetDone();
      }
    };
  });
}

}  // namespace reference::c_api
