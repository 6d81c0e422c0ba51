// PJRT_LoadedExecutable_*, except execution.
#include <string>
#include <utility>

#include "c_api/call.h"
#include "c_api/executable.h"
#include "c_api/functions.h"
#include "c_api/wrap.h"

struct PJRT_DeviceAssignmentSerialized {
  std::string bytes;
};

namespace reference {

namespace {

LoadedExecutable& LoadedOf(PJRT_LoadedExecutable* executable) { return *Given(executable, "executable").executable; }

}  // namespace

std::unique_ptr<PJRT_LoadedExecutable> MakeLoadedExecutable(std::shared_ptr<const Executable> executable,
                                                            std::shared_ptr<Client> client) {
  auto handle = std::make_unique<PJRT_LoadedExecutable>();
  handle->executable = std::make_shared<LoadedExecutable>(std::move(executable), std::move(client));
  for (const LogicalDevice& device : handle->executable->devices()) {
    handle->addressable_devices.push_back(HandleOf(*device.device));
    handle->logical_ids.push_back({device.replica, device.partition});
  }
  return handle;
}

namespace c_api {

PJRT_Error* LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args* args) {
  return Call("PJRT_LoadedExecutable_Destroy", args, [&] { delete args->executable; });
}

PJRT_Error* LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args* args) {
  return Call("PJRT_LoadedExecutable_GetExecutable", args, [&] {
    const LoadedExecutable& loaded = *Given(args->loaded_executable, "loaded_executable").executable;
    args->executable = MakeExecutable(loaded.executable()).release();
  });
}

PJRT_Error* LoadedExecutable_AddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args* args) {
  return Call("PJRT_LoadedExecutable_AddressableDevices", args, [&] {
    const PJRT_LoadedExecutable& executable = Given(args->executable, "executable");
    args->addressable_devices = executable.addressable_devices.data();
    args->num_addressable_devices = executable.addressable_devices.size();
  });
}

PJRT_Error* LoadedExecutable_AddressableDeviceLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args* args) {
  return Call("PJRT_LoadedExecutable_AddressableDeviceLogicalIds", args, [&] {
    PJRT_LoadedExecutable& executable = Given(args->executable, "executable");
    args->addressable_device_logical_ids = executable.logical_ids.data();
    args->num_addressable_device_logical_ids = executable.logical_ids.size();
  });
}

PJRT_Error* LoadedExecutable_GetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args* args) {
  return Call("PJRT_LoadedExecutable_GetDeviceAssignment", args, [&] {
    const auto& assignment = LoadedOf(args->executable).assignment();
    auto* serialized = new PJRT_DeviceAssignmentSerialized{assignment ? assignment->Serialize() : std::string()};
    args->serialized_bytes = serialized->bytes.data();
    args->serialized_bytes_size = serialized->bytes.size();
    args->serialized_device_assignment = serialized;
    args->serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized* bytes) { delete bytes; };
  });
}

PJRT_Error* LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args* args) {
  return Call("PJRT_LoadedExecutable_Delete", args, [&] { LoadedOf(args->executable).Delete(); });
}

PJRT_Error* LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args* args) {
  return Call("PJRT_LoadedExecutable_IsDeleted", args,
              [&] { args->is_deleted = LoadedOf(args->executable).deleted(); });
}

PJRT_Error* LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args* args) {
  return Call("PJRT_LoadedExecutable_Fingerprint", args, [&] {
    const std::string& fingerprint = LoadedOf(args->executable).executable()->fingerprint();
    args->executable_fingerprint = fingerprint.data();
    args->executable_fingerprint_size = fingerprint.size();
  });
}

}  // namespace c_api

}  // namespace reference
