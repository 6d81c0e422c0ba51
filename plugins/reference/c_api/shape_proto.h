// XLA's ShapeProto, as far as arrays need it.
#pragma once

#include <string>

#include "base/array.h"
#include "runtime/layout.h"

namespace reference {

// A serialized ShapeProto with a layout.
std::string ShapeProto(const ArrayType& type, const Layout& layout);

}  // namespace reference
