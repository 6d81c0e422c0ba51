#include "base/fault.h"
#include "interpreter/elementwise.h"

#include <algorithm>
#include <cstring>

namespace reference {
namespace {

// Same width: the pattern of an element read as another type.
void BitcastKernel(const std::byte* const* in, std::byte* out, int64_t count, const KernelParameters& parameters) {
  const Codec& from = CodecOf(parameters.from);
  const Codec& to = CodecOf(parameters.to);
  for (int64_t i = 0; i < count; ++i) {
    alignas(16) std::byte element[kMaxDomainWidth];
    alignas(16) std::byte value[kMaxDomainWidth];
    from.store(in[0] + static_cast<size_t>(i) * from.value_width, element, 1);
    to.load(element, value, 1);
    std::memcpy(out + static_cast<size_t>(i) * to.value_width, value, to.value_width);
  }
}

bool IsMinOrMaxOrBitwise(const std::string& name) {
  return name == "stablehlo.maximum" || name == "stablehlo.minimum" || name == "stablehlo.and" ||
         name == "stablehlo.or" || name == "stablehlo.xor";
}

Elementwise Make(Kernel kernel, ElementType from, ElementType to, bool exact = false) {
  Elementwise made;
  made.kernel = kernel;
  made.parameters.from = from;
  made.parameters.to = to;
  made.parameters.bits = BitWidth(from);
  const bool whole = to == ElementType::kF64 || to == ElementType::kC128 || to == ElementType::kS64 ||
                     to == ElementType::kU64 || to == ElementType::kPred;
  if (!exact && !whole) made.round = CodecOf(to).round;
  return made;
}

}  // namespace

std::optional<Elementwise> FindElementwise(const Op& op, const std::vector<ElementType>& operands, ElementType result) {
  if (operands.empty() || operands.size() > 3) return std::nullopt;
  for (const ElementType type : operands) {
    if (BitWidth(type) == 0) return std::nullopt;
  }
  if (BitWidth(result) == 0) return std::nullopt;
  const ElementType from = operands[0];
  const Domain domain = DomainOf(from);
  const std::string& name = op.name;
  Kernel kernel = nullptr;
  if (operands.size() == 1) {
    if (name == "stablehlo.convert") {
      // Widening and conversion to a predicate are exact; everything else is rounded or wrapped to the result.
      return Make(ConvertKernel(from, result), from, result);
    }
    if (name == "stablehlo.bitcast_convert" && BitWidth(from) == BitWidth(result)) {
      return Make(BitcastKernel, from, result, true);
    }
    if (name == "stablehlo.reduce_precision" && domain == Domain::kReal) {
      // Not defined for formats without IEEE infinities.
      if (from != ElementType::kF16 && from != ElementType::kBF16 && from != ElementType::kF32 &&
          from != ElementType::kF64) {
        return std::nullopt;
      }
      Elementwise made = Make(ReducePrecisionKernel, from, result, true);
      made.parameters.exponent_bits = op.Int("exponent_bits");
      made.parameters.mantissa_bits = op.Int("mantissa_bits");
      return made;
    }
    kernel = UnaryKernel(name, domain);
  } else if (operands.size() == 2) {
    if (name == "stablehlo.compare") {
      const Attribute* type = op.Find("compare_type");
      const std::string* spelled = type == nullptr ? nullptr : type->get<std::string>();
      const bool total_order = spelled != nullptr && *spelled == "TOTALORDER" && !FAULT("inside-compare-total-order-ignored");
      kernel = CompareKernel(op.String("comparison_direction"), total_order, domain);
    } else if (from == ElementType::kPred && (name == "stablehlo.add" || name == "stablehlo.multiply")) {
      kernel = BinaryKernel(name == "stablehlo.add" ? "stablehlo.or" : "stablehlo.and", domain);
    } else {
      kernel = BinaryKernel(name, domain);
    }
  } else if (name == "stablehlo.select") {
    const Domain chosen = DomainOf(result);
    return Make(SelectKernel(chosen), from, result, true);
  } else if (name == "stablehlo.clamp") {
    return Make(ClampKernel(domain), from, result, true);
  }
  if (kernel == nullptr) return std::nullopt;
  Elementwise made = Make(kernel, from, result, IsMinOrMaxOrBitwise(name));
  made.accuracy = AccuracyOf(name, result);
  return made;
}

namespace {

// select by bytes: values that are not computed with keep their bits.
template <size_t kWidth>
void SelectBytes(const Array& predicate, const Array& a, const Array& b, Array& result) {
  const bool scalar = predicate.size() == 1;
  const std::byte* chosen = predicate.data();
  for (int64_t i = 0; i < result.size(); ++i) {
    const Array& from = chosen[scalar ? 0 : i] != std::byte{0} ? a : b;
    const size_t at = static_cast<size_t>(i) * kWidth;
    std::memcpy(result.mutable_data() + at, from.data() + at, kWidth);
  }
}

Array SelectArrays(const std::vector<Array>& operands, const ArrayType& type) {
  Array result(type);
  switch (ByteWidth(type.type)) {
    case 1: SelectBytes<1>(operands[0], operands[1], operands[2], result); break;
    case 2: SelectBytes<2>(operands[0], operands[1], operands[2], result); break;
    case 4: SelectBytes<4>(operands[0], operands[1], operands[2], result); break;
    case 8: SelectBytes<8>(operands[0], operands[1], operands[2], result); break;
    default: SelectBytes<16>(operands[0], operands[1], operands[2], result); break;
  }
  return result;
}

}  // namespace

Array RunElementwise(const Elementwise& op, const std::vector<Array>& operands, const ArrayType& type) {
  Array result(type);
  const int64_t size = result.size();
  for (const Array& operand : operands) {
    if (operand.size() != size && operand.size() != 1) {
      throw Internal("operands of an elementwise op differ in size: " + operand.type().ToString() + " for " +
                     type.ToString());
    }
  }
  if (operands.size() == 3 && operands[0].element_type() == ElementType::kPred && operands[1].size() == size &&
      operands[2].size() == size && op.kernel == SelectKernel(DomainOf(type.type))) {
    return SelectArrays(operands, type);
  }
  const Codec& to = CodecOf(type.type);
  ValueBlock blocks[3];
  ValueBlock computed;
  const std::byte* in[3] = {};
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t count = std::min(kBlock, size - begin);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Array& operand = operands[i];
      const Codec& codec = CodecOf(operand.element_type());
      in[i] = blocks[i].bytes;
      if (operand.size() == size) {
        codec.load(operand.data() + static_cast<size_t>(begin) * codec.width, blocks[i].bytes, count);
      } else if (begin == 0) {
        for (int64_t k = 0; k < count; ++k) {
          codec.load(operand.data(), blocks[i].bytes + static_cast<size_t>(k) * codec.value_width, 1);
        }
      }
    }
    op.kernel(in, computed.bytes, count, op.parameters);
    Spoil(op.accuracy, type.type, computed.bytes, count);
    to.store(computed.bytes, result.mutable_data() + static_cast<size_t>(begin) * to.width, count);
  }
  return result;
}

}  // namespace reference
