#include "runtime/layout.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"

namespace reference {
namespace {

// More than any memory holds.
Error TooLarge() { return Error(Code::kResourceExhausted, "an array of this shape and layout is too large"); }

int64_t CheckedMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw TooLarge();
  return product;
}

int64_t CheckedAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw TooLarge();
  return sum;
}

// Contribution of an index of one dimension: tiles split an index into quotients and remainders, each of which is an
// index into a dimension of a dense row-major array in memory.
struct Component {
  int64_t dimension = 0;
  int64_t size = 0;
  std::vector<std::pair<bool, int64_t>> cuts;  // {quotient or remainder, by}

  int64_t operator()(int64_t index) const {
    for (const auto& [quotient, by] : cuts) index = quotient ? index / by : index % by;
    return index;
  }

  // Adds the contribution of each index, in steps of `stride`.
  void AddTo(std::vector<int64_t>& table, int64_t stride) const {
    const auto& [quotient, by] = cuts.front();
    const auto size = static_cast<int64_t>(table.size());
    if (quotient && cuts.size() == 1) {
      for (int64_t first = 0, offset = 0; first < size; first += by, offset += stride) {
        for (int64_t i = first; i < std::min(size, first + by); i++) table[static_cast<size_t>(i)] += offset;
      }
      return;
    }
    // Remainders repeat.
    const int64_t period = quotient ? size : std::min(size, by);
    std::vector<int64_t> offsets(static_cast<size_t>(period));
    for (int64_t i = 0; i < period; i++) offsets[static_cast<size_t>(i)] = (*this)(i) * stride;
    for (int64_t first = 0; first < size; first += period) {
      for (int64_t i = 0; i < std::min(period, size - first); i++) {
        table[static_cast<size_t>(first + i)] += offsets[static_cast<size_t>(i)];
      }
    }
  }
};

// The dimensions in memory, major to minor.
std::vector<Component> Components(const Layout& layout, const Dims& dims) {
  std::vector<Component> components;
  for (auto d = layout.minor_to_major.rbegin(); d != layout.minor_to_major.rend(); ++d) {
    components.push_back({*d, dims[static_cast<size_t>(*d)], {}});
  }
  for (const std::vector<int64_t>& tile : layout.tiles) {
    const size_t kept = components.size() - tile.size();
    std::vector<Component> tiled(components.begin(), components.begin() + static_cast<ptrdiff_t>(kept));
    std::vector<Component> inner;
    for (size_t i = 0; i < tile.size(); i++) {
      Component outer = components[kept + i];
      Component rest = outer;
      outer.cuts.emplace_back(true, tile[i]);
      outer.size = outer.size / tile[i] + (outer.size % tile[i] != 0 ? 1 : 0);
      rest.cuts.emplace_back(false, tile[i]);
      rest.size = tile[i];
      tiled.push_back(std::move(outer));
      inner.push_back(std::move(rest));
    }
    tiled.insert(tiled.end(), inner.begin(), inner.end());
    components = std::move(tiled);
  }
  return components;
}

// A dimension whose quotients are directly above its remainders is as good as not split: this is the case in vectors of
// any size, where only the padding shows the tiles.
std::vector<Component> Merged(std::vector<Component> components) {
  std::vector<Component> merged;
  for (Component& component : components) {
    while (!merged.empty() && !component.cuts.empty()) {
      const Component& above = merged.back();
      const auto [quotient, by] = component.cuts.back();
      if (quotient || component.size != by || above.dimension != component.dimension) break;
      auto expected = component.cuts;
      expected.back() = {true, by};
      if (above.cuts != expected) break;
      component.cuts.pop_back();
      component.size *= above.size;
      merged.pop_back();
    }
    merged.push_back(std::move(component));
  }
  return merged;
}

// Positions of the elements of one dimension: multiples of a stride, or a table if tiles make them irregular.
struct Axis {
  int64_t stride = 0;
  std::vector<int64_t> table;
  int64_t at(int64_t index) const {
    return table.empty() ? index * stride : table[static_cast<size_t>(index)];
  }
};

