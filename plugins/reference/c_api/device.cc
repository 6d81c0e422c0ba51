// PJRT_Device_*, PJRT_AsyncTrackingEvent_*: devices.
#include <memory>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"

namespace reference::c_api {
PJRT_Error* Device_GetDescription(PJRT_Device_GetDescription_Args* args) {
  return Call("PJRT_Device_GetDescription", args,
              [&] { args->device_description = Given(args->device, "device").description; });
}

PJRT_Error* Device_IsAddressable(PJRT_Device_IsAddressable_Args* args) {
  return Call("PJRT_Device_IsAddressable", args,
              [&] { args->is_addressable = DeviceOf(args->device).addressable(); });
}

PJRT_Error* Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args* args) {
  return Call("PJRT_Device_LocalHardwareId", args,
              [&] { args->local_hardware_id = DeviceOf(args->device).local_hardware_id(); });
}

PJRT_Error* Device_AddressableMemories(PJRT_Device_AddressableMemories_Args* args) {
  return Call("PJRT_Device_AddressableMemories", args, [&] {
    const PJRT_Device& device = Given(args->device, "device");
    args->memories = device.memories.data();
    args->num_memories = device.memories.size();
  });
}

PJRT_Error* Device_DefaultMemory(PJRT_Device_DefaultMemory_Args* args) {
  return Call("PJRT_Device_DefaultMemory", args, [&] {
    args->memory = HandleOf(DefaultMemoryOf(DeviceOf(args->device)));
  });
}

PJRT_Error* Device_MemoryStats(PJRT_Device_MemoryStats_Args* args) {
  return Call("PJRT_Device_MemoryStats", args, [&] {
    const MemoryStats stats = DefaultMemoryOf(DeviceOf(args->device)).stats();
    args->bytes_in_use = stats.bytes_in_use;
    args->peak_bytes_in_use = stats.peak_bytes_in_use;
    args->peak_bytes_in_use_is_set = true;
    args->num_allocs = stats.num_allocs;
    args->num_allocs_is_set = true;
    args->largest_alloc_size = stats.largest_alloc_size;
    args->largest_alloc_size_is_set = true;
    args->bytes_limit = stats.bytes_limit;
    args->bytes_limit_is_set = true;
    // There is no pool: memory comes from the process, one allocation per buffer.
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

PJRT_Error* Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args* args) {
  return Call("PJRT_Device_ClearMemoryStats", args,
              [&] { DefaultMemoryOf(DeviceOf(args->device)).ClearStats(); });
}

PJRT_Error* Device_PoisonExecution(PJRT_Device_PoisonExecution_Args* args) {
  return Call("PJRT_Device_PoisonExecution", args, [&] {
    Device& device = DeviceOf(args->device);
    Error error = CallersError(args->error_code, args->error_message, args->error_message_size);
    if (HAS(args, num_payload)) error.payloads = ReadPayloads(args->payload, args->num_payload);
    args->poisoned = device.PoisonLaunch(args->launch_id, error);
  });
}

PJRT_Error* Device_CreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args* args) {
  return Call("PJRT_Device_CreateAsyncTrackingEvent", args, [&] {
    Given(args->device, "device");
    // Descriptions of what callers wait for; unused here.
    args->event =
        new PJRT_AsyncTrackingEvent{GivenText(args->description, args->description_size, "description")};
  });
}

PJRT_Error* Device_GetAttributes(PJRT_Device_GetAttributes_Args* args) {
  return Call("PJRT_Device_GetAttributes", args, [&] {
    const Device& device = DeviceOf(args->device);
    auto owner = std::make_unique<PJRT_Device_Attributes>();
    if (device.addressable()) {
      owner->attributes.Add("local_hardware_id", int64_t{device.local_hardware_id()});
      owner->attributes.Add("memory_limit_bytes", device.default_memory()->stats().bytes_limit);
    }
    args->attributes = owner->attributes.data();
    args->num_attributes = owner->attributes.size();
    args->device_attributes = owner.release();
    args->attributes_deleter = [](PJRT_Device_Attributes* attributes) { delete attributes; };
  });
}

PJRT_Error* AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args* args) {
  return Call("PJRT_AsyncTrackingEvent_Destroy", args, [&] { delete args->event; });
}

}  // namespace reference::c_api
