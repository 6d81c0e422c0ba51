// Attributes of an artifact that are numbers or lists of them.

#include <cstring>

#include "base/float_formats.h"
#include "ir/bytecode_attributes.h"

namespace reference {

uint64_t AttributeReader::BitPattern(Cursor& cursor, int bits) {
  if (bits <= 0) cursor.Fail("a number of a type without numbers");
  uint64_t word = 0;
  if (bits <= 8) {
    word = cursor.Byte();
  } else if (bits <= 64) {
    word = static_cast<uint64_t>(cursor.Signed());
  } else {
    uint64_t words = cursor.Count();
    for (uint64_t i = 0; i < words; ++i) {
      uint64_t part = static_cast<uint64_t>(cursor.Signed());
      if (i == 0) word = part;
    }
  }
  return bits >= 64 ? word : word & ((uint64_t{1} << bits) - 1);
}

double AttributeReader::DoubleAt(Cursor& cursor) {
  uint64_t bits = static_cast<uint64_t>(cursor.Signed());
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void AttributeReader::ReadInteger(Cursor& cursor, AttributeNode& node) {
  const TypeNode& type = TypeAt(cursor);
  uint64_t pattern = BitPattern(cursor, type.bits);
  if (type.kind == TypeNode::kElement && type.type.array.type == ElementType::kPred) {
    node.value.value = pattern != 0;
    return;
  }
  if (type.is_signed && type.bits < 64 && pattern >> (type.bits - 1) != 0) pattern |= ~uint64_t{0} << type.bits;
  node.value.value = static_cast<int64_t>(pattern);
  if (type.kind == TypeNode::kElement) node.value.number_type = type.type.array.type;
}

void AttributeReader::ReadFloat(Cursor& cursor, AttributeNode& node) {
  const TypeNode& type = TypeAt(cursor);
  uint64_t pattern = BitPattern(cursor, type.bits);
  if (type.kind == TypeNode::kElement && IsFloat(type.type.array.type)) {
    node.value.value = DecodeFloat(type.type.array.type, pattern);
    node.value.number_type = type.type.array.type;
  } else if (type.kind == TypeNode::kOther) {
    node.value.value = std::string("a number of the type ") + type.name;
  } else {
    cursor.Fail("a floating-point number of another type");
  }
}

void AttributeReader::ReadDenseArray(Cursor& cursor, AttributeNode& node) {
  const TypeNode& type = TypeAt(cursor);
  uint64_t count = cursor.Varint();
  std::string_view blob = cursor.Take(cursor.Varint());
  size_t width = static_cast<size_t>((type.bits + 7) / 8);
  if (type.kind != TypeNode::kElement || width == 0 || width > 8 || count > blob.size() ||
      count * width != blob.size()) {
    cursor.Fail("an array of " + std::to_string(count) + " elements in " + std::to_string(blob.size()) + " bytes");
  }
  ElementType element = type.type.array.type;
  node.cost += 8 * count;
  if (IsFloat(element)) {
    Array array(ArrayType{element, {static_cast<int64_t>(count)}});
    std::memcpy(array.mutable_data(), blob.data(), blob.size());
    node.value.value = std::move(array);
    return;
  }
  node.value.number_type = element;
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t word = 0;
    for (size_t k = 0; k < width; ++k) {
      word |= static_cast<uint64_t>(static_cast<uint8_t>(blob[i * width + k])) << 8 * k;
    }
    if (type.is_signed && type.bits < 64 && word >> (type.bits - 1) != 0) word |= ~uint64_t{0} << type.bits;
    values[i] = static_cast<int64_t>(word);
  }
  if (element == ElementType::kPred) {
    std::vector<bool> flags;
    for (int64_t value : values) flags.push_back(value != 0);
    node.value.value = std::move(flags);
  } else {
    node.value.value = std::move(values);
  }
}

}  // namespace reference
