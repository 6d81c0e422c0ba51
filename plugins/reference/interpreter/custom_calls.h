// Custom calls that the interpreter does itself, where nobody has registered a handler for their target: annotations, which
// leave their operands as they are, and the ops of CHLO that frameworks send as calls of "mhlo.erf" and the like.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace reference {

// Whether the interpreter does this call. Throws InvalidArgument where it knows the target, and operands or results do not
// fit it; Unimplemented where it does not do these types.
bool IsOwnCustomCall(const Op& op, const std::vector<ArrayType>& operands);

// Does it.
std::vector<Array> RunOwnCustomCall(const Op& op, const std::vector<Array>& operands);

}  // namespace reference
