#include "runtime/device_format.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/design.h"
#include "base/error.h"

namespace reference {
namespace {

// Tiled memory comes in units of this size.
constexpr int64_t kGranule = 512;
constexpr int64_t kLanes = 128;

// Narrow elements share a word: number of rows in one.
int64_t PackedRows(const ArrayType& type) {
  const auto width = static_cast<int64_t>(ByteWidth(type.type));
  return width == 0 || width >= 4 ? 1 : 4 / width;
}

// The smallest power of two from `least` on that holds `size`, at most `most`.
int64_t TileSize(int64_t size, int64_t least, int64_t most) {
  int64_t tile = least;
  while (tile < size && tile < most) tile *= 2;
  return tile;
}

double Padded(int64_t size, int64_t tile) {
  const int64_t tiles = size / tile + (size % tile != 0 ? 1 : 0);
  return static_cast<double>(tiles) * static_cast<double>(tile);
}

// Vectors in one row of tiles, everything else in tiles of 128 columns, in the order of dimensions with least padding.
Layout TiledLayout(const ArrayType& type) {
  constexpr int64_t kRows = 8;
  const Dims& dims = type.dims;
  const size_t rank = dims.size();
  const int64_t packed = PackedRows(type);
  Layout layout = Layout::RowMajor(rank);
  if (rank == 1) {
    layout.tiles = {{TileSize(dims[0], kLanes * packed, kLanes * kRows)}};
    if (packed > 1) layout.tiles.push_back({kLanes});
  } else if (rank > 1) {
    const auto rows = [&](size_t dim) { return TileSize(dims[dim], packed, kRows); };
    double least = std::numeric_limits<double>::infinity();
    size_t minor = rank - 1, second = rank - 2;
    for (size_t i = rank; i-- > 0;) {
      for (size_t j = rank; j-- > 0;) {
        if (i == j) continue;
        double elements = Padded(dims[i], kLanes) * Padded(dims[j], rows(j));
        for (size_t d = 0; d < rank; d++) {
          if (d != i && d != j) elements *= static_cast<double>(dims[d]);
        }
        if (elements >= least) continue;
        least = elements;
        minor = i;
        second = j;
      }
    }
    auto& order = layout.minor_to_major;
    const auto bring = [&](size_t dim, ptrdiff_t to) {
      const auto found = std::find(order.begin(), order.end(), static_cast<int64_t>(dim));
      std::rotate(order.begin() + to, found, found + 1);
    };
    bring(minor, 0);
    bring(second, 1);
    layout.tiles = {{rows(second), kLanes}};
  }
  if (rank > 0 && packed > 1) layout.tiles.push_back({packed, 1});
  return layout;
}

}  // namespace

Layout DefaultLayout(const ArrayType& type) {
  return ThisDesign().tiled_layouts ? TiledLayout(type) : Layout::RowMajor(type.dims.size());
}

size_t DeviceBytes(const ArrayType& type, const Layout& layout) {
  const size_t bytes = BytesInLayout(type, layout);
  if (!ThisDesign().tiled_layouts) return bytes;
  if (layout.strided) throw Unimplemented("memory of devices is in tiles: there is no layout " + layout.ToString());
  if (bytes > static_cast<size_t>(std::numeric_limits<int64_t>::max() - kGranule)) {
    throw Error(Code::kResourceExhausted, "an array of this shape and layout is too large");
  }
  return (bytes + kGranule - 1) / kGranule * kGranule;
}

void CheckRawRange(int64_t offset, int64_t size, int64_t bytes) {
  if (offset < 0 || size < 0 || offset > bytes || size > bytes - offset) {
    throw InvalidArgument(std::to_string(size) + " bytes from " + std::to_string(offset) +
                          " on are not all in a buffer of " + std::to_string(bytes) + " bytes");
  }
  if (ThisDesign().tiled_layouts && size > 0 && (offset % kGranule != 0 || size % kGranule != 0)) {
    throw InvalidArgument(std::to_string(size) + " bytes from " + std::to_string(offset) +
                          " on: memory of devices is copied in pieces of " + std::to_string(kGranule) + " bytes");
  }
}

}  // namespace reference
