// Attributes as MLIR text: unstructured ones; structured ones are in print_structured.cc.
#include "ir/print_attributes.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/float_formats.h"

namespace reference {
namespace {

std::string Hex(uint64_t bits, int digits) {
  static const char kDigits[] = "0123456789ABCDEF";
  std::string text = "0x";
  for (int i = digits - 1; i >= 0; --i) text += kDigits[(bits >> (4 * i)) & 15];
  return text;
}

// A number that reads back to the same bits: as a decimal if it is finite, as bits otherwise.
std::string FloatText(ElementType type, uint64_t bits) {
  double value = DecodeFloat(type, bits);
  if (!std::isfinite(value) || EncodeFloat(type, value) != bits) return Hex(bits, (BitWidth(type) + 3) / 4);
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  std::string text(buffer, end);
  size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

uint64_t Load(const std::byte* data, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, size);
  return bits;
}

std::string ScalarText(ElementType type, const std::byte* data) {
  if (IsComplex(type)) {
    ElementType part = type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
    size_t size = ByteWidth(part);
    return "(" + FloatText(part, Load(data, size)) + "," + FloatText(part, Load(data + size, size)) + ")";
  }
  uint64_t bits = Load(data, ByteWidth(type));
  if (type == ElementType::kPred) return bits != 0 ? "true" : "false";
  if (IsFloat(type)) return FloatText(type, bits & (~uint64_t{0} >> (64 - BitWidth(type))));
  if (IsUnsignedInteger(type)) return std::to_string(bits);
  int shift = 64 - 8 * static_cast<int>(ByteWidth(type));
  return std::to_string(static_cast<int64_t>(bits << shift) >> shift);
}

void ListText(const Array& array, size_t dimension, int64_t* next, std::string* text) {
  if (dimension == array.dims().size()) {
    size_t size = ByteWidth(array.element_type());
    *text += ScalarText(array.element_type(), array.data() + static_cast<size_t>((*next)++) * size);
    return;
  }
  *text += "[";
  for (int64_t i = 0; i < array.dims()[dimension]; ++i) {
    if (i > 0) *text += ", ";
    ListText(array, dimension + 1, next, text);
  }
  *text += "]";
}

// dense<...> : tensor<...>
std::string ArrayText(const Array& array) {
  std::string text = "dense<";
  size_t size = ByteWidth(array.element_type());
  bool splat = array.size() > 0;
  for (int64_t i = 1; splat && i < array.size(); ++i) {
    splat = std::memcmp(array.data(), array.data() + static_cast<size_t>(i) * size, size) == 0;
  }
  if (splat) {
    text += ScalarText(array.element_type(), array.data());
  } else if (array.size() > 0) {
    int64_t next = 0;
    ListText(array, 0, &next, &text);
  }
  return text + "> : " + array.type().ToString();
}

}  // namespace

std::string PrintQuoted(const std::string& value) {
  static const char kDigits[] = "0123456789ABCDEF";
  std::string text = "\"";
  for (char c : value) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte >= 0x7f) {
      text += std::string("\\") + kDigits[byte >> 4] + kDigits[byte & 15];
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string PrintDictionary(const Dictionary& dictionary) {
  std::string text = "{";
  for (const auto& [name, value] : dictionary) {
    if (text.size() > 1) text += ", ";
    text += PrintQuoted(name);
    if (!value.get<std::monostate>()) text += " = " + PrintAttribute(value);
  }
  return text + "}";
}

std::string PrintAttribute(const Attribute& attribute) {
  struct Printer {
    ElementType type;
    std::string Suffix(ElementType usual) { return " : " + MlirName(type == ElementType::kInvalid ? usual : type); }
    std::string operator()(std::monostate) { return "unit"; }
    std::string operator()(bool value) { return value ? "true" : "false"; }
    std::string operator()(int64_t value) { return std::to_string(value) + Suffix(ElementType::kS64); }
    std::string operator()(double value) {
      bool narrow = IsFloat(type) && (std::isnan(value) || DecodeFloat(type, EncodeFloat(type, value)) == value);
      ElementType written = narrow ? type : ElementType::kF64;
      return FloatText(written, EncodeFloat(written, value)) + " : " + MlirName(written);
    }
    std::string operator()(const std::string& value) { return PrintQuoted(value); }
    std::string operator()(const std::vector<int64_t>& values) {
      bool typed = IsSignedInteger(type) && BitWidth(type) >= 8;
      std::string text = "array<" + MlirName(typed ? type : ElementType::kS64);
      for (size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : ": ") + std::to_string(values[i]);
      return text + ">";
    }
    std::string operator()(const std::vector<bool>& values) {
      std::string text = "array<i1";
      for (size_t i = 0; i < values.size(); ++i) {
        text += std::string(i > 0 ? ", " : ": ") + (values[i] ? "true" : "false");
      }
      return text + ">";
    }
    std::string operator()(const Array& array) { return ArrayText(array); }
    std::string operator()(const std::shared_ptr<std::vector<Attribute>>& list) {
      // The numbers of array<f32: ...> are a list with a known type.
      bool typed = type == ElementType::kF32 || type == ElementType::kF64;
      std::string text = typed ? "array<" + MlirName(type) : "[";
      for (size_t i = 0; i < list->size(); ++i) {
        std::string element = PrintAttribute((*list)[i]);
        if (typed) element.resize(element.find(" :"));
        text += (i > 0 ? ", " : typed ? ": " : "") + element;
      }
      return text + (typed ? ">" : "]");
    }
    std::string operator()(const std::shared_ptr<Dictionary>& dictionary) { return PrintDictionary(*dictionary); }
    std::string operator()(const Type& type) { return type.ToString(); }
  };
  return std::visit(Printer{attribute.number_type}, attribute.value);
}

}  // namespace reference
