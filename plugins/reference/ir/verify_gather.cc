// Rules of gather and scatter.
#include <algorithm>

#include "ir/verify.h"

namespace reference {
namespace {

// Number of coordinates of an index vector.
int64_t VectorSize(const OpCheck& check, const ArrayType& indices) {
  int64_t dimension = check.Int("index_vector_dim");
  int64_t rank = static_cast<int64_t>(indices.dims.size());
  check.Require(dimension >= 0 && dimension <= rank, "index_vector_dim is out of range");
  check.Require(IsInteger(indices.type), "the indices are not integers");
  return dimension < rank ? indices.dims[static_cast<size_t>(dimension)] : 1;
}

// The dimensions of the indices without that of the index vectors.
std::vector<int64_t> BatchSizes(const OpCheck& check, const ArrayType& indices) {
  std::vector<int64_t> sizes = indices.dims;
  int64_t dimension = check.Int("index_vector_dim");
  if (dimension < static_cast<int64_t>(sizes.size())) sizes.erase(sizes.begin() + dimension);
  return sizes;
}

// The lists together name no dimension twice.
void RequireDisjoint(const OpCheck& check, const char* first, const char* second) {
  for (int64_t dimension : check.Ints(first)) {
    if (HasDimension(check.Ints(second), dimension)) {
      check.Fail(std::string(first) + " and " + second + " both name the dimension " + std::to_string(dimension));
    }
  }
}

// The batching dimensions of the operand and of the indices correspond.
void CheckBatching(const OpCheck& check, const ArrayType& operand, const ArrayType& indices, const char* of_operand,
                   const char* of_indices) {
  const auto& operand_dims = check.SortedDimensions(of_operand, operand.dims.size());
  const auto& indices_dims = check.Dimensions(of_indices, indices.dims.size());
  check.IntsOf(of_indices, operand_dims.size());
  if (HasDimension(indices_dims, check.Int("index_vector_dim"))) {
    check.Fail(std::string(of_indices) + " names the dimension of the index vectors");
  }
  for (size_t i = 0; i < operand_dims.size(); ++i) {
    if (operand.dims[static_cast<size_t>(operand_dims[i])] != indices.dims[static_cast<size_t>(indices_dims[i])]) {
      check.Fail("batching dimensions of different size");
    }
  }
}

// Puts the sizes of windows at `window_dims` and those of batches in between.
std::vector<Wide> Combine(const std::vector<int64_t>& batch, const std::vector<int64_t>& window,
                          const std::vector<int64_t>& window_dims) {
  std::vector<Wide> dims;
  size_t next_batch = 0;
  size_t next_window = 0;
  for (size_t i = 0; i < batch.size() + window.size(); ++i) {
    bool is_window = HasDimension(window_dims, static_cast<int64_t>(i));
    dims.push_back(is_window ? window[next_window++] : batch[next_batch++]);
  }
  return dims;
}

// `sizes` without the dimensions of both lists.
std::vector<int64_t> Without(const std::vector<int64_t>& sizes, const std::vector<int64_t>& first,
                             const std::vector<int64_t>& second) {
  std::vector<int64_t> left;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t dimension = static_cast<int64_t>(i);
    if (!HasDimension(first, dimension) && !HasDimension(second, dimension)) left.push_back(sizes[i]);
  }
  return left;
}

// Everything of gather except the slice sizes; `sizes` is null if they are an operand.
void CheckGatherWith(const OpCheck& check, const std::vector<int64_t>* sizes) {
  const ArrayType& operand = check.Operand(0);
  const ArrayType& indices = check.Operand(1);
  const ArrayType& result = check.Result(0);
  size_t rank = operand.dims.size();
  int64_t vector_size = VectorSize(check, indices);
  const auto& offset_dims = check.SortedDimensions("offset_dims", result.dims.size());
  const auto& collapsed = check.SortedDimensions("collapsed_slice_dims", rank);
  CheckBatching(check, operand, indices, "operand_batching_dims", "start_indices_batching_dims");
  const auto& batching = check.Ints("operand_batching_dims");
  RequireDisjoint(check, "collapsed_slice_dims", "operand_batching_dims");
  check.Require(rank == offset_dims.size() + collapsed.size() + batching.size(),
                "offset_dims, collapsed_slice_dims and operand_batching_dims do not make up the operand's dimensions");
  const auto& map = check.Dimensions("start_index_map", rank);
  RequireDisjoint(check, "start_index_map", "operand_batching_dims");
  if (static_cast<int64_t>(map.size()) != vector_size) {
    check.Fail("start_index_map has " + std::to_string(map.size()) + " entries for index vectors of " +
               std::to_string(vector_size));
  }
  std::vector<int64_t> batch = BatchSizes(check, indices);
  check.Require(result.dims.size() == batch.size() + offset_dims.size(), "the result is of another rank");
  check.Require(result.type == operand.type, "the result is of another type than the operand");
  if (!sizes) return;
  for (size_t i = 0; i < rank; ++i) {
    int64_t dimension = static_cast<int64_t>(i);
    check.Require((*sizes)[i] >= 0 && (*sizes)[i] <= operand.dims[i], "a slice is larger than the operand");
    if (HasDimension(collapsed, dimension) || HasDimension(batching, dimension)) {
      check.Require((*sizes)[i] <= 1, "a collapsed or batching dimension has a slice of more than one");
    }
  }
  check.ExpectResult(0, operand.type, Combine(batch, Without(*sizes, collapsed, batching), offset_dims));
}

}  // namespace

