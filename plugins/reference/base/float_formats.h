// Floating-point formats of every width, to and from double, rounding to nearest even.
#pragma once

#include <cstdint>

#include "base/element_type.h"

namespace reference {

// The value of a bit pattern (right-aligned in `bits`) of a real floating-point type.
double DecodeFloat(ElementType type, uint64_t bits);

// The nearest pattern, ties to even. Overflow gives infinity if the type has one, else NaN if it has one, else the
// largest finite value, like XLA's conversions.
uint64_t EncodeFloat(ElementType type, double value);

}  // namespace reference
