// Collective ops: groups of participants, and results from their contributions.
#include <algorithm>
#include <cstring>

#include "base/fault.h"
#include "interpreter/handlers.h"
#include "interpreter/scalar_region.h"
#include "interpreter/strided.h"

namespace reference {
namespace {

// Meaning of the ids in an op's groups.
enum class Groups {
  kReplicas,              // replicas, on the device's own partition
  kPartitions,            // partitions, of the device's own replica
  kReplicasOfPartitions,  // replicas, each with all its partitions
  kFlattened,             // replica * num_partitions + partition
};

int64_t ChannelOf(const Op& op) {
  const Attribute* attribute = op.Find("channel_id");
  const int64_t* channel = attribute == nullptr ? nullptr : attribute->get<int64_t>();
  return channel == nullptr ? 0 : *channel;
}

bool UsesGlobalIds(const Op& op) {
  const Attribute* attribute = op.Find("use_global_device_ids");
  if (attribute == nullptr) return false;
  const bool* value = attribute->get<bool>();
  return value == nullptr || *value;  // presence of a unit attribute means true
}

// Of all_reduce, all_gather and reduce_scatter.
Groups ReducingGroups(const Op& op) {
  if (ChannelOf(op) <= 0) return Groups::kReplicas;
  return UsesGlobalIds(op) ? Groups::kFlattened : Groups::kReplicasOfPartitions;
}

// Of all_to_all, collective_permute and collective_broadcast.
Groups MovingGroups(const Op& op) { return ChannelOf(op) <= 0 ? Groups::kReplicas : Groups::kPartitions; }

int64_t FlatId(const Environment& environment, int64_t replica, int64_t partition) {
  return replica * environment.num_partitions + partition;
}

// A groups attribute as rows; -1 pads short ones.
std::vector<std::vector<int64_t>> Rows(const Op& op, const std::string& name) {
  std::vector<std::vector<int64_t>> rows;
  const Attribute* attribute = op.Find(name);
  if (attribute == nullptr) return rows;
  if (const Array* array = attribute->get<Array>()) {
    if (array->dims().size() != 2) return rows;
    for (int64_t row = 0; row < array->dims()[0]; ++row) {
      rows.emplace_back();
      for (int64_t i = 0; i < array->dims()[1]; ++i) {
        const int64_t id = IntegerAt(*array, row * array->dims()[1] + i);
        if (id >= 0) rows.back().push_back(id);
      }
    }
    return rows;
  }
  throw Unimplemented(op.name + " at " + op.location + ": " + name + " in a form other than a matrix of ids");
}

// The group of flat ids that contains this environment's device; empty if none does.
std::vector<int64_t> GroupOf(const Op& op, const Environment& environment, Groups kind) {
  std::vector<std::vector<int64_t>> rows = Rows(op, "replica_groups");
  const bool of_all = rows.empty() || (rows.size() == 1 && rows[0].empty());
  const int64_t ids = kind == Groups::kFlattened    ? environment.num_replicas * environment.num_partitions
                      : kind == Groups::kPartitions ? environment.num_partitions
                                                    : environment.num_replicas;
  if (of_all) {
    rows.assign(1, {});
    for (int64_t id = 0; id < ids; ++id) rows[0].push_back(id);
  }
  const int64_t mine = FlatId(environment, environment.replica_id, environment.partition_id);
  for (const std::vector<int64_t>& row : rows) {
    std::vector<int64_t> group;
    const int64_t rounds = kind == Groups::kReplicasOfPartitions ? environment.num_partitions : 1;
    for (int64_t round = 0; round < rounds; ++round) {
      for (const int64_t id : row) {
        if (id >= ids) {
          throw InvalidArgument(op.name + " at " + op.location + ": replica_groups name " + std::to_string(id) +
                                ", and the program runs on " + std::to_string(ids));
        }
        switch (kind) {
          case Groups::kReplicas: group.push_back(FlatId(environment, id, environment.partition_id)); break;
          case Groups::kPartitions: group.push_back(FlatId(environment, environment.replica_id, id)); break;
          case Groups::kReplicasOfPartitions: group.push_back(FlatId(environment, id, round)); break;
          case Groups::kFlattened: group.push_back(id); break;
        }
      }
    }
    if (std::find(group.begin(), group.end(), mine) != group.end()) return group;
  }
  return {};
}

// One execution of a collective op: each operand has its own key.
class Meeting {
 public:
  Meeting(const Op& op, OpContext& context, std::vector<int64_t> group)
      : op_(op),
        environment_(context.evaluator.environment()),
        group_(std::move(group)),
        key_(context.evaluator.RendezvousKey(op)) {
    for (const int64_t id : group_) key_ += " " + std::to_string(id);
    const int64_t mine = FlatId(environment_, environment_.replica_id, environment_.partition_id);
    place_ = std::find(group_.begin(), group_.end(), mine) - group_.begin();
  }

