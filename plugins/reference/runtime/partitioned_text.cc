#include "runtime/partitioned_text.h"

#include <memory>
#include <utility>

namespace reference {

namespace {

constexpr const char* kShardingAttribute = "mhlo.sharding";

// Replicated unless it has a sharding.
Sharding ShardingOf(const ProgramValue& value) { return value.sharding.value_or(Sharding()); }

void DropShardy(Dictionary& attributes) {
  for (auto at = attributes.begin(); at != attributes.end();) {
    const bool shardy = at->first.rfind("sdy.", 0) == 0 || at->first.rfind("xla.sdy.", 0) == 0;
    at = shardy ? attributes.erase(at) : std::next(at);
  }
  const auto found = attributes.find("mhlo.frontend_attributes");
  if (found == attributes.end()) return;
  const auto* frontend = found->second.get<std::shared_ptr<Dictionary>>();
  if (frontend == nullptr) return;
  // The executed program has the same dictionary.
  auto copy = std::make_shared<Dictionary>(**frontend);
  DropShardy(*copy);
  if (copy->empty()) {
    attributes.erase(found);
  } else {
    found->second.value = std::move(copy);
  }
}

void DropShardy(Block& block, const std::vector<Border>& borders) {
  for (Op& op : block.ops) {
    DropShardy(op.attributes);
    if (op.Find(kBorderAttribute) != nullptr) {
      const Border& border = borders.at(static_cast<size_t>(op.Int(kBorderAttribute)));
      op.attributes.erase(kBorderAttribute);
      op.attributes[kShardingAttribute].value = ToString(border.sharding);
    }
    for (Region& region : op.regions) {
      for (Block& inner : region.blocks) DropShardy(inner, borders);
    }
  }
}

Op BorderOp(const char* target, ValueId operand, ValueId result, ArrayType type, const Sharding& sharding) {
  Op op;
  op.name = "stablehlo.custom_call";
  op.operands = {operand};
  op.results = {result};
  op.result_types.emplace_back();
  op.result_types.back().array = std::move(type);
  op.attributes["call_target_name"].value = std::string(target);
  op.attributes[kShardingAttribute].value = ToString(sharding);
  return op;
}

// Arguments are joined before the first op, results split after the last one.
void TakeShards(Function& main, const std::vector<ProgramParameter>& parameters,
                const std::vector<ProgramValue>& outputs) {
  std::vector<Op> ops;
  main.argument_attributes.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); i++) {
    const Sharding sharding = ShardingOf(parameters[i]);
    main.argument_attributes[i][kShardingAttribute].value = ToString(sharding);
    if (parameters[i].local == parameters[i].whole) continue;
    main.argument_types[i].array = main.body.argument_types[i].array = parameters[i].local;
    const ValueId whole = std::exchange(main.body.arguments[i], main.value_count++);
    ops.push_back(BorderOp(kJoin, main.body.arguments[i], whole, parameters[i].whole, sharding));
  }
  Op end = std::move(main.body.ops.back());
  main.body.ops.pop_back();
  for (Op& op : main.body.ops) ops.push_back(std::move(op));
  main.result_attributes.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); i++) {
    const Sharding sharding = ShardingOf(outputs[i]);
    main.result_attributes[i][kShardingAttribute].value = ToString(sharding);
    if (outputs[i].local == outputs[i].whole) continue;
    main.result_types[i].array = outputs[i].local;
    const ValueId shard = main.value_count++;
    ops.push_back(BorderOp(kCut, end.operands[i], shard, outputs[i].local, sharding));
    end.operands[i] = shard;
  }
  ops.push_back(std::move(end));
  main.body.ops = std::move(ops);
}

}  // namespace

std::string PartitionedText(const PartitionedProgram& program, const std::vector<ProgramParameter>& parameters,
                            const std::vector<ProgramValue>& outputs) {
  Module module = program.module;
  DropShardy(module.attributes);
  for (auto& [name, function] : module.functions) {
    DropShardy(function.attributes);
    for (Dictionary& attributes : function.argument_attributes) DropShardy(attributes);
    for (Dictionary& attributes : function.result_attributes) DropShardy(attributes);
    DropShardy(function.body, program.borders);
  }
  TakeShards(module.functions.at("main"), parameters, outputs);
  auto of_parameters = std::make_shared<std::vector<Attribute>>();
  for (const ProgramParameter& parameter : parameters) {
    of_parameters->emplace_back().value = ToString(ShardingOf(parameter));
  }
  module.attributes["mhlo.spmd_parameters_shardings"].value = std::move(of_parameters);
  Sharding of_outputs;
  of_outputs.kind = Sharding::kTuple;
  for (const ProgramValue& output : outputs) of_outputs.elements.push_back(ShardingOf(output));
  module.attributes["mhlo.spmd_output_sharding"].value =
      ToString(outputs.size() == 1 ? of_outputs.elements.front() : of_outputs);
  return Print(module);
}

}  // namespace reference
