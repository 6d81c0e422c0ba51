// Elements during computation. Every element type belongs to one of four domains; arithmetic is written once per
// domain, on blocks of values, and a codec converts elements. Real types of all widths are computed in double and
// rounded once: double has more than twice the digits of all others plus two, so that the results of operations that
// IEEE 754 rounds are correctly rounded.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "base/element_type.h"

namespace reference {

enum class Domain : uint8_t {
  kReal,      // double
  kSigned,    // int64_t, within the type's range
  kUnsigned,  // uint64_t, within the type's range; kPred too
  kComplex,   // std::complex<double>
};
constexpr int kDomains = 4;

// Throws Unimplemented if it is not a type of array elements.
Domain DomainOf(ElementType type);

// Bytes of one value.
constexpr size_t DomainWidth(Domain domain) { return domain == Domain::kComplex ? 16 : 8; }
constexpr size_t kMaxDomainWidth = 16;

struct Codec {
  Domain domain = Domain::kReal;
  size_t width = 0;  // bytes of an element
  size_t value_width = 8;
  void (*load)(const std::byte* elements, std::byte* values, int64_t count) = nullptr;
  // Rounds to nearest even, or wraps.
  void (*store)(const std::byte* values, std::byte* elements, int64_t count) = nullptr;
  // The effect of storing and loading on values, in place.
  void (*round)(std::byte* values, int64_t count) = nullptr;
};

const Codec& CodecOf(ElementType type);

// A block of values fits into the first-level cache.
constexpr int64_t kBlock = 512;
struct alignas(64) ValueBlock {
  // The excess keeps adjacent blocks from competing for the same cache lines.
  std::byte bytes[kBlock * kMaxDomainWidth + 64];
};

// The n-th value of a block or array of values.
template <typename T>
const T* Values(const std::byte* values) { return reinterpret_cast<const T*>(values); }
template <typename T>
T* Values(std::byte* values) { return reinterpret_cast<T*>(values); }

}  // namespace reference
