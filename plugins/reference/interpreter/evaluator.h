// Evaluates the ops of functions and regions, one after another.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "interpreter/interpreter.h"
#include "ir/ir.h"

namespace reference {

// An SSA value: an array or a tuple.
struct Value {
  Array array;
  bool is_tuple = false;
  std::vector<Value> elements;
};

// The values of one activation of a function, by ValueId.
struct Frame {
  std::vector<Value> values;
};

class Evaluator {
 public:
  Evaluator(const Module& module, Environment& environment) : module_(module), environment_(environment) {}

  std::vector<Value> Call(const Function& function, std::vector<Value> arguments);
  // A region's block, in the frame of the function around it.
  std::vector<Value> EvaluateBlock(const Block& block, Frame& frame, std::vector<Value> arguments);

  const Module& module() const { return module_; }
  Environment& environment() { return environment_; }
  // The same on every device at its n-th execution of this op; distinct for each op and execution.
  std::string RendezvousKey(const Op& op);
  // Throws Cancelled if the environment requests it.
  void Poll() const;

 private:
  std::vector<Value> EvaluateOp(const Op& op, Frame& frame, const std::vector<bool>& last_uses);
  bool EvaluateControl(const Op& op, Frame& frame, std::vector<Value>& operands, std::vector<Value>& results);
  void While(const Op& op, Frame& frame, std::vector<Value>& values);
  const std::vector<std::vector<bool>>& LastUses(const Block& block);
  void NumberOps(const Block& block);

  const Module& module_;
  Environment& environment_;
  int depth_ = 0;
  std::unordered_map<const Block*, std::vector<std::vector<bool>>> last_uses_;
  struct Execution {
    int64_t number = 0;  // of the op, in the order of the module
    int64_t count = 0;
  };
  std::unordered_map<const Op*, Execution> executions_;
};

// What a handler of an op may use besides its operands.
struct OpContext {
  Evaluator& evaluator;
  Frame& frame;
};

// Computes an op on arrays; operands may be consumed.
using Handler = std::vector<Array> (*)(const Op& op, std::vector<Array>& operands, OpContext& context);

// The handler of an op that is neither elementwise nor control flow; null if there is none.
Handler FindHandler(const std::string& name);
// Whether the evaluator itself evaluates an op: control flow, tuples.
bool IsControl(const std::string& name);

// Shorthand for results of op handlers.
inline std::vector<Array> One(Array array) {
  std::vector<Array> arrays;
  arrays.push_back(std::move(array));
  return arrays;
}

}  // namespace reference
