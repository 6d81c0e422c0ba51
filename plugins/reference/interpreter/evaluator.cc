#include "base/fault.h"
#include "interpreter/evaluator.h"

#include <algorithm>

#include "interpreter/elementwise.h"

namespace reference {
namespace {

constexpr int kMaxDepth = 400;  // nesting of calls and regions

struct Deeper {
  int& depth;
  explicit Deeper(int& depth) : depth(depth) {
    if (depth >= kMaxDepth) throw Error(Code::kResourceExhausted, "calls and regions are nested too deeply");
    ++depth;
  }
  ~Deeper() { --depth; }
};

const Array& ConstantOf(const Op& op) {
  const Attribute* value = op.Find("value");
  const Array* array = value == nullptr ? nullptr : value->get<Array>();
  if (array == nullptr) throw Internal(op.name + " at " + op.location + ": no value");
  return *array;
}

// Decomposition and callee may be written with or without the @.
const Function& FunctionOf(const Module& module, const Op& op, const char* attribute) {
  const std::string& name = op.String(attribute);
  const auto found = module.functions.find(!name.empty() && name[0] == '@' ? name.substr(1) : name);
  if (found == module.functions.end()) {
    throw InvalidArgument(op.name + " at " + op.location + ": there is no function @" + name);
  }
  return found->second;
}

// Values that a block reads: `visit(id)` for each operand of its ops and of the ops in their regions.
template <typename Visit>
void VisitUses(const Op& op, const Visit& visit) {
  for (const ValueId id : op.operands) visit(id);
  for (const Region& region : op.regions) {
    for (const Block& block : region.blocks) {
      for (const Op& inner : block.ops) VisitUses(inner, visit);
    }
  }
}

}  // namespace

bool IsControl(const std::string& name) {
  static const char* const names[] = {
      "stablehlo.while", "stablehlo.if", "stablehlo.case", "call", "stablehlo.composite", "stablehlo.tuple",
      "stablehlo.get_tuple_element", "stablehlo.optimization_barrier", "stablehlo.constant", "return"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void Evaluator::Poll() const {
  if (environment_.cancelled && environment_.cancelled()) throw Error(Code::kCancelled, "the execution was cancelled");
}

// For each op of a block, which of its operands are read here for the last time and belong to the block: those may be
// moved out of the frame, and a handler that is their only owner may write in them.
const std::vector<std::vector<bool>>& Evaluator::LastUses(const Block& block) {
  const auto found = last_uses_.find(&block);
  if (found != last_uses_.end()) return found->second;
  std::unordered_map<ValueId, size_t> last;  // the last op that reads a value of this block
  for (const ValueId id : block.arguments) last[id] = block.ops.size();
  for (const Op& op : block.ops) {
    for (const ValueId id : op.results) last[id] = block.ops.size();
  }
  for (size_t i = 0; i < block.ops.size(); ++i) {
    VisitUses(block.ops[i], [&](ValueId id) {
      const auto own = last.find(id);
      if (own != last.end()) own->second = i;
    });
  }
  std::vector<std::vector<bool>> flags(block.ops.size());
  for (size_t i = 0; i < block.ops.size(); ++i) {
    const Op& op = block.ops[i];
    flags[i].resize(op.operands.size());
    for (size_t k = 0; k < op.operands.size(); ++k) {
      const auto own = last.find(op.operands[k]);
      if (own == last.end() || own->second != i || !op.regions.empty()) continue;
      // A repeated operand is moved at its last position.
      flags[i][k] = std::find(op.operands.begin() + static_cast<std::ptrdiff_t>(k) + 1, op.operands.end(),
                              op.operands[k]) == op.operands.end();
    }
  }
  return last_uses_.emplace(&block, std::move(flags)).first->second;
}

std::vector<Value> Evaluator::Call(const Function& function, std::vector<Value> arguments) {
  Frame frame;
  frame.values.resize(static_cast<size_t>(function.value_count));
  return EvaluateBlock(function.body, frame, std::move(arguments));
}

std::vector<Value> Evaluator::EvaluateBlock(const Block& block, Frame& frame, std::vector<Value> arguments) {
  const Deeper deeper(depth_);
  if (arguments.size() != block.arguments.size()) {
    throw Internal("a block of " + std::to_string(block.arguments.size()) + " arguments was given " +
                   std::to_string(arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    frame.values[static_cast<size_t>(block.arguments[i])] = std::move(arguments[i]);
  }
  const std::vector<std::vector<bool>>& last_uses = LastUses(block);
  for (size_t i = 0; i < block.ops.size(); ++i) {
    const Op& op = block.ops[i];
    if (op.name == "return") {
      std::vector<Value> results;
      results.reserve(op.operands.size());
      for (size_t k = 0; k < op.operands.size(); ++k) {
        Value& value = frame.values[static_cast<size_t>(op.operands[k])];
        if (last_uses[i][k]) {
          results.push_back(std::move(value));
          value = Value();
        } else {
          results.push_back(value);
        }
      }
      // Nothing else sees the values of the block: shared memory is released for writing.
      for (const ValueId id : block.arguments) frame.values[static_cast<size_t>(id)] = Value();
      for (const Op& done : block.ops) {
        for (const ValueId id : done.results) frame.values[static_cast<size_t>(id)] = Value();
      }
      return results;
    }
    Poll();
    std::vector<Value> results = EvaluateOp(op, frame, last_uses[i]);
    if (results.size() != op.results.size()) {
      throw Internal(op.name + " gave " + std::to_string(results.size()) + " results for " +
                     std::to_string(op.results.size()));
    }
    for (size_t k = 0; k < results.size(); ++k) {
      frame.values[static_cast<size_t>(op.results[k])] = std::move(results[k]);
    }
  }
  throw InvalidArgument("a block does not end in a return");
}

std::vector<Value> Evaluator::EvaluateOp(const Op& op, Frame& frame, const std::vector<bool>& last_uses) {
  std::vector<Value> results;
  if (op.name == "stablehlo.constant") {
    results.resize(1);
    results[0].array = ConstantOf(op);
    return results;
  }
  std::vector<Value> operands(op.operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    Value& value = frame.values[static_cast<size_t>(op.operands[i])];
    if (last_uses[i]) {
      operands[i] = std::move(value);
      value = Value();
    } else {
      operands[i] = value;
    }
  }
  if (EvaluateControl(op, frame, operands, results)) return results;

  std::vector<Array> arrays(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_tuple) throw Unimplemented(op.name + " at " + op.location + " on a tuple");
    arrays[i] = std::move(operands[i].array);
  }
  operands.clear();
  if (const Handler handler = FindHandler(op.name)) {
    OpContext context{*this, frame};
    std::vector<Array> made = handler(op, arrays, context);
    results.resize(made.size());
    for (size_t i = 0; i < made.size(); ++i) results[i].array = std::move(made[i]);
    return results;
  }
  std::vector<ElementType> types;
  for (const Array& array : arrays) types.push_back(array.element_type());
  if (op.result_types.size() == 1) {
    const ArrayType& type = op.result_types[0].array;
    if (const std::optional<Elementwise> found = FindElementwise(op, types, type.type)) {
      results.resize(1);
      results[0].array = RunElementwise(*found, arrays, type);
      return results;
    }
  }
  throw Unimplemented(op.name + " at " + op.location + (types.empty() ? "" : " on " + Name(types[0])));
}

void Evaluator::While(const Op& op, Frame& frame, std::vector<Value>& values) {
  [[maybe_unused]] bool first = true;
  while (true) {
    Poll();
    const std::vector<Value> condition = EvaluateBlock(op.regions[0].block(), frame, values);
    if (condition[0].array.data()[0] == std::byte{0} && !(FAULT("inside-while-runs-once") && first)) return;
    first = false;
    values = EvaluateBlock(op.regions[1].block(), frame, std::move(values));
  }
}

bool Evaluator::EvaluateControl(const Op& op, Frame& frame, std::vector<Value>& operands, std::vector<Value>& results) {
  const std::string& name = op.name;
  if (name == "stablehlo.while") {
    While(op, frame, operands);
    results = std::move(operands);
  } else if (name == "stablehlo.if") {
    const bool taken = operands[0].array.data()[0] != std::byte{0};
    results = EvaluateBlock(op.regions[taken ? 0 : 1].block(), frame, {});
  } else if (name == "stablehlo.case") {
    const int64_t branches = static_cast<int64_t>(op.regions.size());
    int64_t index = *operands[0].array.as<int32_t>();
    if (index < 0 || index >= branches) index = FAULT("inside-case-outside-is-first") ? 0 : branches - 1;
    if (FAULT("inside-case-of-three-branches")) index = std::min<int64_t>(index, 2);
    results = EvaluateBlock(op.regions[static_cast<size_t>(index)].block(), frame, {});
  } else if (name == "call") {
    results = Call(FunctionOf(module_, op, "callee"), std::move(operands));
  } else if (name == "stablehlo.composite") {
    results = FAULT("inside-composite-ignored") && operands.size() == op.result_types.size()
                  ? std::move(operands)
                  : Call(FunctionOf(module_, op, "decomposition"), std::move(operands));
  } else if (name == "stablehlo.tuple") {
    results.resize(1);
    results[0].is_tuple = true;
    results[0].elements = std::move(operands);
  } else if (name == "stablehlo.get_tuple_element") {
    const int64_t index = op.Int("index");
    if (index < 0 || index >= static_cast<int64_t>(operands[0].elements.size())) {
      throw InvalidArgument(name + " at " + op.location + ": the tuple has no element " + std::to_string(index));
    }
    results.push_back(operands[0].elements[static_cast<size_t>(index)]);
  } else if (name == "stablehlo.optimization_barrier") {
    results = std::move(operands);
  } else {
    return false;
  }
  return true;
}

void Evaluator::NumberOps(const Block& block) {
  for (const Op& op : block.ops) {
    executions_[&op].number = static_cast<int64_t>(executions_.size());
    for (const Region& region : op.regions) {
      for (const Block& inner : region.blocks) NumberOps(inner);
    }
  }
}

std::string Evaluator::RendezvousKey(const Op& op) {
  if (executions_.empty()) {
    for (const auto& entry : module_.functions) NumberOps(entry.second.body);
  }
  Execution& execution = executions_[&op];
  return op.name + " " + std::to_string(execution.number) + " execution " + std::to_string(execution.count++);
}

}  // namespace reference
