// dense<...> : tensor<...>, for every element type.
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/float_formats.h"
#include "ir/text_parser.h"

namespace reference {
namespace {

// Reads the elements of one literal into an array. The literal is a separate text; positions are those of the whole.
class ElementReader {
 public:
  ElementReader(TextCursor& cursor, Array& array) : cursor_(cursor), array_(array), type_(array.element_type()) {}

  // One element at `index`.
  void ReadElement(int64_t index) {
    if (!IsComplex(type_)) {
      Store(index, ReadScalar(type_), ByteWidth(type_));
      return;
    }
    ElementType part = type_ == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
    cursor_.Expect("(");
    uint64_t real = ReadScalar(part);
    cursor_.Expect(",");
    uint64_t imaginary = ReadScalar(part);
    cursor_.Expect(")");
    Store(2 * index, real, ByteWidth(part));
    Store(2 * index + 1, imaginary, ByteWidth(part));
  }

  // A nested list for the dimensions from `dimension` on.
  void ReadList(size_t dimension) {
    const Dims& dims = array_.dims();
    if (dimension == dims.size()) {
      ReadElement(next_++);
      return;
    }
    cursor_.Expect("[");
    for (int64_t i = 0; i < dims[dimension]; ++i) {
      if (i > 0) cursor_.Expect(",");
      if (cursor_.At("]")) cursor_.Fail("too few elements for " + array_.type().ToString());
      ReadList(dimension + 1);
    }
    if (cursor_.At(",")) cursor_.Fail("too many elements for " + array_.type().ToString());
    cursor_.Expect("]");
  }

  void Repeat(int64_t from) {
    size_t size = ByteWidth(type_);
    std::byte* data = array_.mutable_data();
    for (int64_t i = from; i < array_.size(); ++i) std::memcpy(data + static_cast<size_t>(i) * size, data, size);
  }

 private:
  // The bits of one number of a real type.
  uint64_t ReadScalar(ElementType type) {
    if (cursor_.ConsumeWord("true") || cursor_.AtWord("false")) {
      bool value = !cursor_.ConsumeWord("false");
      if (type != ElementType::kPred) cursor_.Fail("a boolean where " + MlirName(type) + " belongs");
      return value ? 1 : 0;
    }
    cursor_.SkipSpace();
    size_t start = cursor_.position();
    std::string_view number = cursor_.Number();
    size_t end = cursor_.position();
    cursor_.set_position(start);
    if (number.empty()) cursor_.Expected("an element of type " + MlirName(type));
    bool hex = number.find('x') != std::string_view::npos;
    bool real = !hex && number.find('.') != std::string_view::npos;
    uint64_t bits = 0;
    if (IsFloat(type)) {
      if (hex) {
        bits = static_cast<uint64_t>(cursor_.Integer());
        int width = BitWidth(type);
        if (number[0] == '-' || (width < 64 && bits >> width != 0)) {
          cursor_.set_position(start);
          cursor_.Fail("a bit pattern that " + MlirName(type) + " does not have");
        }
      } else if (real) {
        bits = EncodeFloat(type, Decimal(number));
      } else {
        cursor_.Fail("an integer where " + MlirName(type) + " belongs");
      }
    } else {
      if (real) cursor_.Fail("a number with a point where " + MlirName(type) + " belongs");
      bits = ReadInteger(type, number[0] == '-');
    }
    cursor_.set_position(end);
    return bits;
  }

  uint64_t ReadInteger(ElementType type, bool negative) {
    size_t start = cursor_.position();
    int64_t value = cursor_.Integer();
    int width = BitWidth(type);
    // As in MLIR, signless types also accept the patterns of their unsigned counterparts.
    bool fits = true;
    if (negative) {
      fits = !IsUnsignedInteger(type) && (width >= 64 || value >= -(int64_t{1} << (width - 1)));
    } else if (width < 64) {
      fits = static_cast<uint64_t>(value) >> width == 0;
    }
    if (!fits) {
      cursor_.set_position(start);
      cursor_.Fail("an integer that does not fit " + MlirName(type));
    }
    if (type == ElementType::kPred) return value & 1;
    if (width < 8) {
      // Stored extended to a byte.
      uint64_t low = static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1);
      if (IsSignedInteger(type) && (low >> (width - 1)) != 0) low |= ~uint64_t{0} << width;
      return low;
    }
    return static_cast<uint64_t>(value);
  }

  static double Decimal(std::string_view number) {
    double value = 0;
    auto result = std::from_chars(number.data(), number.data() + number.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
      bool small = number.find("e-") != std::string_view::npos || number.find("E-") != std::string_view::npos;
      value = small ? 0.0 : HUGE_VAL;
      if (number[0] == '-') value = -value;
    }
    return value;
  }

