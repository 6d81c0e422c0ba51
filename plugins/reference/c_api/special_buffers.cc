// Buffers that do not come from host data: PJRT_Client_CreateUninitializedBuffer, CreateErrorBuffer, CreateAliasBuffer,
// FulfillAliasBuffer and CreateViewOfDeviceBuffer.
#include <memory>
#include <utility>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/late.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"
#include "runtime/device_format.h"
#include "runtime/transfers.h"

namespace reference::c_api {
namespace {

// Completed on the device's thread, like everything else.
void CompleteLater(Device& device, std::shared_ptr<Contents> contents) {
  device.queue(Work::kToDevice).Schedule({}, [contents = std::move(contents)](const Error* failed) mutable {
    const EventPtr ready = contents->ready;
    contents.reset();
    if (failed == nullptr) {
      ready->SetDone();
    } else {
      ready->SetError(*failed);
    }
  });
}

}  // namespace

PJRT_Error* Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args* args) {
  return Call("PJRT_Client_CreateUninitializedBuffer", args, [&] {
    MemorySpace& memory = PlaceOf(args->client, args->device, args->memory);
    const ArrayType type = StorableTypeFrom(args->shape_element_type, args->shape_dims, args->shape_num_dims);
    args->buffer = MakeBuffer(MakeOrFailLater(memory, type, [&] {
      auto buffer = Buffer::Allocate(&memory, type, LayoutFrom(args->shape_layout, type));
      CompleteLater(*memory.device(), buffer->Use().contents);
      return buffer;
    }));
  });
}

PJRT_Error* Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args* args) {
  return Call("PJRT_Client_CreateErrorBuffer", args, [&] {
    MemorySpace& memory = PlaceOf(args->client, args->memory);
    ArrayType type = ArrayTypeFrom(args->shape_element_type, args->shape_dims, args->shape_num_dims);
    // Callers that know the newer field no longer use the older one, which says nothing then.
    Layout layout = LayoutFrom(HAS(args, device_layout) ? args->device_layout : args->shape_layout, type);
    Error error = CallersError(args->error_code, args->error_message, args->error_message_size);
    if (HAS(args, num_payload)) error.payloads = ReadPayloads(args->payload, args->num_payload);
    auto contents = Contents::Failed(DeviceBytes(type, layout), std::move(error));
    args->buffer = MakeBuffer(
        std::make_unique<Buffer>(&memory, std::move(type), std::move(layout), std::move(contents)));
  });
}

PJRT_Error* Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args* args) {
  return Call("PJRT_Client_CreateAliasBuffer", args, [&] {
    MemorySpace& memory = PlaceOf(args->client, args->memory);
    ArrayType type = StorableTypeFrom(args->shape_element_type, args->shape_dims, args->shape_num_dims);
    Layout layout = LayoutFrom(args->shape_layout, type);
    auto [buffer, alias] = CreateAlias(&memory, std::move(type), std::move(layout));
    args->alias_buffer = MakeBuffer(std::move(buffer));
    args->fulfill_alias_buffer_cb = new PJRT_FulfillAliasBufferCallback{std::move(alias)};
  });
}

PJRT_Error* Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args* args) {
  return Call("PJRT_Client_FulfillAliasBuffer", args, [&] {
    // Ignores the client: frameworks leave it unset.
    Given(args->fulfill_alias_buffer_cb, "fulfill_alias_buffer_cb");
    // The handle is consumed even on failure.
    const std::unique_ptr<PJRT_FulfillAliasBufferCallback> handle(args->fulfill_alias_buffer_cb);
    Alias& alias = *handle->alias;
    try {
      auto error = ErrorFromCaller(args->status_code, args->error_message, args->error_message_size);
      if (error) {
        FulfillAlias(alias, std::move(*error));
      } else {
        FulfillAlias(alias, BufferOf(args->buffer));
      }
    } catch (const Error& error) {
      // Nothing else will complete it.
      FulfillAlias(alias, error);
      throw;
    }
  });
}

PJRT_Error* Client_CreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args* args) {
  return Call("PJRT_Client_CreateViewOfDeviceBuffer", args, [&] {
    MemorySpace& memory = PlaceOf(args->client, args->device, HAS(args, memory) ? args->memory : nullptr);
    ArrayType type = StorableTypeFrom(args->element_type, args->dims, args->num_dims);
    Layout layout = LayoutFrom(args->layout, type);
    const size_t bytes = DeviceBytes(type, layout);
    if (args->device_buffer_ptr == nullptr && bytes > 0) throw InvalidArgument("device_buffer_ptr is null");
    auto contents = std::make_shared<Contents>();
    auto buffer = std::make_unique<Buffer>(&memory, std::move(type), std::move(layout), contents);
    contents->bytes = bytes;
    contents->storage = std::shared_ptr<std::byte>(
        memory.ByteAt(args->device_buffer_ptr), [callback = args->on_delete_callback, user_arg = args->on_delete_callback_arg,
                                                 address = args->device_buffer_ptr](std::byte*) {
          if (callback != nullptr) callback(address, user_arg);
        });
    CompleteLater(*memory.device(), std::move(contents));
    args->buffer = MakeBuffer(std::move(buffer));
  });
}

}  // namespace reference::c_api