// Axes of a nonempty array.
std::vector<Axis> Axes(const Layout& layout, const ArrayType& type) {
  std::vector<Axis> axes(type.dims.size());
  if (layout.strided) {
    for (size_t d = 0; d < axes.size(); d++) axes[d].stride = layout.byte_strides[d];
    return axes;
  }
  int64_t stride = static_cast<int64_t>(ByteWidth(type.type));
  const std::vector<Component> components = Merged(Components(layout, type.dims));
  for (auto component = components.rbegin(); component != components.rend(); ++component) {
    Axis& axis = axes[static_cast<size_t>(component->dimension)];
    if (component->cuts.empty()) {
      axis.stride = stride;
    } else {
      axis.table.resize(static_cast<size_t>(type.dims[static_cast<size_t>(component->dimension)]));
      component->AddTo(axis.table, stride);
    }
    stride *= component->size;
  }
  return axes;
}

struct Walk {
  const Dims& dims;
  const std::vector<Axis>& from_axes;
  const std::vector<Axis>& to_axes;
  size_t width;
  size_t dense_from;   // dimensions from here on are dense and row-major on both sides
  size_t dense_bytes;  // their total size

  void Copy(size_t d, const std::byte* from, std::byte* to) const {
    if (d == dense_from) {
      std::memcpy(to, from, dense_bytes);
      return;
    }
    const Axis& f = from_axes[d];
    const Axis& t = to_axes[d];
    const bool last = d + 1 == dense_from;
    for (int64_t i = 0; i < dims[d]; i++) {
      if (!last) {
        Copy(d + 1, from + f.at(i), to + t.at(i));
      } else if (dense_bytes == 4) {
        std::memcpy(to + t.at(i), from + f.at(i), 4);
      } else if (dense_bytes == 1) {
        to[t.at(i)] = from[f.at(i)];
      } else {
        std::memcpy(to + t.at(i), from + f.at(i), dense_bytes);
      }
    }
  }
};

void CopyElements(const ArrayType& type, const std::byte* from, const std::vector<Axis>& from_axes, std::byte* to,
                  const std::vector<Axis>& to_axes) {
  const size_t width = ByteWidth(type.type);
  size_t dense_from = type.dims.size();
  size_t dense_bytes = width;
  while (dense_from > 0) {
    const size_t d = dense_from - 1;
    const auto dense = [&](const Axis& axis) {
      return type.dims[d] == 1 || (axis.table.empty() && axis.stride == static_cast<int64_t>(dense_bytes));
    };
    if (!dense(from_axes[d]) || !dense(to_axes[d])) break;
    dense_bytes *= static_cast<size_t>(type.dims[d]);
    dense_from = d;
  }
  Walk{type.dims, from_axes, to_axes, width, dense_from, dense_bytes}.Copy(0, from, to);
}

// Dimensions with relevant strides, by stride.
std::vector<size_t> ByStride(const std::vector<int64_t>& strides, const Dims& dims) {
  std::vector<size_t> order;
  for (size_t d = 0; d < dims.size(); d++) {
    if (dims[d] != 1) order.push_back(d);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  return order;
}

}  // namespace

Layout Layout::RowMajor(size_t rank) {
  Layout layout;
  layout.minor_to_major.resize(rank);
  std::iota(layout.minor_to_major.rbegin(), layout.minor_to_major.rend(), 0);
  return layout;
}

Layout Layout::Strides(std::vector<int64_t> byte_strides) {
  Layout layout;
  layout.strided = true;
  layout.byte_strides = std::move(byte_strides);
  return layout;
}

