#include "interpreter/strided.h"

namespace reference {
namespace {

struct Sixteen {
  uint64_t low, high;
};

template <typename E>
void CopyLine(int64_t count, const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, sizeof(E));
    from += from_stride;
    to += to_stride;
  }
}

void CopyLineOf(size_t width, int64_t count, const std::byte* from, int64_t from_stride, std::byte* to,
                int64_t to_stride) {
  const int64_t bytes = static_cast<int64_t>(width);
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * width);
    return;
  }
  from_stride *= bytes;
  to_stride *= bytes;
  switch (width) {
    case 1: return CopyLine<uint8_t>(count, from, from_stride, to, to_stride);
    case 2: return CopyLine<uint16_t>(count, from, from_stride, to, to_stride);
    case 4: return CopyLine<uint32_t>(count, from, from_stride, to, to_stride);
    case 8: return CopyLine<uint64_t>(count, from, from_stride, to, to_stride);
    default: return CopyLine<Sixteen>(count, from, from_stride, to, to_stride);
  }
}

}  // namespace

Dims RowMajorStrides(const Dims& dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

void CopyStrided(const Dims& dims, size_t width, const std::byte* from, int64_t from_offset, const Dims& from_strides,
                 std::byte* to, int64_t to_offset, const Dims& to_strides) {
  if (width == 0 || ElementCount(dims) == 0) return;
  const int64_t bytes = static_cast<int64_t>(width);
  // Drops dimensions of size one and merges adjacent dimensions that are contiguous on both sides.
  Dims sizes, source, target;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!sizes.empty() && source.back() == from_strides[i] * dims[i] && target.back() == to_strides[i] * dims[i]) {
      sizes.back() *= dims[i];
      source.back() = from_strides[i];
      target.back() = to_strides[i];
      continue;
    }
    sizes.push_back(dims[i]);
    source.push_back(from_strides[i]);
    target.push_back(to_strides[i]);
  }
  if (sizes.empty()) {
    std::memcpy(to + to_offset * bytes, from + from_offset * bytes, width);
    return;
  }
  const int64_t line = sizes.back(), line_source = source.back(), line_target = target.back();
  sizes.pop_back();
  source.pop_back();
  target.pop_back();
  Dims index(sizes.size(), 0);
  int64_t read = from_offset, write = to_offset;
  while (true) {
    CopyLineOf(width, line, from + read * bytes, line_source, to + write * bytes, line_target);
    size_t i = sizes.size();
    while (i > 0) {
      --i;
      read += source[i];
      write += target[i];
      if (++index[i] < sizes[i]) break;
      read -= source[i] * sizes[i];
      write -= target[i] * sizes[i];
      index[i] = 0;
      if (i == 0) return;
    }
    if (sizes.empty()) return;
  }
}

Array OwnedCopy(Array& array) {
  // Arrays that the run did not create itself always have another owner.
  if (array.storage().use_count() == 1) return std::move(array);
  Array copy(array.type());
  if (array.bytes() > 0) std::memcpy(copy.mutable_data(), array.data(), array.bytes());
  return copy;
}

Array Transposed(const Array& array, const Dims& permutation) {
  const Dims strides = RowMajorStrides(array.dims());
  Dims dims(permutation.size()), from(permutation.size());
  bool identity = true;
  for (size_t i = 0; i < permutation.size(); ++i) {
    const size_t source = static_cast<size_t>(permutation[i]);
    dims[i] = array.dims()[source];
    from[i] = strides[source];
    identity = identity && source == i;
  }
  if (identity) return array;
  Array result(ArrayType{array.element_type(), dims});
  CopyStrided(dims, ByteWidth(array.element_type()), array.data(), 0, from, result.mutable_data(), 0,
              RowMajorStrides(dims));
  return result;
}

}  // namespace reference
