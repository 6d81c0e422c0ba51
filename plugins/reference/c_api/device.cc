// PJRT_Device_*, PJRT_AsyncTrackingEvent_*: devices.
#include <string>

#include "c_api/call.h"
#include "c_api/handles.h"
#include "c_api/shapes.h"

// A description of what somebody waits for; nothing here looks at it.
struct PJRT_AsyncTrackingEvent {
  std::string description;
};

namespace reference {
namespace {

const Device& Addressable(PJRT_Device* handle) {
  const Device& device = *Get(handle, "device").device;
  if (!device.addressable()) {
    throw InvalidArgument("device " + std::to_string(device.id()) + " belongs to another process");
  }
  return device;
}

}  // namespace

PJRT_Error* PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args* args) {
  return Call("PJRT_Device_GetDescription", args,
              [&] { args->device_description = Get(args->device, "device").description; });
}

PJRT_Error* PJRT_Device_IsAddressable(PJRT_Device_IsAddressable_Args* args) {
  return Call("PJRT_Device_IsAddressable", args,
              [&] { args->is_addressable = Get(args->device, "device").device->addressable(); });
}

PJRT_Error* PJRT_Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args* args) {
  return Call("PJRT_Device_LocalHardwareId", args,
              [&] { args->local_hardware_id = Get(args->device, "device").device->local_hardware_id(); });
}

PJRT_Error* PJRT_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args* args) {
  return Call("PJRT_Device_AddressableMemories", args, [&] {
    const PJRT_Device& device = Get(args->device, "device");
    args->memories = device.memories.data();
    args->num_memories = device.memories.size();
  });
}

PJRT_Error* PJRT_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args* args) {
  return Call("PJRT_Device_DefaultMemory", args, [&] {
    args->memory = HandleOf(*Addressable(args->device).default_memory());
  });
}

PJRT_Error* PJRT_Device_MemoryStats(PJRT_Device_MemoryStats_Args* args) {
  return Call("PJRT_Device_MemoryStats", args, [&] {
    const MemoryStats stats = Addressable(args->device).default_memory()->stats();
    args->bytes_in_use = stats.bytes_in_use;
    args->peak_bytes_in_use = stats.peak_bytes_in_use;
    args->peak_bytes_in_use_is_set = true;
    args->num_allocs = stats.num_allocs;
    args->num_allocs_is_set = true;
    args->largest_alloc_size = stats.largest_alloc_size;
    args->largest_alloc_size_is_set = true;
    args->bytes_limit = stats.bytes_limit;
    args->bytes_limit_is_set = true;
    // There is no pool: memory comes from the process, one allocation a buffer.
    args->bytes_reserved_is_set = false;
    args->peak_bytes_reserved_is_set = false;
    args->bytes_reservable_limit_is_set = false;
    args->largest_free_block_bytes_is_set = false;
    args->pool_bytes_is_set = false;
    args->peak_pool_bytes_is_set = false;
    if (HAS(args, peak_allocated_bytes)) args->peak_allocated_bytes = stats.peak_bytes_in_use;
    if (HAS(args, peak_allocated_bytes_is_set)) args->peak_allocated_bytes_is_set = true;
  });
}

PJRT_Error* PJRT_Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args* args) {
  return Call("PJRT_Device_ClearMemoryStats", args,
              [&] { Addressable(args->device).default_memory()->ClearStats(); });
}

PJRT_Error* PJRT_Device_PoisonExecution(PJRT_Device_PoisonExecution_Args* args) {
  return Call("PJRT_Device_PoisonExecution", args, [&] {
    Addressable(args->device);
    Error error = ErrorFrom(args->error_code, args->error_message, args->error_message_size);
    if (HAS(args, num_payload)) error.payloads = PayloadsFrom(args->payload, args->num_payload);
    args->poisoned = args->device->device->PoisonLaunch(args->launch_id, error);
  });
}

PJRT_Error* PJRT_Device_CreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args* args) {
  return Call("PJRT_Device_CreateAsyncTrackingEvent", args, [&] {
    Get(args->device, "device");
    if (args->description == nullptr && args->description_size > 0) {
      throw InvalidArgument("the description is null but has a length");
    }
    args->event = new PJRT_AsyncTrackingEvent{
        args->description_size == 0 ? "" : std::string(args->description, args->description_size)};
  });
}

PJRT_Error* PJRT_AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args* args) {
  return Call("PJRT_AsyncTrackingEvent_Destroy", args, [&] { delete args->event; });
}

}  // namespace reference
