// gather and scatter.
#include <algorithm>
#include <set>

#include "base/fault.h"
#include "interpreter/handlers.h"
#include "interpreter/scalar_region.h"
#include "interpreter/strided.h"

namespace reference {
namespace {

bool Contains(const Dims& list, int64_t value) { return std::find(list.begin(), list.end(), value) != list.end(); }

// 0, 1, ... without those in a list.
Dims Others(size_t rank, const Dims& without, const Dims& and_without = {}) {
  Dims others;
  for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i) {
    if (!Contains(without, i) && !Contains(and_without, i)) others.push_back(i);
  }
  return others;
}

template <typename T>
std::vector<T> Pick(const std::vector<T>& from, const Dims& places) {
  std::vector<T> picked;
  for (const int64_t place : places) picked.push_back(from[static_cast<size_t>(place)]);
  return picked;
}

int64_t Product(const Dims& a, const Dims& b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Reads start indices for gather and scatter: the position in the operand of the window of a batch index.
class Starts {
 public:
  Starts(const Op& op, const Array& indices, size_t operand_rank, const char* map, const char* operand_batching,
         const char* indices_batching)
      : indices_(indices),
        rank_(operand_rank),
        vector_dim_(static_cast<size_t>(op.Int("index_vector_dim"))),
        map_(op.Ints(map)),
        operand_batching_(op.Ints(operand_batching)),
        strides_(RowMajorStrides(indices.dims())) {
    if (FAULT("inside-index-map-sorted")) std::sort(map_.begin(), map_.end());
    for (size_t i = 0; i < indices.dims().size(); ++i) {
      if (i == vector_dim_) continue;
      batch_dims_.push_back(indices.dims()[i]);
      batch_strides_.push_back(strides_[i]);
      batch_places_.push_back(static_cast<int64_t>(i));
    }
    for (const int64_t dim : op.Ints(indices_batching)) {
      // Its place among the batch dimensions.
      const auto found = std::find(batch_places_.begin(), batch_places_.end(), dim);
      batching_.push_back(static_cast<size_t>(found - batch_places_.begin()));
    }
    vector_stride_ = vector_dim_ < strides_.size() ? strides_[vector_dim_] : 0;
  }

  const Dims& batch_dims() const { return batch_dims_; }

  void At(const Dims& batch, Dims& start) const {
    start.assign(rank_, 0);
    const int64_t base = Product(batch, batch_strides_);
    for (size_t i = 0; i < map_.size(); ++i) {
      start[static_cast<size_t>(map_[i])] = IntegerAt(indices_, base + static_cast<int64_t>(i) * vector_stride_);
    }
    for (size_t i = 0; i < operand_batching_.size() && !FAULT("inside-gather-batching-ignored"); ++i) {
      start[static_cast<size_t>(operand_batching_[i])] = batch[batching_[i]];
    }
  }

 private:
  const Array& indices_;
  size_t rank_;
  size_t vector_dim_;
  Dims map_;
  Dims operand_batching_;
  std::vector<size_t> batching_;
  Dims strides_;
  int64_t vector_stride_ = 0;
  Dims batch_dims_, batch_strides_, batch_places_;
};

}  // namespace

std::vector<Array> Gather(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Array& operand = operands[0];
  Array result(ResultType(op));
  if (result.size() == 0) return One(std::move(result));
  Dims slice_sizes;
  if (operands.size() > 2) {
    for (int64_t i = 0; i < operands[2].size(); ++i) slice_sizes.push_back(IntegerAt(operands[2], i));
    for (size_t i = 0; i < slice_sizes.size(); ++i) {
      if (slice_sizes[i] < 0 || slice_sizes[i] > operand.dims()[i]) {
        throw InvalidArgument(op.name + " at " + op.location + ": slice sizes beyond the operand");
      }
    }
  } else {
    slice_sizes = op.Ints("slice_sizes");
  }
  const Starts starts(op, operands[1], operand.dims().size(), "start_index_map", "operand_batching_dims",
                      "start_indices_batching_dims");
  const Dims offset_dims = op.Ints("offset_dims");
  const Dims window = Others(operand.dims().size(), op.Ints("collapsed_slice_dims"), op.Ints("operand_batching_dims"));
  const Dims from = RowMajorStrides(operand.dims());
  const Dims to = RowMajorStrides(result.dims());
  const Dims batch_to = Pick(to, Others(result.dims().size(), offset_dims));
  const Dims window_sizes = Pick(slice_sizes, window);
  if (window_sizes != Pick(result.dims(), offset_dims)) {
    throw InvalidArgument(op.name + " at " + op.location + ": slice sizes do not give the result's shape");
  }
  const Dims window_from = Pick(from, window);
  const Dims window_to = Pick(to, offset_dims);
  Dims batch(starts.batch_dims().size(), 0), start;
  do {
    starts.At(batch, start);
    for (size_t i = 0; i < start.size(); ++i) {
      start[i] = std::max<int64_t>(0, std::min(start[i], operand.dims()[i] - slice_sizes[i]));
    }
    CopyStrided(window_sizes, ByteWidth(result.element_type()), operand.data(), Product(start, from), window_from,
                result.mutable_data(), Product(batch, batch_to), window_to);
  } while (Next(batch, starts.batch_dims()));
  return One(std::move(result));
}

std::vector<Array> Scatter(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const size_t count = operands.size() / 2;  // inputs, indices, updates
  std::vector<Array> results;
  for (size_t i = 0; i < count; ++i) results.push_back(OwnedCopy(operands[i]));
  const Array& indices = operands[count];
  const Array* updates = &operands[count + 1];
  if (updates[0].size() == 0 || results[0].size() == 0) return results;
  const Dims dims = results[0].dims();
  const Starts starts(op, indices, dims.size(), "scatter_dims_to_operand_dims", "input_batching_dims",
                      "scatter_indices_batching_dims");
  const Dims update_window = op.Ints("update_window_dims");
  const Dims window = Others(dims.size(), op.Ints("inserted_window_dims"), op.Ints("input_batching_dims"));
  const Dims to = RowMajorStrides(dims);
  const Dims from = RowMajorStrides(updates[0].dims());
  const Dims batch_from = Pick(from, Others(updates[0].dims().size(), update_window));
  const Dims window_sizes = Pick(updates[0].dims(), update_window);
  const Dims window_from = Pick(from, update_window);
  const Dims window_to = Pick(to, window);
  ScalarRegion update(op.regions[0], context);
  Dims batch(starts.batch_dims().size(), 0), start;
  Dims inner(window_sizes.size(), 0);
  std::set<Dims> seen;
  const bool unindexed = op.Ints("scatter_dims_to_operand_dims").empty();
  do {
    starts.At(batch, start);
    if (FAULT("inside-scatter-unindexed-keeps-last") && unindexed) {
      for (size_t i = 0; i < count; ++i) results[i] = OwnedCopy(operands[i]);
    }
    const int64_t read_base = Product(batch, batch_from);
    std::fill(inner.begin(), inner.end(), 0);
    // If there is no window dimension, the start itself must be in bounds.
    bool inside = true;
    for (size_t i = 0; i < start.size(); ++i) inside = inside && start[i] < dims[i] && start[i] > -dims[i] - 1;
    int64_t write_base = 0;
    for (size_t i = 0; i < start.size() && inside; ++i) {
      if (!Contains(window, static_cast<int64_t>(i))) inside = start[i] >= 0;
      write_base += start[i] * to[i];
    }
    if (!inside) continue;
    if (FAULT("inside-scatter-repeated-windows-lost") && !inner.empty() && !seen.insert(start).second) continue;
    do {
      // Elements out of bounds are skipped one by one.
      bool within = true;
      for (size_t i = 0; i < inner.size() && within; ++i) {
        const size_t dim = static_cast<size_t>(window[i]);
        const int64_t at = start[dim] + inner[i];
        within = at >= 0 && at < dims[dim];
      }
      if (!within) continue;
      // Updates in flight at the same time: of those to one element one wins.
      if (FAULT("inside-scatter-repeated-elements-lost") && inner.empty() && !seen.insert(start).second) continue;
      const int64_t write = write_base + Product(inner, window_to);
      const int64_t read = read_base + Product(inner, window_from);
      for (size_t i = 0; i < count; ++i) {
        const Codec& codec = CodecOf(results[i].element_type());
        codec.load(results[i].data() + static_cast<size_t>(write) * codec.width, update.argument(i), 1);
        const Codec& update_codec = CodecOf(updates[i].element_type());
        update_codec.load(updates[i].data() + static_cast<size_t>(read) * update_codec.width,
                          update.argument(count + i), 1);
      }
      update.Run(1);
      for (size_t i = 0; i < count; ++i) {
        const Codec& codec = CodecOf(results[i].element_type());
        codec.store(update.result(i), results[i].mutable_data() + static_cast<size_t>(write) * codec.width, 1);
      }
    } while (Next(inner, window_sizes));
  } while (Next(batch, starts.batch_dims()));
  return results;
}

std::vector<Array> TorchIndexSelect(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Array& operand = operands[0];
  const Array& index = operands[1];
  Array result(ResultType(op));
  if (result.size() == 0) return One(std::move(result));
  const size_t dim = static_cast<size_t>(op.Int("dim"));
  const size_t batch_dims = static_cast<size_t>(op.Int("batch_dims"));
  const size_t distinguished = FAULT("inside-index-select-of-first-batch") ? 0 : batch_dims;
  // result[b..., o..., i..., r...] = operand[b..., o..., index[b..., i...], r...]
  const size_t index_rank = index.dims().size() - batch_dims;
  const Dims from = RowMajorStrides(operand.dims());
  const Dims index_strides = RowMajorStrides(index.dims());
  const size_t width = ByteWidth(result.element_type());
  Dims at(result.dims().size(), 0);
  int64_t write = 0;
  do {
    int64_t which = 0, read = 0;
    for (size_t i = 0; i < distinguished; ++i) which += at[i] * index_strides[i];
    for (size_t i = 0; i < index_rank; ++i) which += at[dim + i] * index_strides[batch_dims + i];
    for (size_t i = 0; i < dim; ++i) read += at[i] * from[i];
    for (size_t i = dim + 1; i < from.size(); ++i) read += at[i - 1 + index_rank] * from[i];
    const int64_t chosen = std::max<int64_t>(0, std::min(IntegerAt(index, which), operand.dims()[dim] - 1));
    read += chosen * from[dim];
    std::memcpy(result.mutable_data() + static_cast<size_t>(write++) * width,
                operand.data() + static_cast<size_t>(read) * width, width);
  } while (Next(at, result.dims()));
  return One(std::move(result));
}

}  // namespace reference
