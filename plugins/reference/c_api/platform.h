// What the plugin calls itself.
#pragma once

#include <string>

namespace reference {

inline const std::string kPlatformName = "reference";
// With the version of the API in it.
const std::string& PlatformVersion();
inline const std::string kDeviceKind = "reference host device";

}  // namespace reference
