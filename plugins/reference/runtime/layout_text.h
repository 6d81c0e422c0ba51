// Layouts in XLA's syntax.
#pragma once

#include <string_view>

#include "base/array.h"
#include "runtime/layout.h"

namespace reference {

// "{1,0}", "{1,0:T(8,128)(2,1)}", also without the tiles. Throws InvalidArgument for text that is not a layout of
// arrays of this type, Unimplemented for other parts of layouts (memory spaces, element sizes).
Layout ParseLayout(std::string_view text, const ArrayType& type);

}  // namespace reference