  const std::vector<int64_t>& group() const { return group_; }
  // Of this device in the group.
  int64_t place() const { return place_; }

  // The contributions of the group, in its order. Nothing else holds or writes the values returned for this device.
  std::vector<Array> Exchange(const Array& mine) {
    if (environment_.collectives == nullptr || group_.size() == 1) {
      if (group_.size() != 1) throw FailedPrecondition(op_.name + " at " + op_.location + ": nobody to meet with");
      return One(mine);
    }
    Array copy(mine.type());
    if (mine.bytes() > 0) std::memcpy(copy.mutable_data(), mine.data(), mine.bytes());
    std::vector<Array> brought =
        environment_.collectives->Exchange(key_ + " operand " + std::to_string(operand_++), group_, std::move(copy));
    if (brought.size() != group_.size()) throw Internal(op_.name + ": a group did not come in full");
    for (const Array& array : brought) {
      if (array.type() != mine.type()) {
        throw InvalidArgument(op_.name + " at " + op_.location + ": devices bring " + mine.type().ToString() + " and " +
                              array.type().ToString());
      }
    }
    return brought;
  }

 private:
  const Op& op_;
  const Environment& environment_;
  std::vector<int64_t> group_;
  std::string key_;
  std::ptrdiff_t place_ = 0;
  int operand_ = 0;
};

std::vector<int64_t> GroupOrError(const Op& op, const Environment& environment, Groups kind) {
  std::vector<int64_t> group = GroupOf(op, environment, kind);
  if (group.empty()) {
    throw InvalidArgument(op.name + " at " + op.location + ": no group has replica " +
                          std::to_string(environment.replica_id) + " of partition " +
                          std::to_string(environment.partition_id));
  }
  return group;
}

// Folded from the left in the order of the group, so that all members get the same bits.
Array FoldArrays(ScalarRegion& body, const std::vector<Array>& arrays, ElementType type) {
  Array result(ArrayType{type, arrays[0].dims()});
  const Codec& from = CodecOf(arrays[0].element_type());
  const Codec& to = CodecOf(type);
  for (int64_t begin = 0; begin < result.size(); begin += kBlock) {
    const int64_t lanes = std::min(kBlock, result.size() - begin);
    const size_t at = static_cast<size_t>(begin) * from.width;
    from.load(arrays[0].data() + at, body.argument(0), lanes);
    for (size_t i = 1; i < arrays.size(); ++i) {
      from.load(arrays[i].data() + at, body.argument(1), lanes);
      body.Run(lanes);
      std::memmove(body.argument(0), body.result(0), static_cast<size_t>(lanes) * body.result_codec(0).value_width);
    }
    to.store(body.argument(0), result.mutable_data() + static_cast<size_t>(begin) * to.width, lanes);
  }
  return result;
}

Array Part(const Array& array, size_t dimension, int64_t begin, int64_t size) {
  Dims dims = array.dims();
  dims[dimension] = size;
  Array part(ArrayType{array.element_type(), dims});
  const Dims from = RowMajorStrides(array.dims());
  CopyStrided(dims, ByteWidth(array.element_type()), array.data(), begin * from[dimension], from, part.mutable_data(),
              0, RowMajorStrides(dims));
  return part;
}

Array Join(const std::vector<Array>& parts, size_t dimension) {
  Dims dims = parts[0].dims();
  dims[dimension] = 0;
  for (const Array& part : parts) dims[dimension] += part.dims()[dimension];
  Array joined(ArrayType{parts[0].element_type(), dims});
  const Dims to = RowMajorStrides(dims);
  int64_t at = 0;
  for (const Array& part : parts) {
    CopyStrided(part.dims(), ByteWidth(part.element_type()), part.data(), 0, RowMajorStrides(part.dims()),
                joined.mutable_data(), at * to[dimension], to);
    at += part.dims()[dimension];
  }
  return joined;
}

void CheckResult(const Op& op, const Array& array, size_t index) {
  if (array.type() != ResultType(op, index)) {
    throw InvalidArgument(op.name + " at " + op.location + ": a group of this size gives " + array.type().ToString() +
                          ", and the result is " + ResultType(op, index).ToString());
  }
}

}  // namespace

std::vector<Array> AllReduce(const Op& op, std::vector<Array>& operands, OpContext& context) {
  Meeting meeting(op, context, GroupOrError(op, context.evaluator.environment(), ReducingGroups(op)));
  ScalarRegion body(op.regions[0], context);
  std::vector<Array> results;
  for (size_t i = 0; i < operands.size(); ++i) {
    results.push_back(FoldArrays(body, meeting.Exchange(operands[i]), ResultType(op, i).type));
    CheckResult(op, results.back(), i);
  }
  return results;
}

std::vector<Array> ReduceScatter(const Op& op, std::vector<Array>& operands, OpContext& context) {
  Meeting meeting(op, context, GroupOrError(op, context.evaluator.environment(), ReducingGroups(op)));
  ScalarRegion body(op.regions[0], context);
  const Array whole = FoldArrays(body, meeting.Exchange(operands[0]), ResultType(op).type);
  const size_t dimension = static_cast<size_t>(op.Int("scatter_dimension"));
  const int64_t size = ResultType(op).dims[dimension];
  if (size * static_cast<int64_t>(meeting.group().size()) != whole.dims()[dimension]) {
    throw InvalidArgument(op.name + " at " + op.location + ": a group of " + std::to_string(meeting.group().size()) +
                          " cannot share " + whole.type().ToString());
  }
  const int64_t place = FAULT("inside-reduce-scatter-of-other-shard") ? size - 1 : meeting.place() * size;
  return One(Part(whole, dimension, place, size));
}

std::vector<Array> AllGather(const Op& op, std::vector<Array>& operands, OpContext& context) {
  Meeting meeting(op, context, GroupOrError(op, context.evaluator.environment(), ReducingGroups(op)));
  std::vector<Array> results;
  for (size_t i = 0; i < operands.size(); ++i) {
    results.push_back(Join(meeting.Exchange(operands[i]), static_cast<size_t>(op.Int("all_gather_dim"))));
    CheckResult(op, results.back(), i);
  }
  return results;
}

std::vector<Array> AllToAll(const Op& op, std::vector<Array>& operands, OpContext& context) {
  Meeting meeting(op, context, GroupOrError(op, context.evaluator.environment(), MovingGroups(op)));
  const size_t split = static_cast<size_t>(op.Int("split_dimension"));
  const size_t concat = static_cast<size_t>(op.Int("concat_dimension"));
  const int64_t count = op.Int("split_count");
  if (count != static_cast<int64_t>(meeting.group().size())) {
    throw InvalidArgument(op.name + " at " + op.location + ": split_count " + std::to_string(count) +
                          " in a group of " + std::to_string(meeting.group().size()));
  }
  std::vector<Array> results;
  for (size_t i = 0; i < operands.size(); ++i) {
    const int64_t size = operands[i].dims()[split] / count;
    std::vector<Array> parts;
    for (const Array& array : meeting.Exchange(operands[i])) {
      const int64_t place = FAULT("inside-all-to-all-of-own-part") ? 0 : meeting.place();
      parts.push_back(Part(array, split, place * size, size));
    }
    results.push_back(Join(parts, concat));
    CheckResult(op, results.back(), i);
  }
  return results;
}

std::vector<Array> CollectivePermute(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const Environment& environment = context.evaluator.environment();
  const Groups kind = MovingGroups(op);
  // All participate, including those that neither send nor receive: the pairs may form chains.
  const int64_t ids = kind == Groups::kPartitions ? environment.num_partitions : environment.num_replicas;
  const int64_t mine = kind == Groups::kPartitions ? environment.partition_id : environment.replica_id;
  std::vector<int64_t> group;
  for (int64_t id = 0; id < ids; ++id) {
    group.push_back(kind == Groups::kPartitions ? FlatId(environment, environment.replica_id, id)
                                                : FlatId(environment, id, environment.partition_id));
  }
  int64_t source = -1;
  for (const std::vector<int64_t>& pair : Rows(op, "source_target_pairs")) {
    if (pair.size() != 2 || pair[0] >= ids || pair[1] >= ids) {
      throw InvalidArgument(op.name + " at " + op.location + ": source_target_pairs beyond the " + std::to_string(ids) +
                            " that the program runs on");
    }
    if (pair[1] == mine) source = pair[0];
  }
  if (FAULT("inside-permute-untargeted-keeps-its-own") && source < 0) source = mine;
  Meeting meeting(op, context, std::move(group));
  std::vector<Array> results;
  for (const Array& operand : operands) {
    const std::vector<Array> brought = meeting.Exchange(operand);
    Array result(operand.type());  // zeros if it is no pair's target
    if (source >= 0 && operand.bytes() > 0) {
      std::memcpy(result.mutable_data(), brought[static_cast<size_t>(source)].data(), operand.bytes());
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<Array> CollectiveBroadcast(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const Attribute* attribute = op.Find("has_dynamic_root");
  if (attribute != nullptr && attribute->get<bool>() != nullptr && *attribute->get<bool>()) {
    throw Unimplemented(op.name + " at " + op.location + " with a dynamic root");
  }
  std::vector<int64_t> group = GroupOf(op, context.evaluator.environment(), MovingGroups(op));
  std::vector<Array> results;
  if (group.empty()) {  // in no group: zeros
    for (const Array& operand : operands) results.emplace_back(operand.type());
    return results;
  }
  Meeting meeting(op, context, std::move(group));
  for (const Array& operand : operands) {
    const std::vector<Array> brought = meeting.Exchange(operand);
    Array result(operand.type());
    if (operand.bytes() > 0) std::memcpy(result.mutable_data(), brought[FAULT("inside-collective-broadcast-of-other-root") ? brought.size() - 1 : 0].data(), operand.bytes());
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace reference
