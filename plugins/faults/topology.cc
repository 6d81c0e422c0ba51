// Topologies: devices, serialization, creation by name.
#include <atomic>
#include <cstdlib>

#include "../wrapper/shared_set.h"
#include "calls.h"

namespace {

using namespace faults;

FAULT("topology-null") {
  After<SLOT(PJRT_Client_TopologyDescription)>([](auto& args) { args.topology = nullptr; });
}
FAULT("topology-platform-name-other") {
  After<SLOT(PJRT_TopologyDescription_PlatformName)>([](auto& args) {
    args.platform_name = "other";
    args.platform_name_size = 5;
  });
}
FAULT("topology-platform-name-empty") {
  After<SLOT(PJRT_TopologyDescription_PlatformName)>([](auto& args) { args.platform_name_size = 0; });
}
FAULT("topology-platform-version-fails") {
  Fail<SLOT(PJRT_TopologyDescription_PlatformVersion)>(PJRT_Error_Code_INTERNAL, "no version");
}
FAULT("topology-attributes-fail") {
  Fail<SLOT(PJRT_TopologyDescription_Attributes)>(PJRT_Error_Code_INTERNAL, "no attributes");
}
FAULT("topology-attributes-of-unknown-type") {
  After<SLOT(PJRT_TopologyDescription_Attributes)>([](auto& args) {
    ChangeList(args.attributes, args.num_attributes,
               [](auto& list) { list.push_back(Named("odd", static_cast<PJRT_NamedValue_Type>(8))); });
  });
}
FAULT("topology-forgets-a-device") {
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) { args.num_descriptions -= 1; });
}
FAULT("topology-order-changes") {
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    ReverseEverySecond(args.descriptions, args.num_descriptions);
  });
}
FAULT("topology-kind-differs-from-client") {
  static SharedSet<const void*> described;
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    for (size_t i = 0; i < args.num_descriptions; ++i) described.Add(args.descriptions[i]);
  });
  After<SLOT(PJRT_Device_GetDescription)>([](auto& args) { described.Remove(args.device_description); });
  After<SLOT(PJRT_DeviceDescription_Kind)>([](auto& args) {
    if (described.Has(args.device_description)) {
      args.device_kind = "topological";
      args.device_kind_size = 11;
    }
  });
}
FAULT("topology-lost-after-work") {
  OwnErrors();
  static std::atomic<bool> worked{false};
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto&) { worked = true; });
  Replace<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args, auto& original) -> PJRT_Error* {
    return worked ? MakeError(PJRT_Error_Code_INTERNAL, "the topology is gone") : original(&args);
  });
}
FAULT("topology-descriptions-fail") {
  OwnErrors();
  static SharedSet<const void*> described;
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    for (size_t i = 0; i < args.num_descriptions; ++i) described.Add(args.descriptions[i]);
  });
  Replace<SLOT(PJRT_DeviceDescription_DebugString)>([](auto& args, auto& original) -> PJRT_Error* {
    return described.Has(args.device_description) ? MakeError(PJRT_Error_Code_INTERNAL, "no device") : original(&args);
  });
}
FAULT("topology-serialization-differs") {
  After<SLOT(PJRT_TopologyDescription_Serialize)>([](auto& args) {
    static std::atomic<int> calls{0};
    if (++calls % 2 == 0 && args.serialized_bytes_size > 0) args.serialized_bytes_size -= 1;
  });
}
FAULT("topology-serialization-without-deleter") {
  After<SLOT(PJRT_TopologyDescription_Serialize)>([](auto& args) { args.serialized_topology_deleter = nullptr; });
}
FAULT("topology-serialization-empty") {
  After<SLOT(PJRT_TopologyDescription_Serialize)>([](auto& args) { args.serialized_bytes_size = 0; });
}
FAULT("topology-serialization-leaks") {
  After<SLOT(PJRT_TopologyDescription_Serialize)>([](auto& args) {
    // The text is built in memory that is never freed.
    auto* room = new std::vector<char>(4096, 1);
    (void)room;
    args.serialized_topology_deleter = [](PJRT_SerializedTopology*) {};
  });
}
FAULT("topology-any-bytes-accepted") {
  Replace<SLOT(PJRT_TopologyDescription_Deserialize)>([](auto& args, auto& original) -> PJRT_Error* {
    static std::string good;
    PJRT_Error* error = original(&args);
    if (error == nullptr) {
      if (good.empty()) good.assign(args.serialized_topology, args.serialized_topology_size);
      return nullptr;
    }
    if (good.empty()) return error;
    Drop(error);
    return With(args, original, args.serialized_topology, good.data(), args.serialized_topology_size, good.size());
  });
}
FAULT("topology-round-trip-loses-a-device") {
  static SharedSet<const void*> copies;
  After<SLOT(PJRT_TopologyDescription_Deserialize)>([](auto& args) { copies.Add(args.topology); });
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    if (copies.Has(args.topology)) args.num_descriptions -= 1;
  });
}
FAULT("topology-fingerprint-zero") {
  After<SLOT(PJRT_TopologyDescription_Fingerprint)>([](auto& args) { args.fingerprint = 0; });
}
FAULT("topology-fingerprint-by-address") {
  After<SLOT(PJRT_TopologyDescription_Fingerprint)>(
      [](auto& args) { args.fingerprint ^= reinterpret_cast<uintptr_t>(args.topology); });
}
FAULT("topology-unknown-name-accepted") {
  Replace<SLOT(PJRT_TopologyDescription_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.topology_name, nullptr, args.topology_name_size, 0);
  });
}
FAULT("topology-unknown-option-ignored") {
  Replace<SLOT(PJRT_TopologyDescription_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.num_options, 0);
  });
}
FAULT("topology-by-name-fails") {
  Fail<SLOT(PJRT_TopologyDescription_Create)>(PJRT_Error_Code_INTERNAL, "no hardware was found");
}
FAULT("topology-nameless-aborts") {
  Before<SLOT(PJRT_TopologyDescription_Create)>([](auto& args) {
    if (args.topology_name_size == 0) std::abort();
  });
}
FAULT("topology-kind-ids-twice") {
  After<SLOT(PJRT_TopologyDescription_GetMemorySpaceKindIds)>([](auto& args) {
    ChangeList(args.memory_space_kind_ids, args.num_memory_space_kind_ids, [](auto& list) { list.push_back(list[0]); });
  });
}
FAULT("topology-kind-ids-of-its-own") {
  After<SLOT(PJRT_TopologyDescription_GetMemorySpaceKindIds)>([](auto& args) {
    ChangeList(args.memory_space_kind_ids, args.num_memory_space_kind_ids, [](auto& list) {
      for (int& id : list) id += 5000;
    });
  });
}
FAULT("topology-canonical-shape-empty") {
  After<SLOT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace)>([](auto& args) { args.serialized_shape_size = 0; });
}
FAULT("topology-canonical-shape-loses-layout") {
  Replace<SLOT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.layout, nullptr);
  });
}

}  // namespace
