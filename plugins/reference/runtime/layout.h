// Where the elements of an array lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/array.h"

namespace reference {

// Either an order of dimensions, most minor first, with tiles as XLA has them ({1,0:T(8,128)(2,1)}), or a stride in bytes
// for each dimension.
struct Layout {
  std::vector<int64_t> minor_to_major;
  std::vector<std::vector<int64_t>> tiles;
  bool strided = false;
  std::vector<int64_t> byte_strides;

  static Layout RowMajor(size_t rank);
  static Layout Strides(std::vector<int64_t> byte_strides);

  bool IsRowMajor() const;
  // "{1,0}", "{1,0:T(8,128)}"; of strides "strides{12,4}".
  std::string ToString() const;
  bool operator==(const Layout& other) const;
  bool operator!=(const Layout& other) const { return !(*this == other); }
};

// Throws InvalidArgument unless the layout can hold arrays of this type: a permutation of its dimensions and positive
// tiles, or one stride for each dimension by which no two elements overlap and none lies before the first.
void CheckLayout(const Layout& layout, const ArrayType& type);

// The same places, written as an order of dimensions where strides are those of a dense array.
Layout Normalized(Layout layout, const ArrayType& type);

// The order of dimensions of a layout, without tiles or gaps: how an array comes to a host that asks for no layout.
Layout OnHost(const Layout& layout, const ArrayType& type);

// Bytes that an array of this type takes in this layout, padding included. Throws ResourceExhausted where 63 bits do not
// count them.
size_t BytesInLayout(const ArrayType& type, const Layout& layout);

// Copies the elements of an array from one layout to another. Bytes of `to` that hold no element are left alone.
void CopyBetweenLayouts(const ArrayType& type, const std::byte* from, const Layout& from_layout, std::byte* to,
                        const Layout& to_layout);

// The same from memory with any strides, also negative ones and zeros; `from` is the element with all indices zero.
void CopyFromStrides(const ArrayType& type, const std::byte* from, const std::vector<int64_t>& byte_strides,
                     std::byte* to, const Layout& to_layout);

}  // namespace reference
