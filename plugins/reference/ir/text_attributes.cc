// Parses attributes of MLIR text; text_structured.cc converts those of an op to canonical ones.
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/float_formats.h"
#include "ir/text_parser.h"

namespace reference {

Dictionary TextParser::ParseDictionary() {
  Nesting nesting(*this);
  Dictionary dictionary;
  cursor_.Expect("{");
  if (cursor_.Consume("}")) return dictionary;
  do {
    size_t start = (cursor_.SkipSpace(), cursor_.position());
    std::string name = cursor_.Peek() == '"' ? cursor_.Quoted() : cursor_.Word("the name of an attribute");
    Attribute value = cursor_.Consume("=") ? ParseAttribute() : Attribute{};
    if (!dictionary.emplace(name, std::move(value)).second) {
      cursor_.set_position(start);
      cursor_.Fail("attribute " + name + " is there twice");
    }
  } while (cursor_.Consume(","));
  cursor_.Expect("}");
  return dictionary;
}

Dictionary TextParser::ParseOptionalDictionary() { return cursor_.At("{") ? ParseDictionary() : Dictionary(); }

Attribute TextParser::ParseAttributeList() {
  auto list = std::make_shared<std::vector<Attribute>>();
  cursor_.Expect("[");
  if (!cursor_.Consume("]")) {
    do {
      list->push_back(ParseAttribute());
    } while (cursor_.Consume(","));
    cursor_.Expect("]");
  }
  return {list};
}

Attribute TextParser::ParseNumber() {
  size_t start = cursor_.position();
  std::string_view number = cursor_.Number();
  if (number.empty()) cursor_.Expected("a number");
  bool hex = number.find('x') != std::string_view::npos;
  bool real = !hex && number.find('.') != std::string_view::npos;
  std::string type;
  if (cursor_.Consume(":")) type = cursor_.Word("the type of a number");
  ElementType element = type.empty() ? ElementType::kInvalid : FromMlir(type);
  size_t end = cursor_.position();
  cursor_.set_position(start);
  if (!type.empty() && type != "index" && element == ElementType::kInvalid) {
    // Integers of other widths, such as si32, occur in attributes that are ignored.
    bool integer = type.find_first_not_of("sui0123456789") == std::string::npos;
    if (!integer) cursor_.Fail("a number of the unknown type " + type);
  }
  Attribute value;
  if (real || IsFloat(element)) {
    if (!type.empty() && !IsFloat(element)) cursor_.Fail("a number with a point of the type " + type);
    if (hex) {
      value = {DecodeFloat(element, static_cast<uint64_t>(cursor_.Integer()))};
    } else {
      double parsed = 0;
      auto result = std::from_chars(number.data(), number.data() + number.size(), parsed);
      if (result.ec != std::errc()) cursor_.Fail("a number out of range");
      if (IsFloat(element)) parsed = DecodeFloat(element, EncodeFloat(element, parsed));
      value = {parsed};
    }
  } else {
    int64_t parsed = cursor_.Integer();
    value = element == ElementType::kPred ? Attribute{parsed != 0} : Attribute{parsed};
  }
  cursor_.set_position(end);
  value.number_type = element;
  return value;
}

// After "array": <i64: 1, 2>.
Attribute TextParser::ParseDenseArray() {
  cursor_.Expect("<");
  std::string type = cursor_.Word("the type of the elements");
  bool is_bool = type == "i1";
  bool is_float = type == "f32" || type == "f64";
  if (!is_bool && !is_float && type != "i64" && type != "i32" && type != "i16" && type != "i8") {
    cursor_.Fail("an array of " + type);
  }
  std::vector<int64_t> ints;
  std::vector<bool> bools;
  auto floats = std::make_shared<std::vector<Attribute>>();
  if (cursor_.Consume(":")) {
    do {
      if (is_bool) {
        bool value = cursor_.ConsumeWord("true");
        if (!value) cursor_.ExpectWord("false");
        bools.push_back(value);
      } else if (is_float) {
        floats->push_back(ParseNumber());
      } else {
        ints.push_back(cursor_.Integer());
      }
    } while (cursor_.Consume(","));
  }
  cursor_.Expect(">");
  const ElementType element = FromMlir(type);
  if (is_bool) return {std::move(bools), element};
  if (is_float) return {floats, element};
  return {std::move(ints), element};
}

// After "#stablehlo.dot" and the like: <name = value, ...>, or one word.
Attribute TextParser::ParseStructure() {
  Nesting nesting(*this);
  auto fields = std::make_shared<Dictionary>();
  cursor_.Expect("<");
  if (cursor_.Consume(">")) return {fields};
  do {
    std::string name = cursor_.Word("a field");
    if (fields->empty() && cursor_.Consume(">")) return {name};
    cursor_.Expect("=");
    if (!fields->emplace(name, ParseAttribute()).second) cursor_.Fail("field " + name + " is there twice");
  } while (cursor_.Consume(",") && !cursor_.At(">"));
  cursor_.Expect(">");
  return {fields};
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], into the nine attributes.
Attribute TextParser::ParseConvolutionNumbers() {
  auto fields = std::make_shared<Dictionary>();
  auto side = [&](const std::string& prefix, const std::string& first, const std::string& first_name,
                  const std::string& second, const std::string& second_name) {
    std::map<int64_t, int64_t> spatial;
    int64_t position = 0;
    cursor_.Expect("[");
    do {
      bool is_first = cursor_.ConsumeWord(first);
      if (is_first || cursor_.ConsumeWord(second)) {
        if (!fields->emplace(prefix + (is_first ? first_name : second_name), Attribute{position}).second) {
          cursor_.Fail("a dimension of a convolution is there twice");
        }
      } else {
        if (cursor_.At("?")) throw Unimplemented(cursor_.Place() + ": unknown dimensions are not implemented");
        int64_t dimension = cursor_.Integer();
        if (!spatial.emplace(dimension, position).second) cursor_.Fail("a spatial dimension is there twice");
      }
      ++position;
    } while (cursor_.Consume(","));
    cursor_.Expect("]");
    std::vector<int64_t> dimensions;
    for (auto [number, at] : spatial) {
      if (number != static_cast<int64_t>(dimensions.size())) cursor_.Fail("spatial dimensions are not 0, 1, ...");
      dimensions.push_back(at);
    }
    if (!fields->count(prefix + first_name) || !fields->count(prefix + second_name)) {
      cursor_.Fail("expected the dimensions " + first + " and " + second);
    }
    (*fields)[prefix + "spatial_dimensions"] = {dimensions};
  };
  side("input_", "b", "batch_dimension", "f", "feature_dimension");
  cursor_.Expect("x");
  side("kernel_", "i", "input_feature_dimension", "o", "output_feature_dimension");
  cursor_.Expect("->");
  side("output_", "b", "batch_dimension", "f", "feature_dimension");
  return {fields};
}

Attribute TextParser::ParseDialectAttribute() {
  size_t start = cursor_.position();
  cursor_.Expect("#");
  std::string name = cursor_.Suffix("the name of an attribute");
  auto alias = attribute_aliases_.find(name);
  if (alias != attribute_aliases_.end()) return CountNodes(alias->second.nodes), alias->second.value;
  if (name == "stablehlo") {
    // #stablehlo<precision HIGHEST>
    cursor_.Expect("<");
    size_t kind_position = cursor_.position();
    std::string kind = cursor_.Word("the kind of an attribute");
    if (EnumValues(kind)) {
      std::string value = cursor_.Word("a value");
      cursor_.Expect(">");
      return {value};
    }
    if (kind == "conv") {
      cursor_.Expect("<");
      Attribute value = ParseConvolutionNumbers();
      cursor_.Expect(">");
      cursor_.Expect(">");
      return value;
    }
    if (!cursor_.At("<")) {
      cursor_.set_position(kind_position);
      cursor_.Expected("a kind of attribute of StableHLO");
    }
    Attribute value = ParseStructure();
    cursor_.Expect(">");
    return value;
  }
  if (name == "stablehlo.conv") {
    cursor_.Expect("<");
    if (cursor_.AtWord("raw")) {
      cursor_.Word("raw");
      auto fields = std::make_shared<Dictionary>();
      do {
        std::string field = cursor_.Word("a field");
        cursor_.Expect("=");
        fields->emplace(field, ParseAttribute());
      } while (cursor_.Consume(","));
      cursor_.Expect(">");
      return {fields};
    }
    Attribute value = ParseConvolutionNumbers();
    cursor_.Expect(">");
    return value;
  }
  if (name == "stablehlo.replica_group_mesh_axes") {
    throw Unimplemented(cursor_.Place() + ": groups of replicas as axes of a mesh are not implemented in text");
  }
  if (name.rfind("stablehlo.", 0) == 0) return ParseStructure();
  if (!cursor_.At("<")) {
    if (name.find('.') == std::string::npos) {
      cursor_.set_position(start);
      cursor_.Fail("unknown attribute #" + name);
    }
    return {"#" + name};
  }
  // An attribute of another dialect: kept as written.
  std::string_view body = cursor_.Balanced();
  return {"#" + name + std::string(body)};
}

Attribute TextParser::ParseAttribute() {
  Nesting nesting(*this);
  char c = cursor_.Peek();
  if (c == '"') {
    std::string value = cursor_.Quoted();
    if (cursor_.Consume(":")) cursor_.Word("the type of a string");
    return {value};
  }
  if (c == '[') return ParseAttributeList();
  if (c == '{') return {std::make_shared<Dictionary>(ParseDictionary())};
  if (c == '@') {
    std::string symbol = cursor_.Symbol();
    while (cursor_.Consume("::")) symbol += "::" + cursor_.Symbol();
    return {symbol};
  }
  if (c == '#') return ParseDialectAttribute();
  if (c == '-' || (c >= '0' && c <= '9')) return ParseNumber();
  if (c == '(') {
    // A function type: a tuple of the inputs and the outputs.
    FunctionType function = ParseFunctionType();
    Type inputs{{}, true, function.inputs};
    Type outputs{{}, true, function.outputs};
    return {Type{{}, true, {inputs, outputs}}};
  }
  if (cursor_.ConsumeWord("true")) return {true};
  if (cursor_.ConsumeWord("false")) return {false};
  if (cursor_.ConsumeWord("unit") || cursor_.ConsumeWord("none")) return {};
  if (cursor_.ConsumeWord("dense")) return ParseDense();
  if (cursor_.ConsumeWord("array")) return ParseDenseArray();
  if (cursor_.ConsumeWord("tf32")) return {std::string("tf32")};
  if (cursor_.AtWord("loc")) return SkipLocation(), Attribute{};
  if (cursor_.AtWord("dense_resource") || cursor_.AtWord("sparse") || cursor_.AtWord("affine_map") ||
      cursor_.AtWord("affine_set") || cursor_.AtWord("distinct") || cursor_.AtWord("strided")) {
    throw Unimplemented(cursor_.Place() + ": the attribute " + cursor_.Word("") + " is not implemented");
  }
  if (c == '!' || cursor_.AtWord("tensor") || cursor_.AtWord("tuple")) return {ParseType()};
  size_t start = cursor_.position();
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
    std::string word = cursor_.Word("an attribute");
    bool is_complex = word == "complex";
    cursor_.set_position(start);
    if (is_complex || word == "index" || FromMlir(word) != ElementType::kInvalid) {
      return {Type{{ParseElementType(), {}}, false, {}}};
    }
  }
  cursor_.Expected("an attribute");
}

}  // namespace reference
