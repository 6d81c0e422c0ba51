// Answers that are made when they are first asked for: the first differs from those after it.
#include "../wrapper/shared_set.h"
#include "calls.h"

namespace {

using namespace faults;

/** Changes the first answer about each object. */
#define LAZY(name, function, object, change)              \
  FAULT("lazy-" #name) {                                  \
    static SharedSet<const void*> asked;                  \
    After<SLOT(PJRT_##function)>([](auto& args) {         \
      if (asked.Add(args.object)) args.change;            \
    });                                                   \
  }

LAZY(client_platform_name, Client_PlatformName, client, platform_name_size -= 1)
LAZY(client_platform_version, Client_PlatformVersion, client, platform_version_size -= 1)
LAZY(client_devices, Client_Devices, client, num_devices -= 1)
LAZY(client_addressable_devices, Client_AddressableDevices, client, num_addressable_devices -= 1)
LAZY(device_memories, Device_AddressableMemories, device, num_memories -= 1)
LAZY(device_default_memory, Device_DefaultMemory, device, memory = nullptr)
LAZY(device_description, Device_GetDescription, device, device_description = nullptr)
LAZY(device_kind, DeviceDescription_Kind, device_description, device_kind_size -= 1)
LAZY(device_debug_string, DeviceDescription_DebugString, device_description, debug_string_size -= 1)
LAZY(device_to_string, DeviceDescription_ToString, device_description, to_string_size -= 1)
LAZY(device_attributes, DeviceDescription_Attributes, device_description, num_attributes -= 1)
LAZY(memory_kind, Memory_Kind, memory, kind_size -= 1)
LAZY(memory_debug_string, Memory_DebugString, memory, debug_string_size -= 1)
LAZY(memory_to_string, Memory_ToString, memory, to_string_size -= 1)
LAZY(topology_platform_name, TopologyDescription_PlatformName, topology, platform_name_size -= 1)
LAZY(topology_platform_version, TopologyDescription_PlatformVersion, topology, platform_version_size -= 1)
LAZY(topology_attributes, TopologyDescription_Attributes, topology, num_attributes -= 1)
LAZY(topology_devices, TopologyDescription_GetDeviceDescriptions, topology, num_descriptions -= 1)

}  // namespace
