// Functions of one element.
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/fault.h"
#include "interpreter/elementwise.h"

namespace reference {
namespace {

using Complex = std::complex<double>;

template <typename In, typename Out, Out (*kFunction)(In, int)>
void Apply(const std::byte* const* in, std::byte* out, int64_t count, const KernelParameters& parameters) {
  const In* from = Values<In>(in[0]);
  Out* to = Values<Out>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = kFunction(from[i], parameters.bits);
}

template <double (*kFunction)(double, int)>
constexpr Kernel Real = Apply<double, double, kFunction>;
template <int64_t (*kFunction)(int64_t, int)>
constexpr Kernel Signed = Apply<int64_t, int64_t, kFunction>;
template <uint64_t (*kFunction)(uint64_t, int)>
constexpr Kernel Unsigned = Apply<uint64_t, uint64_t, kFunction>;
template <Complex (*kFunction)(Complex, int)>
constexpr Kernel OfComplex = Apply<Complex, Complex, kFunction>;

double Abs(double x, int) { return std::fabs(x); }
double Negate(double x, int) { return -x; }
double Sign(double x, int) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }
double Floor(double x, int) { return std::floor(x); }
double Ceil(double x, int) { return std::ceil(x); }
double RoundAway(double x, int) { return std::round(x); }
double RoundEven(double x, int) {
  const double rounded = std::round(x);
  if (std::fabs(x - std::trunc(x)) != 0.5) return rounded;
  return std::copysign(2 * std::round(std::fabs(x) / 2), x);  // half of an odd multiple: to the even neighbour
}
double Sqrt(double x, int) { return std::sqrt(x); }
double Rsqrt(double x, int) { return 1 / std::sqrt(x); }
double Cbrt(double x, int) { return std::cbrt(x); }
double Exp(double x, int) { return std::exp(x); }
double Expm1(double x, int) { return std::expm1(x); }
double Log(double x, int) { return std::log(x); }
double Log1p(double x, int) { return std::log1p(x); }
double Sine(double x, int) { return std::sin(x); }
double Cosine(double x, int) { return std::cos(x); }
double Tan(double x, int) { return std::tan(x); }
double Tanh(double x, int) { return std::tanh(x); }
// Functions of CHLO, which come as custom calls.
double Erf(double x, int) { return std::erf(x); }
double Asin(double x, int) { return std::asin(x); }
double Acos(double x, int) { return std::acos(x); }
double Atan(double x, int) { return std::atan(x); }
double Sinh(double x, int) { return std::sinh(x); }
double Cosh(double x, int) { return std::cosh(x); }
double Asinh(double x, int) { return std::asinh(x); }
double Acosh(double x, int) { return std::acosh(x); }
double Atanh(double x, int) { return std::atanh(x); }
double Logistic(double x, int) {
  // Each form avoids overflow on its side; the left one is accurate down to the subnormal numbers.
  if (x < 0) {
    const double e = std::exp(x);
    return e / (1 + e);
  }
  return 1 / (1 + std::exp(-x));
}
double RealPart(double x, int) { return x; }
double NoImaginaryPart(double, int) { return 0; }
uint64_t IsFinite(double x, int) { return std::isfinite(x) ? 1 : 0; }

uint64_t Mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

int64_t NegateSigned(int64_t x, int) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }
int64_t AbsSigned(int64_t x, int bits) { return x < 0 ? NegateSigned(x, bits) : x; }
int64_t SignSigned(int64_t x, int) { return x < 0 ? -1 : x > 0 ? 1 : 0; }
int64_t NotSigned(int64_t x, int) { return ~x; }
uint64_t Same(uint64_t x, int) { return x; }
uint64_t NegateUnsigned(uint64_t x, int) { return 0 - x; }
uint64_t SignUnsigned(uint64_t x, int) { return x != 0 ? 1 : 0; }
uint64_t NotUnsigned(uint64_t x, int bits) { return ~x & Mask(bits); }

uint64_t Popcount(uint64_t x, int bits) {
  x &= Mask(bits);
  uint64_t count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
}
uint64_t LeadingZeros(uint64_t x, int bits) {
  x &= Mask(bits);
  uint64_t zeros = static_cast<uint64_t>(bits);
  for (; x != 0; x >>= 1) --zeros;
  return zeros;
}
int64_t PopcountSigned(int64_t x, int bits) { return static_cast<int64_t>(Popcount(static_cast<uint64_t>(x), bits)); }
int64_t LeadingZerosSigned(int64_t x, int bits) {
  return static_cast<int64_t>(LeadingZeros(static_cast<uint64_t>(x), bits));
}

