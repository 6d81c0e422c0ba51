// Functions of two elements; comparisons, select and clamp.
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "interpreter/elementwise.h"

namespace reference {

double Maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double Minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

namespace {

using Complex = std::complex<double>;

template <typename In, typename Out, Out (*kFunction)(In, In, int)>
void Apply(const std::byte* const* in, std::byte* out, int64_t count, const KernelParameters& parameters) {
  const In* a = Values<In>(in[0]);
  const In* b = Values<In>(in[1]);
  Out* to = Values<Out>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = kFunction(a[i], b[i], parameters.bits);
}

template <double (*kFunction)(double, double, int)>
constexpr Kernel Real = Apply<double, double, kFunction>;
template <int64_t (*kFunction)(int64_t, int64_t, int)>
constexpr Kernel Signed = Apply<int64_t, int64_t, kFunction>;
template <uint64_t (*kFunction)(uint64_t, uint64_t, int)>
constexpr Kernel Unsigned = Apply<uint64_t, uint64_t, kFunction>;
template <Complex (*kFunction)(Complex, Complex, int)>
constexpr Kernel OfComplex = Apply<Complex, Complex, kFunction>;

double AddReal(double a, double b, int) { return a + b; }
double SubtractReal(double a, double b, int) { return a - b; }
double MultiplyReal(double a, double b, int) { return a * b; }
double DivideReal(double a, double b, int) { return a / b; }
double RemainderReal(double a, double b, int) { return std::fmod(a, b); }
double PowerReal(double a, double b, int) { return std::pow(a, b); }
double Atan2Real(double a, double b, int) { return std::atan2(a, b); }
double MaximumReal(double a, double b, int) { return Maximum(a, b); }
double MinimumReal(double a, double b, int) { return Minimum(a, b); }
Complex MakeComplex(double a, double b, int) { return {a, b}; }

Complex AddComplex(Complex a, Complex b, int) { return {a.real() + b.real(), a.imag() + b.imag()}; }
Complex SubtractComplex(Complex a, Complex b, int) { return {a.real() - b.real(), a.imag() - b.imag()}; }
Complex MultiplyComplex(Complex a, Complex b, int) { return a * b; }
Complex DivideComplex(Complex a, Complex b, int) { return a / b; }
Complex PowerComplex(Complex a, Complex b, int) {
  if (b == Complex(0, 0)) return {1, 0};
  if (a == Complex(0, 0)) {
    if (b.real() > 0) return {0, 0};
    if (b.imag() == 0) return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  }
  return std::pow(a, b);
}
Complex Atan2Complex(Complex y, Complex x, int) {
  // -i log((x + iy) / sqrt(x^2 + y^2))
  const Complex i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}
// Complex numbers in lexicographic order, as in XLA.
bool Below(Complex a, Complex b) { return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag(); }
bool HasNan(Complex a) { return std::isnan(a.real()) || std::isnan(a.imag()); }
Complex MaximumComplex(Complex a, Complex b, int) { return HasNan(a) ? a : HasNan(b) ? b : Below(a, b) ? b : a; }
Complex MinimumComplex(Complex a, Complex b, int) { return HasNan(a) ? a : HasNan(b) ? b : Below(b, a) ? b : a; }

// Signed arithmetic goes through unsigned: it wraps.
uint64_t U(int64_t x) { return static_cast<uint64_t>(x); }
int64_t S(uint64_t x) { return static_cast<int64_t>(x); }

int64_t AddSigned(int64_t a, int64_t b, int) { return S(U(a) + U(b)); }
int64_t SubtractSigned(int64_t a, int64_t b, int) { return S(U(a) - U(b)); }
int64_t MultiplySigned(int64_t a, int64_t b, int) { return S(U(a) * U(b)); }
// As in XLA: division by zero gives -1, and the smallest number divided by -1 is itself.
int64_t DivideSigned(int64_t a, int64_t b, int) { return b == 0 ? -1 : b == -1 ? S(0 - U(a)) : a / b; }
int64_t RemainderSigned(int64_t a, int64_t b, int) { return b == 0 ? a : b == -1 ? 0 : a % b; }
int64_t MaximumSigned(int64_t a, int64_t b, int) { return a > b ? a : b; }
int64_t MinimumSigned(int64_t a, int64_t b, int) { return a < b ? a : b; }
uint64_t PowerUnsigned(uint64_t a, uint64_t b, int) {
  uint64_t result = 1;
  for (; b != 0; b >>= 1, a *= a) {
    if ((b & 1) != 0) result *= a;
  }
  return result;
}
int64_t PowerSigned(int64_t a, int64_t b, int bits) {
  if (b >= 0) return S(PowerUnsigned(U(a), U(b), bits));
  if (a == 1) return 1;
  if (a == -1) return b % 2 == 0 ? 1 : -1;
  return 0;
}
int64_t AndSigned(int64_t a, int64_t b, int) { return a & b; }
int64_t OrSigned(int64_t a, int64_t b, int) { return a | b; }
int64_t XorSigned(int64_t a, int64_t b, int) { return a ^ b; }

uint64_t Mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
// A shift by more than the width, or by a negative amount, shifts everything out.
bool ShiftsOut(uint64_t amount, int bits) { return amount >= static_cast<uint64_t>(bits); }
uint64_t ShiftLeftUnsigned(uint64_t a, uint64_t b, int bits) { return ShiftsOut(b, bits) ? 0 : a << b; }
uint64_t ShiftRightUnsigned(uint64_t a, uint64_t b, int bits) { return ShiftsOut(b, bits) ? 0 : a >> b; }
uint64_t ShiftArithmeticUnsigned(uint64_t a, uint64_t b, int bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const int64_t extended = S((a ^ sign) - sign);
  return U(extended >> (ShiftsOut(b, bits) ? bits - 1 : static_cast<int>(b))) & Mask(bits);
}
int64_t ShiftLeftSigned(int64_t a, int64_t b, int bits) { return S(ShiftLeftUnsigned(U(a), U(b), bits)); }
int64_t ShiftRightSigned(int64_t a, int64_t b, int bits) {
  return S(ShiftRightUnsigned(U(a) & Mask(bits), U(b), bits));
}
int64_t ShiftArithmeticSigned(int64_t a, int64_t b, int bits) {
  return a >> (ShiftsOut(U(b), bits) ? bits - 1 : static_cast<int>(b));
}

uint64_t AddUnsigned(uint64_t a, uint64_t b, int) { return a + b; }
uint64_t SubtractUnsigned(uint64_t a, uint64_t b, int) { return a - b; }
uint64_t MultiplyUnsigned(uint64_t a, uint64_t b, int) { return a * b; }
uint64_t DivideUnsigned(uint64_t a, uint64_t b, int) { return b == 0 ? ~uint64_t{0} : a / b; }
uint64_t RemainderUnsigned(uint64_t a, uint64_t b, int) { return b == 0 ? a : a % b; }
uint64_t MaximumUnsigned(uint64_t a, uint64_t b, int) { return a > b ? a : b; }
uint64_t MinimumUnsigned(uint64_t a, uint64_t b, int) { return a < b ? a : b; }
uint64_t AndUnsigned(uint64_t a, uint64_t b, int) { return a & b; }
uint64_t OrUnsigned(uint64_t a, uint64_t b, int) { return a | b; }
uint64_t XorUnsigned(uint64_t a, uint64_t b, int) { return a ^ b; }

struct Kernels {
  Kernel row[kDomains];  // real, signed, unsigned, complex
};

const std::unordered_map<std::string, Kernels>& Table() {
  static const std::unordered_map<std::string, Kernels> table = {
      {"stablehlo.add", {{Real<AddReal>, Signed<AddSigned>, Unsigned<AddUnsigned>, OfComplex<AddComplex>}}},
      {"stablehlo.subtract",
       {{Real<SubtractReal>, Signed<SubtractSigned>, Unsigned<SubtractUnsigned>, OfComplex<SubtractComplex>}}},
      {"stablehlo.multiply",
       {{Real<MultiplyReal>, Signed<MultiplySigned>, Unsigned<MultiplyUnsigned>, OfComplex<MultiplyComplex>}}},
      {"stablehlo.divide",
       {{Real<DivideReal>, Signed<DivideSigned>, Unsigned<DivideUnsigned>, OfComplex<DivideComplex>}}},
      {"stablehlo.remainder", {{Real<RemainderReal>, Signed<RemainderSigned>, Unsigned<RemainderUnsigned>, nullptr}}},
      {"stablehlo.maximum",
       {{Real<MaximumReal>, Signed<MaximumSigned>, Unsigned<MaximumUnsigned>, OfComplex<MaximumComplex>}}},
      {"stablehlo.minimum",
       {{Real<MinimumReal>, Signed<MinimumSigned>, Unsigned<MinimumUnsigned>, OfComplex<MinimumComplex>}}},
      {"stablehlo.power", {{Real<PowerReal>, Signed<PowerSigned>, Unsigned<PowerUnsigned>, OfComplex<PowerComplex>}}},
      {"stablehlo.atan2", {{Real<Atan2Real>, nullptr, nullptr, OfComplex<Atan2Complex>}}},
      {"stablehlo.complex", {{Apply<double, Complex, MakeComplex>, nullptr, nullptr, nullptr}}},
      {"stablehlo.and", {{nullptr, Signed<AndSigned>, Unsigned<AndUnsigned>, nullptr}}},
      {"stablehlo.or", {{nullptr, Signed<OrSigned>, Unsigned<OrUnsigned>, nullptr}}},
      {"stablehlo.xor", {{nullptr, Signed<XorSigned>, Unsigned<XorUnsigned>, nullptr}}},
      {"stablehlo.shift_left", {{nullptr, Signed<ShiftLeftSigned>, Unsigned<ShiftLeftUnsigned>, nullptr}}},
      {"stablehlo.shift_right_logical", {{nullptr, Signed<ShiftRightSigned>, Unsigned<ShiftRightUnsigned>, nullptr}}},
      {"stablehlo.shift_right_arithmetic",
       {{nullptr, Signed<ShiftArithmeticSigned>, Unsigned<ShiftArithmeticUnsigned>, nullptr}}},
  };
  return table;
}

// Comparisons.
struct Equal { template <typename V> bool operator()(V a, V b) const { return a == b; } };
struct NotEqual { template <typename V> bool operator()(V a, V b) const { return a != b; } };
struct Less { template <typename V> bool operator()(V a, V b) const { return a < b; } };
struct LessOrEqual { template <typename V> bool operator()(V a, V b) const { return a <= b; } };
struct Greater { template <typename V> bool operator()(V a, V b) const { return a > b; } };
struct GreaterOrEqual { template <typename V> bool operator()(V a, V b) const { return a >= b; } };

// -NaN < -inf < ... < -0 < +0 < ... < inf < NaN
int64_t TotalOrderKey(double value) {
  int64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

template <typename V, typename Relation>
void Compare(const std::byte* const* in, std::byte* out, int64_t count, const KernelParameters&) {
  const V* a = Values<V>(in[0]);
  const V* b = Values<V>(in[1]);
  uint64_t* to = Values<uint64_t>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = Relation()(a[i], b[i]) ? 1 : 0;
}

template <typename Relation>
void CompareTotalOrder(const std::byte* const* in, std::byte* out, int64_t count, const KernelParameters&) {
  const double* a = Values<double>(in[0]);
  const double* b = Values<double>(in[1]);
  uint64_t* to = Values<uint64_t>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = Relation()(TotalOrderKey(a[i]), TotalOrderKey(b[i])) ? 1 : 0;
}

template <typename Relation, bool kOfComplex = false>
Kernel CompareIn(Domain domain, bool total_order) {
  switch (domain) {
    case Domain::kReal: return total_order ? CompareTotalOrder<Relation> : Compare<double, Relation>;
    case Domain::kSigned: return Compare<int64_t, Relation>;
    case Domain::kUnsigned: return Compare<uint64_t, Relation>;
    case Domain::kComplex:
      if constexpr (kOfComplex) return Compare<Complex, Relation>;
      return nullptr;
  }
  return nullptr;
}

template <typename V>
void Select(const std::byte* const* in, std::byte* out, int64_t count, const KernelParameters&) {
  const uint64_t* predicate = Values<uint64_t>(in[0]);
  const V* a = Values<V>(in[1]);
  const V* b = Values<V>(in[2]);
  V* to = Values<V>(out);
  for (int64_t i = 0; i < count; ++i) to[i] = predicate[i] != 0 ? a[i] : b[i];
}

template <typename V, V (*kMaximum)(V, V, int), V (*kMinimum)(V, V, int)>
void Clamp(const std::byte* const* in, std::byte* out, int64_t count, const KernelParameters& parameters) {
  const V* low = Values<V>(in[0]);
  const V* x = Values<V>(in[1]);
  const V* high = Values<V>(in[2]);
  V* to = Values<V>(out);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = kMinimum(kMaximum(x[i], low[i], parameters.bits), high[i], parameters.bits);
  }
}

}  // namespace

Kernel BinaryKernel(const std::string& name, Domain domain) {
  const auto found = Table().find(name);
  return found == Table().end() ? nullptr : found->second.row[static_cast<int>(domain)];
}

Kernel CompareKernel(const std::string& direction, bool total_order, Domain domain) {
  if (direction == "EQ") return CompareIn<Equal, true>(domain, total_order);
  if (direction == "NE") return CompareIn<NotEqual, true>(domain, total_order);
  if (direction == "LT") return CompareIn<Less>(domain, total_order);
  if (direction == "LE") return CompareIn<LessOrEqual>(domain, total_order);
  if (direction == "GT") return CompareIn<Greater>(domain, total_order);
  if (direction == "GE") return CompareIn<GreaterOrEqual>(domain, total_order);
  return nullptr;
}

Kernel SelectKernel(Domain domain) {
  switch (domain) {
    case Domain::kReal: return Select<double>;
    case Domain::kSigned: return Select<int64_t>;
    case Domain::kUnsigned: return Select<uint64_t>;
    case Domain::kComplex: return Select<Complex>;
  }
  return nullptr;
}

Kernel ClampKernel(Domain domain) {
  switch (domain) {
    case Domain::kReal: return Clamp<double, MaximumReal, MinimumReal>;
    case Domain::kSigned: return Clamp<int64_t, MaximumSigned, MinimumSigned>;
    case Domain::kUnsigned: return Clamp<uint64_t, MaximumUnsigned, MinimumUnsigned>;
    case Domain::kComplex: return Clamp<Complex, MaximumComplex, MinimumComplex>;
  }
  return nullptr;
}

}  // namespace reference
