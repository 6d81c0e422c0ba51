// Conversions between element types, and rounding to fewer bits.
#include <cmath>
#include <cstring>
#include <limits>

#include "base/fault.h"
#include "base/float_formats.h"
#include "interpreter/elementwise.h"

namespace reference {
namespace {

using Complex = std::complex<double>;

template <typename In, typename Out, Out (*kFunction)(In, int)>
void Apply(const std::byte* const* in, std::byte* out, int64_t count, const KernelParameters& parameters) {
  const In* from = Values<In>(in[0]);
  Out* to = Values<Out>(out);
  const int bits = BitWidth(parameters.to);
  for (int64_t i = 0; i < count; ++i) to[i] = kFunction(from[i], bits);
}

// Converts an integer to a double that rounds like the integer, whatever shorter format it is rounded to next: if the
// integer has too many digits the last bit of the double is set ("round to odd").
double MagnitudeToReal(uint64_t x) {
  if (x >> 53 == 0) return static_cast<double>(x);
  int drop = 0;
  bool rest = false;
  for (; x >> 53 != 0; x >>= 1, ++drop) rest = rest || (x & 1) != 0;
  return std::ldexp(static_cast<double>(rest ? x | 1 : x), drop);
}

double UnsignedToReal(uint64_t x, int bits) { return bits == 64 ? static_cast<double>(x) : MagnitudeToReal(x); }
double SignedToReal(int64_t x, int bits) {
  if (bits == 64) return static_cast<double>(x);
  return x < 0 ? -MagnitudeToReal(0 - static_cast<uint64_t>(x)) : MagnitudeToReal(static_cast<uint64_t>(x));
}

// Towards zero; saturates out of range, NaN becomes zero.
int64_t RealToSigned(double x, int bits) {
  const double end = std::ldexp(1.0, bits - 1);
  if (std::isnan(x)) return 0;
  if (x >= end) return static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  if (x <= -end) return static_cast<int64_t>(~uint64_t{0} << (bits - 1));
  return static_cast<int64_t>(x);
}
uint64_t RealToUnsigned(double x, int bits) {
  if (!(x > 0)) return 0;
  if (x >= std::ldexp(1.0, bits)) return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return static_cast<uint64_t>(x);
}

template <typename In, typename Out>
Out Cast(In x, int) { return static_cast<Out>(x); }
template <typename In>
uint64_t IsNotZero(In x, int) { return x != In(0) ? 1 : 0; }

Complex RealToComplex(double x, int) { return {x, 0}; }
Complex SignedToComplex(int64_t x, int bits) { return {SignedToReal(x, bits / 2), 0}; }
Complex UnsignedToComplex(uint64_t x, int bits) { return {UnsignedToReal(x, bits / 2), 0}; }
double ComplexToReal(Complex x, int) { return x.real(); }
int64_t ComplexToSigned(Complex x, int bits) { return RealToSigned(x.real(), bits); }
uint64_t ComplexToUnsigned(Complex x, int bits) { return RealToUnsigned(x.real(), bits); }

// The imaginary part of a complex number is ignored, as in all conversions to numbers without one.
uint64_t HasRealPart(Complex x, int) { return x.real() != 0 ? 1 : 0; }

Kernel ToPred(Domain from) {
  switch (from) {
    case Domain::kReal: return Apply<double, uint64_t, IsNotZero<double>>;
    case Domain::kSigned: return Apply<int64_t, uint64_t, IsNotZero<int64_t>>;
    case Domain::kUnsigned: return Apply<uint64_t, uint64_t, IsNotZero<uint64_t>>;
    case Domain::kComplex: return Apply<Complex, uint64_t, HasRealPart>;
  }
  return nullptr;
}

uint64_t LowBits(int64_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

// On a pattern of `exponent` and `mantissa` bits below a sign: rounds the fraction to nearest even, then overflows to
// infinity and flushes what is below the shorter exponent's normal numbers to zero.
uint64_t ReducePattern(uint64_t bits, int exponent, int mantissa, int64_t to_exponent, int64_t to_mantissa) {
  const uint64_t sign = bits & (uint64_t{1} << (exponent + mantissa));
  const uint64_t infinity = LowBits(exponent) << mantissa;
  uint64_t magnitude = bits & LowBits(exponent + mantissa);
  if (magnitude > infinity) return bits;  // a NaN stays one, whatever the shorter format can represent
  if (to_mantissa < mantissa) {
    const int drop = static_cast<int>(mantissa - to_mantissa);
    const uint64_t last = (magnitude >> drop) & 1;
    if (!FAULT("inside-reduce-precision-truncates")) magnitude += (uint64_t{1} << (drop - 1)) - 1 + last;
    magnitude &= ~LowBits(drop);
  }
  if (to_exponent < exponent && !FAULT("inside-reduce-precision-keeps-exponents")) {
    const uint64_t bias = LowBits(exponent - 1);
    const uint64_t to_bias = LowBits(to_exponent - 1);
    const uint64_t field = magnitude >> mantissa;
    if (field > bias + to_bias) magnitude = infinity;
    if (field <= bias - to_bias) magnitude = 0;
  }
  return sign | magnitude;
}

}  // namespace

void ReducePrecisionKernel(const std::byte* const* in, std::byte* out, int64_t count,
                           const KernelParameters& parameters) {
  int exponent = 8, mantissa = 23;
  switch (parameters.from) {
    case ElementType::kF16: exponent = 5, mantissa = 10; break;
    case ElementType::kBF16: exponent = 8, mantissa = 7; break;
    case ElementType::kF64: exponent = 11, mantissa = 52; break;
    default: break;
  }
  const double* from = Values<double>(in[0]);
  double* to = Values<double>(out);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = EncodeFloat(parameters.from, from[i]);
    to[i] = DecodeFloat(parameters.from,
                        ReducePattern(bits, exponent, mantissa, parameters.exponent_bits, parameters.mantissa_bits));
  }
}

Kernel ConvertKernel(ElementType from, ElementType to) {
  const Domain source = DomainOf(from);
  if (to == ElementType::kPred) return ToPred(source);
  const Kernel table[kDomains][kDomains] = {
      {Apply<double, double, Cast<double, double>>, Apply<double, int64_t, RealToSigned>,
       Apply<double, uint64_t, RealToUnsigned>, Apply<double, Complex, RealToComplex>},
      {Apply<int64_t, double, SignedToReal>, Apply<int64_t, int64_t, Cast<int64_t, int64_t>>,
       Apply<int64_t, uint64_t, Cast<int64_t, uint64_t>>, Apply<int64_t, Complex, SignedToComplex>},
      {Apply<uint64_t, double, UnsignedToReal>, Apply<uint64_t, int64_t, Cast<uint64_t, int64_t>>,
       Apply<uint64_t, uint64_t, Cast<uint64_t, uint64_t>>, Apply<uint64_t, Complex, UnsignedToComplex>},
      {Apply<Complex, double, ComplexToReal>, Apply<Complex, int64_t, ComplexToSigned>,
       Apply<Complex, uint64_t, ComplexToUnsigned>, Apply<Complex, Complex, Cast<Complex, Complex>>},
  };
  return table[static_cast<int>(source)][static_cast<int>(DomainOf(to))];
}

}  // namespace reference
