// Ops that reach outside of the program.
#pragma once

#include <string>

namespace reference {

// Custom calls that the interpreter does itself: annotations that leave their operand as it is.
bool IsOwnCustomCall(const std::string& target);

}  // namespace reference
