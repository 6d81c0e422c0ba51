// The opaque structs of the C API: thin owners of runtime objects, with the data that callers may read as long as the
// handle lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "c_api/named_values.h"
#include "pjrt_c_api.h"
#include "runtime/event.h"

namespace reference {

class Buffer;
class Client;
class Device;
class Executable;
class ExecuteContext;
class LoadedExecutable;
class MemorySpace;
class Topology;
class TransferManager;
class CopyStream;
struct Alias;

// PJRT_Memory has a first word that the API prescribes.
struct MemoryHandle : PJRT_Memory {
  MemorySpace* memory = nullptr;
  std::vector<PJRT_Device*> devices;  // devices that address it
};

inline MemoryHandle& HandleOf(PJRT_Memory& memory) { return static_cast<MemoryHandle&>(memory); }

}  // namespace reference

struct PJRT_Event {
  reference::EventPtr event;
  bool created = false;  // created by PJRT_Event_Create, so that PJRT_Event_Set may complete it
};

struct PJRT_DeviceDescription {
  int id = 0;
  int process_index = 0;
  std::string kind;
  std::string debug_string;
  std::string to_string;
  reference::NamedValues attributes;
};

struct PJRT_TopologyDescription {
  std::shared_ptr<const reference::Topology> topology;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> owned_descriptions;
  std::vector<PJRT_DeviceDescription*> descriptions;
  std::vector<int> memory_kind_ids;
  reference::NamedValues attributes;
};

struct PJRT_Device {
  reference::Device* device = nullptr;
  PJRT_DeviceDescription* description = nullptr;  // of the client's topology
  std::vector<PJRT_Memory*> memories;
  PJRT_Memory* default_memory = nullptr;
};

// Device::handle and MemorySpace::handle point to the handles of a client's devices (PJRT_Device*) and memories
// (PJRT_Memory*).
struct PJRT_Client {
  std::shared_ptr<reference::Client> client;
  std::unique_ptr<PJRT_TopologyDescription> topology;
  std::vector<std::unique_ptr<PJRT_Device>> owned_devices;
  std::vector<std::unique_ptr<reference::MemoryHandle>> owned_memories;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Device*> addressable_devices;
  std::vector<PJRT_Memory*> addressable_memories;
};

struct PJRT_Buffer {
  std::unique_ptr<reference::Buffer> buffer;
  // The result of PJRT_Buffer_GetMemoryLayout.
  std::vector<int64_t> tile_dims;
  std::vector<size_t> tile_dim_sizes;
};

struct PJRT_Executable {
  std::shared_ptr<const reference::Executable> executable;
  // List results, created with the handle.
  std::vector<PJRT_Buffer_Type> output_types;
  std::vector<int64_t> output_dims;
  std::vector<size_t> output_dim_sizes;
  std::vector<const char*> output_memory_kinds;
  std::vector<size_t> output_memory_kind_sizes;
  std::vector<const char*> parameter_memory_kinds;
  std::vector<size_t> parameter_memory_kind_sizes;
  reference::NamedValues cost;
  // Results of extensions, by the address of a key, created on demand.
  std::mutex answers_mutex;
  std::map<const void*, std::shared_ptr<void>> answers;
};

struct PJRT_LoadedExecutable {
  std::shared_ptr<reference::LoadedExecutable> executable;
  std::vector<PJRT_Device*> addressable_devices;
  std::vector<PJRT_LogicalDeviceIds> logical_ids;  // of addressable_devices
};

struct PJRT_ExecuteContext {
  std::shared_ptr<reference::ExecuteContext> context;
};

struct PJRT_CopyToDeviceStream {
  std::shared_ptr<reference::CopyStream> stream;
};

struct PJRT_AsyncHostToDeviceTransferManager {
  std::unique_ptr<reference::TransferManager> manager;
};

struct PJRT_FulfillAliasBufferCallback {
  std::shared_ptr<reference::Alias> alias;
};

struct PJRT_AsyncTrackingEvent {
  std::string description;
};

struct PJRT_Device_Attributes {
  reference::NamedValues attributes;
};
