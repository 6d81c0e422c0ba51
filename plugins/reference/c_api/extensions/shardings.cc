// Shardings: how the arguments and results of an executable lie on its devices, as serialized xla.OpSharding messages.
#include <algorithm>
#include <map>
#include <vector>

#include "c_api/extensions/extension.h"
#include "runtime/executable.h"
#include "runtime/protobuf.h"

namespace reference {
namespace {

// Fields of xla.OpSharding.
constexpr int kType = 1;
constexpr int kTileDims = 3;
constexpr int kTileDevices = 4;
constexpr int kTupleShardings = 5;
constexpr int kReplicateOnLastDim = 6;
enum OpShardingType { kOpReplicated = 0, kOpMaximal = 1, kOpTuple = 2, kOpOther = 3, kOpManual = 4, kOpUnknown = 5 };

// Devices with the same piece come after one another, as one more dimension of the tiles.
std::string TiledProto(const Sharding& sharding) {
  std::map<Dims, std::vector<int64_t>> devices_of;
  for (size_t device = 0; device < sharding.tile_of.size(); device++) {
    devices_of[sharding.tile_of[device]].push_back(static_cast<int64_t>(device));
  }
  ProtoWriter proto;
  const size_t copies = devices_of.empty() ? 0 : devices_of.begin()->second.size();
  const bool even = std::all_of(devices_of.begin(), devices_of.end(),
                                [&](const auto& entry) { return entry.second.size() == copies; });
  if (!even || devices_of.size() != static_cast<size_t>(ElementCount(sharding.tiles))) {
    proto.Varint(kType, kOpUnknown);
    return proto.bytes();
  }
  Dims tiles = sharding.tiles;
  std::vector<int64_t> devices;
  // The map has the tiles in row-major order.
  for (const auto& [tile, holders] : devices_of) devices.insert(devices.end(), holders.begin(), holders.end());
  if (copies > 1) tiles.push_back(static_cast<int64_t>(copies));
  proto.Varint(kType, kOpOther);
  proto.Packed(kTileDims, tiles);
  proto.Packed(kTileDevices, devices);
  if (copies > 1) proto.Varint(kReplicateOnLastDim, 1);
  return proto.bytes();
}

std::string ShardingProto(const Sharding& sharding) {
  ProtoWriter proto;
  switch (sharding.kind) {
    case Sharding::kReplicated:
      proto.Varint(kType, kOpReplicated);
      break;
    case Sharding::kMaximal:
      proto.Varint(kType, kOpMaximal);
      proto.Packed(kTileDims, {1});
      proto.Packed(kTileDevices, {sharding.device});
      break;
    case Sharding::kTiled:
      return TiledProto(sharding);
    case Sharding::kManual:
      proto.Varint(kType, kOpManual);
      break;
    case Sharding::kTuple:
      proto.Varint(kType, kOpTuple);
      for (const Sharding& element : sharding.elements) proto.Bytes(kTupleShardings, ShardingProto(element));
      break;
  }
  return proto.bytes();
}

struct ShardingList {
  std::vector<std::string> protos;
  std::vector<const char*> pointers;
  std::vector<size_t> sizes;

  // What has no sharding is the same everywhere.
  template <typename Values>
  explicit ShardingList(const Values& values) {
    for (const ProgramValue& value : values) protos.push_back(ShardingProto(value.sharding.value_or(Sharding())));
    for (const std::string& proto : protos) {
      pointers.push_back(proto.data());
      sizes.push_back(proto.size());
    }
  }
};

PJRT_Error* ParameterShardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args) {
  return CALL_EXTENSION(PJRT_Shardings_PJRT_Executable_ParameterShardings, args, [&] {
    static const char key = 0;
    const auto& list = AnswerOf<ShardingList>(args->executable, &key,
                                              [](const Executable& e) { return ShardingList(e.parameters()); });
    args->num_parameters = list.pointers.size();
    args->shardings = list.pointers.data();
    args->sharding_sizes = list.sizes.data();
  });
}

PJRT_Error* OutputShardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args) {
  return CALL_EXTENSION(PJRT_Shardings_PJRT_Executable_OutputShardings, args, [&] {
    static const char key = 0;
    const auto& list =
        AnswerOf<ShardingList>(args->executable, &key, [](const Executable& e) { return ShardingList(e.outputs()); });
    args->num_outputs = list.pointers.size();
    args->shardings = list.pointers.data();
    args->sharding_sizes = list.sizes.data();
  });
}

}  // namespace

PJRT_Extension_Base* ShardingsExtension() {
  static PJRT_Shardings_Extension extension = {BaseOf(PJRT_Extension_Type_Shardings), ParameterShardings,
                                               OutputShardings};
  return &extension.base;
}

}  // namespace reference
