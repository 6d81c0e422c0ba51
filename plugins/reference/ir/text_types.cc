// Types of MLIR text.
#include "ir/text_parser.h"

namespace reference {

TextParser::Nesting::Nesting(TextParser& parser) : parser_(parser) {
  if (parser_.depth_ >= kMaxNesting) parser_.cursor_.Fail("nested too deeply");
  ++parser_.depth_;
  ++parser_.nodes_;
}

TextParser::Nesting::~Nesting() { --parser_.depth_; }

void TextParser::CountNodes(size_t nodes) {
  nodes_ += nodes;
  if (nodes_ > size_t{1} << 22 && nodes > 1) cursor_.Fail("aliases that stand for too much");
}

ElementType TextParser::ParseElementType() {
  size_t start = cursor_.position();
  std::string word = cursor_.Word("an element type");
  if (word == "complex") {
    cursor_.Expect("<");
    std::string part = cursor_.Word("f32 or f64");
    cursor_.Expect(">");
    word += "<" + part + ">";
  }
  // Only shape descriptions have the type index, with the values of i64.
  ElementType type = word == "index" ? ElementType::kS64 : FromMlir(word);
  if (type == ElementType::kInvalid || type == ElementType::kToken) {
    cursor_.set_position(start);
    cursor_.Expected("an element type");
  }
  return type;
}

// After "tensor": <2x3xf32>.
Type TextParser::ParseTensorType() {
  cursor_.Expect("<");
  if (cursor_.At("*") || cursor_.At("?")) {
    throw Unimplemented(cursor_.Place() + ": dynamic shapes are not implemented");
  }
  Type type;
  std::string_view text = cursor_.text();
  while (cursor_.Peek() >= '0' && cursor_.Peek() <= '9') {
    uint64_t size = 0;
    size_t at = cursor_.position();
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      size = size * 10 + static_cast<uint64_t>(text[at] - '0');
      if (size > uint64_t{1} << 53) cursor_.Fail("a dimension that is too large");
    }
    type.array.dims.push_back(static_cast<int64_t>(size));
    cursor_.set_position(at);
    if (!cursor_.ConsumeAdjacent('x')) cursor_.Expected("'x' after a dimension");
    if (cursor_.At("?")) throw Unimplemented(cursor_.Place() + ": dynamic shapes are not implemented");
    if (type.array.dims.size() > 64) cursor_.Fail("a type of more than 64 dimensions");
  }
  if (cursor_.At("!quant")) throw Unimplemented(cursor_.Place() + ": quantized types are not implemented");
  type.array.type = ParseElementType();
  if (cursor_.Consume(",")) throw Unimplemented(cursor_.Place() + ": encodings of tensors are not implemented");
  cursor_.Expect(">");
  unsigned __int128 bytes = 16;
  for (int64_t dim : type.array.dims) {
    bytes *= static_cast<unsigned __int128>(dim);
    if (bytes >> 62 != 0) cursor_.Fail("a type of more than 2^58 elements");
  }
  return type;
}

Type TextParser::ParseType() {
  Nesting nesting(*this);
  if (cursor_.Consume("!")) {
    size_t start = cursor_.position();
    std::string name = cursor_.Suffix("the name of a type");
    if (name == "stablehlo.token" || name == "mhlo.token") return {{ElementType::kToken, {}}, false, {}};
    auto alias = type_aliases_.find(name);
    if (alias != type_aliases_.end()) return CountNodes(alias->second.nodes), alias->second.value;
    cursor_.set_position(start - 1);
    if (name.rfind("quant.", 0) == 0) {
      throw Unimplemented(cursor_.Place() + ": quantized types are not implemented");
    }
    if (name == "stablehlo.future") throw Unimplemented(cursor_.Place() + ": futures are not implemented");
    cursor_.Fail("unknown type !" + name);
  }
  if (cursor_.ConsumeWord("tensor")) return ParseTensorType();
  if (cursor_.ConsumeWord("tuple")) {
    Type type;
    type.is_tuple = true;
    cursor_.Expect("<");
    if (!cursor_.Consume(">")) {
      type.elements = ParseTypeList();
      cursor_.Expect(">");
    }
    return type;
  }
  cursor_.Expected("a type of StableHLO");
}

std::vector<Type> TextParser::ParseTypeList() {
  std::vector<Type> types;
  do {
    types.push_back(ParseType());
  } while (cursor_.Consume(","));
  return types;
}

std::vector<Type> TextParser::ParseParenthesizedTypes() {
  cursor_.Expect("(");
  if (cursor_.Consume(")")) return {};
  std::vector<Type> types = ParseTypeList();
  cursor_.Expect(")");
  return types;
}

std::vector<Type> TextParser::ParseResultTypes() {
  if (cursor_.At("(")) return ParseParenthesizedTypes();
  return {ParseType()};
}

TextParser::FunctionType TextParser::ParseFunctionType() {
  FunctionType type;
  type.inputs = ParseParenthesizedTypes();
  cursor_.Expect("->");
  type.outputs = ParseResultTypes();
  return type;
}

}  // namespace reference
