// The chain of extensions that the API table begins with.
#pragma once

#include "pjrt_c_api.h"

namespace reference {

// Those of the version that this process speaks; null when there are none.
PJRT_Extension_Base* ExtensionChain();

}  // namespace reference