bool Layout::IsRowMajor() const {
  if (strided || !tiles.empty()) return false;
  for (size_t i = 0; i < minor_to_major.size(); i++) {
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

std::string Layout::ToString() const {
  if (strided) return "strides{" + Join(byte_strides) + "}";
  std::string text = "{" + Join(minor_to_major);
  if (!tiles.empty()) text += ":T";
  for (const std::vector<int64_t>& tile : tiles) text += "(" + Join(tile) + ")";
  return text + "}";
}

bool Layout::operator==(const Layout& other) const {
  return minor_to_major == other.minor_to_major && tiles == other.tiles && strided == other.strided &&
         byte_strides == other.byte_strides;
}

void CheckLayout(const Layout& layout, const ArrayType& type) {
  const size_t rank = type.dims.size();
  const auto fail = [&](const std::string& why) {
    return InvalidArgument("layout " + layout.ToString() + " does not fit " + type.ToString() + ": " + why);
  };
  if (layout.strided) {
    if (layout.byte_strides.size() != rank) throw fail("there must be a stride for each dimension");
    if (type.size() == 0) return;
    int64_t span = static_cast<int64_t>(ByteWidth(type.type));
    for (const size_t d : ByStride(layout.byte_strides, type.dims)) {
      if (layout.byte_strides[d] < span) throw fail("elements overlap");
      span = CheckedAdd(span, CheckedMultiply(layout.byte_strides[d], type.dims[d] - 1));
    }
    return;
  }
  if (layout.minor_to_major.size() != rank) throw fail("there must be one entry for each dimension");
  std::vector<bool> seen(rank, false);
  for (const int64_t d : layout.minor_to_major) {
    if (d < 0 || d >= static_cast<int64_t>(rank) || seen[static_cast<size_t>(d)]) {
      throw fail("minor_to_major is no permutation of the dimensions");
    }
    seen[static_cast<size_t>(d)] = true;
  }
  size_t dimensions = rank;
  // Far more than any device has; each adds dimensions to the walk.
  if (layout.tiles.size() > 16) throw fail("there are more than 16 tiles");
  for (const std::vector<int64_t>& tile : layout.tiles) {
    if (tile.empty() || tile.size() > dimensions) throw fail("a tile has no or too many dimensions");
    for (const int64_t size : tile) {
      if (size < 1) throw fail("a tile has a dimension below 1");
    }
    dimensions += tile.size();
  }
}

Layout Normalized(Layout layout, const ArrayType& type) {
  if (!layout.strided || layout.byte_strides.size() != type.dims.size()) return layout;
  int64_t dense = static_cast<int64_t>(ByteWidth(type.type));
  std::vector<size_t> order = ByStride(layout.byte_strides, type.dims);
  if (type.size() != 0) {
    for (const size_t d : order) {
      if (layout.byte_strides[d] != dense) return layout;
      dense *= type.dims[d];
    }
  }
  // Dimensions of size one may be anywhere: put them where a row-major array has them, if the others are in that order
  // too.
  if (type.size() == 0 || std::is_sorted(order.rbegin(), order.rend())) return Layout::RowMajor(type.dims.size());
  Layout permuted;
  for (size_t d = type.dims.size(); d-- > 0;) {
    if (type.dims[d] == 1) permuted.minor_to_major.push_back(static_cast<int64_t>(d));
  }
  for (const size_t d : order) permuted.minor_to_major.push_back(static_cast<int64_t>(d));
  return permuted;
}

Layout OnHost(const Layout& layout, const ArrayType& type) {
  Layout host;
  if (!layout.strided) {
    host.minor_to_major = layout.minor_to_major;
    return host;
  }
  // Of several dimensions with the same stride, all but one have size one: the last is the most minor, as in a
  // row-major array.
  host = Layout::RowMajor(type.dims.size());
  std::stable_sort(host.minor_to_major.begin(), host.minor_to_major.end(), [&](int64_t a, int64_t b) {
    return layout.byte_strides[static_cast<size_t>(a)] < layout.byte_strides[static_cast<size_t>(b)];
  });
  return host;
}

size_t BytesInLayout(const ArrayType& type, const Layout& layout) {
  CheckLayout(layout, type);
  const int64_t width = static_cast<int64_t>(ByteWidth(type.type));
  if (type.size() == 0 || width == 0) return 0;
  if (layout.strided) {
    int64_t bytes = width;
    for (size_t d = 0; d < type.dims.size(); d++) {
      if (type.dims[d] == 1) continue;
      bytes = CheckedAdd(bytes, CheckedMultiply(layout.byte_strides[d], type.dims[d] - 1));
    }
    return static_cast<size_t>(bytes);
  }
  int64_t bytes = width;
  for (const Component& component : Components(layout, type.dims)) bytes = CheckedMultiply(bytes, component.size);
  return static_cast<size_t>(bytes);
}

void CopyBetweenLayouts(const ArrayType& type, const std::byte* from, const Layout& from_layout, std::byte* to,
                        const Layout& to_layout) {
  if (type.size() == 0 || ByteWidth(type.type) == 0) return;
  if (from_layout == to_layout && !from_layout.strided && from_layout.tiles.empty()) {
    std::memcpy(to, from, type.bytes());
    return;
  }
  CopyElements(type, from, Axes(from_layout, type), to, Axes(to_layout, type));
}

void CopyFromStrides(const ArrayType& type, const std::byte* from, const std::vector<int64_t>& byte_strides,
                     std::byte* to, const Layout& to_layout) {
  if (type.size() == 0 || ByteWidth(type.type) == 0) return;
  CopyElements(type, from, Axes(Layout::Strides(byte_strides), type), to, Axes(to_layout, type));
}

}  // namespace reference
