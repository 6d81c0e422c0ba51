#include "interpreter/arithmetic.h"

#include <cmath>
#include <cstring>
#include <unordered_set>

#include "base/design.h"

namespace reference {
namespace {

// The relative errors of a type and its smallest normal number; zeros: not approximated. The larger error is about what
// JAX's tests allow for some functions on a TPU, the smaller one what they allow on all devices.
struct Format {
  double error = 0;
  double small_error = 0;
  double least_normal = 0;
};

Format FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF16: return {5e-4, 5e-4, std::ldexp(1, -14)};
    case ElementType::kBF16: return {4e-3, 4e-3, std::ldexp(1, -126)};
    case ElementType::kF32:
    case ElementType::kC64: return {1e-4, 5e-7, std::ldexp(1, -126)};
    case ElementType::kF64:
    case ElementType::kC128: return {3e-16, 3e-16, std::ldexp(1, -1022)};
    default: return {};
  }
}

Accuracy AsDesigned(Accuracy accuracy, ElementType result) {
  const Design& design = ThisDesign();
  if (FormatOf(result).error == 0) return Accuracy::kExact;
  if (accuracy != Accuracy::kExact && !design.approximate) accuracy = Accuracy::kRounded;
  if (accuracy == Accuracy::kRounded && !design.flush_subnormals) accuracy = Accuracy::kExact;
  return accuracy;
}

uint64_t BitsOf(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Whether a value needs no more than this many bits.
bool HasFewBits(double value, int few) {
  constexpr int kMantissaBits = 52;
  const uint64_t rest = (uint64_t{1} << (kMantissaBits - few)) - 1;
  return (BitsOf(value) & rest) == 0;
}

// Between 0 and 1, depending only on the value.
double Chance(double value) {
  uint64_t bits = BitsOf(value) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93u;
  return static_cast<double>((bits ^ bits >> 32) >> 11) * 0x1p-53;
}

}  // namespace

Accuracy AccuracyOf(const std::string& op, ElementType result) {
  static const std::unordered_set<std::string> rounded = {"stablehlo.add", "stablehlo.subtract", "stablehlo.multiply",
                                                          "stablehlo.remainder"};
  static const std::unordered_set<std::string> close = {"stablehlo.divide", "stablehlo.atan2", "stablehlo.sqrt",
                                                        "stablehlo.rsqrt",  "stablehlo.cbrt",
                                                        "stablehlo.exponential_minus_one"};
  static const std::unordered_set<std::string> approximate = {
      "stablehlo.power",    "stablehlo.exponential", "stablehlo.log",    "stablehlo.log_plus_one",
      "stablehlo.logistic", "stablehlo.sine",        "stablehlo.cosine", "stablehlo.tan", "stablehlo.tanh"};
  // All functions of CHLO.
  const bool function = approximate.count(op) != 0 || op.compare(0, 5, "mhlo.") == 0;
  return AsDesigned(function                 ? Accuracy::kApproximate
                    : close.count(op) != 0   ? Accuracy::kClose
                    : rounded.count(op) != 0 ? Accuracy::kRounded
                                             : Accuracy::kExact,
                    result);
}

Accuracy AccuracyOfFold(const Region& region, ElementType result) {
  const Accuracy folded = AsDesigned(Accuracy::kFolded, result);
  if (folded == Accuracy::kExact) return folded;
  for (const Op& op : region.block().ops) {
    for (const char* sum : {"stablehlo.add", "stablehlo.multiply"}) {
      if (op.name == sum) return folded;
    }
  }
  return Accuracy::kExact;
}

Accuracy AccuracyOfSums(ElementType result) { return AsDesigned(Accuracy::kApproximate, result); }

void Spoil(Accuracy accuracy, ElementType type, std::byte* values, int64_t count) {
  if (accuracy == Accuracy::kExact) return;
  const Format format = FormatOf(type);
  // Sums in single precision that fit into 24 bits are exact; rounded values always do.
  const int few = accuracy == Accuracy::kFolded ? 16 : 23;
  const bool approximate = accuracy >= Accuracy::kClose;
  const double error = accuracy == Accuracy::kClose ? format.small_error : format.error;
  const bool flush = ThisDesign().flush_subnormals;
  double* const numbers = Values<double>(values);
  const int64_t size = DomainOf(type) == Domain::kComplex ? 2 * count : count;
  for (int64_t i = 0; i < size; ++i) {
    double& number = numbers[i];
    if (approximate && std::isfinite(number) && !HasFewBits(number, few)) {
      const bool normal = std::fabs(number) >= format.least_normal;
      number *= 1 - error * Chance(number);
      // An error must not turn a normal number into a flushed one.
      if (normal && std::fabs(number) < format.least_normal) number = std::copysign(format.least_normal, number);
    }
    if (flush && std::fabs(number) < format.least_normal) number = std::copysign(0, number);
  }
}

}  // namespace reference
