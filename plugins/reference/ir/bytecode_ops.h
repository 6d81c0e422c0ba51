// Attributes of the ops of an artifact: the property records of VHLO, builtin and Shardy ops contain no names.
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

// By the name in the artifact, "vhlo.add_v1"; null if no version of StableHLO up to 1.20 writes it.
const ArtifactOp* FindArtifactOp(std::string_view name);

}  // namespace reference
