// PJRT_Client_*: clients, their devices and memories.
#include <memory>
#include <utility>

#include "base/design.h"
#include "c_api/call.h"
#include "c_api/client_options.h"
#include "c_api/functions.h"
#include "c_api/key_value_store.h"
#include "c_api/platform.h"
#include "c_api/topology.h"
#include "c_api/wrap.h"

namespace reference {
namespace {

std::unique_ptr<PJRT_Client> MakeClient(std::shared_ptr<Client> client) {
  auto handle = std::make_unique<PJRT_Client>();
  const ClientOptions& options = client->options();
  handle->topology = MakeTopology(Topology(options.num_processes, options.num_devices));
  for (const auto& device : client->devices()) {
    auto device_handle = std::make_unique<PJRT_Device>();
    device_handle->device = device.get();
    device_handle->description = handle->topology->descriptions[static_cast<size_t>(device->id())];
    device->handle = device_handle.get();
    for (const auto& memory : device->memories()) {
      if (ThisDesign().no_memories) break;
      auto memory_handle = std::make_unique<MemoryHandle>();
      memory_handle->vtable = MemoryFunctionTable();
      memory_handle->memory = memory.get();
      memory_handle->devices = {device_handle.get()};
      memory->handle = static_cast<PJRT_Memory*>(memory_handle.get());
      device_handle->memories.push_back(memory_handle.get());
      handle->addressable_memories.push_back(memory_handle.get());
      handle->owned_memories.push_back(std::move(memory_handle));
    }
    if (!device_handle->memories.empty()) device_handle->default_memory = device_handle->memories.front();
    handle->devices.push_back(device_handle.get());
    if (device->addressable()) handle->addressable_devices.push_back(device_handle.get());
    handle->owned_devices.push_back(std::move(device_handle));
  }
  handle->client = std::move(client);
  return handle;
}

}  // namespace
}  // namespace reference

namespace reference::c_api {

PJRT_Error* Client_Create(PJRT_Client_Create_Args* args) {
  return Call("PJRT_Client_Create", args, [&] {
    ClientOptions options = ClientOptionsFrom(args->create_options, args->num_options);
    if (options.num_processes > 1) {
      options.processes = std::make_shared<ProcessGroup>(*KeyValueStoreOf(args), options.process_index,
                                                         options.num_processes, options.num_devices);
    } else if (ThisDesign().two_processes && options.process_index == 0) {
      options.num_processes = 2;
      options.process_index = 1;
    }
    auto client = std::make_shared<Client>(std::move(options));
    args->client = MakeClient(std::move(client)).release();
  });
}

PJRT_Error* Client_Destroy(PJRT_Client_Destroy_Args* args) {
  return Call("PJRT_Client_Destroy", args, [&] {
    if (args->client == nullptr) return;
    Client& client = *args->client->client;
    client.Shutdown();
    // Memories keep callers' data until here, even if the client is still referenced.
    for (MemorySpace* memory : client.addressable_memories()) memory->ClearUserData();
    delete args->client;
  });
}

PJRT_Error* Client_PlatformName(PJRT_Client_PlatformName_Args* args) {
  return Call("PJRT_Client_PlatformName", args, [&] {
    Given(args->client, "client");
    args->platform_name = kPlatformName.data();
    args->platform_name_size = kPlatformName.size();
  });
}

PJRT_Error* Client_PlatformVersion(PJRT_Client_PlatformVersion_Args* args) {
  return Call("PJRT_Client_PlatformVersion", args, [&] {
    Given(args->client, "client");
    args->platform_version = PlatformVersion().data();
    args->platform_version_size = PlatformVersion().size();
  });
}

PJRT_Error* Client_ProcessIndex(PJRT_Client_ProcessIndex_Args* args) {
  return Call("PJRT_Client_ProcessIndex", args,
              [&] { args->process_index = ClientOf(args->client).process_index(); });
}

PJRT_Error* Client_TopologyDescription(PJRT_Client_TopologyDescription_Args* args) {
  return Call("PJRT_Client_TopologyDescription", args,
              [&] { args->topology = Given(args->client, "client").topology.get(); });
}

PJRT_Error* Client_Devices(PJRT_Client_Devices_Args* args) {
  return Call("PJRT_Client_Devices", args, [&] {
    const PJRT_Client& client = Given(args->client, "client");
    args->devices = client.devices.data();
    args->num_devices = client.devices.size();
  });
}

PJRT_Error* Client_AddressableDevices(PJRT_Client_AddressableDevices_Args* args) {
  return Call("PJRT_Client_AddressableDevices", args, [&] {
    const PJRT_Client& client = Given(args->client, "client");
    args->addressable_devices = client.addressable_devices.data();
    args->num_addressable_devices = client.addressable_devices.size();
  });
}

PJRT_Error* Client_AddressableMemories(PJRT_Client_AddressableMemories_Args* args) {
  return Call("PJRT_Client_AddressableMemories", args, [&] {
    const PJRT_Client& client = Given(args->client, "client");
    args->addressable_memories = client.addressable_memories.data();
    args->num_addressable_memories = client.addressable_memories.size();
  });
}

PJRT_Error* Client_LookupDevice(PJRT_Client_LookupDevice_Args* args) {
  return Call("PJRT_Client_LookupDevice", args,
              [&] { args->device = HandleOf(*ClientOf(args->client).LookupDevice(args->id)); });
}

PJRT_Error* Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args* args) {
  return Call("PJRT_Client_LookupAddressableDevice", args, [&] {
    const Client& client = ClientOf(args->client);
    args->addressable_device = HandleOf(*client.LookupAddressableDevice(args->local_hardware_id));
  });
}

PJRT_Error* Client_DmaMap(PJRT_Client_DmaMap_Args* args) {
  return Call("PJRT_Client_DmaMap", args, [&] { ClientOf(args->client).DmaMap(args->data, args->size); });
}

PJRT_Error* Client_DmaUnmap(PJRT_Client_DmaUnmap_Args* args) {
  return Call("PJRT_Client_DmaUnmap", args, [&] { ClientOf(args->client).DmaUnmap(args->data); });
}

}  // namespace reference::c_api
