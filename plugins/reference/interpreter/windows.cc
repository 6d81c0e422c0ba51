// reduce_window and select_and_scatter.
#include <algorithm>
#include <cstring>

#include "base/fault.h"
#include "interpreter/handlers.h"
#include "interpreter/scalar_region.h"
#include "interpreter/strided.h"

namespace reference {
namespace {

struct Window {
  Dims sizes, strides, base_dilations, dilations, low;

  Window(const Op& op, size_t rank, bool dilated) {
    sizes = op.Ints("window_dimensions");
    strides = ListOr(op, "window_strides", rank);
    base_dilations = dilated && !FAULT("inside-window-base-dilation-ignored") ? ListOr(op, "base_dilations", rank) : Dims(rank, 1);
    dilations = dilated && !FAULT("inside-window-dilation-ignored") ? ListOr(op, "window_dilations", rank) : Dims(rank, 1);
    const std::vector<int64_t> padding = Pairs(op, "padding");
    low.assign(rank, 0);
    for (size_t i = 0; i < rank && 2 * i < padding.size(); ++i) low[i] = padding[FAULT("inside-window-padded-as-first") ? 0 : 2 * i];
  }

  // Position in operand dimension `dim` of element `within` of window `at`; -1 for padding and holes.
  int64_t Place(size_t dim, int64_t at, int64_t within, int64_t size) const {
    const int64_t padded = at * strides[dim] + within * dilations[dim] - low[dim];
    if (padded < 0 || padded % base_dilations[dim] != 0) return -1;
    const int64_t place = padded / base_dilations[dim];
    return place < size ? place : -1;
  }

 private:
  static Dims ListOr(const Op& op, const char* name, size_t rank) {
    const Attribute* attribute = op.Find(name);
    const auto* list = attribute == nullptr ? nullptr : attribute->get<std::vector<int64_t>>();
    return list != nullptr && list->size() == rank ? *list : Dims(rank, 1);
  }
};

// For each position of a window in each dimension, the operand offsets of its elements.
class Offsets {
 public:
  Offsets(const Window& window, const Dims& dims, const Dims& places) {
    const Dims strides = RowMajorStrides(dims);
    offsets_.resize(dims.size());
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      offsets_[dim].resize(static_cast<size_t>(places[dim]));
      for (int64_t at = 0; at < places[dim]; ++at) {
        for (int64_t within = 0; within < window.sizes[dim]; ++within) {
          const int64_t place = window.Place(dim, at, within, dims[dim]);
          if (place >= 0) offsets_[dim][static_cast<size_t>(at)].push_back(place * strides[dim]);
        }
      }
    }
  }

  // Visits the elements of one window in row-major order.
  template <typename Visit>
  void ForEach(const Dims& at, const Visit& visit) const { Descend(at, 0, 0, visit); }

 private:
  template <typename Visit>
  void Descend(const Dims& at, size_t dim, int64_t offset, const Visit& visit) const {
    if (dim == offsets_.size()) {
      visit(offset);
      return;
    }
    for (const int64_t step : offsets_[dim][static_cast<size_t>(at[dim])]) Descend(at, dim + 1, offset + step, visit);
  }

  std::vector<std::vector<Dims>> offsets_;
};

}  // namespace

// Padding holds the initial values, which StableHLO lets a reduction use any number of times or not at all: it is
// skipped.
std::vector<Array> ReduceWindow(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const size_t count = operands.size() / 2;
  const Dims& dims = operands[0].dims();
  std::vector<Array> results;
  for (size_t i = 0; i < count; ++i) results.emplace_back(ResultType(op, i));
  if (results[0].size() == 0) return results;
  const Offsets offsets(Window(op, dims.size(), true), dims, results[0].dims());
  ScalarRegion body(op.regions[0], context);
  Dims at(dims.size(), 0);
  int64_t write = 0;
  do {
    if ((write & 0xfff) == 0xfff) context.evaluator.Poll();
    for (size_t i = 0; i < count; ++i) {
      CodecOf(operands[count + i].element_type()).load(operands[count + i].data(), body.argument(i), 1);
    }
    offsets.ForEach(at, [&](int64_t offset) {
      for (size_t i = 0; i < count; ++i) {
        const Codec& codec = CodecOf(operands[i].element_type());
        codec.load(operands[i].data() + static_cast<size_t>(offset) * codec.width, body.argument(count + i), 1);
      }
      body.Run(1);
      for (size_t i = 0; i < count; ++i) {
        std::memmove(body.argument(i), body.result(i), body.result_codec(i).value_width);
      }
    });
    for (size_t i = 0; i < count; ++i) {
      const Codec& codec = CodecOf(results[i].element_type());
      Spoil(AccuracyOfFold(op.regions[0], results[i].element_type()), results[i].element_type(), body.argument(i), 1);
      codec.store(body.argument(i), results[i].mutable_data() + static_cast<size_t>(write) * codec.width, 1);
    }
    ++write;
  } while (Next(at, results[0].dims()));
  return results;
}

std::vector<Array> SelectAndScatter(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const Array& operand = operands[0];
  const Array& source = operands[1];
  Array result(ResultType(op));
  const Codec& codec = CodecOf(operand.element_type());
  const Codec& source_codec = CodecOf(source.element_type());
  const Codec& to = CodecOf(result.element_type());
  for (int64_t i = 0; i < result.size(); ++i) {
    if (FAULT("inside-select-and-scatter-starts-with-zero")) break;
    std::memcpy(result.mutable_data() + static_cast<size_t>(i) * to.width, operands[2].data(), to.width);
  }
  if (source.size() == 0 || operand.size() == 0) return One(std::move(result));
  const Offsets offsets(Window(op, operand.dims().size(), false), operand.dims(), source.dims());
  ScalarRegion select(op.regions[0], context);
  ScalarRegion scatter(op.regions[1], context);
  Dims at(operand.dims().size(), 0);
  int64_t read = 0;
  do {
    // The first element stays until the select region prefers another.
    int64_t chosen = -1;
    offsets.ForEach(at, [&](int64_t offset) {
      codec.load(operand.data() + static_cast<size_t>(offset) * codec.width, select.argument(1), 1);
      if (chosen >= 0) {
        select.Run(1);
        if (*Values<uint64_t>(select.result(0)) != 0) return;
      }
      chosen = offset;
      std::memcpy(select.argument(0), select.argument(1), codec.value_width);
    });
    if (chosen >= 0) {
      std::byte* place = result.mutable_data() + static_cast<size_t>(chosen) * to.width;
      to.load(place, scatter.argument(0), 1);
      source_codec.load(source.data() + static_cast<size_t>(read) * source_codec.width, scatter.argument(1), 1);
      scatter.Run(1);
      to.store(scatter.result(0), place, 1);
    }
    ++read;
  } while (Next(at, source.dims()));
  return One(std::move(result));
}

}  // namespace reference
