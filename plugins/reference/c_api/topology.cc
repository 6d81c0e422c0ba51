// PJRT_TopologyDescription_* and PJRT_DeviceDescription_*.
#include "c_api/topology.h"

#include <string>
#include <utility>

#include "base/design.h"
#include "c_api/call.h"
#include "c_api/client_options.h"
#include "c_api/functions.h"
#include "c_api/platform.h"
#include "c_api/shape_proto.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"
#include "runtime/memory_space.h"

struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace reference {

namespace {

std::unique_ptr<PJRT_DeviceDescription> Describe(const Topology& topology, int id) {
  auto description = std::make_unique<PJRT_DeviceDescription>();
  const int process = topology.process_of(id);
  description->id = id;
  description->process_index = process;
  description->kind = kDeviceKind;
  description->to_string = "ReferenceDevice(id=" + std::to_string(id) + ")";
  description->debug_string = kDeviceKind + " " + std::to_string(id) + " of process " + std::to_string(process);
  description->attributes.Add("vendor", std::string("pjrt-conformance"));
  description->attributes.Add("index_in_process", int64_t{id % topology.devices_per_process()});
  description->attributes.Add("coords", std::vector<int64_t>{process, id % topology.devices_per_process()});
  return description;
}

// The devices of a process that creates a client without options.
int64_t DefaultDevices() { return ClientOptionsFrom(nullptr, 0).num_devices; }

const Topology& TopologyOf(const PJRT_TopologyDescription* topology) { return *Given(topology, "topology").topology; }

PJRT_DeviceDescription& DescriptionOf(PJRT_DeviceDescription* description) {
  return Given(description, "device_description");
}

}  // namespace

std::unique_ptr<PJRT_TopologyDescription> MakeTopology(Topology topology) {
  auto handle = std::make_unique<PJRT_TopologyDescription>();
  for (int id = 0; id < topology.num_devices(); id++) {
    handle->owned_descriptions.push_back(Describe(topology, id));
    handle->descriptions.push_back(handle->owned_descriptions.back().get());
  }
  for (int kind = 0; kind < kNumMemoryKinds && !ThisDesign().no_memories; kind++) handle->memory_kind_ids.push_back(kind);
  handle->attributes.Add("num_processes", int64_t{topology.num_processes()});
  handle->attributes.Add("devices_per_process", int64_t{topology.devices_per_process()});
  handle->topology = std::make_shared<const Topology>(std::move(topology));
  return handle;
}

namespace c_api {

PJRT_Error* TopologyDescription_Create(PJRT_TopologyDescription_Create_Args* args) {
  return Call("PJRT_TopologyDescription_Create", args, [&] {
    const auto options = ReadNamedValues(args->create_options, args->num_options, "create_options");
    const std::string name = GivenText(args->topology_name, args->topology_name_size, "topology_name");
    int64_t num_devices = DefaultDevices();
    for (const auto& [key, value] : options) {
      const int64_t* number = std::get_if<int64_t>(&value);
      if (key != "num_devices") throw InvalidArgument("there is no option " + key + " of topologies");
      if (number == nullptr) throw InvalidArgument("the option num_devices is an int64");
      num_devices = *number;
    }
    args->topology = MakeTopology(Topology::FromName(name, num_devices)).release();
  });
}

PJRT_Error* TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args* args) {
  return Call("PJRT_TopologyDescription_Destroy", args, [&] { delete args->topology; });
}

PJRT_Error* TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args* args) {
  return Call("PJRT_TopologyDescription_PlatformName", args, [&] {
    TopologyOf(args->topology);
    args->platform_name = kPlatformName.data();
    args->platform_name_size = kPlatformName.size();
  });
}

PJRT_Error* TopologyDescription_PlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args* args) {
  return Call("PJRT_TopologyDescription_PlatformVersion", args, [&] {
    TopologyOf(args->topology);
    args->platform_version = PlatformVersion().data();
    args->platform_version_size = PlatformVersion().size();
  });
}

PJRT_Error* TopologyDescription_GetDeviceDescriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args* args) {
  return Call("PJRT_TopologyDescription_GetDeviceDescriptions", args, [&] {
    const PJRT_TopologyDescription& topology = Given(args->topology, "topology");
    args->descriptions = topology.descriptions.data();
    args->num_descriptions = topology.descriptions.size();
  });
}

PJRT_Error* TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args* args) {
  return Call("PJRT_TopologyDescription_Attributes", args, [&] {
    const PJRT_TopologyDescription& topology = Given(args->topology, "topology");
    args->attributes = topology.attributes.data();
    args->num_attributes = topology.attributes.size();
  });
}

