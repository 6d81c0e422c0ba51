// Custom calls that the interpreter implements itself, if no handler is registered for their target: annotations, which
// leave their operands unchanged, and the ops of CHLO that frameworks send as calls of "mhlo.erf" and the like.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace reference {

// Whether the interpreter implements this call. Throws InvalidArgument for a known target with mismatched operands or
// results, and Unimplemented for unsupported types.
bool IsOwnCustomCall(const Op& op, const std::vector<ArrayType>& operands);

// Runs it.
std::vector<Array> RunOwnCustomCall(const Op& op, const std::vector<Array>& operands);

}  // namespace reference
