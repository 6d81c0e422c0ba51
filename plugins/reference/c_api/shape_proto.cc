#include "c_api/shape_proto.h"

#include "base/primitive_type.h"
#include "base/protobuf.h"

namespace reference {

namespace {

// Fields of ShapeProto, LayoutProto and TileProto.
enum { kElementType = 2, kDimensions = 3, kLayout = 5, kIsDynamicDimension = 6 };
enum { kMinorToMajor = 1, kTiles = 6 };
enum { kTileDimensions = 1 };

}  // namespace

std::string ShapeProto(const ArrayType& type, const Layout& layout) {
  ProtoWriter layout_proto;
  if (!layout.minor_to_major.empty()) layout_proto.Packed(kMinorToMajor, layout.minor_to_major);
  for (const auto& tile : layout.tiles) {
    ProtoWriter tile_proto;
    tile_proto.Packed(kTileDimensions, tile);
    layout_proto.Bytes(kTiles, tile_proto.bytes());
  }
  ProtoWriter shape;
  shape.Varint(kElementType, PrimitiveType(type.type));
  if (!type.dims.empty()) {
    shape.Packed(kDimensions, type.dims);
    shape.Packed(kIsDynamicDimension, std::vector<int64_t>(type.dims.size(), 0));
  }
  shape.Bytes(kLayout, layout_proto.bytes());
  return shape.bytes();
}

}  // namespace reference
