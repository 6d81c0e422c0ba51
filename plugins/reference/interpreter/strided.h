// Copies elements between arrays with arbitrary strides.
#pragma once

#include "base/array.h"

namespace reference {

// Row-major strides, in elements.
Dims RowMajorStrides(const Dims& dims);

// Copies `dims` elements of `width` bytes; strides and offsets in elements, strides may be zero or negative.
void CopyStrided(const Dims& dims, size_t width, const std::byte* from, int64_t from_offset, const Dims& from_strides,
                 std::byte* to, int64_t to_offset, const Dims& to_strides);

// A whole array with permuted dimensions: dimension i of the result is permutation[i] of the array.
Array Transposed(const Array& array, const Dims& permutation);

// The array itself if nothing else shares its bytes, else a copy: to be written to. Takes the array.
Array OwnedCopy(Array& array);

// The next index in row-major order; false after the last.
inline bool Next(Dims& index, const Dims& dims) {
  for (size_t i = dims.size(); i-- > 0;) {
    if (++index[i] < dims[i]) return true;
    index[i] = 0;
  }
  return false;
}

}  // namespace reference
