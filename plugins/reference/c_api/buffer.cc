// PJRT_Buffer_*: what a buffer says of itself, and its lifetime.
#include <utility>

#include "c_api/call.h"
#include "c_api/handles.h"
#include "c_api/shapes.h"
#include "runtime/transfers.h"

namespace reference {
namespace {

Buffer& Get(PJRT_Buffer* handle) { return *reference::Get(handle, "buffer").buffer; }

}  // namespace

PJRT_Error* PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args* args) {
  return Call("PJRT_Buffer_Destroy", args, [&] { delete args->buffer; });
}

PJRT_Error* PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args* args) {
  return Call("PJRT_Buffer_ElementType", args,
              [&] { args->type = static_cast<PJRT_Buffer_Type>(Get(args->buffer).type().type); });
}

PJRT_Error* PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args* args) {
  return Call("PJRT_Buffer_Dimensions", args, [&] {
    const Dims& dims = Get(args->buffer).type().dims;
    args->dims = dims.data();
    args->num_dims = dims.size();
  });
}

PJRT_Error* PJRT_Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args* args) {
  return Call("PJRT_Buffer_UnpaddedDimensions", args, [&] {
    const Dims& dims = Get(args->buffer).unpadded_dims();
    args->unpadded_dims = dims.data();
    args->num_dims = dims.size();
  });
}

PJRT_Error* PJRT_Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args* args) {
  return Call("PJRT_Buffer_DynamicDimensionIndices", args, [&] {
    const std::vector<size_t>& indices = Get(args->buffer).dynamic_dimensions();
    args->dynamic_dim_indices = indices.data();
    args->num_dynamic_dims = indices.size();
  });
}

PJRT_Error* PJRT_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args* args) {
  return Call("PJRT_Buffer_GetMemoryLayout", args,
              [&] { args->layout = reference::Get(args->buffer, "buffer").layout.form; });
}

PJRT_Error* PJRT_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args* args) {
  return Call("PJRT_Buffer_OnDeviceSizeInBytes", args,
              [&] { args->on_device_size_in_bytes = Get(args->buffer).bytes(); });
}

PJRT_Error* PJRT_Buffer_Device(PJRT_Buffer_Device_Args* args) {
  return Call("PJRT_Buffer_Device", args, [&] { args->device = HandleOf(*Get(args->buffer).device()); });
}

PJRT_Error* PJRT_Buffer_Memory(PJRT_Buffer_Memory_Args* args) {
  return Call("PJRT_Buffer_Memory", args, [&] { args->memory = HandleOf(*Get(args->buffer).memory()); });
}

PJRT_Error* PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args* args) {
  return Call("PJRT_Buffer_IsOnCpu", args, [&] {
    Get(args->buffer);
    args->is_on_cpu = true;
  });
}

PJRT_Error* PJRT_Buffer_Delete(PJRT_Buffer_Delete_Args* args) {
  return Call("PJRT_Buffer_Delete", args, [&] { Get(args->buffer).Delete(); });
}

PJRT_Error* PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args* args) {
  return Call("PJRT_Buffer_IsDeleted", args, [&] { args->is_deleted = Get(args->buffer).deleted(); });
}

PJRT_Error* PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args* args) {
  return Call("PJRT_Buffer_ReadyEvent", args, [&] { args->event = MakeEvent(Get(args->buffer).ready()); });
}

PJRT_Error* PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args* args) {
  return Call("PJRT_Buffer_UnsafePointer", args,
              [&] { args->buffer_pointer = reinterpret_cast<uintptr_t>(Get(args->buffer).pointer()); });
}

PJRT_Error* PJRT_Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args) {
  return Call("PJRT_Buffer_OpaqueDeviceMemoryDataPointer", args,
              [&] { args->device_memory_ptr = Get(args->buffer).pointer(); });
}

PJRT_Error* PJRT_Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args* args) {
  return Call("PJRT_Buffer_IncreaseExternalReferenceCount", args, [&] { Get(args->buffer).AddExternalReference(); });
}

PJRT_Error* PJRT_Buffer_DecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args* args) {
  return Call("PJRT_Buffer_DecreaseExternalReferenceCount", args, [&] { Get(args->buffer).DropExternalReference(); });
}

PJRT_Error* PJRT_Buffer_Bitcast(PJRT_Buffer_Bitcast_Args* args) {
  return Call("PJRT_Buffer_Bitcast", args, [&] {
    Buffer& source = Get(args->buffer);
    ArrayType type = StorableTypeFrom(args->element_type, args->dims, args->num_dims);
    Layout layout = LayoutFrom(args->device_layout, type);
    args->out_buffer = MakeBuffer(Buffer::Bitcast(source, std::move(type), std::move(layout)));
  });
}

}  // namespace reference
