// Chooses the reader of a program by its first bytes.
#include "ir/ir.h"

namespace reference {

Module ReadProgram(std::string_view code) { return IsBytecode(code) ? ReadArtifact(code) : ParseText(code); }

}  // namespace reference
