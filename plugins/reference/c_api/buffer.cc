// PJRT_Buffer_*: properties of a buffer, and its lifetime.
#include <utility>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/late.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"
#include "runtime/transfers.h"

namespace reference::c_api {
PJRT_Error* Buffer_Destroy(PJRT_Buffer_Destroy_Args* args) {
  return Call("PJRT_Buffer_Destroy", args, [&] { delete args->buffer; });
}

PJRT_Error* Buffer_ElementType(PJRT_Buffer_ElementType_Args* args) {
  return Call("PJRT_Buffer_ElementType", args,
              [&] { args->type = static_cast<PJRT_Buffer_Type>(BufferOf(args->buffer).type().type); });
}

PJRT_Error* Buffer_Dimensions(PJRT_Buffer_Dimensions_Args* args) {
  return Call("PJRT_Buffer_Dimensions", args, [&] {
    const Dims& dims = BufferOf(args->buffer).type().dims;
    args->dims = dims.data();
    args->num_dims = dims.size();
  });
}

PJRT_Error* Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args* args) {
  return Call("PJRT_Buffer_UnpaddedDimensions", args, [&] {
    const Dims& dims = BufferOf(args->buffer).unpadded_dims();
    args->unpadded_dims = dims.data();
    args->num_dims = dims.size();
  });
}

PJRT_Error* Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args* args) {
  return Call("PJRT_Buffer_DynamicDimensionIndices", args, [&] {
    const std::vector<size_t>& indices = BufferOf(args->buffer).dynamic_dimensions();
    args->dynamic_dim_indices = indices.data();
    args->num_dynamic_dims = indices.size();
  });
}

PJRT_Error* Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args* args) {
  return Call("PJRT_Buffer_GetMemoryLayout", args, [&] {
    const PJRT_Buffer& handle = Given(args->buffer, "buffer");
    const Layout& layout = handle.buffer->layout();
    args->layout = {};
    args->layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
    if (layout.strided) {
      args->layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
      args->layout.strides = {PJRT_Buffer_MemoryLayout_Strides_STRUCT_SIZE, nullptr, layout.byte_strides.data(),
                              layout.byte_strides.size()};
      return;
    }
    args->layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    args->layout.tiled = {PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                          nullptr,
                          layout.minor_to_major.data(),
                          layout.minor_to_major.size(),
                          handle.tile_dims.data(),
                          handle.tile_dim_sizes.data(),
                          handle.tile_dim_sizes.size()};
  });
}

PJRT_Error* Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args* args) {
  return Call("PJRT_Buffer_OnDeviceSizeInBytes", args,
              [&] { args->on_device_size_in_bytes = BufferOf(args->buffer).bytes(); });
}

PJRT_Error* Buffer_Device(PJRT_Buffer_Device_Args* args) {
  return Call("PJRT_Buffer_Device", args, [&] { args->device = HandleOf(*BufferOf(args->buffer).device()); });
}

PJRT_Error* Buffer_Memory(PJRT_Buffer_Memory_Args* args) {
  return Call("PJRT_Buffer_Memory", args, [&] { args->memory = HandleOf(*BufferOf(args->buffer).memory()); });
}

PJRT_Error* Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args* args) {
  return Call("PJRT_Buffer_IsOnCpu", args, [&] {
    args->is_on_cpu = BufferOf(args->buffer).memory()->host_addressable();
  });
}

PJRT_Error* Buffer_Delete(PJRT_Buffer_Delete_Args* args) {
  return Call("PJRT_Buffer_Delete", args, [&] { BufferOf(args->buffer).Delete(); });
}

PJRT_Error* Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args* args) {
  return Call("PJRT_Buffer_IsDeleted", args, [&] { args->is_deleted = BufferOf(args->buffer).deleted(); });
}

PJRT_Error* Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args* args) {
  return Call("PJRT_Buffer_ReadyEvent", args, [&] { args->event = MakeEvent(BufferOf(args->buffer).ready()); });
}

PJRT_Error* Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args* args) {
  return Call("PJRT_Buffer_UnsafePointer", args,
              [&] { args->buffer_pointer = reinterpret_cast<uintptr_t>(BufferOf(args->buffer).pointer()); });
}

PJRT_Error* Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args) {
  return Call("PJRT_Buffer_OpaqueDeviceMemoryDataPointer", args,
              [&] { args->device_memory_ptr = BufferOf(args->buffer).pointer(); });
}

PJRT_Error* Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args* args) {
  return Call("PJRT_Buffer_IncreaseExternalReferenceCount", args, [&] { BufferOf(args->buffer).AddExternalReference(); });
}

PJRT_Error* Buffer_DecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args* args) {
  return Call("PJRT_Buffer_DecreaseExternalReferenceCount", args, [&] { BufferOf(args->buffer).DropExternalReference(); });
}

PJRT_Error* Buffer_Bitcast(PJRT_Buffer_Bitcast_Args* args) {
  return Call("PJRT_Buffer_Bitcast", args, [&] {
    Buffer& source = BufferOf(args->buffer);
    const ArrayType type = StorableTypeFrom(args->element_type, args->dims, args->num_dims);
    args->out_buffer = MakeBuffer(MakeOrFailLater(*source.memory(), type, [&] {
      return Buffer::Bitcast(source, type, LayoutFrom(args->device_layout, type));
    }));
  });
}

}  // namespace reference::c_api
