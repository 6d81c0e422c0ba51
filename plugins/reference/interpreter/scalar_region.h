// A region on scalars (a reducer, a comparator, an update computation) prepared for repeated calls.
#pragma once

#include <memory>
#include <vector>

#include "interpreter/elementwise.h"
#include "interpreter/evaluator.h"

namespace reference {

class ScalarRegion {
 public:
  // Captured values are read from the context's frame now.
  ScalarRegion(const Region& region, OpContext& context);

  size_t argument_count() const { return arguments_.size(); }
  size_t result_count() const { return results_.size(); }
  // Values of an argument or result, up to kBlock of them, in the domain of its type.
  std::byte* argument(size_t index) { return registers_[static_cast<size_t>(arguments_[index])].bytes; }
  const std::byte* result(size_t index) const { return registers_[static_cast<size_t>(results_[index])].bytes; }
  const Codec& argument_codec(size_t index) const { return CodecOf(argument_types_[index]); }
  const Codec& result_codec(size_t index) const { return CodecOf(result_types_[index]); }

  // Computes the results of `count` calls at once, each with its own arguments.
  void Run(int64_t count);

 private:
  struct Instruction {
    Elementwise op;
    int32_t in[3] = {0, 0, 0};
    int32_t out = 0;
    int operands = 0;
  };
  bool Compile(const Block& block, std::vector<int32_t>& registers, int depth);
  int32_t NewRegister();
  int32_t ConstantRegister(const Array& scalar);
  void Interpret(int64_t count);

  OpContext& context_;
  const Block& block_;
  std::vector<ValueBlock> registers_;
  std::vector<Instruction> instructions_;
  std::vector<int32_t> arguments_;
  std::vector<ElementType> argument_types_;
  std::vector<int32_t> results_;
  std::vector<ElementType> result_types_;
  std::vector<int32_t> compiled_results_;
  bool compiled_ = false;
};

}  // namespace reference
