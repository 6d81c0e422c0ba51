// Layouts as XLA writes them.
#pragma once

#include <string_view>

#include "base/array.h"
#include "runtime/layout.h"

namespace reference {

// "{1,0}", "{1,0:T(8,128)(2,1)}", also without the braces' tiles. Throws InvalidArgument for text that is no layout of
// arrays of this type, Unimplemented for what else a layout can say (memory spaces, element sizes).
Layout ParseLayout(std::string_view text, const ArrayType& type);

}  // namespace reference
