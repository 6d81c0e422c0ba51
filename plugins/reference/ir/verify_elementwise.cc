// Rules of elementwise ops.
#include <algorithm>

#include "ir/verify.h"

namespace reference {
namespace {

// The dimensions of all operands are those of the first.
void SameDims(const OpCheck& check) {
  for (int64_t i = 1; i < check.operands(); ++i) {
    if (check.Operand(i).dims != check.Operand(0).dims) {
      check.Fail("operands are a " + check.Operand(0).ToString() + " and a " + check.Operand(i).ToString());
    }
  }
}

void SameTypes(const OpCheck& check) {
  for (int64_t i = 1; i < check.operands(); ++i) {
    if (check.Operand(i) != check.Operand(0)) {
      check.Fail("operands are a " + check.Operand(0).ToString() + " and a " + check.Operand(i).ToString());
    }
  }
}

void RequireClasses(const OpCheck& check, ElementType type, const char* classes) {
  if (!IsOfClasses(type, classes)) check.Fail("does not take elements of type " + MlirName(type));
}

}  // namespace

void CheckElementwise(const OpCheck& check, const OpInfo& info) {
  SameTypes(check);
  RequireClasses(check, check.Operand(0).type, info.classes.c_str());
  check.ExpectResult(0, check.Operand(0));
}

void CheckAbs(const OpCheck& check, const OpInfo&) {
  ArrayType type = check.Operand(0);
  RequireClasses(check, type.type, "sfc");
  if (IsComplex(type.type)) type.type = PartType(type.type);
  check.ExpectResult(0, type);
}

void CheckBitcastConvert(const OpCheck& check, const OpInfo&) {
  const ArrayType& from = check.Operand(0);
  const ArrayType& to = check.Result(0);
  int from_bits = BitWidth(from.type);
  int to_bits = BitWidth(to.type);
  check.Require(IsComplex(from.type) == IsComplex(to.type), "converts complex numbers only to complex ones");
  Dims longer = from_bits > to_bits ? to.dims : from.dims;
  const Dims& shorter = from_bits > to_bits ? from.dims : to.dims;
  int wide = std::max(from_bits, to_bits);
  int narrow = std::min(from_bits, to_bits);
  if (wide != narrow) {
    bool fits = !longer.empty() && longer.back() == wide / narrow && wide % narrow == 0;
    if (!fits) {
      check.Fail("between " + from.ToString() + " and " + to.ToString() + " the last dimension has to be " +
                 std::to_string(wide / narrow));
    }
    longer.pop_back();
  }
  if (longer != shorter) check.Fail("a " + from.ToString() + " does not become a " + to.ToString());
}

void CheckClamp(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(1);
  for (int64_t bound : {0, 2}) {
    const ArrayType& type = check.Operand(bound);
    if (type.type != operand.type || (type.dims != operand.dims && !type.dims.empty())) {
      check.Fail("the bound " + type.ToString() + " is neither a scalar nor like the operand " + operand.ToString());
    }
  }
  check.ExpectResult(0, operand);
}

void CheckCompare(const OpCheck& check, const OpInfo&) {
  SameTypes(check);
  ElementType type = check.Operand(0).type;
  const std::string& kind = check.String("compare_type");
  bool fits = kind == "NOTYPE" ? true
              : kind == "FLOAT"      ? IsFloat(type) || IsComplex(type)
              : kind == "TOTALORDER" ? IsFloat(type)
              : kind == "SIGNED"     ? IsSignedInteger(type)
                                     : IsUnsignedInteger(type) || type == ElementType::kPred;
  if (!fits) check.Fail("does not compare elements of type " + MlirName(type) + " as " + kind);
  check.ExpectResult(0, ArrayType{ElementType::kPred, check.Operand(0).dims});
}

void CheckComplex(const OpCheck& check, const OpInfo&) {
  SameTypes(check);
  ArrayType type = check.Operand(0);
  if (type.type != ElementType::kF32 && type.type != ElementType::kF64) {
    check.Fail("does not take elements of type " + MlirName(type.type));
  }
  type.type = type.type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128;
  check.ExpectResult(0, type);
}

void CheckComplexPart(const OpCheck& check, const OpInfo&) {
  ArrayType type = check.Operand(0);
  RequireClasses(check, type.type, "fc");
  if (IsComplex(type.type)) type.type = PartType(type.type);
  check.ExpectResult(0, type);
}

void CheckConvert(const OpCheck& check, const OpInfo&) {
  check.ExpectResultDims(0, WideDims(check.Operand(0).dims));
}

void CheckIsFinite(const OpCheck& check, const OpInfo&) {
  RequireClasses(check, check.Operand(0).type, "f");
  check.ExpectResult(0, ArrayType{ElementType::kPred, check.Operand(0).dims});
}

void CheckReducePrecision(const OpCheck& check, const OpInfo&) {
  RequireClasses(check, check.Operand(0).type, "f");
  check.Require(check.Int("exponent_bits") >= 1, "exponent_bits is not positive");
  check.Require(check.Int("mantissa_bits") >= 0, "mantissa_bits is negative");
  check.ExpectResult(0, check.Operand(0));
}

void CheckSelect(const OpCheck& check, const OpInfo&) {
  const ArrayType& predicate = check.Operand(0);
  const ArrayType& value = check.Operand(1);
  check.Require(predicate.type == ElementType::kPred, "the predicate is not of i1");
  if (check.Operand(2) != value) {
    check.Fail("selects between a " + value.ToString() + " and a " + check.Operand(2).ToString());
  }
  if (!predicate.dims.empty() && predicate.dims != value.dims) {
    check.Fail("the predicate " + predicate.ToString() + " is neither a scalar nor shaped like " + value.ToString());
  }
  check.ExpectResult(0, value);
}

void CheckMap(const OpCheck& check, const OpInfo&) {
  check.Require(check.operands() > 0, "has no operands");
  SameDims(check);
  size_t rank = check.Operand(0).dims.size();
  const std::vector<int64_t>& dimensions = check.IntsOf("dimensions", rank);
  for (size_t i = 0; i < rank; ++i) {
    check.Require(dimensions[i] == static_cast<int64_t>(i), "dimensions are not all dimensions in order");
  }
  std::vector<Type> arguments;
  for (int64_t i = 0; i < check.operands(); ++i) arguments.push_back(ScalarType(check.Operand(i).type));
  ElementType type = check.Result(0).type;
  check.ExpectRegion(0, arguments, {ScalarType(type)});
  check.ExpectResult(0, ArrayType{type, check.Operand(0).dims});
}

}  // namespace reference
