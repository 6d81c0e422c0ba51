// Element types, with the numbers of PJRT_Buffer_Type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace reference {

enum class ElementType : uint8_t {
  kInvalid = 0,
  kPred = 1,
  kS8 = 2, kS16 = 3, kS32 = 4, kS64 = 5,
  kU8 = 6, kU16 = 7, kU32 = 8, kU64 = 9,
  kF16 = 10, kF32 = 11, kF64 = 12, kBF16 = 13,
  kC64 = 14, kC128 = 15,
  kF8E5M2 = 16, kF8E4M3FN = 17, kF8E4M3B11FNUZ = 18, kF8E5M2FNUZ = 19, kF8E4M3FNUZ = 20,
  kS4 = 21, kU4 = 22,
  kToken = 23,
  kS2 = 24, kU2 = 25,
  kF8E4M3 = 26, kF8E3M4 = 27, kF8E8M0FNU = 28, kF4E2M1FN = 29,
  kS1 = 30, kU1 = 31,
  kF6E2M3FN = 32, kF6E3M2FN = 33,
};

// Width of the value in bits: 1 for kPred, 4 for kS4, 64 for kC64; 0 for kToken.
int BitWidth(ElementType type);

// Bytes of one element in an Array and on a host: types of less than 8 bits take a byte each. 0 for kToken.
size_t ByteWidth(ElementType type);

bool IsSignedInteger(ElementType type);    // kS1 to kS64
bool IsUnsignedInteger(ElementType type);  // kU1 to kU64; not kPred
bool IsFloat(ElementType type);            // real floating point, all widths
bool IsComplex(ElementType type);

// "f32", "s4", "pred", "f8e4m3fn": XLA's lower-case name; "?" for an unknown type.
std::string Name(ElementType type);
// MLIR's spelling: "f32", "i4", "ui8", "i1", "complex<f32>", "bf16", "f8E4M3FN"; kInvalid if unknown.
ElementType FromMlir(std::string_view spelling);
std::string MlirName(ElementType type);

}  // namespace reference
