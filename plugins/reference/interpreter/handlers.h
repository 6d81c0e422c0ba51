// The handlers of the ops that are neither elementwise nor control flow, by file, and their helpers.
#pragma once

#include <vector>

#include "interpreter/evaluator.h"

namespace reference {

// The type of an op's only or first result.
inline const ArrayType& ResultType(const Op& op, size_t index = 0) { return op.result_types[index].array; }
// Pairs of low and high padding, flat: an n x 2 array or list; empty if there is none.
std::vector<int64_t> Pairs(const Op& op, const std::string& attribute);
// A list of booleans, false if the attribute is missing.
std::vector<bool> Bools(const Op& op, const std::string& attribute, size_t count);
// The value of a scalar or element of an integer type.
int64_t IntegerAt(const Array& array, int64_t index);

// movement.cc
std::vector<Array> Reshape(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> BitcastConvert(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Transpose(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> BroadcastInDim(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Broadcast(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Slice(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> DynamicSlice(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> DynamicUpdateSlice(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Pad(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Concatenate(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Reverse(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Iota(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> RealDynamicSlice(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> DynamicPad(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> GetDimensionSize(const Op& op, std::vector<Array>& operands, OpContext& context);

// indexing.cc
std::vector<Array> Gather(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Scatter(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> TorchIndexSelect(const Op& op, std::vector<Array>& operands, OpContext& context);

// reduction.cc, windows.cc
std::vector<Array> Reduce(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> MapRegion(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> ReduceWindow(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> SelectAndScatter(const Op& op, std::vector<Array>& operands, OpContext& context);

// sort.cc
std::vector<Array> Sort(const Op& op, std::vector<Array>& operands, OpContext& context);

// dot.cc, convolution.cc
std::vector<Array> DotGeneral(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Dot(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Convolution(const Op& op, std::vector<Array>& operands, OpContext& context);

// random.cc
std::vector<Array> RngBitGenerator(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Rng(const Op& op, std::vector<Array>& operands, OpContext& context);

// fft.cc, linear_algebra.cc, normalization.cc
std::vector<Array> Fft(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Cholesky(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> TriangularSolve(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> BatchNormInference(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> BatchNormTraining(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> BatchNormGrad(const Op& op, std::vector<Array>& operands, OpContext& context);

// collective.cc
std::vector<Array> AllReduce(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> AllGather(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> ReduceScatter(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> AllToAll(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> CollectivePermute(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> CollectiveBroadcast(const Op& op, std::vector<Array>& operands, OpContext& context);

// environment.cc
std::vector<Array> PartitionId(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> ReplicaId(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> MakeToken(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Send(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> Recv(const Op& op, std::vector<Array>& operands, OpContext& context);
std::vector<Array> CustomCallOp(const Op& op, std::vector<Array>& operands, OpContext& context);

}  // namespace reference
