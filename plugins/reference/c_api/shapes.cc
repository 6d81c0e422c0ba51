#include "c_api/shapes.h"

#include <utility>

namespace reference {

ElementType ElementTypeFrom(PJRT_Buffer_Type type) {
  const int number = static_cast<int>(type);
  if (number <= PJRT_Buffer_Type_INVALID || !IsKnown("PJRT_Buffer_Type", number)) {
    throw InvalidArgument(std::to_string(number) + " is no type of buffers");
  }
  return static_cast<ElementType>(number);
}

ArrayType ArrayTypeFrom(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  // More than any array has; each takes memory here.
  constexpr size_t kMaxRank = 256;
  if (num_dims > kMaxRank) throw InvalidArgument("an array cannot have " + std::to_string(num_dims) + " dimensions");
  ArrayType array{ElementTypeFrom(type), Int64sFrom(dims, num_dims, "dimensions")};
  array.size();
  return array;
}

ArrayType StorableTypeFrom(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  ArrayType array = ArrayTypeFrom(type, dims, num_dims);
  if (array.type == ElementType::kToken) throw InvalidArgument("a token holds no elements");
  return array;
}

Layout LayoutFrom(const PJRT_Buffer_MemoryLayout* form, const ArrayType& type) {
  if (form == nullptr) return Layout::RowMajor(type.dims.size());
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
        // A tile has at most as many dimensions as tiling has made so far.
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

std::vector<int64_t> Int64sFrom(const int64_t* values, size_t count, const char* what) {
  if (count == 0) return {};
  if (values == nullptr) throw InvalidArgument(std::string(what) + " is null but has a length");
  return std::vector<int64_t>(values, values + count);
}

Error ErrorFrom(PJRT_Error_Code code, const char* message, size_t message_size) {
  const int number = static_cast<int>(code);
  if (number <= PJRT_Error_Code_OK || number > PJRT_Error_Code_UNAUTHENTICATED) {
    throw InvalidArgument(std::to_string(number) + " is no code of an error");
  }
  if (message == nullptr && message_size > 0) throw InvalidArgument("the message is null but has a length");
  return Error(static_cast<Code>(number), message == nullptr ? "" : std::string(message, message_size));
}

std::map<std::string, std::string> PayloadsFrom(const PJRT_NamedValue* payload, size_t num_payload) {
  if (num_payload > 0 && payload == nullptr) throw InvalidArgument("the payload is null but has a length");
  std::map<std::string, std::string> payloads;
  for (size_t i = 0; i < num_payload; i++) {
    const PJRT_NamedValue& value = payload[i];
    if (value.name == nullptr) throw InvalidArgument("a value of the payload has no name");
    std::string name(value.name, value.name_size);
    if (value.type != PJRT_NamedValue_kString || (value.string_value == nullptr && value.value_size > 0)) {
      throw InvalidArgument("the payload '" + name + "' is no text");
    }
    payloads[std::move(name)] = value.value_size == 0 ? "" : std::string(value.string_value, value.value_size);
  }
  return payloads;
}

LayoutForm::LayoutForm(Layout layout) : layout_(std::move(layout)) {
  form.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  if (layout_.strided) {
    form.type = PJRT_Buffer_MemoryLayout_Type_Strides;
    form.strides.struct_size = PJRT_Buffer_MemoryLayout_Strides_STRUCT_SIZE;
    form.strides.byte_strides = layout_.byte_strides.data();
    form.strides.num_byte_strides = layout_.byte_strides.size();
    return;
  }
  for (const std::vector<int64_t>& tile : layout_.tiles) {
    tile_dims_.insert(tile_dims_.end(), tile.begin(), tile.end());
    tile_dim_sizes_.push_back(tile.size());
  }
  form.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  form.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  form.tiled.minor_to_major = layout_.minor_to_major.data();
  form.tiled.minor_to_major_size = layout_.minor_to_major.size();
  form.tiled.tile_dims = tile_dims_.data();
  form.tiled.tile_dim_sizes = tile_dim_sizes_.data();
  form.tiled.num_tiles = tile_dim_sizes_.size();
}

}  // namespace reference
