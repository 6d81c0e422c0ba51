// Dense attributes of an artifact.

#include <cstring>

#include "ir/bytecode_attributes.h"

namespace reference {
namespace {

// Types of less than 8 bits use the low bits of their byte; the others are ignored.
void Normalize(Array& array) {
  int bits = BitWidth(array.element_type());
  if (bits >= 8 || array.element_type() == ElementType::kPred) return;
  uint8_t* bytes = array.as<uint8_t>();
  uint8_t mask = static_cast<uint8_t>((1 << bits) - 1);
  uint8_t sign = IsSignedInteger(array.element_type()) ? static_cast<uint8_t>(1 << (bits - 1)) : 0;
  for (int64_t i = 0; i < array.size(); ++i) {
    uint8_t value = bytes[i] & mask;
    bytes[i] = value & sign ? static_cast<uint8_t>(value | ~mask) : value;
  }
}

bool AllZero(std::string_view bytes) {
  for (char c : bytes) {
    if (c != 0) return false;
  }
  return true;
}

bool UnpackBooleans(std::string_view blob, Array& array) {
  size_t count = static_cast<size_t>(array.size());
  uint8_t* out = array.as<uint8_t>();
  uint8_t first = blob.empty() ? 0 : static_cast<uint8_t>(blob[0]);
  if (blob.size() == 1 && (first == 0xff || first == 0)) {
    if (first != 0) std::memset(out, 1, count);
  } else if (blob.size() == (count + 7) / 8 && blob.size() != count) {
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<uint8_t>(blob[i / 8]) >> (i % 8) & 1;
  } else if (blob.size() == count) {
    for (size_t i = 0; i < count; ++i) out[i] = blob[i] != 0;
  } else if (blob.size() == 1) {
    std::memset(out, 1, count);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool UnpackConstant(std::string_view blob, Array& array) {
  if (array.element_type() == ElementType::kPred) return UnpackBooleans(blob, array);
  size_t width = ByteWidth(array.element_type());
  if (width == 0) return false;
  char* out = array.as<char>();
  if (blob.size() == array.bytes()) {
    std::memcpy(out, blob.data(), blob.size());
  } else if (blob.size() != width) {
    return false;
  } else if (array.size() > 0 && !AllZero(blob)) {
    // One element for all: doubled until it fills the array.
    std::memcpy(out, blob.data(), width);
    for (size_t done = width; done < array.bytes();) {
      size_t step = done < array.bytes() - done ? done : array.bytes() - done;
      std::memcpy(out + done, out, step);
      done += step;
    }
  }
  Normalize(array);
  return true;
}

const Array& AttributeReader::Constant(AttributeNode& node) {
  if (node.array) return *node.array;
  if (node.kind != AttributeNode::kConstant) throw InvalidArgument("artifact: a dense attribute was expected");
  if (!node.type->has_constants) throw Unimplemented("a constant of the type " + node.type->name);
  Charge(node.type->type.array.bytes());
  Array array(node.type->type.array);
  if (!UnpackConstant(node.blob, array)) {
    throw InvalidArgument("artifact: a constant of the type " + array.type().ToString().substr(0, 200) + " in " +
                          std::to_string(node.blob.size()) + " bytes");
  }
  node.array = std::move(array);
  return *node.array;
}

}  // namespace reference
