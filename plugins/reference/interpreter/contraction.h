// Sums of products, for dot_general and convolution: operands are converted to an arithmetic wide enough for both and
// for the result, and each sum is rounded once, at its end.
#pragma once

#include <complex>
#include <vector>

#include "interpreter/arithmetic.h"
#include "interpreter/domain.h"
#include "base/array.h"

namespace reference {

enum class SumKind { kReal, kInteger, kPredicate, kComplex };

// Throws Unimplemented for incompatible operands.
SumKind SumKindOf(ElementType lhs, ElementType rhs, ElementType result);

// double, uint64_t (arithmetic modulo 2^64 serves signed integers as well; predicates are 0 and 1), complex<double>.
template <typename V>
std::vector<V> LoadAs(const Array& array) {
  std::vector<V> values(static_cast<size_t>(array.size()));
  const Codec& codec = CodecOf(array.element_type());
  static_assert(sizeof(V) == 8 || sizeof(V) == 16, "a domain's value");
  if (codec.value_width == sizeof(V)) {
    codec.load(array.data(), reinterpret_cast<std::byte*>(values.data()), array.size());
  } else if constexpr (sizeof(V) == 16) {
    std::vector<double> real(values.size());
    codec.load(array.data(), reinterpret_cast<std::byte*>(real.data()), array.size());
    for (size_t i = 0; i < real.size(); ++i) values[i] = real[i];
  }
  return values;
}

template <typename V>
void StoreFrom(const V* values, Array& array, int64_t begin, int64_t count) {
  const Codec& codec = CodecOf(array.element_type());
  const Accuracy accuracy = AccuracyOfSums(array.element_type());
  std::vector<V> spoiled;
  if (accuracy != Accuracy::kExact) {
    spoiled.assign(values, values + count);
    Spoil(accuracy, array.element_type(), reinterpret_cast<std::byte*>(spoiled.data()), count);
    values = spoiled.data();
  }
  codec.store(reinterpret_cast<const std::byte*>(values),
              array.mutable_data() + static_cast<size_t>(begin) * codec.width, count);
}

// Complex products without the recovery of infinities, which costs a call.
inline double MultiplyAdd(double sum, double a, double b) { return sum + a * b; }
inline uint64_t MultiplyAdd(uint64_t sum, uint64_t a, uint64_t b) { return sum + a * b; }
inline std::complex<double> MultiplyAdd(std::complex<double> sum, std::complex<double> a, std::complex<double> b) {
  return {sum.real() + (a.real() * b.real() - a.imag() * b.imag()),
          sum.imag() + (a.real() * b.imag() + a.imag() * b.real())};
}

}  // namespace reference
