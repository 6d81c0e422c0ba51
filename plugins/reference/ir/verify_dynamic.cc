// Rules of ops whose shapes are operands; the results have static shapes nevertheless.
#include "ir/verify.h"

namespace reference {
namespace {

// Operand `index` is a list of `count` integers.
void CheckShapeOperand(const OpCheck& check, int64_t index, size_t count) {
  const ArrayType& type = check.Operand(index);
  if (!IsInteger(type.type) || type.dims != Dims{static_cast<int64_t>(count)}) {
    check.Fail("operand " + std::to_string(index) + " is a " + type.ToString() + ", not a list of " +
               std::to_string(count) + " integers");
  }
}

void SameElementType(const OpCheck& check) {
  if (check.Operand(0).type != check.Result(0).type) {
    check.Fail("makes a " + check.Result(0).ToString() + " of a " + check.Operand(0).ToString());
  }
}

}  // namespace

void CheckDynamicBroadcastInDim(const OpCheck& check, const OpInfo& info) {
  CheckShapeOperand(check, 1, check.Result(0).dims.size());
  size_t rank = check.Operand(0).dims.size();
  check.Dimensions("known_expanding_dimensions", rank);
  check.Dimensions("known_nonexpanding_dimensions", rank);
  CheckBroadcastInDim(check, info);
}

void CheckDynamicIota(const OpCheck& check, const OpInfo& info) {
  CheckShapeOperand(check, 0, check.Result(0).dims.size());
  CheckIota(check, info);
}

void CheckDynamicPad(const OpCheck& check, const OpInfo&) {
  size_t rank = check.Operand(0).dims.size();
  SameElementType(check);
  check.Require(check.Operand(1) == ArrayType{check.Operand(0).type, {}}, "the padding value is of another type");
  for (int64_t i = 2; i < 5; ++i) CheckShapeOperand(check, i, rank);
  check.Require(check.Result(0).dims.size() == rank, "the result is of another rank");
}

void CheckDynamicReshape(const OpCheck& check, const OpInfo& info) {
  CheckShapeOperand(check, 1, check.Result(0).dims.size());
  CheckReshape(check, info);
}

void CheckRealDynamicSlice(const OpCheck& check, const OpInfo&) {
  size_t rank = check.Operand(0).dims.size();
  SameElementType(check);
  for (int64_t i = 1; i < 4; ++i) {
    CheckShapeOperand(check, i, rank);
    check.Require(check.Operand(i).type == check.Operand(1).type, "the indices have different types");
  }
  check.Require(check.Result(0).dims.size() == rank, "the result is of another rank");
}

}  // namespace reference