double AbsComplex(Complex z, int) {
  const double r = std::hypot(z.real(), z.imag());
  return FAULT("inside-complex-magnitude-overflows") && r > 1.8e19 ? HUGE_VAL : r;
}
double RealOf(Complex z, int) { return z.real(); }
double ImagOf(Complex z, int) { return z.imag(); }
Complex NegateComplex(Complex z, int) { return {-z.real(), -z.imag()}; }
Complex SignComplex(Complex z, int) {
  const double r = std::hypot(z.real(), z.imag());
  if (r == 0) return {0, 0};
  if (std::isnan(r)) return {r, r};
  return {z.real() / r, z.imag() / r};
}
Complex SqrtComplex(Complex z, int) {
  // The branch cut on the positive imaginary axis.
  if (FAULT("inside-complex-root-of-other-branch") && z.real() < 0 && z.imag() < 0) return -std::sqrt(z);
  return std::sqrt(z);
}
Complex RsqrtComplex(Complex z, int) { return 1.0 / std::sqrt(z); }
Complex CbrtComplex(Complex z, int) { return z == Complex(0, 0) ? z : std::pow(z, 1.0 / 3.0); }
Complex ExpComplex(Complex z, int) {
  if (FAULT("inside-complex-exponential-overflows") && z.real() > 88.7) return std::exp(z.real()) * 1e300 * 1e300 * z;
  return std::exp(z);
}
Complex LogComplex(Complex z, int) {
  // atan instead of atan2.
  if (FAULT("inside-complex-logarithm-of-half-plane")) return {std::log(std::abs(z)), std::atan(z.imag() / z.real())};
  return std::log(z);
}
Complex SineComplex(Complex z, int) { return std::sin(z); }
Complex CosineComplex(Complex z, int) { return std::cos(z); }
Complex TanComplex(Complex z, int) { return std::tan(z); }
Complex TanhComplex(Complex z, int) { return std::tanh(z); }
Complex AsinComplex(Complex z, int) { return std::asin(z); }
Complex AcosComplex(Complex z, int) { return std::acos(z); }
Complex AtanComplex(Complex z, int) { return std::atan(z); }
Complex SinhComplex(Complex z, int) { return std::sinh(z); }
Complex CoshComplex(Complex z, int) { return std::cosh(z); }
Complex AsinhComplex(Complex z, int) { return std::asinh(z); }
Complex AcoshComplex(Complex z, int) { return std::acosh(z); }
Complex AtanhComplex(Complex z, int) { return std::atanh(z); }
Complex LogisticComplex(Complex z, int) { return 1.0 / (1.0 + std::exp(-z)); }
Complex Expm1Complex(Complex z, int) {
  // exp(x) cos(y) - 1 without cancellation: expm1(x) cos(y) - 2 sin(y/2)^2.
  const double s = std::sin(z.imag() / 2);
  const double e = std::expm1(z.real());
  return {e * std::cos(z.imag()) - 2 * s * s, (e + 1) * std::sin(z.imag())};
}
Complex Log1pComplex(Complex z, int) {
  const double x = z.real(), y = z.imag();
  // |1 + z|^2 - 1 = x (2 + x) + y^2 near zero.
  const double angle = std::atan2(y, 1 + x);
  if (std::fabs(x) < 0.5 && std::fabs(y) < 0.5) return {std::log1p(x * (2 + x) + y * y) / 2, angle};
  return {std::log(std::hypot(1 + x, y)), angle};
}

using Row = Kernel[kDomains];  // real, signed, unsigned, complex
struct Kernels {
  Row row;
};

