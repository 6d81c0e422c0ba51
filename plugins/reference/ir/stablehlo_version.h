// Versions of StableHLO that the plugin reads: what it states in its attributes and what ReadArtifact accepts.
#pragma once

#include <array>
#include <cstdint>

namespace reference {

using StablehloVersion = std::array<int64_t, 3>;

constexpr StablehloVersion kCurrentStablehloVersion = {1, 20, 0};
constexpr StablehloVersion kMinimumStablehloVersion = {0, 9, 0};

}  // namespace reference
