// Attributes as MLIR text. Used by print.cc.
#pragma once

#include <string>

#include "ir/ir.h"

namespace reference {

std::string PrintQuoted(const std::string& value);
// With the braces.
std::string PrintDictionary(const Dictionary& dictionary);
std::string PrintAttribute(const Attribute& attribute);
// The attributes that StableHLO defines for the op, in its structure, without braces; others go to `others`.
std::string PrintProperties(const Op& op, Dictionary* others);

}  // namespace reference
