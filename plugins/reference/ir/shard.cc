// Shards of arrays on devices.

#include <algorithm>
#include <cstring>

#include "ir/sharding.h"

namespace reference {
namespace {

// Copies a box of elements between arrays of the same rank.
void CopyBox(const Array& from, const Dims& from_start, Array& to, const Dims& to_start, const Dims& size) {
  size_t rank = size.size();
  if (std::any_of(size.begin(), size.end(), [](int64_t n) { return n == 0; })) return;
  size_t width = ByteWidth(from.element_type());
  Dims at(rank, 0);
  size_t run = width * static_cast<size_t>(rank == 0 ? 1 : size[rank - 1]);
  while (true) {
    int64_t source = 0, target = 0;
    for (size_t i = 0; i < rank; ++i) {
      source = source * from.dims()[i] + from_start[i] + at[i];
      target = target * to.dims()[i] + to_start[i] + at[i];
    }
    std::memcpy(to.mutable_data() + static_cast<size_t>(target) * width,
                from.data() + static_cast<size_t>(source) * width, run);
    size_t i = rank < 2 ? 0 : rank - 1;
    while (i > 0 && ++at[i - 1] == size[i - 1]) at[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace

Shard ShardOf(const Sharding& sharding, const Dims& array, int64_t device) {
  Shard shard{true, Dims(array.size(), 0), array, array};
  switch (sharding.kind) {
    case Sharding::kReplicated:
    case Sharding::kManual:
      return shard;
    case Sharding::kMaximal:
      shard.present = device == sharding.device;
      return shard;
    case Sharding::kTuple:
      throw InvalidArgument("the sharding of a tuple for an array");
    case Sharding::kTiled:
      break;
  }
  if (sharding.tiles.size() != array.size()) {
    throw InvalidArgument("a sharding of " + std::to_string(sharding.tiles.size()) + " dimensions for an array of " +
                          std::to_string(array.size()));
  }
  if (device < 0 || device >= static_cast<int64_t>(sharding.tile_of.size())) {
    throw InvalidArgument("the device " + std::to_string(device) + " for a sharding over " +
                          std::to_string(sharding.tile_of.size()));
  }
  for (size_t i = 0; i < array.size(); ++i) {
    int64_t tile = sharding.tile_of[static_cast<size_t>(device)][i];
    int64_t length = array[i] / sharding.tiles[i] + (array[i] % sharding.tiles[i] != 0 ? 1 : 0);
    shard.shape[i] = length;
    shard.start[i] = std::min(array[i], tile * length);
    shard.size[i] = std::min(length, array[i] - shard.start[i]);
  }
  return shard;
}

Array CutShard(const Array& whole, const Shard& shard) {
  Array piece(ArrayType{whole.element_type(), shard.shape});
  CopyBox(whole, shard.start, piece, Dims(shard.size.size(), 0), shard.size);
  return piece;
}

void PasteShard(const Array& piece, const Shard& shard, Array& whole) {
  CopyBox(piece, Dims(shard.size.size(), 0), whole, shard.start, shard.size);
}

}  // namespace reference