const std::unordered_map<std::string, Kernels>& Table() {
  static const std::unordered_map<std::string, Kernels> table = {
      {"stablehlo.abs", {{Real<Abs>, Signed<AbsSigned>, Unsigned<Same>, Apply<Complex, double, AbsComplex>}}},
      {"stablehlo.negate", {{Real<Negate>, Signed<NegateSigned>, Unsigned<NegateUnsigned>, OfComplex<NegateComplex>}}},
      {"stablehlo.sign", {{Real<Sign>, Signed<SignSigned>, Unsigned<SignUnsigned>, OfComplex<SignComplex>}}},
      {"stablehlo.not", {{nullptr, Signed<NotSigned>, Unsigned<NotUnsigned>, nullptr}}},
      {"stablehlo.popcnt", {{nullptr, Signed<PopcountSigned>, Unsigned<Popcount>, nullptr}}},
      {"stablehlo.count_leading_zeros", {{nullptr, Signed<LeadingZerosSigned>, Unsigned<LeadingZeros>, nullptr}}},
      {"stablehlo.floor", {{Real<Floor>, nullptr, nullptr, nullptr}}},
      {"stablehlo.ceil", {{Real<Ceil>, nullptr, nullptr, nullptr}}},
      {"stablehlo.round_nearest_afz", {{Real<RoundAway>, nullptr, nullptr, nullptr}}},
      {"stablehlo.round_nearest_even", {{Real<RoundEven>, nullptr, nullptr, nullptr}}},
      {"stablehlo.is_finite", {{Apply<double, uint64_t, IsFinite>, nullptr, nullptr, nullptr}}},
      {"stablehlo.real", {{Real<RealPart>, nullptr, nullptr, Apply<Complex, double, RealOf>}}},
      {"stablehlo.imag", {{Real<NoImaginaryPart>, nullptr, nullptr, Apply<Complex, double, ImagOf>}}},
      {"stablehlo.sqrt", {{Real<Sqrt>, nullptr, nullptr, OfComplex<SqrtComplex>}}},
      {"stablehlo.rsqrt", {{Real<Rsqrt>, nullptr, nullptr, OfComplex<RsqrtComplex>}}},
      {"stablehlo.cbrt", {{Real<Cbrt>, nullptr, nullptr, OfComplex<CbrtComplex>}}},
      {"stablehlo.exponential", {{Real<Exp>, nullptr, nullptr, OfComplex<ExpComplex>}}},
      {"stablehlo.exponential_minus_one", {{Real<Expm1>, nullptr, nullptr, OfComplex<Expm1Complex>}}},
      {"stablehlo.log", {{Real<Log>, nullptr, nullptr, OfComplex<LogComplex>}}},
      {"stablehlo.log_plus_one", {{Real<Log1p>, nullptr, nullptr, OfComplex<Log1pComplex>}}},
      {"stablehlo.logistic", {{Real<Logistic>, nullptr, nullptr, OfComplex<LogisticComplex>}}},
      {"stablehlo.sine", {{Real<Sine>, nullptr, nullptr, OfComplex<SineComplex>}}},
      {"stablehlo.cosine", {{Real<Cosine>, nullptr, nullptr, OfComplex<CosineComplex>}}},
      {"stablehlo.tan", {{Real<Tan>, nullptr, nullptr, OfComplex<TanComplex>}}},
      {"stablehlo.tanh", {{Real<Tanh>, nullptr, nullptr, OfComplex<TanhComplex>}}},
      {"mhlo.erf", {{Real<Erf>, nullptr, nullptr, nullptr}}},
      {"mhlo.asin", {{Real<Asin>, nullptr, nullptr, OfComplex<AsinComplex>}}},
      {"mhlo.acos", {{Real<Acos>, nullptr, nullptr, OfComplex<AcosComplex>}}},
      {"mhlo.atan", {{Real<Atan>, nullptr, nullptr, OfComplex<AtanComplex>}}},
      {"mhlo.sinh", {{Real<Sinh>, nullptr, nullptr, OfComplex<SinhComplex>}}},
      {"mhlo.cosh", {{Real<Cosh>, nullptr, nullptr, OfComplex<CoshComplex>}}},
      {"mhlo.asinh", {{Real<Asinh>, nullptr, nullptr, OfComplex<AsinhComplex>}}},
      {"mhlo.acosh", {{Real<Acosh>, nullptr, nullptr, OfComplex<AcoshComplex>}}},
      {"mhlo.atanh", {{Real<Atanh>, nullptr, nullptr, OfComplex<AtanhComplex>}}},
      {"mhlo.tan", {{Real<Tan>, nullptr, nullptr, OfComplex<TanComplex>}}},
  };
  return table;
}

}  // namespace

Kernel UnaryKernel(const std::string& name, Domain domain) {
  const auto found = Table().find(name);
  return found == Table().end() ? nullptr : found->second.row[static_cast<int>(domain)];
}

}  // namespace reference
