// Name and version of the plugin.
#pragma once

#include <string>

namespace reference {

inline const std::string kPlatformName = "reference";
// Includes the API version.
const std::string& PlatformVersion();
inline const std::string kDeviceKind = "reference host device";

}  // namespace reference
