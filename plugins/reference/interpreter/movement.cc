// Ops that move elements without interpreting them.
#include <algorithm>

#include "base/fault.h"
#include "interpreter/domain.h"
#include "interpreter/handlers.h"
#include "interpreter/strided.h"

namespace reference {
namespace {

// `result` is uninitialised: every element becomes the scalar.
void Fill(Array& result, const Array& scalar) {
  const Dims zeros(result.dims().size(), 0);
  CopyStrided(result.dims(), ByteWidth(result.element_type()), scalar.data(), 0, zeros, result.mutable_data(), 0,
              RowMajorStrides(result.dims()));
}

int64_t Dot(const Dims& a, const Dims& b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Start indices of a dynamic slice, clamped so that the slice is in bounds.
Dims ClampedStarts(const std::vector<Array>& operands, size_t first, const Dims& dims, const Dims& sizes) {
  Dims starts(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t index = IntegerAt(operands.at(first + i), 0);
    starts[i] = std::max<int64_t>(0, std::min(index, dims[i] - sizes[i]));
  }
  return starts;
}

Array PadArray(const Array& operand, const Array& value, const Dims& low, const Dims& interior,
               const ArrayType& type) {
  Array result(type);
  Fill(result, value);
  // The elements that are in bounds, in each dimension from `first` on.
  const Dims from = RowMajorStrides(operand.dims());
  const Dims to = RowMajorStrides(type.dims);
  Dims counts(low.size()), steps(low.size());
  int64_t read = 0, write = 0;
  for (size_t i = 0; i < low.size(); ++i) {
    if (FAULT("inside-pad-negative-drops-spread-elements") && low[i] < 0 && interior[i] > 0) return result;
    const int64_t step = interior[i] + 1;
    const int64_t first = low[i] < 0 ? (-low[i] + step - 1) / step : 0;
    const int64_t room = type.dims[i] - low[i];  // positions before this one, counted from the first element
    const int64_t past = room <= 0 ? 0 : std::min(operand.dims()[i], (room + step - 1) / step);
    counts[i] = std::max<int64_t>(0, past - first);
    steps[i] = to[i] * step;
    read += first * from[i];
    write += (low[i] + first * step) * to[i];
  }
  CopyStrided(counts, ByteWidth(type.type), operand.data(), read, from, result.mutable_data(), write, steps);
  return result;
}

Array SliceArray(const Array& operand, const Dims& starts, const Dims& strides, const ArrayType& type) {
  Array result(type);
  const Dims from = RowMajorStrides(operand.dims());
  Dims steps(from.size());
  for (size_t i = 0; i < from.size(); ++i) steps[i] = from[i] * strides[i];
  CopyStrided(type.dims, ByteWidth(type.type), operand.data(), Dot(starts, from), steps, result.mutable_data(), 0,
              RowMajorStrides(type.dims));
  return result;
}

Dims IntegersOf(const Array& array) {
  Dims values(static_cast<size_t>(array.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = IntegerAt(array, static_cast<int64_t>(i));
  return values;
}

}  // namespace

std::vector<Array> Reshape(const Op& op, std::vector<Array>& operands, OpContext&) {
  return One(operands[0].Reshaped(ResultType(op).dims));
}

std::vector<Array> BitcastConvert(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Array& operand = operands[0];
  Array result(ResultType(op));
  const int from = BitWidth(operand.element_type());
  const int to = BitWidth(result.element_type());
  if (operand.size() * from != result.size() * to) {
    throw InvalidArgument(op.name + " at " + op.location + ": the results' bits are not those of the operand");
  }
  if (from >= 8 && to >= 8) {
    std::copy_n(operand.data(), result.bytes(), result.mutable_data());
    return One(std::move(result));
  }
  // Narrow elements are in the low bits of a byte each; the first of them is the lowest part of a wider one.
  const auto bit = [](const Array& array, int width, int64_t at) -> unsigned {
    const int64_t element = at / width, within = at % width;
    const int64_t bytes = static_cast<int64_t>(ByteWidth(array.element_type()));
    return (static_cast<unsigned>(array.data()[element * bytes + within / 8]) >> (within % 8)) & 1u;
  };
  const int64_t bytes = static_cast<int64_t>(ByteWidth(result.element_type()));
  for (int64_t i = 0; i < result.size(); ++i) {
    std::byte* element = result.mutable_data() + i * bytes;
    for (int k = 0; k < to; ++k) element[k / 8] |= static_cast<std::byte>(bit(operand, from, i * to + k) << (k % 8));
  }
  if (to < 8 && IsSignedInteger(result.element_type())) {
    const int sign = 1 << (to - 1);
    int8_t* values = result.as<int8_t>();
    for (int64_t i = 0; i < result.size(); ++i) values[i] = static_cast<int8_t>((values[i] ^ sign) - sign);
  }
  return One(std::move(result));
}

std::vector<Array> Transpose(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Dims order = op.Ints("permutation");
  if (FAULT("inside-transpose-inverted")) {
    Dims inverse(order.size());
    for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    Array other = Transposed(operands[0], inverse);
    if (other.type() == ResultType(op)) return One(std::move(other));
  }
  return One(Transposed(operands[0], order));
}

std::vector<Array> BroadcastInDim(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Array& operand = operands[0];
  const ArrayType& type = ResultType(op);
  if (operand.size() == ElementCount(type.dims) && operand.dims() == type.dims) {
    const Dims order = op.Ints("broadcast_dimensions");
    if (std::is_sorted(order.begin(), order.end())) return One(operand);
  }
  Array result(type);
  const Dims from = RowMajorStrides(operand.dims());
  Dims dimensions = op.Ints("broadcast_dimensions");
  if (FAULT("inside-broadcast-dimensions-sorted") && std::adjacent_find(operand.dims().begin(), operand.dims().end(), std::not_equal_to<>()) == operand.dims().end()) {
    std::sort(dimensions.begin(), dimensions.end());
  }
  Dims steps(type.dims.size(), 0);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    // A dimension of size one is repeated; others keep their stride.
    if (operand.dims()[i] != 1) steps[static_cast<size_t>(dimensions[i])] = from[i];
  }
  CopyStrided(type.dims, ByteWidth(type.type), operand.data(), 0, steps, result.mutable_data(), 0,
              RowMajorStrides(type.dims));
  return One(std::move(result));
}

std::vector<Array> Broadcast(const Op& op, std::vector<Array>& operands, OpContext&) {
  const ArrayType& type = ResultType(op);
  Array result(type);
  const Dims from = RowMajorStrides(operands[0].dims());
  Dims steps(type.dims.size(), 0);
  std::copy(from.begin(), from.end(), steps.end() - static_cast<std::ptrdiff_t>(from.size()));
  CopyStrided(type.dims, ByteWidth(type.type), operands[0].data(), 0, steps, result.mutable_data(), 0,
              RowMajorStrides(type.dims));
  return One(std::move(result));
}

std::vector<Array> Slice(const Op& op, std::vector<Array>& operands, OpContext&) {
  return One(SliceArray(operands[0], op.Ints("start_indices"), op.Ints("strides"), ResultType(op)));
}

std::vector<Array> RealDynamicSlice(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Dims starts = IntegersOf(operands[1]), limits = IntegersOf(operands[2]), strides = IntegersOf(operands[3]);
  const Dims& dims = operands[0].dims();
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = ResultType(op).dims[i];
    const bool inside = starts[i] >= 0 && starts[i] <= limits[i] && limits[i] <= dims[i] && strides[i] > 0;
    if (!inside || (limits[i] - starts[i] + strides[i] - 1) / strides[i] != size) {
      throw InvalidArgument(op.name + " at " + op.location + ": the slice of dimension " + std::to_string(i) +
                            " does not give the result's shape");
    }
  }
  const Dims taken = FAULT("inside-dynamic-strides-ignored") ? Dims(starts.size(), 1) : strides;
  return One(SliceArray(operands[0], starts, taken, ResultType(op)));
}

std::vector<Array> DynamicSlice(const Op& op, std::vector<Array>& operands, OpContext&) {
  const ArrayType& type = ResultType(op);
  const Dims starts = ClampedStarts(operands, 1, operands[0].dims(), type.dims);
  return One(SliceArray(operands[0], starts, Dims(starts.size(), 1), type));
}

std::vector<Array> DynamicUpdateSlice(const Op&, std::vector<Array>& operands, OpContext&) {
  const Array update = operands[1];
  const Dims starts = ClampedStarts(operands, 2, operands[0].dims(), update.dims());
  Array result = OwnedCopy(operands[0]);
  if (FAULT("inside-update-of-whole-array-lost") && update.dims() == result.dims()) return One(std::move(result));
  const Dims to = RowMajorStrides(result.dims());
  CopyStrided(update.dims(), ByteWidth(update.element_type()), update.data(), 0, RowMajorStrides(update.dims()),
              result.mutable_data(), Dot(starts, to), to);
  return One(std::move(result));
}

std::vector<Array> Pad(const Op& op, std::vector<Array>& operands, OpContext&) {
  return One(PadArray(operands[0], operands[1], op.Ints("edge_padding_low"), op.Ints("interior_padding"),
                      ResultType(op)));
}

std::vector<Array> DynamicPad(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Dims low = IntegersOf(operands[2]), high = IntegersOf(operands[3]), interior = IntegersOf(operands[4]);
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t size = operands[0].dims()[i];
    if (interior[i] < 0 ||
        low[i] + high[i] + size + std::max<int64_t>(0, size - 1) * interior[i] != ResultType(op).dims[i]) {
      throw InvalidArgument(op.name + " at " + op.location + ": the padding of dimension " + std::to_string(i) +
                            " does not give the result's shape");
    }
  }
  const Dims& below = FAULT("inside-dynamic-padding-above-first") ? high : low;
  return One(PadArray(operands[0], operands[1], below, interior, ResultType(op)));
}

std::vector<Array> Concatenate(const Op& op, std::vector<Array>& operands, OpContext&) {
  const size_t dimension = static_cast<size_t>(op.Int("dimension"));
  Array result(ResultType(op));
  const Dims to = RowMajorStrides(result.dims());
  int64_t at = 0;
  for (const Array& operand : operands) {
    if (FAULT("inside-concatenate-ends-at-empty") && operand.size() == 0) break;
    if (FAULT("inside-concatenate-of-four") && &operand - operands.data() >= 4) break;
    CopyStrided(operand.dims(), ByteWidth(operand.element_type()), operand.data(), 0, RowMajorStrides(operand.dims()),
                result.mutable_data(), at * to[dimension], to);
    at += operand.dims()[dimension];
  }
  return One(std::move(result));
}

std::vector<Array> Reverse(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Array& operand = operands[0];
  Array result(operand.type());
  const Dims to = RowMajorStrides(operand.dims());
  Dims from = to;
  int64_t offset = 0;
  for (const int64_t dimension : op.Ints("dimensions")) {
    const size_t i = static_cast<size_t>(dimension);
    offset += (operand.dims()[i] - 1) * to[i];
    from[i] = -to[i];
    if (FAULT("inside-reverse-of-one-dimension")) break;
  }
  CopyStrided(operand.dims(), ByteWidth(operand.element_type()), operand.data(), offset, from, result.mutable_data(), 0,
              to);
  return One(std::move(result));
}

std::vector<Array> Iota(const Op& op, std::vector<Array>&, OpContext&) {
  Array result(ResultType(op));
  const size_t dimension = static_cast<size_t>(op.Int("iota_dimension"));
  const Codec& codec = CodecOf(result.element_type());
  // One line of the numbers, then broadcast over the other dimensions.
  const int64_t size = result.dims()[dimension];
  Array line(ArrayType{result.element_type(), {size}});
  for (int64_t i = 0; i < size; ++i) {
    alignas(16) std::byte value[kMaxDomainWidth] = {};
    switch (codec.domain) {
      case Domain::kReal: *Values<double>(value) = static_cast<double>(i); break;
      case Domain::kComplex: *Values<std::complex<double>>(value) = static_cast<double>(i); break;
      case Domain::kSigned: *Values<int64_t>(value) = i; break;
      case Domain::kUnsigned: *Values<uint64_t>(value) = static_cast<uint64_t>(i); break;
    }
    codec.store(value, line.mutable_data() + static_cast<size_t>(i) * codec.width, 1);
  }
  Dims steps(result.dims().size(), 0);
  steps[dimension] = 1;
  CopyStrided(result.dims(), codec.width, line.data(), 0, steps, result.mutable_data(), 0,
              RowMajorStrides(result.dims()));
  return One(std::move(result));
}

std::vector<Array> GetDimensionSize(const Op& op, std::vector<Array>& operands, OpContext&) {
  Array result(ResultType(op));
  *result.as<int32_t>() = static_cast<int32_t>(operands[0].dims()[static_cast<size_t>(op.Int("dimension"))]);
  return One(std::move(result));
}

}  // namespace reference
