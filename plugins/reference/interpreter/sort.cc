// sort: a merge sort with a region as comparator. Always stable, and safe with comparators that are not an order.
#include <cstring>

#include "base/fault.h"
#include "interpreter/handlers.h"
#include "interpreter/scalar_region.h"
#include "interpreter/strided.h"

namespace reference {
namespace {

class Line {
 public:
  Line(ScalarRegion& comparator, const std::vector<Array>& operands, int64_t size)
      : comparator_(comparator), size_(size), order_(static_cast<size_t>(size)), merged_(static_cast<size_t>(size)) {
    for (const Array& operand : operands) {
      const Codec& codec = CodecOf(operand.element_type());
      Column column;
      column.codec = &codec;
      column.values = AllocateBytes(static_cast<size_t>(size) * codec.value_width);
      columns_.push_back(std::move(column));
    }
  }

  // Gathers the elements of a line, `width` bytes each.
  void Load(size_t column, const std::byte* elements) {
    columns_[column].codec->load(elements, columns_[column].values.get(), size_);
  }

  // Element indices in the order of the comparator.
  const std::vector<int64_t>& Sorted() {
    for (int64_t i = 0; i < size_; ++i) order_[static_cast<size_t>(i)] = i;
    for (int64_t run = 1; run < size_; run *= 2) {
      for (int64_t begin = 0; begin < size_; begin += 2 * run) {
        Merge(begin, std::min(begin + run, size_), std::min(begin + 2 * run, size_));
      }
      order_.swap(merged_);
    }
    return order_;
  }

 private:
  struct Column {
    const Codec* codec = nullptr;
    std::shared_ptr<std::byte> values;
  };

  bool Before(int64_t a, int64_t b) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      const size_t width = columns_[i].codec->value_width;
      const std::byte* values = columns_[i].values.get();
      std::memcpy(comparator_.argument(2 * i), values + static_cast<size_t>(a) * width, width);
      std::memcpy(comparator_.argument(2 * i + 1), values + static_cast<size_t>(b) * width, width);
    }
    comparator_.Run(1);
    return *Values<uint64_t>(comparator_.result(0)) != 0;
  }

  void Merge(int64_t begin, int64_t middle, int64_t end) {
    int64_t left = begin, right = middle;
    for (int64_t i = begin; i < end; ++i) {
      // Ties keep the left one first.
      if (FAULT("inside-sort-unstable-beyond-2048") && size_ > 2048 && left < middle && right < end) {
        const bool left_first = Before(order_[static_cast<size_t>(left)], order_[static_cast<size_t>(right)]);
        merged_[static_cast<size_t>(i)] = order_[static_cast<size_t>(left_first ? left++ : right++)];
        continue;
      }
      const bool take_right = left >= middle || (right < end && Before(order_[static_cast<size_t>(right)],
                                                                       order_[static_cast<size_t>(left)]));
      merged_[static_cast<size_t>(i)] = order_[static_cast<size_t>(take_right ? right++ : left++)];
    }
  }

  ScalarRegion& comparator_;
  int64_t size_;
  std::vector<Column> columns_;
  std::vector<int64_t> order_, merged_;
};

}  // namespace

std::vector<Array> Sort(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const Dims& dims = operands[0].dims();
  std::vector<Array> results;
  for (size_t i = 0; i < operands.size(); ++i) results.emplace_back(ResultType(op, i));
  if (results[0].size() == 0 || dims.empty()) return dims.empty() ? operands : results;
  int64_t dimension = op.Int("dimension");
  if (dimension < 0) dimension += FAULT("inside-sort-of-last-is-first") ? -dimension : static_cast<int64_t>(dims.size());
  // The sorted dimension last, so that a line is contiguous.
  Dims order;
  for (int64_t i = 0; i < static_cast<int64_t>(dims.size()); ++i) {
    if (i != dimension) order.push_back(i);
  }
  order.push_back(dimension);
  Dims back(dims.size());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const int64_t size = dims[static_cast<size_t>(dimension)];
  std::vector<Array> inputs, sorted;
  for (const Array& operand : operands) {
    inputs.push_back(Transposed(operand, order));
    sorted.emplace_back(inputs.back().type());
  }
  ScalarRegion comparator(op.regions[0], context);
  Line line(comparator, operands, size);
  for (int64_t begin = 0; begin < results[0].size(); begin += size) {
    context.evaluator.Poll();
    for (size_t i = 0; i < inputs.size(); ++i) {
      line.Load(i, inputs[i].data() + static_cast<size_t>(begin) * ByteWidth(inputs[i].element_type()));
    }
    const std::vector<int64_t>& places = line.Sorted();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const size_t width = ByteWidth(inputs[i].element_type());
      const bool stays = FAULT("inside-sort-third-stays") && i >= 2;
      for (int64_t k = 0; k < size; ++k) {
        std::memcpy(sorted[i].mutable_data() + static_cast<size_t>(begin + k) * width,
                    inputs[i].data() + static_cast<size_t>(begin + (stays ? k : places[static_cast<size_t>(k)])) * width, width);
      }
    }
  }
  for (size_t i = 0; i < sorted.size(); ++i) results[i] = Transposed(sorted[i], back);
  return results;
}

}  // namespace reference