void CheckGather(const OpCheck& check, const OpInfo&) {
  CheckGatherWith(check, &check.IntsOf("slice_sizes", check.Operand(0).dims.size()));
}

void CheckDynamicGather(const OpCheck& check, const OpInfo&) {
  const ArrayType& sizes = check.Operand(2);
  check.Require(IsInteger(sizes.type) && sizes.dims == Dims{static_cast<int64_t>(check.Operand(0).dims.size())},
                "slice_sizes is not a list of one integer a dimension");
  CheckGatherWith(check, nullptr);
}

void CheckScatter(const OpCheck& check, const OpInfo&) {
  check.Require(check.operands() % 2 == 1 && check.operands() >= 3, "has not as many updates as inputs");
  int64_t count = check.operands() / 2;
  const ArrayType& input = check.Operand(0);
  const ArrayType& indices = check.Operand(count);
  const ArrayType& update = check.Operand(count + 1);
  std::vector<ElementType> inputs, updates;
  for (int64_t i = 0; i < count; ++i) {
    inputs.push_back(check.Operand(i).type);
    updates.push_back(check.Operand(count + 1 + i).type);
    check.Require(check.Operand(i).dims == input.dims, "the inputs have different shapes");
    check.Require(check.Operand(count + 1 + i).dims == update.dims, "the updates have different shapes");
    check.Require(inputs.back() == updates.back(), "an update is of another type than its input");
  }
  size_t rank = input.dims.size();
  int64_t vector_size = VectorSize(check, indices);
  const auto& window_dims = check.SortedDimensions("update_window_dims", update.dims.size());
  const auto& inserted = check.SortedDimensions("inserted_window_dims", rank);
  CheckBatching(check, input, indices, "input_batching_dims", "scatter_indices_batching_dims");
  const auto& batching = check.Ints("input_batching_dims");
  RequireDisjoint(check, "inserted_window_dims", "input_batching_dims");
  check.Require(rank == window_dims.size() + inserted.size() + batching.size(),
                "update_window_dims, inserted_window_dims, input_batching_dims do not make up the input's dimensions");
  const auto& map = check.Dimensions("scatter_dims_to_operand_dims", rank);
  RequireDisjoint(check, "scatter_dims_to_operand_dims", "input_batching_dims");
  check.Require(static_cast<int64_t>(map.size()) == vector_size,
                "scatter_dims_to_operand_dims does not have the size of the index vectors");
  std::vector<int64_t> batch = BatchSizes(check, indices);
  check.Require(update.dims.size() == batch.size() + window_dims.size(), "the updates are of another rank");
  std::vector<int64_t> limits = Without(input.dims, inserted, batching);
  std::vector<int64_t> windows;
  for (size_t i = 0; i < window_dims.size(); ++i) {
    windows.push_back(update.dims[static_cast<size_t>(window_dims[i])]);
    check.Require(windows.back() <= limits[i], "a window of the updates is larger than the input");
  }
  if (Combine(batch, windows, window_dims) != WideDims(update.dims)) {
    check.Fail("the updates " + update.ToString() + " do not fit the indices " + indices.ToString());
  }
  check.Require(static_cast<int64_t>(check.op.result_types.size()) == count, "has not as many results as inputs");
  std::vector<ElementType> types = check.ExpectReducer(0, inputs, updates);
  for (int64_t i = 0; i < count; ++i) {
    check.ExpectResult(i, ArrayType{types[static_cast<size_t>(i)], input.dims});
  }
}

}  // namespace reference