  void Store(int64_t index, uint64_t bits, size_t size) {
    // Little endian, as every machine that this plugin is built for.
    std::memcpy(array_.mutable_data() + static_cast<size_t>(index) * size, &bits, size);
  }

  TextCursor& cursor_;
  Array& array_;
  ElementType type_;
  int64_t next_ = 0;
};

// The bytes of "0x..." elements.
std::string DecodeHex(TextCursor& cursor) {
  size_t start = cursor.position();
  std::string digits = cursor.Quoted();
  std::string bytes;
  auto value = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  bool good = digits.size() % 2 == 0 && digits.compare(0, 2, "0x") == 0;
  for (size_t i = 2; good && i < digits.size(); i += 2) {
    int high = value(digits[i]);
    int low = value(digits[i + 1]);
    good = high >= 0 && low >= 0;
    bytes += static_cast<char>(high * 16 + low);
  }
  if (!good) {
    cursor.set_position(start);
    cursor.Expected("elements as \"0x...\"");
  }
  return bytes;
}

// Raw little-endian elements: all of them, or one for all; booleans as bytes or bits.
void StoreRaw(TextCursor& cursor, const std::string& bytes, Array& array) {
  ElementType type = array.element_type();
  size_t count = static_cast<size_t>(array.size());
  size_t size = ByteWidth(type);
  std::byte* data = array.mutable_data();
  bool packed = type == ElementType::kPred && bytes.size() == (count + 7) / 8 && bytes.size() != count;
  if (packed) {
    for (size_t i = 0; i < count; ++i) data[i] = static_cast<std::byte>((bytes[i / 8] >> (i % 8)) & 1);
    return;
  }
  if (bytes.size() != count * size && bytes.size() != size) {
    cursor.Fail(std::to_string(bytes.size()) + " bytes of elements for " + array.type().ToString());
  }
  if (count == 0) return;
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(data + i * size, bytes.data() + (bytes.size() == size ? 0 : i * size), size);
  }
  int width = BitWidth(type);
  for (size_t i = 0; width < 8 && i < count; ++i) {
    int value = static_cast<int>(data[i]) & ((1 << width) - 1);
    if (IsSignedInteger(type) && (value >> (width - 1)) != 0) value |= 0xff << width;
    data[i] = static_cast<std::byte>(value & 0xff);
  }
}

}  // namespace

// After "dense": <...> : tensor<...>.
Attribute TextParser::ParseDense() {
  size_t start = (cursor_.SkipSpace(), cursor_.position());
  std::string_view literal = cursor_.Balanced();
  if (literal[0] != '<') {
    cursor_.set_position(start);
    cursor_.Expected("'<'");
  }
  cursor_.Expect(":");
  Type type;
  if (cursor_.ConsumeWord("vector")) {
    type = ParseTensorType();
  } else {
    type = ParseType();
  }
  if (type.is_tuple || type.array.type == ElementType::kToken) {
    cursor_.set_position(start);
    cursor_.Fail("elements of the type " + type.ToString());
  }
  size_t end = cursor_.position();
  Array array = ParseDenseElements(literal, start, type.array);
  cursor_.set_position(end);
  return {std::move(array)};
}

Array TextParser::ParseDenseElements(std::string_view literal, size_t position, const ArrayType& type) {
  cursor_.set_position(position);
  // A list has every element, so only a splat can be longer than its text.
  if (type.bytes() > kMaxConstantBytes - constant_bytes_) {
    cursor_.Fail("constants of more than " + std::to_string(kMaxConstantBytes) + " bytes");
  }
  cursor_.Expect("<");
  bool is_list = cursor_.At("[");
  int64_t count = type.size();
  if (is_list && static_cast<uint64_t>(count) > literal.size()) {
    cursor_.Fail("too few elements for " + type.ToString());
  }
  constant_bytes_ += type.bytes();
  Array array(type);
  if (cursor_.At(">")) {
    if (count != 0) cursor_.Fail("no elements for " + type.ToString());
  } else if (cursor_.At("\"")) {
    StoreRaw(cursor_, DecodeHex(cursor_), array);
  } else if (is_list) {
    ElementReader(cursor_, array).ReadList(0);
  } else if (count == 0) {
    cursor_.Balanced();
    return array;
  } else {
    ElementReader reader(cursor_, array);
    reader.ReadElement(0);
    reader.Repeat(1);
  }
  cursor_.Expect(">");
  return array;
}

}  // namespace reference
