#include "runtime/partition.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace reference {

namespace {

const std::vector<Attribute>* List(const Op& op, const std::string& name) {
  const Attribute* attribute = op.Find(name);
  const auto* list = attribute == nullptr ? nullptr : attribute->get<std::shared_ptr<std::vector<Attribute>>>();
  return list == nullptr ? nullptr : list->get();
}

const std::string& Text(const Attribute& attribute, const Op& op) {
  const auto* text = attribute.get<std::string>();
  if (text == nullptr) throw InvalidArgument(op.name + " at " + op.location + ": a sharding or axis that is no string");
  return *text;
}

std::string Target(const Op& op) { return op.name == "stablehlo.custom_call" ? op.String("call_target_name") : ""; }

class Partitioner {
 public:
  Partitioner(PartitionedProgram& program, int64_t num_partitions)
      : program_(program), num_partitions_(num_partitions), meshes_(Meshes(program.module)) {}

  void Run() {
    for (auto& [name, function] : program_.module.functions) {
      sharding_of_.clear();
      Rewrite(function.body);
      if (name == "main") Flatten(function);
    }
  }

 private:
  // The sharding in a "Sharding" op.
  using ShardingOf = std::map<ValueId, std::string>;

  void Rewrite(Block& block) {
    std::vector<Op> ops = std::move(block.ops);
    block.ops.clear();
    for (Op& op : ops) {
      const std::string target = Target(op);
      if (IsBorder(target)) throw InvalidArgument(target + " at " + op.location + " is for the plugin alone");
      if (op.name == "sdy.manual_computation") {
        Inline(op, block.ops);
        continue;
      }
      if (target == "Sharding" && op.results.size() == 1) {
        if (const Attribute* sharding = op.Find("mhlo.sharding")) {
          if (const auto* text = sharding->get<std::string>()) sharding_of_[op.results[0]] = *text;
        }
      }
      if (target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape") {
        RewriteCrossing(op, target == "SPMDShardToFullShape");
      }
      for (Region& region : op.regions) {
        for (Block& inner : region.blocks) Rewrite(inner);
      }
      block.ops.push_back(std::move(op));
    }
  }

  // Of the older partitioner: the sharding of the whole array is on the op that produces or consumes the shard.
  void RewriteCrossing(Op& op, bool join) {
    if (op.operands.size() != 1 || op.results.size() != 1 || op.result_types[0].is_tuple) {
      throw InvalidArgument(op.String("call_target_name") + " at " + op.location + " takes and gives one array");
    }
    std::optional<std::string> text;
    if (join) {
      if (const Attribute* sharding = op.Find("mhlo.sharding")) text = Text(*sharding, op);
    } else if (const auto found = sharding_of_.find(op.operands[0]); found != sharding_of_.end()) {
      text = found->second;
    }
    if (!text) {
      throw InvalidArgument(op.String("call_target_name") + " at " + op.location +
                            ": nothing says how the whole array is sharded");
    }
    const Sharding sharding = ParseSharding(*text, meshes_);
    CheckSharding(sharding, num_partitions_, op.location);
    op = Crossing(join, op.operands[0], op.results[0], op.result_types[0], sharding, AllPartitions(), op.location);
  }

  // The types of custom calls are checked at execution: here only results are known.
  Op Crossing(bool join, ValueId operand, ValueId result, Type type, Sharding sharding,
              std::vector<std::vector<int64_t>> groups, const std::string& location) {
    Op op;
    op.name = "stablehlo.custom_call";
    op.operands = {operand};
    op.results = {result};
    op.result_types = {std::move(type)};
    op.location = location;
    op.attributes["call_target_name"].value = std::string(join ? kJoin : kCut);
    op.attributes[kBorderAttribute].value = static_cast<int64_t>(program_.borders.size());
    Border border;
    border.join = join;
    border.sharding = std::move(sharding);
    border.groups = std::move(groups);
    program_.borders.push_back(std::move(border));
    return op;
  }

