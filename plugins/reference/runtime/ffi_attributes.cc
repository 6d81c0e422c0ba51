#include "runtime/ffi_attributes.h"

#include <cstring>

#include "base/float_formats.h"
#include "base/primitive_type.h"

namespace reference {

namespace {

// A number in the lowest bytes of a word, as on a little-endian machine.
uint64_t PatternOf(ElementType type, const Attribute& number, const std::string& name) {
  uint64_t pattern = 0;
  if (const auto* integer = number.get<int64_t>()) {
    pattern = IsFloat(type) ? EncodeFloat(type, static_cast<double>(*integer)) : static_cast<uint64_t>(*integer);
  } else if (const auto* real = number.get<double>()) {
    pattern = EncodeFloat(type, *real);
  } else if (const auto* flag = number.get<bool>()) {
    pattern = *flag ? 1 : 0;
  } else {
    throw Unimplemented("the attribute '" + name + "' of a custom call is a list of other things than numbers");
  }
  return pattern;
}

// The declared type of a number; without one, MLIR's default.
ElementType TypeOf(const Attribute& number) {
  if (number.number_type != ElementType::kInvalid) return number.number_type;
  if (number.get<double>() != nullptr) return ElementType::kF64;
  return number.get<bool>() != nullptr ? ElementType::kPred : ElementType::kS64;
}

}  // namespace

FfiAttributes::FfiAttributes(const Dictionary& attributes) : attributes_(Fill(attributes)) {}

ffi::ByteSpan* FfiAttributes::Text(const std::string& text) {
  const std::string& kept = texts_.emplace_back(text);
  return &spans_.emplace_back(ffi::ByteSpan{kept.data(), kept.size()});
}

void* FfiAttributes::NumberBytes(ElementType type, const std::vector<Attribute>& numbers, const std::string& name) {
  const size_t width = ByteWidth(type);
  auto& bytes = bytes_.emplace_back((numbers.size() * width + 7) / 8 + 1);
  auto* at = reinterpret_cast<unsigned char*>(bytes.data());
  for (const Attribute& number : numbers) {
    const uint64_t pattern = PatternOf(type, number, name);
    std::memcpy(at, &pattern, width);
    at += width;
  }
  return bytes.data();
}

// std::map sorts the names bytewise, the order that handlers search in.
ffi::Attributes FfiAttributes::Fill(const Dictionary& dictionary) {
  Level& level = levels_.emplace_back();
  for (const auto& [name, attribute] : dictionary) Add(level, name, attribute);
  return {sizeof(ffi::Attributes),      nullptr,
          static_cast<int64_t>(level.kinds.size()), level.kinds.data(),
          level.names.data(),           level.values.data()};
}

void FfiAttributes::Add(Level& level, const std::string& name, const Attribute& attribute) {
  ffi::AttributeKind kind = ffi::AttributeKind::kArray;
  void* value = nullptr;
  const auto add_array = [&](ElementType type, size_t size, void* data) {
    value = &arrays_.emplace_back(ffi::ArrayAttribute{PrimitiveType(type), size, data});
  };
  const auto add_numbers = [&](const std::vector<Attribute>& numbers, ElementType otherwise) {
    ElementType type = attribute.number_type;
    if (type == ElementType::kInvalid) type = numbers.empty() ? otherwise : TypeOf(numbers[0]);
    add_array(type, numbers.size(), NumberBytes(type, numbers, name));
  };
  if (const auto* text = attribute.get<std::string>()) {
    kind = ffi::AttributeKind::kString;
    value = Text(*text);
  } else if (const auto* dictionary = attribute.get<std::shared_ptr<Dictionary>>()) {
    kind = ffi::AttributeKind::kDictionary;
    value = &dictionaries_.emplace_back(Fill(**dictionary));
  } else if (const auto* integers = attribute.get<std::vector<int64_t>>()) {
    std::vector<Attribute> numbers;
    for (const int64_t integer : *integers) numbers.push_back({integer});
    add_numbers(numbers, ElementType::kS64);
  } else if (const auto* flags = attribute.get<std::vector<bool>>()) {
    std::vector<Attribute> numbers;
    for (const bool flag : *flags) numbers.push_back({flag});
    add_numbers(numbers, ElementType::kPred);
  } else if (const auto* list = attribute.get<std::shared_ptr<std::vector<Attribute>>>()) {
    add_numbers(**list, ElementType::kS64);
  } else if (const auto* array = attribute.get<Array>()) {
    auto& bytes = bytes_.emplace_back(array->bytes() / 8 + 1);
    if (array->bytes() > 0) std::memcpy(bytes.data(), array->data(), array->bytes());
    add_array(array->element_type(), static_cast<size_t>(array->size()), bytes.data());
  } else if (attribute.get<bool>() != nullptr || attribute.get<int64_t>() != nullptr ||
             attribute.get<double>() != nullptr) {
    kind = ffi::AttributeKind::kScalar;
    const ElementType type = TypeOf(attribute);
    value = &scalars_.emplace_back(ffi::Scalar{PrimitiveType(type), NumberBytes(type, {attribute}, name)});
  } else {
    throw Unimplemented("the attribute '" + name + "' of a custom call has no form that handlers could read");
  }
  level.kinds.push_back(kind);
  level.names.push_back(Text(name));
  level.values.push_back(value);
}

}  // namespace reference
