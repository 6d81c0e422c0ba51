// Positions of the elements of an array in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/array.h"

namespace reference {

// Either an order of dimensions, most minor first, with tiles as in XLA ({1,0:T(8,128)(2,1)}), or a stride in bytes for
// each dimension.
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

// Throws InvalidArgument unless the layout is valid for arrays of this type: a permutation of its dimensions and
// positive tiles, or one stride for each dimension without overlapping elements or any before the first.
void CheckLayout(const Layout& layout, const ArrayType& type);

// The same positions, written as an order of dimensions if the strides are those of a dense array.
Layout Normalized(Layout layout, const ArrayType& type);

// The order of dimensions of a layout, without tiles or gaps: the default layout on a host.
Layout OnHost(const Layout& layout, const ArrayType& type);

// Size of an array of this type in this layout, including padding. Throws ResourceExhausted if it exceeds 63 bits.
size_t BytesInLayout(const ArrayType& type, const Layout& layout);

// Copies the elements of an array from one layout to another. Padding bytes of `to` are not written.
void CopyBetweenLayouts(const ArrayType& type, const std::byte* from, const Layout& from_layout, std::byte* to,
                        const Layout& to_layout);

// The same from memory with arbitrary strides, also negative or zero; `from` is the element with all indices zero.
void CopyFromStrides(const ArrayType& type, const std::byte* from, const std::vector<int64_t>& byte_strides,
                     std::byte* to, const Layout& to_layout);

}  // namespace reference
