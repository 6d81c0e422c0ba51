#include "c_api/shapes.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "c_api/call.h"
#include "c_api/error.h"
#include "c_api/version.h"
#include "runtime/device_format.h"

namespace reference {

ElementType ElementTypeFrom(PJRT_Buffer_Type type) {
  const int number = static_cast<int>(type);
  if (number <= PJRT_Buffer_Type_INVALID || !KnownBufferType(number)) {
    throw InvalidArgument(std::to_string(number) + " is no type of buffers");
  }
  return static_cast<ElementType>(number);
}

ArrayType ArrayTypeFrom(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  // More than any array has; each costs memory here.
  constexpr size_t kMaxRank = 256;
  if (num_dims > kMaxRank) throw InvalidArgument("an array cannot have " + std::to_string(num_dims) + " dimensions");
  ArrayType array{ElementTypeFrom(type), Int64sFrom(dims, num_dims, "dimensions")};
  if (array.type == ElementType::kToken && num_dims > 0) throw InvalidArgument("a token has no dimensions");
  int64_t count = 1;
  bool empty = false, overflows = false;
  for (const int64_t dim : array.dims) {
    if (dim < 0) throw InvalidArgument("a dimension is negative: " + std::to_string(dim));
    empty |= dim == 0;
    overflows |= __builtin_mul_overflow(count, dim, &count);
  }
  // Room for the widest elements: nothing larger fits into memory, whatever its type.
  constexpr int64_t kMaxCount = std::numeric_limits<int64_t>::max() / 16;
  if (!empty && (overflows || count > kMaxCount)) {
    throw Error(Code::kResourceExhausted, "an array of these dimensions is too large");
  }
  return array;
}

ArrayType StorableTypeFrom(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  ArrayType array = ArrayTypeFrom(type, dims, num_dims);
  if (array.type == ElementType::kToken) throw InvalidArgument("a token holds no elements");
  return array;
}

Layout LayoutFrom(const PJRT_Buffer_MemoryLayout* form, const ArrayType& type) {
  if (form == nullptr) return DefaultLayout(type);
  Layout layout;
  switch (form->type) {
    case PJRT_Buffer_MemoryLayout_Type_Tiled: {
      const PJRT_Buffer_MemoryLayout_Tiled& tiled = form->tiled;
      if (tiled.minor_to_major_size != type.dims.size()) {
        throw InvalidArgument("a layout of " + std::to_string(tiled.minor_to_major_size) + " dimensions does not fit " +
                              type.ToString());
      }
      layout.minor_to_major = Int64sFrom(tiled.minor_to_major, tiled.minor_to_major_size, "minor_to_major");
      constexpr size_t kMaxTiles = 16;
      if (tiled.num_tiles > kMaxTiles) throw InvalidArgument("a layout cannot have so many tiles");
      if (tiled.num_tiles > 0 && tiled.tile_dim_sizes == nullptr) throw InvalidArgument("tile_dim_sizes is null");
      const int64_t* next = tiled.tile_dims;
      for (size_t i = 0; i < tiled.num_tiles; i++) {
        const size_t size = tiled.tile_dim_sizes[i];
        // A tile has at most as many dimensions as earlier tiling has produced.
        if (size > type.dims.size() << i) throw InvalidArgument("a tile has more dimensions than the array");
        layout.tiles.push_back(Int64sFrom(next, size, "tile_dims"));
        if (size > 0) next += size;
      }
      break;
    }
    case PJRT_Buffer_MemoryLayout_Type_Strides:
      if (form->strides.num_byte_strides != type.dims.size()) {
        throw InvalidArgument("a layout of " + std::to_string(form->strides.num_byte_strides) +
                              " strides does not fit " + type.ToString());
      }
      layout = Layout::Strides(Int64sFrom(form->strides.byte_strides, form->strides.num_byte_strides, "byte_strides"));
      break;
    default:
      throw InvalidArgument(std::to_string(static_cast<int>(form->type)) + " is no type of layouts");
  }
  CheckLayout(layout, type);
  return Normalized(std::move(layout), type);
}

std::vector<int64_t> Int64sFrom(const int64_t* values, size_t count, const char* field) {
  if (count == 0) return {};
  GivenArray(values, count, field);
  return std::vector<int64_t>(values, values + count);
}

Error CallersError(int code, const char* message, size_t message_size) {
  std::optional<Error> error = ErrorFromCaller(code, message, message_size);
  if (!error) throw InvalidArgument("OK is the code of no error");
  return std::move(*error);
}

}  // namespace reference
