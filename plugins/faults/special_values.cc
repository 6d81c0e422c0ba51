// Zeros with a sign, NaN, infinities and subnormals that get lost in operations that combine or move elements.
#include <algorithm>
#include <vector>

#include "programs.h"

namespace {

using namespace faults;

/** What a number has to be to be lost, and what becomes of it. */
using Loss = uint64_t (*)(uint64_t bits, const FloatBits& type);
uint64_t PositiveZero(uint64_t bits, const FloatBits& type) { return bits == type.sign ? 0 : bits; }
uint64_t WithoutNan(uint64_t bits, const FloatBits& type) {
  return (bits & type.exponent) == type.exponent && (bits & type.mantissa) != 0 ? 0 : bits;
}
uint64_t Finite(uint64_t bits, const FloatBits& type) { return (bits & ~type.sign) == type.exponent ? bits - 1 : bits; }
uint64_t Flushed(uint64_t bits, const FloatBits& type) { return (bits & type.exponent) == 0 ? bits & type.sign : bits; }

/** The operation, and what its results lack. */
#define LOSES(name, op, loss) \
  FAULT("special-values-" #name) { AfterOp(#op, [](Array& out) { EachFloat(out, loss); }); }
LOSES(zero_of_reduce, reduce, PositiveZero)
LOSES(zero_of_scatter, scatter, PositiveZero)
LOSES(zero_of_pad, pad, PositiveZero)
LOSES(zero_of_reduce_window, reduce_window, PositiveZero)
LOSES(nan_of_reduce_window, reduce_window, WithoutNan)
LOSES(nan_of_dot, dot_general, WithoutNan)
LOSES(nan_of_scatter, scatter, WithoutNan)
LOSES(infinity_of_reduce, reduce, Finite)
LOSES(subnormals_of_sort, sort, Flushed)
LOSES(subnormals_of_gather, gather, Flushed)
FAULT("special-values-nan-sorted-first") {
  // NaN of a row comes before all numbers, whatever the comparison says.
  AfterOp("sort", [](Array& out) {
    const FloatBits type = FloatBitsOf(out.shape.type);
    if (type.sign == 0 || out.shape.dims.empty() || out.index != 0) return;
    const size_t row = static_cast<size_t>(out.shape.dims.back());
    for (size_t begin = 0; begin < out.count(); begin += row) {
      std::vector<uint64_t> line;
      for (size_t i = 0; i < row; ++i) line.push_back(out.Bits(begin + i));
      std::stable_partition(line.begin(), line.end(), [&](uint64_t bits) { return WithoutNan(bits, type) != bits; });
      for (size_t i = 0; i < row; ++i) out.SetBits(begin + i, line[i]);
    }
  });
}

}  // namespace
