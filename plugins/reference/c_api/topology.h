// Handles for topologies.
#pragma once

#include <memory>

#include "c_api/handles.h"
#include "runtime/topology.h"

namespace reference {

// With descriptions of its devices, ordered by id.
std::unique_ptr<PJRT_TopologyDescription> MakeTopology(Topology topology);

}  // namespace reference