PJRT_Error* TopologyDescription_Serialize(PJRT_TopologyDescription_Serialize_Args* args) {
  return Call("PJRT_TopologyDescription_Serialize", args, [&] {
    auto* serialized = new PJRT_SerializedTopology{TopologyOf(args->topology).Serialize()};
    args->serialized_bytes = serialized->bytes.data();
    args->serialized_bytes_size = serialized->bytes.size();
    args->serialized_topology = serialized;
    args->serialized_topology_deleter = [](PJRT_SerializedTopology* bytes) { delete bytes; };
  });
}

PJRT_Error* TopologyDescription_Deserialize(PJRT_TopologyDescription_Deserialize_Args* args) {
  return Call("PJRT_TopologyDescription_Deserialize", args, [&] {
    const std::string bytes =
        GivenText(args->serialized_topology, args->serialized_topology_size, "serialized_topology");
    args->topology = MakeTopology(Topology::Deserialize(bytes)).release();
  });
}

PJRT_Error* TopologyDescription_Fingerprint(PJRT_TopologyDescription_Fingerprint_Args* args) {
  return Call("PJRT_TopologyDescription_Fingerprint", args,
              [&] { args->fingerprint = TopologyOf(args->topology).Fingerprint(); });
}

PJRT_Error* TopologyDescription_GetMemorySpaceKindIds(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args* args) {
  return Call("PJRT_TopologyDescription_GetMemorySpaceKindIds", args, [&] {
    const PJRT_TopologyDescription& topology = Given(args->topology, "topology");
    args->memory_space_kind_ids = topology.memory_kind_ids.data();
    args->num_memory_space_kind_ids = topology.memory_kind_ids.size();
  });
}

PJRT_Error* TopologyDescription_MakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args* args) {
  return Call("PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace", args, [&] {
    TopologyOf(args->topology);
    RequireMemories();
    if (args->memory_space_kind_id < 0 || args->memory_space_kind_id >= kNumMemoryKinds) {
      throw InvalidArgument("there is no kind of memory " + std::to_string(args->memory_space_kind_id));
    }
    const ArrayType type = ArrayTypeFrom(args->element_type, args->dims, args->num_dims);
    if (args->layout != nullptr && args->layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
      throw InvalidArgument("a canonical shape has an order of dimensions, not strides");
    }
    const Layout layout = LayoutFrom(args->layout, type);
    const std::string bytes = ShapeProto(type, layout);
    char* copy = new char[bytes.size()];
    bytes.copy(copy, bytes.size());
    args->serialized_shape = copy;
    args->serialized_shape_size = bytes.size();
    args->serialized_shape_deleter = [](const char* shape) { delete[] shape; };
  });
}

PJRT_Error* DeviceDescription_Id(PJRT_DeviceDescription_Id_Args* args) {
  return Call("PJRT_DeviceDescription_Id", args, [&] { args->id = DescriptionOf(args->device_description).id; });
}

PJRT_Error* DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args* args) {
  return Call("PJRT_DeviceDescription_ProcessIndex", args,
              [&] { args->process_index = DescriptionOf(args->device_description).process_index; });
}

PJRT_Error* DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args* args) {
  return Call("PJRT_DeviceDescription_Attributes", args, [&] {
    const PJRT_DeviceDescription& description = DescriptionOf(args->device_description);
    args->attributes = description.attributes.data();
    args->num_attributes = description.attributes.size();
  });
}

PJRT_Error* DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args* args) {
  return Call("PJRT_DeviceDescription_Kind", args, [&] {
    const PJRT_DeviceDescription& description = DescriptionOf(args->device_description);
    args->device_kind = description.kind.data();
    args->device_kind_size = description.kind.size();
  });
}

PJRT_Error* DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args* args) {
  return Call("PJRT_DeviceDescription_DebugString", args, [&] {
    const PJRT_DeviceDescription& description = DescriptionOf(args->device_description);
    args->debug_string = description.debug_string.data();
    args->debug_string_size = description.debug_string.size();
  });
}

PJRT_Error* DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args* args) {
  return Call("PJRT_DeviceDescription_ToString", args, [&] {
    const PJRT_DeviceDescription& description = DescriptionOf(args->device_description);
    args->to_string = description.to_string.data();
    args->to_string_size = description.to_string.size();
  });
}

}  // namespace c_api

}  // namespace reference
