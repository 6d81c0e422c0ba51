// Parses MLIR text into the canonical module. One object per text; its parts are in text_*.cc.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/ir.h"
#include "ir/op_table.h"
#include "ir/text_cursor.h"

namespace reference {

class TextParser {
 public:
  explicit TextParser(std::string_view text) : cursor_(text) {}

  Module ParseModule();

 private:
  struct FunctionType {
    std::vector<Type> inputs;
    std::vector<Type> outputs;
  };

  // text_module.cc
  void ParseTopLevel();
  void ParsePrettyModule();
  void ParseModuleBody();
  void ParseGenericModule();
  void ParseFunction();
  void ParseGenericFunction();
  void ParseFunctionBody(Function& function, std::vector<std::string> names);
  void AddFunction(Function function);
  void AddMesh(const std::string& name, std::string mesh);
  void ParseGenericMesh();
  bool ParseAlias();
  void CountNodes(size_t nodes);
  Dictionary ParseArgumentAttributes();
  void SkipLocation();

  // text_types.cc
  Type ParseType();
  ElementType ParseElementType();
  Type ParseTensorType();
  std::vector<Type> ParseTypeList();          // separated by commas, at least one
  std::vector<Type> ParseParenthesizedTypes();  // possibly none
  std::vector<Type> ParseResultTypes();       // a type, or types in parentheses
  FunctionType ParseFunctionType();

  // text_attributes.cc
  Attribute ParseAttribute();
  Attribute ParseNumber();
  Attribute ParseDenseArray();
  Attribute ParseAttributeList();
  Attribute ParseDialectAttribute();
  Attribute ParseStructure();
  Attribute ParseConvolutionNumbers();
  Dictionary ParseDictionary();  // with the braces
  Dictionary ParseOptionalDictionary();

  // text_literals.cc
  Attribute ParseDense();
  Array ParseDenseElements(std::string_view literal, size_t position, const ArrayType& type);

  // text_structured.cc: converts StableHLO's attributes to canonical ones.
  void FlattenAttributes(Op& op, const OpInfo& info);
  void FlattenStructure(Op& op, const std::string& name, const std::vector<std::string>& required,
                        const std::vector<std::string>& optional);
  Attribute Coerce(const Op& op, const AttributeRule& rule, Attribute value);

  // text_ops.cc
  void ParseOp(Block& block);
  bool ParseIdentity(const std::string& op, bool generic, const std::vector<std::pair<std::string, int64_t>>& names);
  void ParseGenericOp(Op& op);
  void ParsePrettyOp(Op& op);
  std::string CanonicalName(std::string name);
  Region ParseRegion(const std::vector<std::pair<std::string, Type>>& arguments);
  void ParseBlockBody(Block& block);
  std::vector<std::pair<std::string, Type>> ParseBlockArguments();  // %a: T, %b: T
  void Finish(Op& op);
  void ParseOperand(Op& op);
  void ParseOperands(Op& op);  // separated by commas; none if there is no %
  void ParseFunctionalSignature(Op& op);
  void CheckOperandTypes(const Op& op, const std::vector<Type>& types);

  // text_pretty.cc
  void ParseSyntax(Op& op, const OpInfo& info);
  void ParseClause(Op& op, const OpInfo& info, std::string_view name);
  void ParseCustomClause(Op& op, const OpInfo& info, std::string_view name);
  void ParseSignature(Op& op, std::string_view form);
  void ParseSlice(Op& op);
  void ParseConstant(Op& op);
  void ParseReturn(Op& op);
  void ParseBarrier(Op& op);
  void ParseDotGeneral(Op& op, const OpInfo& info);
  void ParseConvolution(Op& op);
  void ParseWindow(Op& op);
  Attribute ParseWindowPadding();
  void ParseFormat(Op& op);

  // text_pretty_regions.cc
  void ParseReduce(Op& op);
  void ParseReducer(Op& op);
  void ParseAppliedReducer(Op& op, const std::string& applied);
  void ParseWhile(Op& op);
  void ParseManualComputation(Op& op);

  // Values.
  struct Values {
    ValueId first = 0;
    int32_t count = 0;
  };
  using Scope = std::map<std::string, Values>;
  ValueId NewValue(Type type);
  void Define(const std::string& name, Values values);
  ValueId Lookup(const std::string& name, int64_t index);
  void BeginFunction();

  // Counts the nesting depth; throws if it is too large.
  class Nesting {
   public:
    explicit Nesting(TextParser& parser);
    ~Nesting();

   private:
    TextParser& parser_;
  };

  TextCursor cursor_;
  Module module_;
  bool seen_module_ = false;
  int depth_ = 0;
  size_t constant_bytes_ = 0;
  // Number of types and attributes read; an alias counts for all that it stands for, which limits aliases of aliases.
  size_t nodes_ = 0;
  template <typename T>
  struct Alias {
    T value;
    size_t nodes;
  };
  std::map<std::string, Alias<Attribute>> attribute_aliases_;
  std::map<std::string, Alias<Type>> type_aliases_;
  // Of the current function.
  std::vector<Scope> scopes_;
  std::vector<Type> value_types_;
};

}  // namespace reference
