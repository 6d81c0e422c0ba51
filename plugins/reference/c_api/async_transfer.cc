// PJRT_AsyncHostToDeviceTransferManager_*, PJRT_Client_CreateBuffersForAsyncHostToDevice.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/late.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"
#include "runtime/transfer_manager.h"

namespace reference::c_api {
namespace {

TransferManager& Get(PJRT_AsyncHostToDeviceTransferManager* handle) {
  return *Given(handle, "transfer_manager").manager;
}

}  // namespace

PJRT_Error* Client_CreateBuffersForAsyncHostToDevice(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args* args) {
  return Call("PJRT_Client_CreateBuffersForAsyncHostToDevice", args, [&] {
    MemorySpace& memory = PlaceOf(args->client, args->memory);
    GivenArray(args->shape_specs, args->num_shape_specs, "shape_specs");
    const bool layouts = args->device_layouts != nullptr && args->num_device_layouts > 0;
    if (args->num_device_layouts > 0 && args->num_device_layouts != args->num_shape_specs) {
      throw InvalidArgument("there are " + std::to_string(args->num_device_layouts) + " layouts for " +
                            std::to_string(args->num_shape_specs) + " shapes");
    }
    std::vector<std::pair<ArrayType, Layout>> shapes;
    for (size_t i = 0; i < args->num_shape_specs; i++) {
      const PJRT_ShapeSpec& spec = args->shape_specs[i];
      ArrayType type = ArrayTypeFrom(spec.element_type, spec.dims, spec.num_dims);
      Layout layout = LayoutFrom(layouts ? args->device_layouts[i] : nullptr, type);
      shapes.emplace_back(std::move(type), std::move(layout));
    }
    args->transfer_manager =
        new PJRT_AsyncHostToDeviceTransferManager{std::make_unique<TransferManager>(&memory, shapes)};
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_Destroy(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args* args) {
  return Call("PJRT_AsyncHostToDeviceTransferManager_Destroy", args, [&] { delete args->transfer_manager; });
}

PJRT_Error* AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args* args) {
  return Call("PJRT_AsyncHostToDeviceTransferManager_TransferData", args, [&] {
    TransferManager& manager = Get(args->transfer_manager);
    args->done_with_h2d_transfer = MakeEvent(BeginOrFailLater(*manager.memory()->device(), [&] {
      return manager.TransferData(args->buffer_index, args->data, args->offset, args->transfer_size,
                                  args->is_last_transfer);
    }));
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args* args) {
  return Call("PJRT_AsyncHostToDeviceTransferManager_TransferLiteral", args, [&] {
    TransferManager& manager = Get(args->transfer_manager);
    const ArrayType type = ArrayTypeFrom(args->shape_element_type, args->shape_dims, args->shape_num_dims);
    args->done_with_h2d_transfer = MakeEvent(BeginOrFailLater(*manager.memory()->device(), [&] {
      // A literal is in host memory.
      const Layout layout =
          args->shape_layout == nullptr ? Layout::RowMajor(type.dims.size()) : LayoutFrom(args->shape_layout, type);
      return manager.TransferLiteral(args->buffer_index, args->data, type, layout);
    }));
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args* args) {
  return Call("PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer", args, [&] {
    args->buffer_out = MakeBuffer(Get(args->transfer_manager).RetrieveBuffer(args->buffer_index));
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_Device(PJRT_AsyncHostToDeviceTransferManager_Device_Args* args) {
  return Call("PJRT_AsyncHostToDeviceTransferManager_Device", args,
              [&] { args->device_out = HandleOf(*Get(args->transfer_manager).memory()->device()); });
}

PJRT_Error* AsyncHostToDeviceTransferManager_BufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args* args) {
  return Call("PJRT_AsyncHostToDeviceTransferManager_BufferCount", args,
              [&] { args->buffer_count = Get(args->transfer_manager).size(); });
}

PJRT_Error* AsyncHostToDeviceTransferManager_BufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args* args) {
  return Call("PJRT_AsyncHostToDeviceTransferManager_BufferSize", args,
              [&] { args->buffer_size = Get(args->transfer_manager).buffer_bytes(args->buffer_index); });
}

PJRT_Error* AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args* args) {
  return Call("PJRT_AsyncHostToDeviceTransferManager_SetBufferError", args, [&] {
    Get(args->transfer_manager)
        .SetError(args->buffer_index, CallersError(args->error_code, args->error_message, args->error_message_size));
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_AddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args* args) {
  return Call("PJRT_AsyncHostToDeviceTransferManager_AddMetadata", args, [&] {
    Get(args->transfer_manager);
    // Text that a profiler may show: validated, and otherwise ignored.
    ReadPayloads(args->transfer_metadata, args->num_metadata);
  });
}

}  // namespace reference::c_api
