// reduce and map: regions over many elements at once.
#include <algorithm>
#include <cstring>

#include "base/fault.h"
#include "interpreter/handlers.h"
#include "interpreter/scalar_region.h"
#include "interpreter/strided.h"

namespace reference {

// Each result is folded from the left, in row-major order of the reduced dimensions, starting with the initial value.
std::vector<Array> Reduce(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const size_t count = operands.size() / 2;
  const Dims reduced = op.Ints("dimensions");
  // Reduced dimensions first: the inputs of neighbouring results are then adjacent.
  Dims order;
  int64_t steps = 1;
  const Dims& dims = operands[0].dims();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(i)) == reduced.end()) continue;
    order.push_back(static_cast<int64_t>(i));
    steps *= dims[i];
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(i)) != reduced.end()) continue;
    order.push_back(static_cast<int64_t>(i));
  }
  std::vector<Array> inputs, results;
  for (size_t i = 0; i < count; ++i) {
    inputs.push_back(Transposed(operands[i], order));
    results.emplace_back(ResultType(op, i));
  }
  ScalarRegion body(op.regions[0], context);
  const int64_t size = results[0].size();
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t lanes = std::min(kBlock, size - begin);
    for (size_t i = 0; i < count; ++i) {
      const Codec& codec = CodecOf(operands[count + i].element_type());
      std::byte* accumulator = body.argument(i);
      const bool first = FAULT("inside-reduce-starts-with-first") && operands[count].type() == operands[count + i].type();
      codec.load(operands[first ? count : count + i].data(), accumulator, 1);
      for (int64_t k = 1; k < lanes; ++k) {
        std::memcpy(accumulator + static_cast<size_t>(k) * codec.value_width, accumulator, codec.value_width);
      }
    }
    for (int64_t step = 0; step < steps; ++step) {
      if ((step & 0xffff) == 0xffff) context.evaluator.Poll();
      for (size_t i = 0; i < count; ++i) {
        const Codec& codec = CodecOf(inputs[i].element_type());
        codec.load(inputs[i].data() + static_cast<size_t>(step * size + begin) * codec.width, body.argument(count + i),
                   lanes);
      }
      body.Run(lanes);
      for (size_t i = 0; i < count; ++i) {
        std::memmove(body.argument(i), body.result(i), static_cast<size_t>(lanes) * body.result_codec(i).value_width);
      }
    }
    for (size_t i = 0; i < count; ++i) {
      const Codec& codec = CodecOf(results[i].element_type());
      Spoil(AccuracyOfFold(op.regions[0], results[i].element_type()), results[i].element_type(), body.argument(i), lanes);
      codec.store(body.argument(i), results[i].mutable_data() + static_cast<size_t>(begin) * codec.width, lanes);
    }
  }
  return results;
}

std::vector<Array> MapRegion(const Op& op, std::vector<Array>& operands, OpContext& context) {
  Array result(ResultType(op));
  ScalarRegion body(op.regions[0], context);
  const Codec& to = CodecOf(result.element_type());
  for (int64_t begin = 0; begin < result.size(); begin += kBlock) {
    const int64_t lanes = std::min(kBlock, result.size() - begin);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Codec& codec = CodecOf(operands[i].element_type());
      codec.load(operands[i].data() + static_cast<size_t>(begin) * codec.width, body.argument(i), lanes);
    }
    body.Run(lanes);
    to.store(body.result(0), result.mutable_data() + static_cast<size_t>(begin) * to.width, lanes);
  }
  return One(std::move(result));
}

}  // namespace reference
