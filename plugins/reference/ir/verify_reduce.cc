// Rules of reductions, windows and sort.
#include "ir/verify.h"

namespace reference {
namespace {

// Inputs of one shape and an equal number of scalar initial values; returns the number.
int64_t CheckInputs(const OpCheck& check, std::vector<ElementType>* inputs, std::vector<ElementType>* initial) {
  check.Require(check.operands() >= 2 && check.operands() % 2 == 0, "has not as many initial values as inputs");
  int64_t count = check.operands() / 2;
  for (int64_t i = 0; i < count; ++i) {
    check.Require(check.Operand(i).dims == check.Operand(0).dims, "the inputs have different shapes");
    check.Require(check.Operand(count + i).dims.empty(), "an initial value is not a scalar");
    inputs->push_back(check.Operand(i).type);
    initial->push_back(check.Operand(count + i).type);
  }
  check.Require(static_cast<int64_t>(check.op.result_types.size()) == count, "has not as many results as inputs");
  return count;
}

void RequirePositive(const OpCheck& check, const std::vector<int64_t>& sizes) {
  for (int64_t size : sizes) check.Require(size > 0, "a window without extent");
}

}  // namespace

void CheckReduce(const OpCheck& check, const OpInfo&) {
  std::vector<ElementType> inputs, initial;
  int64_t count = CheckInputs(check, &inputs, &initial);
  const Dims& dims = check.Operand(0).dims;
  const auto& dimensions = check.Dimensions("dimensions", dims.size());
  Dims left;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!HasDimension(dimensions, static_cast<int64_t>(i))) left.push_back(dims[i]);
  }
  std::vector<ElementType> types = check.ExpectReducer(0, inputs, initial);
  for (int64_t i = 0; i < count; ++i) check.ExpectResult(i, ArrayType{types[static_cast<size_t>(i)], left});
}

void CheckReduceWindow(const OpCheck& check, const OpInfo&) {
  std::vector<ElementType> inputs, initial;
  int64_t count = CheckInputs(check, &inputs, &initial);
  const Dims& dims = check.Operand(0).dims;
  size_t rank = dims.size();
  Window window = {check.IntsOf("window_dimensions", rank), check.IntsOf("window_strides", rank),
                   check.IntsOf("base_dilations", rank), check.IntsOf("window_dilations", rank),
                   check.Pairs("padding", rank)};
  RequirePositive(check, window.sizes);
  std::vector<Wide> windowed = WindowedDims(check, dims, window);
  std::vector<ElementType> types = check.ExpectReducer(0, inputs, initial);
  for (int64_t i = 0; i < count; ++i) check.ExpectResult(i, types[static_cast<size_t>(i)], windowed);
}

void CheckSelectAndScatter(const OpCheck& check, const OpInfo&) {
  const ArrayType& operand = check.Operand(0);
  const ArrayType& source = check.Operand(1);
  const ArrayType& initial = check.Operand(2);
  size_t rank = operand.dims.size();
  std::vector<int64_t> ones(rank, 1);
  Window window = {check.IntsOf("window_dimensions", rank), check.IntsOf("window_strides", rank), ones, ones,
                   check.Pairs("padding", rank)};
  RequirePositive(check, window.sizes);
  check.Require(source.type == operand.type, "the source is of another type than the operand");
  check.Require(initial.dims.empty(), "the initial value is not a scalar");
  if (WindowedDims(check, operand.dims, window) != WideDims(source.dims)) {
    check.Fail("the source " + source.ToString() + " has not one element a window of " + operand.ToString());
  }
  Type element = ScalarType(operand.type);
  check.ExpectRegion(0, {element, element}, {ScalarType(ElementType::kPred)});
  std::vector<ElementType> types = check.ExpectReducer(1, {source.type}, {initial.type});
  check.ExpectResult(0, ArrayType{types[0], operand.dims});
}

void CheckSort(const OpCheck& check, const OpInfo&) {
  check.Require(check.operands() > 0, "has no inputs");
  const Dims& dims = check.Operand(0).dims;
  std::vector<Type> arguments;
  for (int64_t i = 0; i < check.operands(); ++i) {
    check.Require(check.Operand(i).dims == dims, "the inputs have different shapes");
    Type element = ScalarType(check.Operand(i).type);
    arguments.insert(arguments.end(), {element, element});
  }
  int64_t rank = static_cast<int64_t>(dims.size());
  check.Require(check.Int("dimension") >= -rank && check.Int("dimension") < rank, "dimension is out of range");
  check.ExpectRegion(0, arguments, {ScalarType(ElementType::kPred)});
  check.ExpectResults(check.OperandTypes());
}

}  // namespace reference
