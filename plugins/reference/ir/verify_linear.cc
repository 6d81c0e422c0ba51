// Rules of linear algebra, Fourier transforms and normalization.
#include "ir/verify.h"

namespace reference {
namespace {

// Both types of one kind; the widths may differ.
bool SameKind(ElementType a, ElementType b) {
  if (a == b) return true;
  return (IsInteger(a) && IsInteger(b)) || (IsFloat(a) && IsFloat(b));
}

void CheckDotTypes(const OpCheck& check, ElementType lhs, ElementType rhs, ElementType result) {
  if (!SameKind(lhs, rhs) || IsComplex(result) != IsComplex(lhs)) {
    check.Fail("does not make " + MlirName(result) + " of " + MlirName(lhs) + " and " + MlirName(rhs));
  }
  const auto& precisions = *check.op.Find("precision_config")->get<std::shared_ptr<std::vector<Attribute>>>();
  check.Require(precisions->size() <= 2, "precision_config has more than two entries");
}

// All attributes of an algorithm are present, or none.
void CheckAlgorithm(const OpCheck& check) {
  int count = 0;
  for (const char* name : {"lhs_precision_type", "rhs_precision_type", "accumulation_type"}) {
    const Attribute* attribute = check.op.Find(name);
    if (!attribute) continue;
    ++count;
    const Type* type = attribute->get<Type>();
    if (type && (type->is_tuple || !IsFloat(type->array.type))) check.Fail(std::string(name) + " is not of numbers");
  }
  for (const char* name : {"lhs_component_count", "rhs_component_count", "num_primitive_operations"}) {
    if (!check.op.Find(name)) continue;
    ++count;
    if (check.Int(name) < 1) check.Fail(std::string(name) + " is not positive");
  }
  if (check.op.Find("allow_imprecise_accumulation")) ++count;
  check.Require(count == 0 || count == 7, "an algorithm lacks attributes");
  if (count == 0) return;
  const auto& precisions = *check.op.Find("precision_config")->get<std::shared_ptr<std::vector<Attribute>>>();
  for (const Attribute& precision : *precisions) {
    check.Require(*precision.get<std::string>() == "DEFAULT", "has both an algorithm and a precision");
  }
}

// Operand 0 with a feature dimension; operands from 1 to `count` are lists with one number per feature.
ArrayType CheckFeatures(const OpCheck& check, int64_t count) {
  const ArrayType& operand = check.Operand(0);
  check.Require(IsFloat(operand.type), "the operand is not of floating-point numbers");
  size_t feature = static_cast<size_t>(check.Dimension("feature_index", operand.dims.size()));
  ArrayType features{operand.type, {operand.dims[feature]}};
  for (int64_t i = 1; i <= count; ++i) {
    if (check.Operand(i) != features) {
      check.Fail("operand " + std::to_string(i) + " is a " + check.Operand(i).ToString() + ", not a " +
                 features.ToString());
    }
  }
  return features;
}

void RequireMatrices(const OpCheck& check, const ArrayType& type) {
  check.Require(IsFloat(type.type) || IsComplex(type.type), "takes floating-point or complex numbers");
  check.Require(type.dims.size() >= 2, "takes matrices");
  size_t rank = type.dims.size();
  check.Require(type.dims[rank - 1] == type.dims[rank - 2], "the matrix is not square");
}

}  // namespace

void CheckBatchNormTraining(const OpCheck& check, const OpInfo&) {
  ArrayType features = CheckFeatures(check, 2);
  check.ExpectResults({{check.Operand(0), false, {}}, {features, false, {}}, {features, false, {}}});
}

void CheckBatchNormInference(const OpCheck& check, const OpInfo&) {
  CheckFeatures(check, 4);
  check.ExpectResult(0, check.Operand(0));
}

void CheckBatchNormGrad(const OpCheck& check, const OpInfo&) {
  ArrayType features = CheckFeatures(check, 3);
  check.Require(check.Operand(4) == check.Operand(0), "the gradient of the output is of another type than the operand");
  check.ExpectResults({{check.Operand(0), false, {}}, {features, false, {}}, {features, false, {}}});
}

void CheckCholesky(const OpCheck& check, const OpInfo&) {
  RequireMatrices(check, check.Operand(0));
  check.ExpectResult(0, check.Operand(0));
}

void CheckTriangularSolve(const OpCheck& check, const OpInfo&) {
  const ArrayType& a = check.Operand(0);
  const ArrayType& b = check.Operand(1);
  RequireMatrices(check, a);
  size_t rank = a.dims.size();
  check.Require(b.type == a.type && b.dims.size() == rank, "the operands are of different types or ranks");
  for (size_t i = 0; i + 2 < rank; ++i) {
    check.Require(a.dims[i] == b.dims[i], "the operands have different batch dimensions");
  }
  size_t shared = rank - (check.Bool("left_side") ? 2 : 1);
  check.Require(a.dims[rank - 1] == b.dims[shared], "the operands do not fit each other");
  check.Require(check.String("transpose_a") != "TRANSPOSE_INVALID", "transpose_a is invalid");
  check.ExpectResult(0, b);
}

void CheckDot(const OpCheck& check, const OpInfo&) {
  const ArrayType& lhs = check.Operand(0);
  const ArrayType& rhs = check.Operand(1);
  CheckDotTypes(check, lhs.type, rhs.type, check.Result(0).type);
  size_t left = lhs.dims.size();
  size_t right = rhs.dims.size();
  check.Require(left >= 1 && left <= 2 && right >= 1 && right <= 2, "takes vectors and matrices");
  check.Require(lhs.dims[left - 1] == rhs.dims[0], "the operands do not fit each other");
  std::vector<Wide> dims;
  if (left == 2) dims.push_back(lhs.dims[0]);
  if (right == 2) dims.push_back(rhs.dims[1]);
  check.ExpectResultDims(0, dims);
}

void CheckDotGeneral(const OpCheck& check, const OpInfo&) {
  const ArrayType& lhs = check.Operand(0);
  const ArrayType& rhs = check.Operand(1);
  CheckDotTypes(check, lhs.type, rhs.type, check.Result(0).type);
  const auto& lhs_batch = check.Dimensions("lhs_batching_dimensions", lhs.dims.size());
  const auto& rhs_batch = check.Dimensions("rhs_batching_dimensions", rhs.dims.size());
  const auto& lhs_contract = check.Dimensions("lhs_contracting_dimensions", lhs.dims.size());
  const auto& rhs_contract = check.Dimensions("rhs_contracting_dimensions", rhs.dims.size());
  auto compare = [&](const std::vector<int64_t>& left, const std::vector<int64_t>& right, const char* what) {
    check.Require(left.size() == right.size(), what);
    for (size_t i = 0; i < left.size(); ++i) {
      check.Require(lhs.dims[static_cast<size_t>(left[i])] == rhs.dims[static_cast<size_t>(right[i])], what);
    }
  };
  compare(lhs_batch, rhs_batch, "the batching dimensions of the operands differ");
  CheckAlgorithm(check);
  compare(lhs_contract, rhs_contract, "the contracting dimensions of the operands differ");
  std::vector<Wide> dims;
  for (int64_t dimension : lhs_batch) dims.push_back(lhs.dims[static_cast<size_t>(dimension)]);
  auto rest = [&](const Dims& all, const std::vector<int64_t>& batch, const std::vector<int64_t>& contract) {
    for (size_t i = 0; i < all.size(); ++i) {
      bool is_batch = HasDimension(batch, static_cast<int64_t>(i));
      bool is_contract = HasDimension(contract, static_cast<int64_t>(i));
      check.Require(!is_batch || !is_contract, "a dimension is both batching and contracting");
      if (!is_batch && !is_contract) dims.push_back(all[i]);
    }
  };
  rest(lhs.dims, lhs_batch, lhs_contract);
  rest(rhs.dims, rhs_batch, rhs_contract);
  check.ExpectResultDims(0, dims);
}

void CheckFft(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  const std::string& kind = check.String("fft_type");
  const auto& lengths = check.Ints("fft_length");
  size_t rank = operand.dims.size();
  size_t count = lengths.size();
  check.Require(count >= 1 && count <= 3 && count <= rank, "fft_length has not one to three entries of the dimensions");
  bool real_input = kind == "RFFT";
  check.Require(real_input ? operand.type == ElementType::kF32 || operand.type == ElementType::kF64
                           : IsComplex(operand.type),
                "does not take elements of this type");
  ArrayType result = operand;
  for (size_t i = 0; i < count; ++i) {
    size_t dimension = rank - count + i;
    bool last = i + 1 == count;
    check.Require(lengths[i] >= 0, "a length is negative");
    int64_t expected = kind == "IRFFT" && last ? (lengths[i] == 0 ? 0 : lengths[i] / 2 + 1) : lengths[i];
    check.Require(operand.dims[dimension] == expected, "the operand does not have the dimensions of fft_length");
    result.dims[dimension] = real_input && last ? (lengths[i] == 0 ? 0 : lengths[i] / 2 + 1) : lengths[i];
  }
  if (real_input) result.type = operand.type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128;
  if (kind == "IRFFT") result.type = PartType(operand.type);
  check.ExpectResult(0, result);
}

}  // namespace reference