  // Inlines the ops of a manual computation: ids are already those of the function.
  void Inline(Op& op, std::vector<Op>& out) {
    const std::vector<Attribute>* in_shardings = List(op, "in_shardings");
    const std::vector<Attribute>* out_shardings = List(op, "out_shardings");
    const std::vector<Attribute>* manual_axes = List(op, "manual_axes");
    Block body = std::move(op.regions.at(0).blocks.at(0));
    if (body.ops.empty() || (in_shardings == nullptr ? 0 : in_shardings->size()) != op.operands.size() ||
        (out_shardings == nullptr ? 0 : out_shardings->size()) != op.results.size() ||
        body.arguments.size() != op.operands.size()) {
      throw InvalidArgument(op.name + " at " + op.location + ": as many shardings as operands and results are needed");
    }
    std::vector<std::string> axes;
    for (const Attribute& axis : manual_axes == nullptr ? std::vector<Attribute>() : *manual_axes) {
      axes.push_back(Text(axis, op));
    }
    const auto parse = [&](const Attribute& text) {
      Sharding sharding = ParseSharding(Text(text, op), meshes_, &axes);
      CheckSharding(sharding, num_partitions_, op.location);
      return sharding;
    };
    const std::vector<std::vector<int64_t>> groups = Groups(op, in_shardings, out_shardings, axes);
    for (size_t i = 0; i < op.operands.size(); i++) {
      out.push_back(Crossing(false, op.operands[i], body.arguments[i], body.argument_types[i],
                             parse((*in_shardings)[i]), groups, op.location));
    }
    Rewrite(body);
    const std::vector<ValueId> results = body.ops.back().operands;
    body.ops.pop_back();
    if (results.size() != op.results.size()) {
      throw InvalidArgument(op.name + " at " + op.location + " gives another number of results than it has");
    }
    for (Op& inner : body.ops) out.push_back(std::move(inner));
    for (size_t i = 0; i < results.size(); i++) {
      out.push_back(Crossing(true, results[i], op.results[i], op.result_types[i], parse((*out_shardings)[i]), groups,
                             op.location));
    }
  }

  // Devices that differ only along the manual axes share an array; all others may have a different one, which matters
  // inside another manual computation.
  std::vector<std::vector<int64_t>> Groups(const Op& op, const std::vector<Attribute>* in,
                                           const std::vector<Attribute>* out,
                                           const std::vector<std::string>& axes) const {
    const Attribute* any = in != nullptr && !in->empty() ? &in->front() : nullptr;
    if (any == nullptr && out != nullptr && !out->empty()) any = &out->front();
    if (any == nullptr || axes.empty()) return AllPartitions();
    const std::optional<Mesh> mesh = MeshOf(Text(*any, op));
    if (!mesh || mesh->is_maximal) return AllPartitions();
    std::vector<std::string> quoted;
    for (const std::string& axis : axes) {
      quoted.push_back(axis.find('"') == std::string::npos ? '"' + axis + '"' : axis);
    }
    const Array groups = GroupsOfAxes(*mesh, quoted);
    std::vector<std::vector<int64_t>> result(static_cast<size_t>(groups.dims().at(0)));
    for (int64_t i = 0; i < groups.size(); i++) {
      const int64_t id = groups.as<int64_t>()[i];
      if (id >= 0) result[static_cast<size_t>(i / groups.dims()[1])].push_back(id);
    }
    return result;
  }

  // The mesh of a sharding: "#sdy.sharding<@name, ...>" or "#sdy.sharding<mesh<...>, ...>".
  std::optional<Mesh> MeshOf(const std::string& sharding) const {
    const size_t at = sharding.find('@');
    const size_t list = sharding.find('[');
    if (at != std::string::npos && (list == std::string::npos || at < list)) {
      const size_t end = sharding.find_first_of(",> ", at);
      return FindMesh(sharding.substr(at, end - at), meshes_);
    }
    const size_t begin = sharding.find("mesh<");
    if (begin == std::string::npos) return std::nullopt;
    const size_t end = sharding.find('>', begin);
    return FindMesh(sharding.substr(begin, end == std::string::npos ? end : end + 1 - begin), meshes_);
  }

  std::vector<std::vector<int64_t>> AllPartitions() const {
    std::vector<int64_t> all;
    for (int64_t partition = 0; partition < num_partitions_; partition++) all.push_back(partition);
    return {all};
  }

