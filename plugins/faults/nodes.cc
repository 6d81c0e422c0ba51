// Jobs of several processes: clients that list devices which they cannot address.
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "calls.h"

namespace {

using namespace faults;

bool IsAddressable(PJRT_Device* device) {
  ARGS(PJRT_Device_IsAddressable, args);
  args.device = device;
  return !Ask(Base().PJRT_Device_IsAddressable, args) || args.is_addressable;
}
std::vector<PJRT_Device*> DevicesOf(PJRT_Client* client) {
  ARGS(PJRT_Client_Devices, args);
  args.client = client;
  if (!Ask(Base().PJRT_Client_Devices, args)) return {};
  return {args.devices, args.devices + args.num_devices};
}
std::vector<PJRT_Device*> OwnDevicesOf(PJRT_Client* client) {
  std::vector<PJRT_Device*> devices = DevicesOf(client);
  devices.erase(std::remove_if(devices.begin(), devices.end(), [](auto* device) { return !IsAddressable(device); }),
                devices.end());
  return devices;
}
PJRT_DeviceDescription* DescriptionOf(PJRT_Device* device) {
  ARGS(PJRT_Device_GetDescription, args);
  args.device = device;
  return Ask(Base().PJRT_Device_GetDescription, args) ? args.device_description : nullptr;
}
int ProcessOf(PJRT_Client* client) {
  ARGS(PJRT_Client_ProcessIndex, args);
  args.client = client;
  return Ask(Base().PJRT_Client_ProcessIndex, args) ? args.process_index : 0;
}
bool IsOfAJob(PJRT_Client* client) { return OwnDevicesOf(client).size() < DevicesOf(client).size(); }

FAULT("node-lists-only-its-own-devices") {
  After<SLOT(PJRT_Client_Devices)>([](auto& args) {
    ChangeList(args.devices, args.num_devices, [&args](auto& list) { list = OwnDevicesOf(args.client); });
  });
}
FAULT("node-numbers-devices-by-itself") {
  // Each process counts its devices from 0.
  static std::atomic<int> own{0};
  After<SLOT(PJRT_Client_Create)>([](auto& args) {
    if (IsOfAJob(args.client)) own = static_cast<int>(OwnDevicesOf(args.client).size());
  });
  After<SLOT(PJRT_DeviceDescription_Id)>([](auto& args) {
    if (own > 0) args.id %= own;
  });
}
FAULT("node-addresses-all-devices") {
  After<SLOT(PJRT_Client_AddressableDevices)>([](auto& args) {
    ChangeList(args.addressable_devices, args.num_addressable_devices, [&args](auto& list) { list = DevicesOf(args.client); });
  });
}
FAULT("remote-device-in-own-process") {
  static std::mutex mutex;
  static std::map<PJRT_DeviceDescription*, int> own;
  After<SLOT(PJRT_Client_Create)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (PJRT_Device* device : DevicesOf(args.client)) own[DescriptionOf(device)] = ProcessOf(args.client);
  });
  After<SLOT(PJRT_DeviceDescription_ProcessIndex)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = own.find(args.device_description);
    if (found != own.end()) args.process_index = found->second;
  });
}
FAULT("remote-device-says-addressable") {
  After<SLOT(PJRT_Device_IsAddressable)>([](auto& args) { args.is_addressable = true; });
}
FAULT("remote-device-not-found") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || IsAddressable(args.device)) return error;
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no such device in this process");
  });
}
FAULT("remote-device-shares-local-id") {
  // Local hardware ids are looked up among all devices, in the order of the list.
  After<SLOT(PJRT_Client_LookupAddressableDevice)>([](auto& args) {
    const std::vector<PJRT_Device*> own = OwnDevicesOf(args.client), all = DevicesOf(args.client);
    const auto at = std::find(own.begin(), own.end(), args.addressable_device);
    if (at != own.end()) args.addressable_device = all[static_cast<size_t>(at - own.begin())];
  });
}
FAULT("remote-transfer-lands-at-home") {
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.device == nullptr || IsAddressable(args.device)) return original(&args);
    return With(args, original, args.device, OwnDevicesOf(args.client).at(0));
  });
}
FAULT("remote-transfer-crashes") {
  Before<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (args.device == nullptr || IsAddressable(args.device)) return;
    // A device of another process has no memory.
    PJRT_Memory* volatile none = nullptr;
    *reinterpret_cast<volatile int*>(none) = 1;
  });
}
FAULT("remote-statistics-of-another-device") {
  Replace<SLOT(PJRT_Device_MemoryStats)>([](auto& args, auto& original) -> PJRT_Error* {
    static PJRT_Device* known = nullptr;
    if (IsAddressable(args.device)) {
      known = args.device;
      return original(&args);
    }
    return known == nullptr ? original(&args) : With(args, original, args.device, known);
  });
}
FAULT("node-never-runs-alone") {
  OwnErrors();
  static std::atomic<bool> job{false};
  After<SLOT(PJRT_Client_Create)>([](auto& args) {
    if (IsOfAJob(args.client)) job = true;
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    return job ? MakeError(PJRT_Error_Code_DEADLINE_EXCEEDED, "the other processes did not launch the program") : original(&args);
  });
}
FAULT("process-failure-spreads") {
  OwnErrors();
  static std::atomic<bool> failed{false};
  After<SLOT(PJRT_Client_UpdateGlobalProcessInfo)>([](auto& args) {
    for (size_t i = 0; i < args.num_process_infos; ++i) {
      if (args.process_infos[i].state == PJRT_ProcessState_kError) failed = true;
    }
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    return failed ? MakeError(PJRT_Error_Code_UNAVAILABLE, "another process has failed") : original(&args);
  });
}

}  // namespace
