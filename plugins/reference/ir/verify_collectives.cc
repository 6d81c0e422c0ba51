// Rules of collective ops.
#include <set>

#include "ir/verify.h"

namespace reference {
namespace {

// The groups name each device once; shorter groups are padded with -1. Returns the number of participants in a group,
// or 0 if that depends on the number of devices.
int64_t GroupSize(const OpCheck& check, bool same_size = false, bool all_devices = true) {
  const Array& groups = check.Tensor("replica_groups");
  check.Require(groups.dims().size() == 2, "replica_groups is not a list of groups");
  std::set<int64_t> seen;
  for (int64_t i = 0; i < groups.size(); ++i) {
    int64_t id = groups.as<int64_t>()[i];
    check.Require(id >= -1, "replica_groups names a negative device");
    check.Require(id == -1 || seen.insert(id).second, "replica_groups names a device twice");
  }
  bool full = seen.size() == static_cast<size_t>(groups.size());
  check.Require(full || !same_size, "replica_groups has groups of different size");
  bool gapless = seen.empty() || *seen.rbegin() == static_cast<int64_t>(seen.size()) - 1;
  check.Require(gapless || !all_devices, "replica_groups leaves a device out");
  const Attribute* global = check.op.Find("use_global_device_ids");
  bool use_global = global && global->get<bool>() && *global->get<bool>();
  int64_t channel = check.op.Find("channel_id") ? check.Int("channel_id") : 0;
  check.Require(!use_global || channel > 0, "use_global_device_ids needs a channel");
  check.Require(!use_global || groups.size() > 0, "use_global_device_ids needs replica_groups");
  if (groups.size() == 0 || !full) return 0;
  // With a channel, a group of replicas stands for all partitions of each.
  return channel > 0 && !use_global ? 0 : groups.dims()[1];
}

void RequireOneResultAnOperand(const OpCheck& check) {
  check.Require(check.operands() > 0, "has no operands");
  check.Require(static_cast<int64_t>(check.op.result_types.size()) == check.operands(),
                "has not as many results as operands");
}

}  // namespace

void CheckAllGather(const OpCheck& check, const OpInfo&) {
  RequireOneResultAnOperand(check);
  int64_t group = GroupSize(check, true);
  for (int64_t i = 0; i < check.operands(); ++i) {
    const ArrayType& operand = check.Operand(i);
    const ArrayType& result = check.Result(i);
    size_t dimension = static_cast<size_t>(check.Dimension("all_gather_dim", operand.dims.size()));
    std::vector<Wide> dims = WideDims(operand.dims);
    if (group > 0) {
      dims[dimension] *= group;
    } else if (result.dims.size() == dims.size()) {
      int64_t size = result.dims[dimension];
      int64_t part = operand.dims[dimension];
      check.Require(part == 0 ? size == 0 : size % part == 0, "the result is no multiple of the operand");
      dims[dimension] = size;
    }
    check.ExpectResult(i, operand.type, dims);
  }
}

void CheckAllReduce(const OpCheck& check, const OpInfo&) {
  RequireOneResultAnOperand(check);
  GroupSize(check);
  for (int64_t i = 0; i < check.operands(); ++i) {
    ElementType type = check.Operand(i).type;
    std::vector<ElementType> types = check.ExpectReducer(0, {type}, {type});
    check.ExpectResult(i, ArrayType{types[0], check.Operand(i).dims});
  }
}

void CheckReduceScatter(const OpCheck& check, const OpInfo&) {
  int64_t group = GroupSize(check, true);
  const ArrayType& operand = check.Operand(0);
  const ArrayType& result = check.Result(0);
  size_t dimension = static_cast<size_t>(check.Dimension("scatter_dimension", operand.dims.size()));
  std::vector<ElementType> types = check.ExpectReducer(0, {operand.type}, {operand.type});
  std::vector<Wide> dims = WideDims(operand.dims);
  if (group > 0) {
    check.Require(operand.dims[dimension] % group == 0, "the operand does not divide among the devices");
    dims[dimension] /= group;
  } else if (result.dims.size() == dims.size()) {
    int64_t size = result.dims[dimension];
    int64_t whole = operand.dims[dimension];
    check.Require(size == 0 ? whole == 0 : whole % size == 0, "the operand is no multiple of the result");
    dims[dimension] = size;
  }
  check.ExpectResult(0, types[0], dims);
}

void CheckAllToAll(const OpCheck& check, const OpInfo&) {
  RequireOneResultAnOperand(check);
  const Array& groups = check.Tensor("replica_groups");
  GroupSize(check, true);
  int64_t count = check.Int("split_count");
  check.Require(count > 0, "split_count is not positive");
  check.Require(groups.size() == 0 || groups.dims()[1] == count, "split_count is not the size of the groups");
  for (int64_t i = 0; i < check.operands(); ++i) {
    const ArrayType& operand = check.Operand(i);
    size_t split = static_cast<size_t>(check.Dimension("split_dimension", operand.dims.size()));
    size_t concat = static_cast<size_t>(check.Dimension("concat_dimension", operand.dims.size()));
    check.Require(operand.dims[split] % count == 0, "the operand does not divide into split_count parts");
    std::vector<Wide> dims = WideDims(operand.dims);
    dims[split] /= count;
    dims[concat] *= count;
    check.ExpectResult(i, operand.type, dims);
  }
}

void CheckCollectiveBroadcast(const OpCheck& check, const OpInfo&) {
  GroupSize(check, false, false);
  check.Require(!check.Bool("has_dynamic_root"), "a dynamic root is not implemented");
  RequireOneResultAnOperand(check);
  check.ExpectResults(check.OperandTypes());
}

void CheckCollectivePermute(const OpCheck& check, const OpInfo&) {
  const Array& pairs = check.Tensor("source_target_pairs");
  check.Require(pairs.dims().size() == 2 && pairs.dims()[1] == 2, "source_target_pairs is not a list of pairs");
  std::set<int64_t> seen[2];
  for (int64_t i = 0; i < pairs.size(); ++i) {
    int64_t id = pairs.as<int64_t>()[i];
    check.Require(id >= 0, "source_target_pairs names a negative device");
    check.Require(seen[i % 2].insert(id).second, "source_target_pairs names a source or a target twice");
  }
  check.Operand(0);
  check.ExpectResults(check.OperandTypes());
}

void CheckCrossReplicaSum(const OpCheck& check, const OpInfo&) {
  GroupSize(check);
  check.Operand(0);
  check.ExpectResults(check.OperandTypes());
}

void CheckDeviceId(const OpCheck& check, const OpInfo&) { check.ExpectResult(0, ScalarType(ElementType::kU32)); }

}  // namespace reference
