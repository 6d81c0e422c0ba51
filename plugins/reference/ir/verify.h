// Context and declarations of the rules of ops. See Verify in ir/ir.h.
#pragma once

#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/op_table.h"

namespace reference {

// Wide enough for combinations of 64-bit sizes and attributes.
using Wide = __int128;

// One op with the types around it. The op's regions have been verified when a rule runs.
class OpCheck {
 public:
  OpCheck(const Module& module, const Op& op, const std::vector<Type>& value_types)
      : module(module), op(op), value_types_(value_types) {}

  const Module& module;
  const Op& op;

  // Throws InvalidArgument with the op's position and name.
  [[noreturn]] void Fail(const std::string& message) const;
  void Require(bool condition, const char* message) const {
    if (!condition) Fail(message);
  }

  int64_t operands() const { return static_cast<int64_t>(op.operands.size()); }
  const Type& OperandType(int64_t index) const;
  std::vector<Type> OperandTypes() const;
  // An operand (a result) that must be an array.
  const ArrayType& Operand(int64_t index) const;
  const ArrayType& Result(int64_t index) const;
  // Fails unless the result has this type.
  void ExpectResult(int64_t index, const Type& type) const;
  void ExpectResult(int64_t index, const ArrayType& type) const { ExpectResult(index, Type{type, false, {}}); }
  void ExpectResult(int64_t index, ElementType type, const std::vector<Wide>& dims) const;
  // Only the dimensions, if the program chooses the element type.
  void ExpectResultDims(int64_t index, const std::vector<Wide>& dims) const;
  void ExpectResults(const std::vector<Type>& types) const;

  int64_t Int(const char* name) const { return op.Int(name); }
  bool Bool(const char* name) const { return op.Bool(name); }
  const std::string& String(const char* name) const { return op.String(name); }
  const std::vector<int64_t>& Ints(const char* name) const;
  const Array& Tensor(const char* name) const;

  // The attribute is a list of `count` entries.
  const std::vector<int64_t>& IntsOf(const char* name, size_t count) const;
  // Entries are distinct dimensions of something of this rank (and ascending).
  const std::vector<int64_t>& Dimensions(const char* name, size_t rank) const;
  const std::vector<int64_t>& SortedDimensions(const char* name, size_t rank) const;
  // A dimension of something of this rank.
  int64_t Dimension(const char* name, size_t rank) const;
  // A constant with n pairs.
  const int64_t* Pairs(const char* name, size_t count) const;

  const std::vector<Type>& RegionArguments(size_t region) const;
  std::vector<Type> RegionReturns(size_t region) const;
  // The region has this signature.
  void ExpectRegion(size_t region, const std::vector<Type>& arguments, const std::vector<Type>& returns) const;
  // The computation of a reduction over `count` values: scalars, accumulators before elements. Input and initial types
  // must be convertible without loss to the accumulators. Returns the accumulators' element types.
  std::vector<ElementType> ExpectReducer(size_t region, const std::vector<ElementType>& inputs,
                                         const std::vector<ElementType>& initial) const;

