// Properties of each op: counts, attributes with kinds and defaults, the pretty form, the rule that checks it. Shared
// by the readers, the verifier and the printer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"

namespace reference {

// Maximum nesting of regions, types, attributes and lists that the readers accept.
constexpr int kMaxNesting = 200;
// Maximum total bytes of one program's constants once splats are expanded.
constexpr size_t kMaxConstantBytes = size_t{1} << 31;

// Kinds of an attribute, and the alternative of Attribute::value that holds it.
enum class AttributeKind {
  kInt,         // int64_t; i64 in text
  kInt32,       // int64_t; i32 in text
  kBool,        // bool
  kUnit,        // bool, true when present in text
  kFloat,       // double; f32 in text
  kString,      // std::string
  kSymbol,      // std::string without the @
  kSymbols,     // list of std::string
  kEnum,        // std::string
  kEnums,       // list of std::string
  kIntEnum,     // std::string; a number in text (api_version)
  kInts,        // std::vector<int64_t>
  kBools,       // std::vector<bool>
  kTensor,      // Array of s64: padding, replica_groups, source_target_pairs
  kValue,       // Array of any type
  kType,        // Type; std::string "tf32" for the one that is no element type
  kDictionary,  // Dictionary
  kText,        // std::string or Dictionary (backend_config)
  kLayouts,     // list of std::vector<int64_t>
  kList,        // list of anything
  kAccuracy,    // Dictionary of atol, rtol (double), ulps (int64_t), mode (std::string)
  kAliases,     // list of Dictionary: output_tuple_indices, operand_index, operand_tuple_indices
};

// Default of an attribute that a program omits.
enum class AttributeDefault {
  kRequired,
  kOptional,  // it stays absent
  kValue,     // AttributeRule::value
  kOnes,      // a one for each dimension of the window
  kZeros,     // a zero (false, a pair of zeros) for each dimension of the window
};

struct AttributeRule {
  std::string name;
  AttributeKind kind;
  std::string enumeration;  // StableHLO's name of the enumeration
  AttributeDefault absent = AttributeDefault::kRequired;
  Attribute value;
};

class OpCheck;
struct OpInfo;
using CheckFunction = void (*)(const OpCheck&, const OpInfo&);

constexpr int kAny = -1;

struct OpInfo {
  std::string name;
  int operands;
  int results;
  int regions;
  std::vector<AttributeRule> attributes;
  // The pretty form: see text_pretty.cc. Empty if the op is only written generically.
  std::string syntax;
  // Elementwise ops: the element types accepted: b(oolean), i(nteger), s(igned only), f(loat), c(omplex).
  std::string classes;
  // Null: an op of StableHLO that this plugin does not implement.
  CheckFunction check;

  const AttributeRule* Find(std::string_view attribute) const;
};

// By canonical name; null if StableHLO has no such op.
const OpInfo* FindOp(std::string_view name);

// Values of an enumeration of StableHLO, by its name; the index is the value in artifacts.
// "" for a value that does not exist. Null for an unknown enumeration.
const std::vector<std::string>* EnumValues(std::string_view enumeration);

// Adds the defaults of missing attributes to the op (operand_types are those of op.operands), and removes attributes
// that mean "none". Throws InvalidArgument if a required one is missing, and for an unknown op; Unimplemented for an op
// without a check. Both readers call it once the op is complete.
void FillDefaults(Op& op, const std::vector<Type>& operand_types);

}  // namespace reference
