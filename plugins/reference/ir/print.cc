// Writes a module as generic MLIR, with the attributes in StableHLO's form.

#include "ir/op_table.h"
#include "ir/print_attributes.h"

namespace reference {
namespace {

// One name per value: its number, which is unique in a function.
std::string Name(ValueId value) { return "%" + std::to_string(value); }

std::string Types(const std::vector<Type>& types, bool always_parenthesized) {
  if (types.size() == 1 && !always_parenthesized) return types[0].ToString();
  std::string text = "(";
  for (size_t i = 0; i < types.size(); ++i) text += (i > 0 ? ", " : "") + types[i].ToString();
  return text + ")";
}

class FunctionPrinter {
 public:
  FunctionPrinter(const Function& function, std::string* text)
      : function_(function), types_(static_cast<size_t>(function.value_count)), text_(*text) {}

  void Print() {
    text_ += "  \"func.func\"() <{";
    auto dictionaries = [&](const char* name, const std::vector<Dictionary>& list) {
      bool any = false;
      for (const Dictionary& entry : list) any = any || !entry.empty();
      if (!any) return;
      text_ += std::string(name) + " = [";
      for (size_t i = 0; i < list.size(); ++i) text_ += (i > 0 ? ", " : "") + PrintDictionary(list[i]);
      text_ += "], ";
    };
    dictionaries("arg_attrs", function_.argument_attributes);
    text_ += "function_type = " + Types(function_.argument_types, true) + " -> " + Types(function_.result_types, true);
    text_ += ", ";
    dictionaries("res_attrs", function_.result_attributes);
    text_ += "sym_name = " + PrintQuoted(function_.name) + ", sym_visibility = ";
    text_ += function_.is_public ? "\"public\"}> ({\n" : "\"private\"}> ({\n";
    PrintBlock(function_.body, "  ", "func.return");
    text_ += "  }) : () -> ()\n";
  }

 private:
  void PrintBlock(const Block& block, const std::string& indent, const char* return_name) {
    text_ += indent + "^bb0(";
    for (size_t i = 0; i < block.arguments.size(); ++i) {
      Define(block.arguments[i], block.argument_types[i]);
      text_ += (i > 0 ? ", " : "") + Name(block.arguments[i]) + ": " + block.argument_types[i].ToString();
    }
    text_ += "):\n";
    for (const Op& op : block.ops) PrintOp(op, indent + "  ", return_name);
  }

  void PrintOp(const Op& op, const std::string& indent, const char* return_name) {
    text_ += indent;
    for (size_t i = 0; i < op.results.size(); ++i) text_ += (i > 0 ? ", " : "") + Name(op.results[i]);
    if (!op.results.empty()) text_ += " = ";
    text_ += "\"" + (op.name == "return" ? return_name : op.name == "call" ? "func.call" : op.name) + "\"(";
    std::vector<Type> operand_types;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      text_ += (i > 0 ? ", " : "") + Name(op.operands[i]);
      operand_types.push_back(types_[static_cast<size_t>(op.operands[i])]);
    }
    text_ += ")";
    Dictionary others;
    std::string properties = PrintProperties(op, &others);
    if (!properties.empty()) text_ += " <{" + properties + "}>";
    if (!op.regions.empty()) {
      text_ += " (";
      for (size_t i = 0; i < op.regions.size(); ++i) {
        text_ += i > 0 ? ", {\n" : "{\n";
        PrintBlock(op.regions[i].block(), indent, "stablehlo.return");
        text_ += indent + "}";
      }
      text_ += ")";
    }
    if (!others.empty()) text_ += " " + PrintDictionary(others);
    for (size_t i = 0; i < op.results.size(); ++i) Define(op.results[i], op.result_types[i]);
    text_ += " : " + Types(operand_types, true) + " -> " + Types(op.result_types, false) + "\n";
  }

  void Define(ValueId value, const Type& type) { types_[static_cast<size_t>(value)] = type; }

  const Function& function_;
  std::vector<Type> types_;
  std::string& text_;
};

}  // namespace

std::string Print(const Module& module) {
  std::string text = "\"builtin.module\"()";
  if (!module.name.empty()) text += " <{sym_name = " + PrintQuoted(module.name) + "}>";
  text += " ({\n";
  for (const auto& [name, function] : module.functions) FunctionPrinter(function, &text).Print();
  text += "})";
  if (!module.attributes.empty()) text += " " + PrintDictionary(module.attributes);
  return text + " : () -> ()\n";
}

}  // namespace reference
