// Rules of calls, control flow, tuples and tokens.
#include "ir/verify.h"

namespace reference {
namespace {

// The function exists and has the op's signature.
void CheckCallee(const OpCheck& check, const std::string& name) {
  auto found = check.module.functions.find(name);
  if (found == check.module.functions.end()) check.Fail("the module has no function @" + name);
  const Function& function = found->second;
  std::vector<Type> operands = check.OperandTypes();
  if (operands.size() != function.argument_types.size()) {
    check.Fail("@" + name + " takes " + std::to_string(function.argument_types.size()) + " arguments, not " +
               std::to_string(operands.size()));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] != function.argument_types[i]) {
      check.Fail("@" + name + " takes a " + function.argument_types[i].ToString() + " as argument " +
                 std::to_string(i) + ", not a " + operands[i].ToString());
    }
  }
  check.ExpectResults(function.result_types);
}

void RequireScalar(const OpCheck& check, const ArrayType& type, ElementType element, const char* what) {
  if (type != ArrayType{element, {}}) check.Fail(std::string(what) + " is a " + type.ToString());
}

}  // namespace

void CheckReturn(const OpCheck&, const OpInfo&) {}

void CheckCall(const OpCheck& check, const OpInfo&) { CheckCallee(check, check.String("callee")); }

void CheckComposite(const OpCheck& check, const OpInfo&) {
  // letters.letters: a dialect and an op.
  const std::string& name = check.String("name");
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  bool good = !name.empty() && is_letter(name[0]) && name.find('.') != std::string::npos && name.back() != '.';
  for (size_t i = 0; good && i < name.size(); ++i) {
    bool digit = name[i] >= '0' && name[i] <= '9';
    bool after_dot = i > name.find('.');
    good = is_letter(name[i]) || digit || name[i] == '_' || (name[i] == '$' && after_dot) ||
           (name[i] == '.' && name[i - 1] != '.');
  }
  if (!good) check.Fail("the name '" + name + "' is not that of an op");
  CheckCallee(check, check.String("decomposition"));
}

void CheckAfterAll(const OpCheck& check, const OpInfo&) {
  Type token = ScalarType(ElementType::kToken);
  for (int64_t i = 0; i < check.operands(); ++i) {
    check.Require(check.OperandType(i) == token, "an operand is not a token");
  }
  check.ExpectResult(0, token);
}

void CheckIf(const OpCheck& check, const OpInfo&) {
  RequireScalar(check, check.Operand(0), ElementType::kPred, "the predicate");
  for (size_t region = 0; region < 2; ++region) check.ExpectRegion(region, {}, check.op.result_types);
}

void CheckCase(const OpCheck& check, const OpInfo&) {
  RequireScalar(check, check.Operand(0), ElementType::kS32, "the index");
  check.Require(!check.op.regions.empty(), "has no branches");
  for (size_t region = 0; region < check.op.regions.size(); ++region) {
    check.ExpectRegion(region, {}, check.op.result_types);
  }
}

void CheckWhile(const OpCheck& check, const OpInfo&) {
  std::vector<Type> types = check.OperandTypes();
  check.ExpectRegion(0, types, {ScalarType(ElementType::kPred)});
  check.ExpectRegion(1, types, types);
  check.ExpectResults(types);
}

void CheckOptimizationBarrier(const OpCheck& check, const OpInfo&) { check.ExpectResults(check.OperandTypes()); }

void CheckTuple(const OpCheck& check, const OpInfo&) { check.ExpectResult(0, Type{{}, true, check.OperandTypes()}); }

void CheckGetTupleElement(const OpCheck& check, const OpInfo&) {
  const Type& tuple = check.OperandType(0);
  check.Require(tuple.is_tuple, "the operand is not a tuple");
  int64_t index = check.Int("index");
  check.Require(index >= 0 && index < static_cast<int64_t>(tuple.elements.size()), "the index is out of range");
  check.ExpectResult(0, tuple.elements[static_cast<size_t>(index)]);
}

}  // namespace reference
