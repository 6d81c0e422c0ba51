// Walks a module and checks the rules common to all ops (values, counts, attributes), then the rule of each op.
#include "ir/verify.h"

#include <algorithm>
#include <set>

namespace reference {
namespace {

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, const Function& function) : module_(module), function_(function) {
    if (function.value_count < 0) Fail("a negative number of values");
    size_t count = static_cast<size_t>(function.value_count);
    types_.resize(count);
    states_.resize(count, State::kUndefined);
  }

  void Verify() {
    if (function_.argument_attributes.size() != function_.argument_types.size() ||
        function_.result_attributes.size() != function_.result_types.size()) {
      Fail("has another number of attributes than of arguments or results");
    }
    if (function_.body.argument_types != function_.argument_types) {
      Fail("takes other arguments than its body");
    }
    VerifyBlock(function_.body, 0);
    std::vector<Type> returned;
    for (ValueId value : function_.body.ops.back().operands) returned.push_back(types_[static_cast<size_t>(value)]);
    if (returned.size() != function_.result_types.size()) {
      throw InvalidArgument(function_.body.ops.back().location + ": @" + function_.name + " returns " +
                            std::to_string(returned.size()) + " values, its type says " +
                            std::to_string(function_.result_types.size()));
    }
    for (size_t i = 0; i < returned.size(); ++i) {
      if (returned[i] != function_.result_types[i]) {
        throw InvalidArgument(function_.body.ops.back().location + ": @" + function_.name + " returns a " +
                              returned[i].ToString() + ", its type says " + function_.result_types[i].ToString());
      }
    }
  }

 private:
  enum class State : char { kUndefined, kLive, kDead };

  [[noreturn]] void Fail(const std::string& message) {
    throw InvalidArgument("the function @" + function_.name + " " + message);
  }

  void Define(ValueId value, const Type& type) {
    if (value < 0 || value >= function_.value_count) Fail("defines a value out of range");
    size_t index = static_cast<size_t>(value);
    if (states_[index] != State::kUndefined) Fail("defines the value " + std::to_string(value) + " twice");
    states_[index] = State::kLive;
    types_[index] = type;
  }

  // Leaves the values of the block in scope.
  void VerifyBlock(const Block& block, int depth) {
    if (depth > kMaxNesting) Fail("is nested too deeply");
    if (block.arguments.size() != block.argument_types.size()) Fail("has a block whose arguments have no types");
    for (size_t i = 0; i < block.arguments.size(); ++i) Define(block.arguments[i], block.argument_types[i]);
    for (size_t i = 0; i < block.ops.size(); ++i) {
      bool is_return = block.ops[i].name == "return";
      if (is_return != (i + 1 == block.ops.size())) {
        throw InvalidArgument(block.ops[i].location + ": " +
                              (is_return ? "ops follow a return" : "expected a return after the last op"));
      }
      VerifyOp(block.ops[i], depth);
    }
    if (block.ops.empty()) Fail("has a block without a return");
  }

  void VerifyOp(const Op& op, int depth) {
    const OpInfo* info = FindOp(op.name);
    if (!info) throw InvalidArgument(op.location + ": StableHLO has no op " + op.name);
    if (!info->check) throw Unimplemented(op.location + ": the op " + op.name + " is not implemented");
    for (ValueId operand : op.operands) {
      if (operand < 0 || operand >= function_.value_count ||
          states_[static_cast<size_t>(operand)] != State::kLive) {
        throw InvalidArgument(op.location + ": " + op.name + " uses a value that is not defined");
      }
    }
    OpCheck check(module_, op, types_);
    auto count = [&](const char* what, size_t actual, int expected) {
      if (expected == kAny || actual == static_cast<size_t>(expected)) return;
      check.Fail(std::string("has ") + std::to_string(actual) + " " + what + ", not " + std::to_string(expected));
    };
    count("operands", op.operands.size(), info->operands);
    count("results", op.result_types.size(), info->results);
    count("regions", op.regions.size(), info->regions);
    if (op.results.size() != op.result_types.size()) check.Fail("has results without types");
    VerifyAttributes(check, *info);
    for (const Region& region : op.regions) {
      if (region.blocks.size() != 1) check.Fail("has a region of " + std::to_string(region.blocks.size()) + " blocks");
      VerifyBlock(region.block(), depth + 1);
      Kill(region.block());
    }
    info->check(check, *info);
    for (size_t i = 0; i < op.results.size(); ++i) Define(op.results[i], op.result_types[i]);
  }

  // The values of a region end with it.
  void Kill(const Block& block) {
    for (ValueId value : block.arguments) states_[static_cast<size_t>(value)] = State::kDead;
    for (const Op& op : block.ops) {
      for (ValueId value : op.results) states_[static_cast<size_t>(value)] = State::kDead;
    }
  }

  const Module& module_;
  const Function& function_;
  std::vector<Type> types_;
  std::vector<State> states_;
};

// Functions that an op names.
void Callees(const Block& block, std::set<std::string>* names) {
  for (const Op& op : block.ops) {
    for (const char* attribute : {"callee", "decomposition"}) {
      const Attribute* found = op.name == "call" || op.name == "stablehlo.composite" ? op.Find(attribute) : nullptr;
      if (found && found->get<std::string>()) names->insert(*found->get<std::string>());
    }
    for (const Region& region : op.regions) {
      for (const Block& inner : region.blocks) Callees(inner, names);
    }
  }
}

// Calls must not form a cycle: StableHLO has no recursion. Iterative, because chains of calls may be long.
void VerifyCalls(const Module& module) {
  std::map<std::string, std::set<std::string>> callees;
  std::map<std::string, std::set<std::string>> callers;
  for (const auto& [name, function] : module.functions) Callees(function.body, &callees[name]);
  std::vector<std::string> leaves;
  for (const auto& [name, called] : callees) {
    if (called.empty()) leaves.push_back(name);
    for (const std::string& callee : called) callers[callee].insert(name);
  }
  size_t done = 0;
  while (!leaves.empty()) {
    std::string leaf = leaves.back();
    leaves.pop_back();
    ++done;
    for (const std::string& caller : callers[leaf]) {
      callees[caller].erase(leaf);
      if (callees[caller].empty()) leaves.push_back(caller);
    }
  }
  if (done == module.functions.size()) return;
  for (const auto& [name, called] : callees) {
    if (!called.empty()) throw InvalidArgument("the function @" + name + " calls itself, or one that does");
  }
}

}  // namespace

void Verify(const Module& module) {
  module.main();
  for (const auto& [name, function] : module.functions) {
    if (function.name != name) throw InvalidArgument("the function @" + function.name + " is named @" + name);
    FunctionVerifier(module, function).Verify();
  }
  VerifyCalls(module);
}

}  // namespace reference
