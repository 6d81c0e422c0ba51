// What the ops of an artifact carry: the property records of VHLO, builtin and Shardy ops have no names in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reference {

struct ArtifactOp {
  std::string canonical;  // name in the canonical module, "stablehlo.add"
  // Inherent attributes in the order of the property record.
  struct Property {
    std::string name;
    bool optional;
  };
  std::vector<Property> properties;
};

// By the name in the artifact, "vhlo.add_v1"; null for one that no version of StableHLO up to 1.20 writes.
const ArtifactOp* FindArtifactOp(std::string_view name);

}  // namespace reference
