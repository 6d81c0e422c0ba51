// The pretty forms. Most follow a pattern in the op table, made of
//   %*        operands, separated by commas
//   $name     the value of an attribute
//   @name     something with its own function here
//   (? ... )? an optional part; it is present if its first token is
//   {}        attributes in braces
//   :same     ": T", the type of operands and results, or ": (A, B) -> C"
//   :function ": (A, B) -> C"
//   :select   ": P, T", of the predicate and the rest, or ": (A, B, C) -> D"
// and other tokens as they are.
#include "ir/text_parser.h"

namespace reference {
namespace {

// The next part of a pattern; parts are separated by spaces.
std::string_view NextPart(std::string_view* pattern) {
  size_t start = pattern->find_first_not_of(' ');
  if (start == std::string_view::npos) return {};
  size_t end = pattern->find(' ', start);
  std::string_view part = pattern->substr(start, end == std::string_view::npos ? end : end - start);
  *pattern = end == std::string_view::npos ? "" : pattern->substr(end);
  return part;
}

bool IsWordLike(std::string_view part) { return part[0] >= 'a' && part[0] <= 'z'; }

}  // namespace

void TextParser::ParsePrettyOp(Op& op) {
  const OpInfo& info = *FindOp(op.name);
  if (info.syntax.empty()) cursor_.Fail(op.name + " has no pretty form; write \"" + op.name + "\"(...)");
  ParseSyntax(op, info);
}

void TextParser::ParseSyntax(Op& op, const OpInfo& info) {
  std::string_view pattern = info.syntax;
  for (std::string_view part = NextPart(&pattern); !part.empty(); part = NextPart(&pattern)) {
    if (part == "(?") {
      std::string_view rest = pattern;
      if (!cursor_.At(NextPart(&rest))) {
        while (part != ")?") part = NextPart(&pattern);
      }
    } else if (part == ")?") {
      continue;
    } else if (part == "%*") {
      ParseOperands(op);
    } else if (part == "{}") {
      for (auto& [name, value] : ParseOptionalDictionary()) {
        if (!op.attributes.emplace(name, value).second) cursor_.Fail("attribute " + name + " is there twice");
      }
    } else if (part[0] == '$') {
      ParseClause(op, info, part.substr(1));
    } else if (part[0] == '@') {
      ParseCustomClause(op, info, part.substr(1));
    } else if (part[0] == ':' && part.size() > 1) {
      cursor_.Expect(":");
      ParseSignature(op, part.substr(1));
    } else if (IsWordLike(part)) {
      cursor_.ExpectWord(part);
    } else {
      cursor_.Expect(part);
    }
  }
}

// The value of an attribute; those of enumerations are written as bare words.
void TextParser::ParseClause(Op& op, const OpInfo& info, std::string_view name) {
  const AttributeRule* rule = info.Find(name);
  bool dialect = cursor_.At("#");
  if (rule->kind == AttributeKind::kEnum && !dialect) {
    op.attributes[rule->name] = {cursor_.Word("a value of an enumeration")};
  } else if (rule->kind == AttributeKind::kEnums) {
    auto list = std::make_shared<std::vector<Attribute>>();
    cursor_.Expect("[");
    if (!cursor_.Consume("]")) {
      do {
        list->push_back(cursor_.At("#") ? ParseAttribute() : Attribute{cursor_.Word("a value of an enumeration")});
      } while (cursor_.Consume(","));
      cursor_.Expect("]");
    }
    op.attributes[rule->name] = {list};
  } else if (cursor_.At("\"")) {
    op.attributes[rule->name] = {cursor_.Quoted()};
  } else if (rule->kind == AttributeKind::kInt || rule->kind == AttributeKind::kInt32) {
    // Without a type: the following ':' belongs to the op.
    op.attributes[rule->name] = {cursor_.Integer()};
  } else {
    op.attributes[rule->name] = ParseAttribute();
  }
}

void TextParser::ParseCustomClause(Op& op, const OpInfo& info, std::string_view name) {
  if (name == "slice") return ParseSlice(op);
  if (name == "constant") return ParseConstant(op);
  if (name == "return") return ParseReturn(op);
  if (name == "barrier") return ParseBarrier(op);
  if (name == "format") return ParseFormat(op);
  if (name == "dot_general") return ParseDotGeneral(op, info);
  if (name == "convolution") return ParseConvolution(op);
  if (name == "reduce") return ParseReduce(op);
  if (name == "while") return ParseWhile(op);
  if (name == "manual") return ParseManualComputation(op);
  throw Internal("the pattern of " + op.name + " names an unknown part");
}

void TextParser::ParseSignature(Op& op, std::string_view form) {
  if (form == "function" || cursor_.At("(")) return ParseFunctionalSignature(op);
  Type type = ParseType();
  if (form == "select") {
    if (op.operands.size() != 3) cursor_.Fail(op.name + " has three operands");
    cursor_.Expect(",");
    Type value = ParseType();
    CheckOperandTypes(op, {type, value, value});
    type = value;
  }
  op.result_types = {std::move(type)};
}

// [0:3, 1:4:2]
void TextParser::ParseSlice(Op& op) {
  std::vector<int64_t> start, limit, strides;
  cursor_.Expect("[");
  if (!cursor_.Consume("]")) {
    do {
      start.push_back(cursor_.Integer());
      cursor_.Expect(":");
      limit.push_back(cursor_.Integer());
      strides.push_back(cursor_.Consume(":") ? cursor_.Integer() : 1);
    } while (cursor_.Consume(","));
    cursor_.Expect("]");
  }
  op.attributes["start_indices"] = {std::move(start)};
  op.attributes["limit_indices"] = {std::move(limit)};
  op.attributes["strides"] = {std::move(strides)};
}

void TextParser::ParseConstant(Op& op) {
  // Old programs write constant() {value = ...}.
  if (cursor_.Consume("(")) cursor_.Expect(")");
  op.attributes = ParseOptionalDictionary();
  if (!op.attributes.count("value")) op.attributes["value"] = ParseAttribute();
  const Attribute* value = op.Find("value");
  const Array* array = value->get<Array>();
  if (!array) cursor_.Fail("a constant that is not dense<...>");
  op.result_types = {Type{array->type(), false, {}}};
  if (cursor_.Consume(":")) {
    ParseParenthesizedTypes();
    cursor_.Expect("->");
    op.result_types = {ParseType()};
  }
}

void TextParser::ParseReturn(Op& op) {
  op.attributes = ParseOptionalDictionary();
  ParseOperands(op);
  if (op.operands.empty()) return;
  cursor_.Expect(":");
  CheckOperandTypes(op, ParseTypeList());
}

void TextParser::ParseBarrier(Op& op) {
  op.attributes = ParseOptionalDictionary();
  if (cursor_.Consume("(")) return cursor_.Expect(")");
  ParseOperands(op);
  op.attributes.merge(ParseOptionalDictionary());
  cursor_.Expect(":");
  if (cursor_.At("(")) return ParseFunctionalSignature(op);
  op.result_types = ParseTypeList();
  CheckOperandTypes(op, op.result_types);
}

// e5m10
void TextParser::ParseFormat(Op& op) {
  size_t start = (cursor_.SkipSpace(), cursor_.position());
  std::string format = cursor_.Word("a format such as e5m10");
  size_t m = format.find('m');
  bool good = format[0] == 'e' && m != std::string::npos && m > 1 && m + 1 < format.size() && format.size() < 12 &&
              format.find_first_not_of("0123456789", 1) == m &&
              format.find_first_not_of("0123456789", m + 1) == std::string::npos;
  if (!good) {
    cursor_.set_position(start);
    cursor_.Expected("a format such as e5m10");
  }
  op.attributes["exponent_bits"] = {static_cast<int64_t>(std::stoll(format.substr(1, m - 1)))};
  op.attributes["mantissa_bits"] = {static_cast<int64_t>(std::stoll(format.substr(m + 1)))};
}

// %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [...], algorithm = <...> : ...
void TextParser::ParseDotGeneral(Op& op, const OpInfo& info) {
  ParseOperands(op);
  auto pair = [&](const std::string& name) {
    cursor_.Expect("=");
    op.attributes["lhs_" + name] = ParseAttribute();
    cursor_.ExpectWord("x");
    op.attributes["rhs_" + name] = ParseAttribute();
  };
  while (cursor_.Consume(",")) {
    if (cursor_.ConsumeWord("batching_dims")) {
      pair("batching_dimensions");
    } else if (cursor_.ConsumeWord("contracting_dims")) {
      pair("contracting_dimensions");
    } else if (cursor_.ConsumeWord("precision")) {
      cursor_.Expect("=");
      ParseClause(op, info, "precision_config");
    } else if (cursor_.ConsumeWord("algorithm")) {
      cursor_.Expect("=");
      op.attributes["algorithm"] = cursor_.At("#") ? ParseAttribute() : ParseStructure();
    } else {
      cursor_.Expected("batching_dims, contracting_dims, precision or algorithm");
    }
  }
  op.attributes.merge(ParseOptionalDictionary());
  cursor_.Expect(":");
  ParseFunctionalSignature(op);
}

// (%0, %1) dim_numbers = [...]x[...]->[...], window = {...} {...} : ...
void TextParser::ParseConvolution(Op& op) {
  cursor_.Expect("(");
  ParseOperands(op);
  cursor_.Expect(")");
  cursor_.ExpectWord("dim_numbers");
  cursor_.Expect("=");
  Attribute numbers = cursor_.At("#") ? ParseAttribute() : ParseConvolutionNumbers();
  cursor_.Expect(",");
  cursor_.ExpectWord("window");
  cursor_.Expect("=");
  ParseWindow(op);
  op.attributes.merge(ParseOptionalDictionary());
  op.attributes["dimension_numbers"] = std::move(numbers);
  cursor_.Expect(":");
  ParseFunctionalSignature(op);
}

// {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]}
void TextParser::ParseWindow(Op& op) {
  cursor_.Expect("{");
  if (cursor_.Consume("}")) return;
  do {
    std::string name = cursor_.Word("a part of a window");
    cursor_.Expect("=");
    const char* attribute = name == "stride"       ? "window_strides"
                            : name == "pad"        ? "padding"
                            : name == "lhs_dilate" ? "lhs_dilation"
                            : name == "rhs_dilate" ? "rhs_dilation"
                            : name == "reverse"    ? "window_reversal"
                                                   : nullptr;
    if (!attribute) cursor_.Fail("a window has no part " + name);
    Attribute value = name == "pad" ? ParseWindowPadding() : ParseAttribute();
    if (!op.attributes.emplace(attribute, std::move(value)).second) cursor_.Fail(name + " is there twice");
  } while (cursor_.Consume(","));
  cursor_.Expect("}");
}

Attribute TextParser::ParseWindowPadding() {
  std::vector<int64_t> values;
  cursor_.Expect("[");
  if (!cursor_.Consume("]")) {
    do {
      cursor_.Expect("[");
      values.push_back(cursor_.Integer());
      cursor_.Expect(",");
      values.push_back(cursor_.Integer());
      cursor_.Expect("]");
    } while (cursor_.Consume(","));
    cursor_.Expect("]");
  }
  Array padding(ArrayType{ElementType::kS64, {static_cast<int64_t>(values.size() / 2), 2}});
  for (size_t i = 0; i < values.size(); ++i) padding.as<int64_t>()[i] = values[i];
  return {std::move(padding)};
}

}  // namespace reference
