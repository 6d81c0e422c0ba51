#include "base/float_formats.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"

namespace reference {
namespace {

// Encoding of patterns that are not finite numbers.
enum class Special {
  kIeee,          // the largest exponent: infinity, NaNs
  kAllOnes,       // one NaN (either sign): every bit except the sign is one; no infinity
  kNegativeZero,  // one NaN: the pattern that would be -0; no infinity
  kNone,          // finite numbers only
};

struct Format {
  int exponent;  // width of the field
  int mantissa;
  int bias;
  Special special;
};

Format FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF16: return {5, 10, 15, Special::kIeee};
    case ElementType::kBF16: return {8, 7, 127, Special::kIeee};
    case ElementType::kF32: return {8, 23, 127, Special::kIeee};
    case ElementType::kF8E5M2: return {5, 2, 15, Special::kIeee};
    case ElementType::kF8E4M3: return {4, 3, 7, Special::kIeee};
    case ElementType::kF8E3M4: return {3, 4, 3, Special::kIeee};
    case ElementType::kF8E4M3FN: return {4, 3, 7, Special::kAllOnes};
    case ElementType::kF8E4M3B11FNUZ: return {4, 3, 11, Special::kNegativeZero};
    case ElementType::kF8E5M2FNUZ: return {5, 2, 16, Special::kNegativeZero};
    case ElementType::kF8E4M3FNUZ: return {4, 3, 8, Special::kNegativeZero};
    case ElementType::kF4E2M1FN: return {2, 1, 1, Special::kNone};
    case ElementType::kF6E2M3FN: return {2, 3, 1, Special::kNone};
    case ElementType::kF6E3M2FN: return {3, 2, 3, Special::kNone};
    default: throw Internal(Name(type) + " is no floating-point format of this table");
  }
}

uint64_t BitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

double FromBits(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// f8e8m0fnu: 2^(bits - 127), no sign, no zero, NaN at 255.
double DecodeScale(uint64_t bits) {
  if (bits == 255) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(1.0, static_cast<int>(bits) - 127);
}

uint64_t EncodeScale(double value) {
  if (!(value > 0) || std::isinf(value)) return 255;  // NaN, zero and negative numbers have no pattern
  int exponent;
  const double fraction = std::frexp(value, &exponent);  // value = fraction * 2^exponent, fraction in [0.5, 1)
  exponent += 126;                                       // the pattern of 2^(exponent - 1)
  if (exponent < 0) {
    // Below 2^-127 only the upper half of the first binade is closer to the smallest value than to the missing zero.
    return exponent == -1 && fraction > 0.5 ? 0 : 255;
  }
  // Halfway between two powers of two is 1.5 times the lower. Without a fraction nothing is even: ties go up.
  if (fraction >= 0.75) ++exponent;
  return exponent >= 255 ? 255 : static_cast<uint64_t>(exponent);
}

}  // namespace

double DecodeFloat(ElementType type, uint64_t bits) {
  if (type == ElementType::kF64) return FromBits(bits);
  if (type == ElementType::kF32) {
    const uint32_t narrow = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &narrow, sizeof value);
    return value;
  }
  if (type == ElementType::kF8E8M0FNU) return DecodeScale(bits & 255);
  const Format f = FormatOf(type);
  const uint64_t sign_bit = uint64_t{1} << (f.exponent + f.mantissa);
  const uint64_t sign = (bits & sign_bit) != 0 ? uint64_t{1} << 63 : 0;
  const uint64_t magnitude = bits & (sign_bit - 1);
  const uint64_t field = magnitude >> f.mantissa;
  const uint64_t fraction = magnitude & ((uint64_t{1} << f.mantissa) - 1);
  const uint64_t largest_field = (uint64_t{1} << f.exponent) - 1;
  const uint64_t quiet_nan = uint64_t{0x7ff8} << 48;
  switch (f.special) {
    case Special::kIeee:
      if (field == largest_field) {
        if (fraction == 0) return FromBits(sign | (uint64_t{0x7ff} << 52));
        return FromBits(sign | quiet_nan | (fraction << (52 - f.mantissa)));
      }
      break;
    case Special::kAllOnes:
      if (magnitude == sign_bit - 1) return FromBits(sign | quiet_nan);
      break;
    case Special::kNegativeZero:
      if (magnitude == 0 && sign != 0) return FromBits(sign | quiet_nan);
      break;
    case Special::kNone:
      break;
  }
  double value;
  if (field == 0) {
    value = std::ldexp(static_cast<double>(fraction), 1 - f.bias - f.mantissa);
  } else {
    const uint64_t exponent = field + static_cast<uint64_t>(1023 - f.bias);
    value = FromBits((exponent << 52) | (fraction << (52 - f.mantissa)));
  }
  return sign != 0 ? -value : value;
}

uint64_t EncodeFloat(ElementType type, double value) {
  if (type == ElementType::kF64) return BitsOf(value);
  if (type == ElementType::kF32) {
    const float narrow = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  if (type == ElementType::kF8E8M0FNU) return EncodeScale(value);
  const Format f = FormatOf(type);
  const uint64_t from = BitsOf(value);
  const uint64_t sign_bit = uint64_t{1} << (f.exponent + f.mantissa);
  const uint64_t sign = (from >> 63) != 0 ? sign_bit : 0;
  const uint64_t ones = sign_bit - 1;
  const uint64_t largest_field = ((uint64_t{1} << f.exponent) - 1) << f.mantissa;
  const bool negative_zero_is_nan = f.special == Special::kNegativeZero;
  if (std::isnan(value)) {
    switch (f.special) {
      case Special::kIeee: return sign | largest_field | (uint64_t{1} << (f.mantissa - 1));
      case Special::kAllOnes: return sign | ones;
      case Special::kNegativeZero: return sign_bit;
      case Special::kNone: return sign_bit;  // -0, as in ml_dtypes
    }
  }
  uint64_t largest = ones;
  if (f.special == Special::kIeee) largest = largest_field - 1;
  if (f.special == Special::kAllOnes) largest = ones - 1;
  uint64_t magnitude = largest + 1;  // too large, unless found otherwise
  const uint64_t absolute = from & ~(uint64_t{1} << 63);
  if (absolute < (uint64_t{0x7ff} << 52)) {
    const int exponent = static_cast<int>(absolute >> 52) - 1023;
    if (absolute >> 52 == 0) {
      magnitude = 0;  // subnormal doubles are far below half of the smallest value of all these formats
    } else if (exponent < f.bias + 2) {
      const uint64_t significand = (absolute & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
      const int smallest = 1 - f.bias;
      const int above = exponent > smallest ? exponent - smallest : 0;
      // Bits of the significand below the last place of the result.
      const int drop = 52 - f.mantissa + (exponent < smallest ? smallest - exponent : 0);
      uint64_t kept = 0;
      if (drop < 64) {
        kept = significand >> drop;
        const uint64_t rest = significand & ((uint64_t{1} << drop) - 1);
        const uint64_t half = uint64_t{1} << (drop - 1);
        if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
      }
      // A carry out of the fraction increments the exponent.
      magnitude = (static_cast<uint64_t>(above) << f.mantissa) + kept;
    }
  }
  if (magnitude > largest) {
    switch (f.special) {
      case Special::kIeee: return sign | largest_field;
      case Special::kAllOnes: return sign | ones;
      case Special::kNegativeZero: return sign_bit;
      case Special::kNone: return sign | largest;
    }
  }
  if (magnitude == 0 && negative_zero_is_nan) return 0;
  return sign | magnitude;
}

}  // namespace reference
