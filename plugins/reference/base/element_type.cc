#include "base/element_type.h"

namespace reference {
namespace {

struct Facts {
  ElementType type;
  int bits;
  const char* name;
  const char* mlir;
};

// In the order of the enumeration: the index is the value.
constexpr Facts kFacts[] = {
    {ElementType::kInvalid, 0, "?", "?"},
    {ElementType::kPred, 1, "pred", "i1"},
    {ElementType::kS8, 8, "s8", "i8"},
    {ElementType::kS16, 16, "s16", "i16"},
    {ElementType::kS32, 32, "s32", "i32"},
    {ElementType::kS64, 64, "s64", "i64"},
    {ElementType::kU8, 8, "u8", "ui8"},
    {ElementType::kU16, 16, "u16", "ui16"},
    {ElementType::kU32, 32, "u32", "ui32"},
    {ElementType::kU64, 64, "u64", "ui64"},
    {ElementType::kF16, 16, "f16", "f16"},
    {ElementType::kF32, 32, "f32", "f32"},
    {ElementType::kF64, 64, "f64", "f64"},
    {ElementType::kBF16, 16, "bf16", "bf16"},
    {ElementType::kC64, 64, "c64", "complex<f32>"},
    {ElementType::kC128, 128, "c128", "complex<f64>"},
    {ElementType::kF8E5M2, 8, "f8e5m2", "f8E5M2"},
    {ElementType::kF8E4M3FN, 8, "f8e4m3fn", "f8E4M3FN"},
    {ElementType::kF8E4M3B11FNUZ, 8, "f8e4m3b11fnuz", "f8E4M3B11FNUZ"},
    {ElementType::kF8E5M2FNUZ, 8, "f8e5m2fnuz", "f8E5M2FNUZ"},
    {ElementType::kF8E4M3FNUZ, 8, "f8e4m3fnuz", "f8E4M3FNUZ"},
    {ElementType::kS4, 4, "s4", "i4"},
    {ElementType::kU4, 4, "u4", "ui4"},
    {ElementType::kToken, 0, "token", "!stablehlo.token"},
    {ElementType::kS2, 2, "s2", "i2"},
    {ElementType::kU2, 2, "u2", "ui2"},
    {ElementType::kF8E4M3, 8, "f8e4m3", "f8E4M3"},
    {ElementType::kF8E3M4, 8, "f8e3m4", "f8E3M4"},
    {ElementType::kF8E8M0FNU, 8, "f8e8m0fnu", "f8E8M0FNU"},
    {ElementType::kF4E2M1FN, 4, "f4e2m1fn", "f4E2M1FN"},
    // MLIR's i1 is kPred; StableHLO has no other one-bit integer.
    {ElementType::kS1, 1, "s1", "si1"},
    {ElementType::kU1, 1, "u1", "ui1"},
    {ElementType::kF6E2M3FN, 6, "f6e2m3fn", "f6E2M3FN"},
    {ElementType::kF6E3M2FN, 6, "f6e3m2fn", "f6E3M2FN"},
};
constexpr size_t kCount = sizeof(kFacts) / sizeof(kFacts[0]);

const Facts& FactsOf(ElementType type) {
  const size_t index = static_cast<size_t>(type);
  return kFacts[index < kCount ? index : 0];
}

}  // namespace

int BitWidth(ElementType type) { return FactsOf(type).bits; }

size_t ByteWidth(ElementType type) { return static_cast<size_t>(FactsOf(type).bits + 7) / 8; }

bool IsSignedInteger(ElementType type) {
  switch (type) {
    case ElementType::kS1:
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8:
    case ElementType::kS16:
    case ElementType::kS32:
    case ElementType::kS64:
      return true;
    default:
      return false;
  }
}

bool IsUnsignedInteger(ElementType type) {
  switch (type) {
    case ElementType::kU1:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8:
    case ElementType::kU16:
    case ElementType::kU32:
    case ElementType::kU64:
      return true;
    default:
      return false;
  }
}

bool IsFloat(ElementType type) {
  return BitWidth(type) != 0 && type != ElementType::kPred && !IsSignedInteger(type) && !IsUnsignedInteger(type) &&
         !IsComplex(type);
}

bool IsComplex(ElementType type) { return type == ElementType::kC64 || type == ElementType::kC128; }

std::string Name(ElementType type) { return FactsOf(type).name; }

ElementType FromMlir(std::string_view spelling) {
  for (size_t i = 1; i < kCount; ++i) {
    if (spelling == kFacts[i].mlir) return kFacts[i].type;
  }
  return ElementType::kInvalid;
}

std::string MlirName(ElementType type) { return FactsOf(type).mlir; }

}  // namespace reference
