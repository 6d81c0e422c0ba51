// Ops of MLIR text: values, regions, the generic form.
#include "ir/text_parser.h"

namespace reference {

ValueId TextParser::NewValue(Type type) {
  value_types_.push_back(std::move(type));
  return static_cast<ValueId>(value_types_.size() - 1);
}

void TextParser::Define(const std::string& name, Values values) {
  for (const Scope& scope : scopes_) {
    if (scope.count(name)) cursor_.Fail("%" + name + " is defined twice");
  }
  scopes_.back().emplace(name, values);
}

ValueId TextParser::Lookup(const std::string& name, int64_t index) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto found = scope->find(name);
    if (found == scope->end()) continue;
    if (index < 0 || index >= found->second.count) {
      cursor_.Fail("%" + name + " has " + std::to_string(found->second.count) + " values, not a number " +
                   std::to_string(index));
    }
    return found->second.first + static_cast<ValueId>(index);
  }
  cursor_.Fail("%" + name + " is not defined");
}

void TextParser::ParseOperand(Op& op) {
  cursor_.SkipSpace();
  size_t start = cursor_.position();
  cursor_.Expect("%");
  std::string name = cursor_.Suffix("the name of a value");
  int64_t index = cursor_.ConsumeAdjacent('#') ? cursor_.Integer() : 0;
  size_t end = cursor_.position();
  cursor_.set_position(start);
  op.operands.push_back(Lookup(name, index));
  cursor_.set_position(end);
}

void TextParser::ParseOperands(Op& op) {
  if (!cursor_.At("%")) return;
  while (true) {
    ParseOperand(op);
    size_t before = cursor_.position();
    if (!cursor_.Consume(",")) return;
    if (!cursor_.At("%")) {
      cursor_.set_position(before);
      return;
    }
  }
}

void TextParser::CheckOperandTypes(const Op& op, const std::vector<Type>& types) {
  if (types.size() != op.operands.size()) {
    cursor_.Fail(op.name + " has " + std::to_string(op.operands.size()) + " operands and " +
                 std::to_string(types.size()) + " types of operands");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Type& actual = value_types_[static_cast<size_t>(op.operands[i])];
    if (types[i] != actual) {
      cursor_.Fail("operand " + std::to_string(i) + " of " + op.name + " is a " + actual.ToString() + ", not a " +
                   types[i].ToString());
    }
  }
}

void TextParser::ParseFunctionalSignature(Op& op) {
  FunctionType type = ParseFunctionType();
  CheckOperandTypes(op, type.inputs);
  op.result_types = std::move(type.outputs);
}

std::vector<std::pair<std::string, Type>> TextParser::ParseBlockArguments() {
  std::vector<std::pair<std::string, Type>> arguments;
  do {
    cursor_.Expect("%");
    std::string name = cursor_.Suffix("the name of a value");
    cursor_.Expect(":");
    arguments.emplace_back(std::move(name), ParseType());
    SkipLocation();
  } while (cursor_.Consume(","));
  return arguments;
}

// Up to and including the closing brace.
void TextParser::ParseBlockBody(Block& block) {
  while (!cursor_.Consume("}")) {
    if (cursor_.At("^")) throw Unimplemented(cursor_.Place() + ": regions of more than one block are not implemented");
    if (cursor_.AtEnd()) cursor_.Expected("an op or '}'");
    ParseOp(block);
  }
}

Region TextParser::ParseRegion(const std::vector<std::pair<std::string, Type>>& given) {
  Nesting nesting(*this);
  Region region;
  region.blocks.emplace_back();
  Block& block = region.blocks.back();
  scopes_.emplace_back();
  cursor_.Expect("{");
  std::vector<std::pair<std::string, Type>> arguments = given;
  if (given.empty() && cursor_.Consume("^")) {
    cursor_.Suffix("the name of a block");
    if (cursor_.Consume("(")) {
      if (!cursor_.At(")")) arguments = ParseBlockArguments();
      cursor_.Expect(")");
    }
    cursor_.Expect(":");
  }
  for (auto& [name, type] : arguments) {
    ValueId value = NewValue(type);
    if (!name.empty()) Define(name, {value, 1});
    block.arguments.push_back(value);
    block.argument_types.push_back(type);
  }
  ParseBlockBody(block);
  scopes_.pop_back();
  return region;
}

std::string TextParser::CanonicalName(std::string name) {
  if (name == "func.return" || name == "stablehlo.return" || name == "sdy.return") return "return";
  if (name == "func.call") return "call";
  return name;
}

