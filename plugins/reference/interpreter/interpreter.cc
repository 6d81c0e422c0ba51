#include "interpreter/interpreter.h"

#include "interpreter/custom_calls.h"
#include "interpreter/elementwise.h"
#include "interpreter/evaluator.h"

namespace reference {
namespace {

bool IsSupported(const Op& op, const std::vector<Type>& types) {
  if (IsControl(op.name) || FindHandler(op.name) != nullptr) return true;
  std::vector<ElementType> operands;
  for (const ValueId id : op.operands) operands.push_back(types[static_cast<size_t>(id)].array.type);
  return op.result_types.size() == 1 && FindElementwise(op, operands, op.result_types[0].array.type).has_value();
}

std::vector<ArrayType> ArrayTypes(const std::vector<ValueId>& values, const std::vector<Type>& types) {
  std::vector<ArrayType> found;
  for (const ValueId id : values) found.push_back(types[static_cast<size_t>(id)].array);
  return found;
}

void CheckBlock(const Block& block, std::vector<Type>& types, const Environment& environment) {
  for (size_t i = 0; i < block.arguments.size(); ++i) {
    types[static_cast<size_t>(block.arguments[i])] = block.argument_types[i];
  }
  for (const Op& op : block.ops) {
    if (!IsSupported(op, types)) {
      const std::string on = op.operands.empty() ? "" : " on " + types[static_cast<size_t>(op.operands[0])].ToString();
      throw Unimplemented(op.name + on + " at " + op.location + " is not implemented");
    }
    if (op.name == "stablehlo.custom_call") {
      const std::string& target = op.String("call_target_name");
      const bool registered = environment.find_custom_call && environment.find_custom_call(target);
      if (!registered && !IsOwnCustomCall(op, ArrayTypes(op.operands, types))) {
        throw Unimplemented("custom_call at " + op.location + ": nobody registered a target \"" + target + "\"");
      }
    }
    for (size_t i = 0; i < op.results.size(); ++i) types[static_cast<size_t>(op.results[i])] = op.result_types[i];
    for (const Region& region : op.regions) {
      for (const Block& inner : region.blocks) CheckBlock(inner, types, environment);
    }
  }
}

}  // namespace

std::vector<Array> Run(const Module& module, const Function& function, const std::vector<Array>& arguments,
                       Environment& environment) {
  if (arguments.size() != function.argument_types.size()) {
    throw InvalidArgument("@" + function.name + " takes " + std::to_string(function.argument_types.size()) +
                          " arguments and was given " + std::to_string(arguments.size()));
  }
  std::vector<Value> values(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type() != function.argument_types[i].array) {
      throw InvalidArgument("argument " + std::to_string(i) + " of @" + function.name + " is " +
                            function.argument_types[i].ToString() + " and was given " + arguments[i].type().ToString());
    }
    values[i].array = arguments[i];
  }
  Evaluator evaluator(module, environment);
  std::vector<Array> results;
  for (Value& value : evaluator.Call(function, std::move(values))) {
    if (value.is_tuple) throw Unimplemented("@" + function.name + " returns a tuple");
    results.push_back(std::move(value.array));
  }
  return results;
}

void CheckSupported(const Module& module, const Environment& environment) {
  for (const auto& entry : module.functions) {
    std::vector<Type> types(static_cast<size_t>(entry.second.value_count));
    CheckBlock(entry.second.body, types, environment);
  }
}

}  // namespace reference
