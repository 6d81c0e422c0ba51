// The pretty forms of the ops with regions: reduce, while and Shardy's manual_computation.
#include "ir/text_parser.h"

namespace reference {

// (%0 init: %1), (%2 init: %3) applies stablehlo.add across dimensions = [0] : (...) -> ... or, without "applies", with
// a reducer after the types.
void TextParser::ParseReduce(Op& op) {
  Op initial;
  do {
    cursor_.Expect("(");
    ParseOperand(op);
    cursor_.ExpectWord("init");
    cursor_.Expect(":");
    ParseOperand(initial);
    cursor_.Expect(")");
  } while (cursor_.Consume(","));
  op.operands.insert(op.operands.end(), initial.operands.begin(), initial.operands.end());
  std::string applied;
  if (cursor_.ConsumeWord("applies")) applied = cursor_.Word("an op");
  cursor_.ExpectWord("across");
  cursor_.ExpectWord("dimensions");
  cursor_.Expect("=");
  Attribute dimensions = ParseAttribute();
  op.attributes = ParseOptionalDictionary();
  op.attributes["dimensions"] = std::move(dimensions);
  cursor_.Expect(":");
  ParseFunctionalSignature(op);
  if (applied.empty()) {
    ParseReducer(op);
  } else {
    ParseAppliedReducer(op, applied);
  }
}

// reducer(%a: T, %b: T) (%c: U, %d: U) {...}: for each input its accumulator and its element.
void TextParser::ParseReducer(Op& op) {
  cursor_.ExpectWord("reducer");
  std::vector<std::pair<std::string, Type>> accumulators, elements;
  while (cursor_.Consume("(")) {
    size_t start = cursor_.position();
    auto pair = ParseBlockArguments();
    cursor_.Expect(")");
    if (pair.size() != 2) {
      cursor_.set_position(start);
      cursor_.Fail("expected an accumulator and an element");
    }
    accumulators.push_back(std::move(pair[0]));
    elements.push_back(std::move(pair[1]));
  }
  accumulators.insert(accumulators.end(), elements.begin(), elements.end());
  SkipLocation();
  if (accumulators.empty()) cursor_.Expected("the arguments of a reducer");
  op.regions.push_back(ParseRegion(accumulators));
}

void TextParser::ParseAppliedReducer(Op& op, const std::string& applied) {
  const OpInfo* info = FindOp(applied);
  if (!info || info->operands != 2 || info->classes.empty()) {
    cursor_.Fail(applied + " is no op that a reduction can apply");
  }
  if (op.operands.size() != 2 || op.result_types.size() != 1 || op.result_types[0].is_tuple) {
    cursor_.Fail("'applies' needs one input and one result");
  }
  Type type = {{op.result_types[0].array.type, {}}, false, {}};
  op.regions.emplace_back();
  op.regions.back().blocks.emplace_back();
  Block& block = op.regions.back().blocks.back();
  block.arguments = {NewValue(type), NewValue(type)};
  block.argument_types = {type, type};
  Op apply;
  apply.name = applied;
  apply.location = op.location;
  apply.operands = block.arguments;
  apply.result_types = {type};
  FillDefaults(apply, block.argument_types);
  apply.results = {NewValue(type)};
  Op end;
  end.name = "return";
  end.location = op.location;
  end.operands = apply.results;
  block.ops = {apply, end};
}

// (%a = %0, %b = %1) : T, U attributes {...} cond {...} do {...}
void TextParser::ParseWhile(Op& op) {
  std::vector<std::string> names;
  cursor_.Expect("(");
  if (!cursor_.Consume(")")) {
    do {
      cursor_.Expect("%");
      names.push_back(cursor_.Suffix("the name of a value"));
      cursor_.Expect("=");
      ParseOperand(op);
    } while (cursor_.Consume(","));
    cursor_.Expect(")");
  }
  std::vector<std::pair<std::string, Type>> arguments;
  if (!names.empty()) {
    cursor_.Expect(":");
    op.result_types = ParseTypeList();
    CheckOperandTypes(op, op.result_types);
    for (size_t i = 0; i < names.size(); ++i) arguments.emplace_back(names[i], op.result_types[i]);
  }
  if (cursor_.ConsumeWord("attributes")) op.attributes = ParseDictionary();
  cursor_.ExpectWord("cond");
  op.regions.push_back(ParseRegion(arguments));
  cursor_.ExpectWord("do");
  op.regions.push_back(ParseRegion(arguments));
}

// (%0, %1) in_shardings=[<...>, <...>] out_shardings=[<...>] manual_axes={"x"} (%a: T, %b: U) {...} : (...) -> ...
void TextParser::ParseManualComputation(Op& op) {
  cursor_.Expect("(");
  ParseOperands(op);
  cursor_.Expect(")");
  auto list = [&](const char* name, const char* open, const char* close, auto next) {
    auto items = std::make_shared<std::vector<Attribute>>();
    cursor_.ExpectWord(name);
    cursor_.Expect("=");
    cursor_.Expect(open);
    if (!cursor_.Consume(close)) {
      do {
        items->push_back({next()});
      } while (cursor_.Consume(","));
      cursor_.Expect(close);
    }
    op.attributes[name] = {items};
  };
  const auto sharding = [&] { return "#sdy.sharding" + std::string(cursor_.Balanced()); };
  list("in_shardings", "[", "]", sharding);
  list("out_shardings", "[", "]", sharding);
  list("manual_axes", "{", "}", [&] { return cursor_.Quoted(); });
  std::vector<std::pair<std::string, Type>> arguments;
  cursor_.Expect("(");
  if (!cursor_.At(")")) arguments = ParseBlockArguments();
  cursor_.Expect(")");
  op.regions.push_back(ParseRegion(arguments));
  cursor_.Expect(":");
  ParseFunctionalSignature(op);
}

}  // namespace reference
