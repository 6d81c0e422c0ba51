#include "interpreter/scalar_region.h"

#include <cstring>

namespace reference {
namespace {

constexpr int32_t kUnknown = -1;
constexpr int kMaxCallDepth = 32;
constexpr size_t kMaxInstructions = 4096;

bool IsScalar(const Type& type) { return !type.is_tuple && type.array.dims.empty() && BitWidth(type.array.type) != 0; }

}  // namespace

ScalarRegion::ScalarRegion(const Region& region, OpContext& context) : context_(context), block_(region.block()) {
  for (const Type& type : block_.argument_types) {
    if (!IsScalar(type)) throw Unimplemented("a region whose arguments are no scalars: " + type.ToString());
  }
  std::vector<int32_t> registers(context.frame.values.size(), kUnknown);
  for (size_t i = 0; i < block_.arguments.size(); ++i) {
    const int32_t at = NewRegister();
    arguments_.push_back(at);
    argument_types_.push_back(block_.argument_types[i].array.type);
    registers[static_cast<size_t>(block_.arguments[i])] = at;
  }
  compiled_ = Compile(block_, registers, 0);
  if (compiled_) {
    results_ = compiled_results_;
  } else {
    instructions_.clear();
    results_.clear();
    result_types_.clear();
    // Types of the returned values.
    const Op& last = block_.ops.back();
    for (const ValueId id : last.operands) {
      const Type* found = nullptr;
      for (size_t i = 0; i < block_.arguments.size(); ++i) {
        if (block_.arguments[i] == id) found = &block_.argument_types[i];
      }
      for (const Op& op : block_.ops) {
        for (size_t i = 0; i < op.results.size(); ++i) {
          if (op.results[i] == id) found = &op.result_types[i];
        }
      }
      ElementType type = ElementType::kInvalid;
      if (found != nullptr) {
        type = found->array.type;
      } else {
        type = context.frame.values[static_cast<size_t>(id)].array.element_type();
      }
      results_.push_back(NewRegister());
      result_types_.push_back(type);
    }
  }
}

int32_t ScalarRegion::NewRegister() {
  registers_.emplace_back();
  return static_cast<int32_t>(registers_.size() - 1);
}

int32_t ScalarRegion::ConstantRegister(const Array& scalar) {
  const int32_t at = NewRegister();
  const Codec& codec = CodecOf(scalar.element_type());
  std::byte* values = registers_[static_cast<size_t>(at)].bytes;
  codec.load(scalar.data(), values, 1);
  for (int64_t i = 1; i < kBlock; ++i) {
    std::memcpy(values + static_cast<size_t>(i) * codec.value_width, values, codec.value_width);
  }
  return at;
}

// `registers` maps the values of the block's function; false if something in it is more than elementwise ops on
// scalars.
bool ScalarRegion::Compile(const Block& block, std::vector<int32_t>& registers, int depth) {
  std::vector<ElementType> types(registers.size(), ElementType::kInvalid);
  for (size_t i = 0; i < block.arguments.size(); ++i) {
    types[static_cast<size_t>(block.arguments[i])] = block.argument_types[i].array.type;
  }
  const auto find = [&](ValueId id) -> int32_t {
    const size_t at = static_cast<size_t>(id);
    if (registers[at] == kUnknown && depth == 0) {
      const Value& captured = context_.frame.values[at];
      if (captured.is_tuple || captured.array.data() == nullptr || !captured.array.dims().empty() ||
          BitWidth(captured.array.element_type()) == 0) {
        return kUnknown;
      }
      registers[at] = ConstantRegister(captured.array);
      types[at] = captured.array.element_type();
    }
    return registers[at];
  };
  for (const Op& op : block.ops) {
    if (instructions_.size() > kMaxInstructions) return false;
    if (op.name == "return") {
      compiled_results_.clear();
      result_types_.clear();
      for (const ValueId id : op.operands) {
        const int32_t at = find(id);
        if (at == kUnknown) return false;
        compiled_results_.push_back(at);
        result_types_.push_back(types[static_cast<size_t>(id)]);
      }
      return true;
    }
    for (const Type& type : op.result_types) {
      if (!IsScalar(type)) return false;
    }
    if (op.name == "stablehlo.constant") {
      const Attribute* value = op.Find("value");
      const Array* array = value == nullptr ? nullptr : value->get<Array>();
      if (array == nullptr) return false;
      registers[static_cast<size_t>(op.results[0])] = ConstantRegister(*array);
      types[static_cast<size_t>(op.results[0])] = array->element_type();
      continue;
    }
    std::vector<int32_t> operands;
    std::vector<ElementType> operand_types;
    for (const ValueId id : op.operands) {
      const int32_t at = find(id);
      if (at == kUnknown) return false;
      operands.push_back(at);
      operand_types.push_back(types[static_cast<size_t>(id)]);
    }
    if (op.name == "call") {
      const auto callee = context_.evaluator.module().functions.find(op.String("callee"));
      if (callee == context_.evaluator.module().functions.end() || depth >= kMaxCallDepth) return false;
      const Function& function = callee->second;
      std::vector<int32_t> inner(static_cast<size_t>(function.value_count), kUnknown);
      for (size_t i = 0; i < operands.size(); ++i) inner[static_cast<size_t>(function.body.arguments[i])] = operands[i];
      if (!Compile(function.body, inner, depth + 1)) return false;
      for (size_t i = 0; i < op.results.size(); ++i) {
        registers[static_cast<size_t>(op.results[i])] = compiled_results_[i];
        types[static_cast<size_t>(op.results[i])] = result_types_[i];
      }
      continue;
    }
    const bool same = op.name == "stablehlo.reshape" || op.name == "stablehlo.optimization_barrier" ||
                      op.name == "stablehlo.broadcast_in_dim" || op.name == "stablehlo.transpose";
    if (same) {
      for (size_t i = 0; i < op.results.size(); ++i) {
        registers[static_cast<size_t>(op.results[i])] = operands[i];
        types[static_cast<size_t>(op.results[i])] = operand_types[i];
      }
      continue;
    }
    if (op.results.size() != 1 || !op.regions.empty()) return false;
    const std::optional<Elementwise> found = FindElementwise(op, operand_types, op.result_types[0].array.type);
    if (!found) return false;
    Instruction instruction;
    instruction.op = *found;
    instruction.operands = static_cast<int>(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) instruction.in[i] = operands[i];
    instruction.out = NewRegister();
    instructions_.push_back(instruction);
    registers[static_cast<size_t>(op.results[0])] = instruction.out;
    types[static_cast<size_t>(op.results[0])] = op.result_types[0].array.type;
  }
  return false;
}

void ScalarRegion::Run(int64_t count) {
  if (!compiled_) {
    Interpret(count);
    return;
  }
  for (const Instruction& instruction : instructions_) {
    const std::byte* in[3];
    for (int i = 0; i < instruction.operands; ++i) in[i] = registers_[static_cast<size_t>(instruction.in[i])].bytes;
    instruction.op(in, registers_[static_cast<size_t>(instruction.out)].bytes, count);
  }
}

void ScalarRegion::Interpret(int64_t count) {
  for (int64_t k = 0; k < count; ++k) {
    std::vector<Value> values(arguments_.size());
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const Codec& codec = argument_codec(i);
      values[i].array = Array(ArrayType{argument_types_[i], {}});
      codec.store(argument(i) + static_cast<size_t>(k) * codec.value_width, values[i].array.mutable_data(), 1);
    }
    const std::vector<Value> results = context_.evaluator.EvaluateBlock(block_, context_.frame, std::move(values));
    for (size_t i = 0; i < results_.size(); ++i) {
      const Codec& codec = result_codec(i);
      codec.load(results[i].array.data(),
                 registers_[static_cast<size_t>(results_[i])].bytes + static_cast<size_t>(k) * codec.value_width, 1);
    }
  }
}

}  // namespace reference