  // Tuple arguments and results become their elements.
  static void Flatten(Function& main) {
    std::vector<Op> before;
    std::vector<ValueId> arguments;
    std::vector<Type> argument_types;
    std::vector<Dictionary> argument_attributes;
    const auto add = [&](auto& self, ValueId id, const Type& type, const Dictionary& attributes) -> void {
      if (!type.is_tuple) {
        arguments.push_back(id);
        argument_types.push_back(type);
        argument_attributes.push_back(attributes);
        return;
      }
      Op tuple;
      tuple.name = "stablehlo.tuple";
      tuple.results = {id};
      tuple.result_types = {type};
      tuple.location = "the arguments of @main";
      for (size_t i = 0; i < type.elements.size(); i++) {
        tuple.operands.push_back(main.value_count++);
        self(self, tuple.operands.back(), type.elements[i], {});
      }
      // The innermost come first: their own elements were added before.
      before.push_back(std::move(tuple));
    };
    main.argument_attributes.resize(main.argument_types.size());
    for (size_t i = 0; i < main.body.arguments.size(); i++) {
      add(add, main.body.arguments[i], main.argument_types[i], main.argument_attributes[i]);
    }
    Op end = std::move(main.body.ops.back());
    main.body.ops.pop_back();
    std::vector<ValueId> results;
    std::vector<Type> result_types;
    std::vector<Dictionary> result_attributes;
    const auto take = [&](auto& self, ValueId id, const Type& type, const Dictionary& attributes) -> void {
      if (!type.is_tuple) {
        results.push_back(id);
        result_types.push_back(type);
        result_attributes.push_back(attributes);
        return;
      }
      for (size_t i = 0; i < type.elements.size(); i++) {
        Op get;
        get.name = "stablehlo.get_tuple_element";
        get.operands = {id};
        get.results = {main.value_count++};
        get.result_types = {type.elements[i]};
        get.attributes["index"].value = static_cast<int64_t>(i);
        get.location = end.location;
        const ValueId element = get.results[0];
        main.body.ops.push_back(std::move(get));
        self(self, element, type.elements[i], {});
      }
    };
    main.result_attributes.resize(main.result_types.size());
    for (size_t i = 0; i < end.operands.size(); i++) {
      take(take, end.operands[i], main.result_types.at(i), main.result_attributes[i]);
    }
    end.operands = results;
    main.body.ops.push_back(std::move(end));
    main.body.ops.insert(main.body.ops.begin(), std::make_move_iterator(before.begin()),
                         std::make_move_iterator(before.end()));
    main.body.arguments = arguments;
    main.body.argument_types = argument_types;
    main.argument_types = std::move(argument_types);
    main.argument_attributes = std::move(argument_attributes);
    main.result_types = std::move(result_types);
    main.result_attributes = std::move(result_attributes);
  }

  PartitionedProgram& program_;
  const int64_t num_partitions_;
  const MeshTable meshes_;
  ShardingOf sharding_of_;
};

}  // namespace

void CheckSharding(const Sharding& sharding, int64_t num_partitions, const std::string& place) {
  const bool fits = sharding.kind == Sharding::kTiled ? static_cast<int64_t>(sharding.tile_of.size()) == num_partitions
                    : sharding.kind == Sharding::kMaximal ? sharding.device >= 0 && sharding.device < num_partitions
                                                          : sharding.kind != Sharding::kTuple;
  if (!fits) {
    throw InvalidArgument("at " + place + " there is a sharding for other devices than the " +
                          std::to_string(num_partitions) + " partitions of the compile options");
  }
}

PartitionedProgram Partition(Module module, int64_t num_partitions) {
  PartitionedProgram program;
  program.module = std::move(module);
  Partitioner(program, num_partitions).Run();
  return program;
}

bool IsBorder(const std::string& target) { return target == kCut || target == kJoin; }

std::vector<Array> CrossBorder(const PartitionedProgram& program, const Op& op, const std::vector<Array>& operands,
                               const Environment& environment, int64_t visit) {
  const Border& border = program.borders.at(static_cast<size_t>(op.Int(kBorderAttribute)));
  const Array& operand = operands.at(0);
  if (operand.element_type() == ElementType::kToken) return operands;
  const ArrayType& type = op.result_types[0].array;
  // What every device has of its own, it has on both sides.
  if (border.sharding.kind == Sharding::kManual) return operands;
  if (!border.join) {
    Array piece = CutShard(operand, ShardOf(border.sharding, operand.dims(), environment.partition_id));
    if (piece.type() != type) {
      throw InvalidArgument("at " + op.location + " a shard of " + operand.type().ToString() + " is " +
                            piece.type().ToString() + ", the program expects " + type.ToString());
    }
    return {piece};
  }
  std::vector<int64_t> partitions = {environment.partition_id};
  for (const auto& group : border.groups) {
    for (const int64_t id : group) {
      if (id == environment.partition_id) partitions = group;
    }
  }
  std::vector<int64_t> ids;
  for (const int64_t partition : partitions) {
    ids.push_back(environment.replica_id * environment.num_partitions + partition);
  }
  std::vector<Array> pieces = {operand};
  if (environment.collectives != nullptr && ids.size() > 1) {
    const std::string key = "border " + std::to_string(op.Int(kBorderAttribute)) + ", visit " + std::to_string(visit);
    pieces = environment.collectives->Exchange(key, ids, operand);
  }
  Array whole(type);
  for (size_t i = 0; i < pieces.size(); i++) {
    const Shard shard = ShardOf(border.sharding, type.dims, partitions[i]);
    if (!shard.present) continue;
    if (pieces[i].dims() != shard.shape) {
      throw InvalidArgument("at " + op.location + " a shard of " + type.ToString() + " is given as " +
                            pieces[i].type().ToString());
    }
    PasteShard(pieces[i], shard, whole);
  }
  return {whole};
}

}  // namespace reference
