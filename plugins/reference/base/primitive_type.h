// XLA's PrimitiveType, which is the FFI's DataType too: other numbers than those of PJRT_Buffer_Type.
#pragma once

#include "base/element_type.h"

namespace reference {

// Throws Unimplemented for a type that XLA has no number for.
int PrimitiveType(ElementType type);
// kInvalid for a number of no element type.
ElementType FromPrimitiveType(int64_t number);

}  // namespace reference