 private:
  const std::vector<Type>& value_types_;
};

bool IsInteger(ElementType type);
// Whether the type is in one of the classes given as letters: see OpInfo::classes.
bool IsOfClasses(ElementType type, const std::string& classes);
// Whether every value of `from` is one of `to`, of the same kind of numbers.
bool IsPromotable(ElementType from, ElementType to);
// The type of the parts of a complex number.
ElementType PartType(ElementType complex);
Type ScalarType(ElementType type);
std::vector<Wide> WideDims(const Dims& dims);
bool HasDimension(const std::vector<int64_t>& dimensions, int64_t dimension);

// Checks the kind of each attribute in the op table.
void VerifyAttributes(const OpCheck& check, const OpInfo& info);

// The result size of each windowed dimension: reduce_window, select_and_scatter, convolution.
struct Window {
  std::vector<int64_t> sizes, strides, base_dilations, window_dilations;
  const int64_t* padding;  // pairs; null for none
};
std::vector<Wide> WindowedDims(const OpCheck& check, const std::vector<int64_t>& base, const Window& window);

// The rules by file. verify_control.cc
void CheckReturn(const OpCheck& check, const OpInfo& info);
void CheckCall(const OpCheck& check, const OpInfo& info);
void CheckAfterAll(const OpCheck& check, const OpInfo& info);
void CheckCase(const OpCheck& check, const OpInfo& info);
void CheckComposite(const OpCheck& check, const OpInfo& info);
void CheckIf(const OpCheck& check, const OpInfo& info);
void CheckOptimizationBarrier(const OpCheck& check, const OpInfo& info);
void CheckWhile(const OpCheck& check, const OpInfo& info);
void CheckTuple(const OpCheck& check, const OpInfo& info);
void CheckGetTupleElement(const OpCheck& check, const OpInfo& info);
// verify_other.cc
void CheckCustomCall(const OpCheck& check, const OpInfo& info);
void CheckInfeed(const OpCheck& check, const OpInfo& info);
void CheckOutfeed(const OpCheck& check, const OpInfo& info);
void CheckSend(const OpCheck& check, const OpInfo& info);
void CheckRecv(const OpCheck& check, const OpInfo& info);
void CheckRng(const OpCheck& check, const OpInfo& info);
void CheckRngBitGenerator(const OpCheck& check, const OpInfo& info);
// verify_elementwise.cc
void CheckAbs(const OpCheck& check, const OpInfo& info);
void CheckElementwise(const OpCheck& check, const OpInfo& info);
void CheckBitcastConvert(const OpCheck& check, const OpInfo& info);
void CheckClamp(const OpCheck& check, const OpInfo& info);
void CheckCompare(const OpCheck& check, const OpInfo& info);
void CheckComplex(const OpCheck& check, const OpInfo& info);
void CheckConvert(const OpCheck& check, const OpInfo& info);
void CheckComplexPart(const OpCheck& check, const OpInfo& info);
void CheckIsFinite(const OpCheck& check, const OpInfo& info);
void CheckReducePrecision(const OpCheck& check, const OpInfo& info);
void CheckSelect(const OpCheck& check, const OpInfo& info);
void CheckMap(const OpCheck& check, const OpInfo& info);
// verify_shape.cc
void CheckBroadcast(const OpCheck& check, const OpInfo& info);
void CheckBroadcastInDim(const OpCheck& check, const OpInfo& info);
void CheckConcatenate(const OpCheck& check, const OpInfo& info);
void CheckConstant(const OpCheck& check, const OpInfo& info);
void CheckDynamicSlice(const OpCheck& check, const OpInfo& info);
void CheckDynamicUpdateSlice(const OpCheck& check, const OpInfo& info);
void CheckGetDimensionSize(const OpCheck& check, const OpInfo& info);
void CheckIota(const OpCheck& check, const OpInfo& info);
void CheckPad(const OpCheck& check, const OpInfo& info);
void CheckReshape(const OpCheck& check, const OpInfo& info);
void CheckReverse(const OpCheck& check, const OpInfo& info);
void CheckSlice(const OpCheck& check, const OpInfo& info);
void CheckTranspose(const OpCheck& check, const OpInfo& info);
void CheckTorchIndexSelect(const OpCheck& check, const OpInfo& info);
// verify_dynamic.cc
void CheckDynamicBroadcastInDim(const OpCheck& check, const OpInfo& info);
void CheckDynamicIota(const OpCheck& check, const OpInfo& info);
void CheckDynamicPad(const OpCheck& check, const OpInfo& info);
void CheckDynamicReshape(const OpCheck& check, const OpInfo& info);
void CheckRealDynamicSlice(const OpCheck& check, const OpInfo& info);
// verify_gather.cc
void CheckGather(const OpCheck& check, const OpInfo& info);
void CheckDynamicGather(const OpCheck& check, const OpInfo& info);
void CheckScatter(const OpCheck& check, const OpInfo& info);
// verify_reduce.cc
void CheckReduce(const OpCheck& check, const OpInfo& info);
void CheckReduceWindow(const OpCheck& check, const OpInfo& info);
void CheckSelectAndScatter(const OpCheck& check, const OpInfo& info);
void CheckSort(const OpCheck& check, const OpInfo& info);
// verify_linear.cc
void CheckBatchNormGrad(const OpCheck& check, const OpInfo& info);
void CheckBatchNormInference(const OpCheck& check, const OpInfo& info);
void CheckBatchNormTraining(const OpCheck& check, const OpInfo& info);
void CheckCholesky(const OpCheck& check, const OpInfo& info);
void CheckDot(const OpCheck& check, const OpInfo& info);
void CheckDotGeneral(const OpCheck& check, const OpInfo& info);
void CheckFft(const OpCheck& check, const OpInfo& info);
void CheckTriangularSolve(const OpCheck& check, const OpInfo& info);
// verify_convolution.cc
void CheckConvolution(const OpCheck& check, const OpInfo& info);
void CheckDynamicConv(const OpCheck& check, const OpInfo& info);
// verify_collectives.cc
void CheckAllGather(const OpCheck& check, const OpInfo& info);
void CheckAllReduce(const OpCheck& check, const OpInfo& info);
void CheckAllToAll(const OpCheck& check, const OpInfo& info);
void CheckCollectiveBroadcast(const OpCheck& check, const OpInfo& info);
void CheckCollectivePermute(const OpCheck& check, const OpInfo& info);
void CheckCrossReplicaSum(const OpCheck& check, const OpInfo& info);
void CheckDeviceId(const OpCheck& check, const OpInfo& info);
void CheckReduceScatter(const OpCheck& check, const OpInfo& info);
// verify_sharding.cc
void CheckManualComputation(const OpCheck& check, const OpInfo& info);

}  // namespace reference