// After the name in quotes: (%0) <{...}> ({...}) {...} : (...) -> ...
void TextParser::ParseGenericOp(Op& op) {
  cursor_.Expect("(");
  ParseOperands(op);
  cursor_.Expect(")");
  if (cursor_.At("[")) throw Unimplemented(cursor_.Place() + ": successors are not implemented");
  if (cursor_.Consume("<")) {
    op.attributes = ParseDictionary();
    cursor_.Expect(">");
  }
  if (cursor_.Consume("(")) {
    do {
      op.regions.push_back(ParseRegion({}));
    } while (cursor_.Consume(","));
    cursor_.Expect(")");
  }
  for (auto& [name, value] : ParseOptionalDictionary()) {
    if (!op.attributes.emplace(name, value).second) cursor_.Fail("attribute " + name + " is there twice");
  }
  cursor_.Expect(":");
  ParseFunctionalSignature(op);
}

void TextParser::Finish(Op& op) {
  const OpInfo& info = *FindOp(op.name);
  FlattenAttributes(op, info);
  std::vector<Type> operand_types;
  for (ValueId operand : op.operands) operand_types.push_back(value_types_[static_cast<size_t>(operand)]);
  FillDefaults(op, operand_types);
}

// Annotations of Shardy on a value: their result is their operand. sdy.sharding_constraint %0 <@mesh, [{"x"}]> : T
bool TextParser::ParseIdentity(const std::string& name, bool generic,
                               const std::vector<std::pair<std::string, int64_t>>& names) {
  if (name != "sdy.sharding_constraint" && name != "sdy.reshard") return false;
  Op op;
  op.name = name;
  if (generic) {
    ParseGenericOp(op);
  } else {
    ParseOperand(op);
    cursor_.Balanced();
    ParseOptionalDictionary();
    cursor_.Expect(":");
    op.result_types = {ParseType()};
    CheckOperandTypes(op, op.result_types);
  }
  SkipLocation();
  if (op.operands.size() != 1 || names.size() != 1 || names[0].second != 1) cursor_.Fail(name + " has one result");
  Define(names[0].first, {op.operands[0], 1});
  return true;
}

void TextParser::ParseOp(Block& block) {
  std::vector<std::pair<std::string, int64_t>> names;
  int64_t named = 0;
  if (cursor_.At("%")) {
    do {
      cursor_.Expect("%");
      std::string name = cursor_.Suffix("the name of a value");
      int64_t count = cursor_.Consume(":") ? cursor_.Integer() : 1;
      if (count < 1 || count > 1 << 20) cursor_.Fail("a value of " + std::to_string(count) + " results");
      names.emplace_back(std::move(name), count);
      named += count;
    } while (cursor_.Consume(","));
    cursor_.Expect("=");
  }
  Op op;
  op.location = cursor_.Place();
  size_t start = cursor_.position();
  bool generic = cursor_.At("\"");
  op.name = CanonicalName(generic ? cursor_.Quoted() : cursor_.Word("an op"));
  if (ParseIdentity(op.name, generic, names)) return;
  const OpInfo* info = FindOp(op.name);
  if (!info) {
    cursor_.set_position(start);
    size_t dot = op.name.find('.');
    if (op.name.rfind("stablehlo.", 0) == 0) cursor_.Fail("StableHLO has no op " + op.name);
    if (dot == std::string::npos) cursor_.Fail("unknown op " + op.name);
    cursor_.Fail("unknown dialect " + op.name.substr(0, dot) + " in the op " + op.name);
  }
  if (!info->check) throw Unimplemented(op.location + ": the op " + op.name + " is not implemented");
  if (generic) {
    ParseGenericOp(op);
  } else {
    ParsePrettyOp(op);
  }
  SkipLocation();
  Finish(op);
  if (!names.empty() && named != static_cast<int64_t>(op.result_types.size())) {
    cursor_.set_position(start);
    cursor_.Fail(op.name + " has " + std::to_string(op.result_types.size()) + " results, named are " +
                 std::to_string(named));
  }
  for (const Type& type : op.result_types) op.results.push_back(NewValue(type));
  ValueId next = op.results.empty() ? 0 : op.results[0];
  for (auto& [name, count] : names) {
    Define(name, {next, static_cast<int32_t>(count)});
    next += static_cast<ValueId>(count);
  }
  block.ops.push_back(std::move(op));
}

}  // namespace reference
