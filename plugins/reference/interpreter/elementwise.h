// Operations on single elements, as kernels over blocks of values.
#pragma once

#include <optional>
#include <vector>

#include "interpreter/arithmetic.h"
#include "interpreter/domain.h"
#include "ir/ir.h"

namespace reference {

struct KernelParameters {
  ElementType from = ElementType::kInvalid;  // of the first operand
  ElementType to = ElementType::kInvalid;    // of the result
  int bits = 0;                              // width of `from`
  int64_t exponent_bits = 0;                 // reduce_precision
  int64_t mantissa_bits = 0;
};

// One to three blocks of values in, one out; `out` may be one of `in`.
using Kernel = void (*)(const std::byte* const* in, std::byte* out, int64_t count, const KernelParameters& parameters);

struct Elementwise {
  Kernel kernel = nullptr;
  KernelParameters parameters;
  // Converts the kernel's results to values of the result's type; null if they are.
  void (*round)(std::byte* values, int64_t count) = nullptr;

  Accuracy accuracy = Accuracy::kExact;

  void operator()(const std::byte* const* in, std::byte* out, int64_t count) const {
    kernel(in, out, count, parameters);
    Spoil(accuracy, parameters.to, out, count);
    if (round != nullptr) round(out, count);
  }
};

// The computation of an op on elements of these types; empty if the op is not elementwise or not defined on them.
std::optional<Elementwise> FindElementwise(const Op& op, const std::vector<ElementType>& operands, ElementType result);

// The tables it searches.
Kernel UnaryKernel(const std::string& name, Domain domain);
Kernel BinaryKernel(const std::string& name, Domain domain);
Kernel CompareKernel(const std::string& direction, bool total_order, Domain domain);
Kernel ConvertKernel(ElementType from, ElementType to);
Kernel SelectKernel(Domain domain);
Kernel ClampKernel(Domain domain);
void ReducePrecisionKernel(const std::byte* const* in, std::byte* out, int64_t count,
                           const KernelParameters& parameters);

// Runs one on whole arrays, all of the result's size or scalars.
Array RunElementwise(const Elementwise& op, const std::vector<Array>& operands, const ArrayType& result);

// IEEE 754's maximum and minimum: a NaN wins, -0 is below +0.
double Maximum(double a, double b);
double Minimum(double a, double b);

}  // namespace reference
