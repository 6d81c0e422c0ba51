#include "base/primitive_type.h"

#include "base/error.h"

namespace reference {

int PrimitiveType(ElementType type) {
  switch (type) {
    case ElementType::kC64: return 15;
    case ElementType::kBF16: return 16;
    case ElementType::kToken: return 17;
    case ElementType::kC128: return 18;
    case ElementType::kF8E5M2: return 19;
    case ElementType::kF8E4M3FN: return 20;
    case ElementType::kS4: return 21;
    case ElementType::kU4: return 22;
    case ElementType::kF8E4M3B11FNUZ: return 23;
    case ElementType::kF8E5M2FNUZ: return 24;
    case ElementType::kF8E4M3FNUZ: return 25;
    case ElementType::kS2: return 26;
    case ElementType::kU2: return 27;
    case ElementType::kF8E4M3: return 28;
    case ElementType::kF8E3M4: return 29;
    case ElementType::kS1: return 30;
    case ElementType::kU1: return 31;
    case ElementType::kF4E2M1FN: return 32;
    case ElementType::kF8E8M0FNU: return 33;
    default:
      // The numbers are the same from PRED to F64.
      if (type > ElementType::kInvalid && type <= ElementType::kF64) return static_cast<int>(type);
      throw Unimplemented("XLA has no number for the type " + Name(type));
  }
}

ElementType FromPrimitiveType(int64_t number) {
  for (auto type = ElementType::kPred; type <= ElementType::kU1; type = static_cast<ElementType>(static_cast<int>(type) + 1)) {
    if (PrimitiveType(type) == number) return type;
  }
  return ElementType::kInvalid;
}

}  // namespace reference
