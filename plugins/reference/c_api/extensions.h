// The extension chain of the API table.
#pragma once

#include "pjrt_c_api.h"

namespace reference {

// Those of the version that this process has; null if there are none.
PJRT_Extension_Base* ExtensionChain();

}  // namespace reference
