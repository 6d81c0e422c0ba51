// Shardings: distribution of the arguments and results of an executable, as serialized xla.OpSharding messages.
#include <optional>
#include <string>
#include <vector>

#include "c_api/extensions/extension.h"
#include "runtime/executable.h"
#include "base/protobuf.h"

namespace reference {
namespace {

// Fields of xla.OpSharding.
constexpr int kType = 1;
constexpr int kTileDims = 3;
constexpr int kTileDevices = 4;
constexpr int kTupleShardings = 5;
constexpr int kReplicateOnLastDim = 6;
enum OpShardingType { kOpReplicated = 0, kOpMaximal = 1, kOpTuple = 2, kOpOther = 3, kOpManual = 4, kOpUnknown = 5 };

std::string TiledProto(const Sharding& sharding) {
  ProtoWriter proto;
  const std::optional<TileAssignment> assignment = TileAssignmentOf(sharding);
  if (!assignment) {
    proto.Varint(kType, kOpUnknown);
    return proto.bytes();
  }
  proto.Varint(kType, kOpOther);
  proto.Packed(kTileDims, assignment->grid);
  proto.Packed(kTileDevices, assignment->devices);
  if (assignment->has_copies) proto.Varint(kReplicateOnLastDim, 1);
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

  // Replicated unless it has a sharding.
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
