// Rules of ops that move elements.
#include "ir/verify.h"

namespace reference {
namespace {

// Scalar start indices of a slice, of one integer type: operands from `first` on, one per dimension.
void CheckStarts(const OpCheck& check, int64_t first, size_t rank) {
  if (check.operands() - first != static_cast<int64_t>(rank)) {
    check.Fail("has " + std::to_string(check.operands() - first) + " start indices for " + std::to_string(rank) +
               " dimensions");
  }
  for (int64_t i = first; i < check.operands(); ++i) {
    const ArrayType& type = check.Operand(i);
    check.Require(type.dims.empty() && IsInteger(type.type), "a start index is not an integer scalar");
    check.Require(type == check.Operand(first), "start indices have different types");
  }
}

}  // namespace

void CheckBroadcast(const OpCheck& check, const OpInfo&) {
  std::vector<Wide> dims;
  for (int64_t size : check.Ints("broadcast_sizes")) {
    check.Require(size >= 0, "a size is negative");
    dims.push_back(size);
  }
  for (int64_t dim : check.Operand(0).dims) dims.push_back(dim);
  check.ExpectResult(0, check.Operand(0).type, dims);
}

void CheckBroadcastInDim(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  const ArrayType& result = check.Result(0);
  if (operand.type != result.type) check.Fail("makes a " + result.ToString() + " of a " + operand.ToString());
  const auto& dimensions = check.Dimensions("broadcast_dimensions", result.dims.size());
  check.IntsOf("broadcast_dimensions", operand.dims.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    int64_t size = result.dims[static_cast<size_t>(dimensions[i])];
    if (operand.dims[i] != 1 && operand.dims[i] != size) {
      check.Fail("dimension " + std::to_string(i) + " of " + operand.ToString() + " does not broadcast to dimension " +
                 std::to_string(dimensions[i]) + " of " + result.ToString());
    }
  }
}

void CheckConcatenate(const OpCheck& check, const OpInfo&) {
  check.Require(check.operands() > 0, "has no operands");
  const ArrayType& first = check.Operand(0);
  size_t dimension = static_cast<size_t>(check.Dimension("dimension", first.dims.size()));
  std::vector<Wide> dims = WideDims(first.dims);
  for (int64_t i = 1; i < check.operands(); ++i) {
    ArrayType other = check.Operand(i);
    if (other.dims.size() == first.dims.size()) {
      dims[dimension] += other.dims[dimension];
      other.dims[dimension] = first.dims[dimension];
    }
    if (other != first) {
      check.Fail("a " + first.ToString() + " and a " + check.Operand(i).ToString() + " do not fit together");
    }
  }
  check.ExpectResult(0, first.type, dims);
}

void CheckConstant(const OpCheck& check, const OpInfo&) { check.ExpectResult(0, check.Tensor("value").type()); }

void CheckDynamicSlice(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  CheckStarts(check, 1, operand.dims.size());
  const auto& sizes = check.IntsOf("slice_sizes", operand.dims.size());
  std::vector<Wide> dims;
  for (size_t i = 0; i < sizes.size(); ++i) {
    check.Require(sizes[i] >= 0 && sizes[i] <= operand.dims[i], "a slice is larger than the operand");
    dims.push_back(sizes[i]);
  }
  check.ExpectResult(0, operand.type, dims);
}

void CheckDynamicUpdateSlice(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  const ArrayType& update = check.Operand(1);
  CheckStarts(check, 2, operand.dims.size());
  check.Require(update.type == operand.type && update.dims.size() == operand.dims.size(),
                "the update is of another type or rank than the operand");
  for (size_t i = 0; i < update.dims.size(); ++i) {
    check.Require(update.dims[i] <= operand.dims[i], "the update is larger than the operand");
  }
  check.ExpectResult(0, operand);
}

void CheckGetDimensionSize(const OpCheck& check, const OpInfo&) {
  check.Dimension("dimension", check.Operand(0).dims.size());
  check.ExpectResult(0, ScalarType(ElementType::kS32));
}

void CheckIota(const OpCheck& check, const OpInfo&) {
  const ArrayType& result = check.Result(0);
  check.Dimension("iota_dimension", result.dims.size());
  check.Require(IsOfClasses(result.type, "ifc"), "makes numbers, not booleans");
}

void CheckPad(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  size_t rank = operand.dims.size();
  if (check.Operand(1) != ArrayType{operand.type, {}}) {
    check.Fail("pads a " + operand.ToString() + " with a " + check.Operand(1).ToString());
  }
  const auto& low = check.IntsOf("edge_padding_low", rank);
  const auto& high = check.IntsOf("edge_padding_high", rank);
  const auto& interior = check.IntsOf("interior_padding", rank);
  std::vector<Wide> dims;
  for (size_t i = 0; i < rank; ++i) {
    check.Require(interior[i] >= 0, "interior padding is negative");
    Wide inside = operand.dims[i] == 0 ? 0 : Wide{operand.dims[i] - 1} * (Wide{interior[i]} + 1) + 1;
    dims.push_back(inside + low[i] + high[i]);
    check.Require(dims.back() >= 0, "padding takes more away than there is");
  }
  check.ExpectResult(0, operand.type, dims);
}

void CheckReshape(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  const ArrayType& result = check.Result(0);
  if (operand.type != result.type || operand.size() != result.size()) {
    check.Fail("makes a " + result.ToString() + " of a " + operand.ToString());
  }
}

void CheckReverse(const OpCheck& check, const OpInfo&) {
  check.Dimensions("dimensions", check.Operand(0).dims.size());
  check.ExpectResult(0, check.Operand(0));
}

void CheckSlice(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  size_t rank = operand.dims.size();
  const auto& start = check.IntsOf("start_indices", rank);
  const auto& limit = check.IntsOf("limit_indices", rank);
  const auto& strides = check.IntsOf("strides", rank);
  std::vector<Wide> dims;
  for (size_t i = 0; i < rank; ++i) {
    if (start[i] < 0 || start[i] > limit[i] || limit[i] > operand.dims[i]) {
      check.Fail("[" + std::to_string(start[i]) + ":" + std::to_string(limit[i]) + "] is no part of dimension " +
                 std::to_string(i) + " of " + operand.ToString());
    }
    check.Require(strides[i] > 0, "a stride is not positive");
    dims.push_back((Wide{limit[i]} - start[i] + strides[i] - 1) / strides[i]);
  }
  check.ExpectResult(0, operand.type, dims);
}

void CheckTranspose(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  const auto& permutation = check.Dimensions("permutation", operand.dims.size());
  check.IntsOf("permutation", operand.dims.size());
  ArrayType type{operand.type, {}};
  for (int64_t dimension : permutation) type.dims.push_back(operand.dims[static_cast<size_t>(dimension)]);
  check.ExpectResult(0, type);
}

void CheckTorchIndexSelect(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  const ArrayType& index = check.Operand(1);
  check.Require(IsInteger(index.type), "the indices are not integers");
  int64_t dim = check.Dimension("dim", operand.dims.size());
  int64_t batch_dims = check.Int("batch_dims");
  check.Require(batch_dims >= 0 && batch_dims <= dim && batch_dims <= static_cast<int64_t>(index.dims.size()),
                "batch_dims is out of range");
  ArrayType type{operand.type, {}};
  for (int64_t i = 0; i < batch_dims; ++i) {
    check.Require(operand.dims[static_cast<size_t>(i)] == index.dims[static_cast<size_t>(i)],
                  "the batch dimensions of operand and indices differ");
  }
  type.dims.assign(operand.dims.begin(), operand.dims.begin() + dim);
  type.dims.insert(type.dims.end(), index.dims.begin() + batch_dims, index.dims.end());
  type.dims.insert(type.dims.end(), operand.dims.begin() + dim + 1, operand.dims.end());
  check.ExpectResult(0, type);
}

}  // namespace reference
