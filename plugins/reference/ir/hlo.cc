#include "ir/hlo.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/primitive_type.h"
#include "base/protobuf.h"
#include "ir/ir.h"
#include "ir/print_attributes.h"

namespace reference {

namespace {

// Opcodes that StableHLO spells alike, but for '-', and that take nothing but operands.
const std::set<std::string_view> kElementwise = {
    "abs", "add", "and", "atan2", "bitcast-convert", "cbrt", "ceil", "clamp", "complex", "convert", "cosine",
    "count-leading-zeros", "divide", "exponential", "exponential-minus-one", "floor", "imag", "is-finite", "log",
    "log-plus-one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or", "popcnt", "power", "real",
    "remainder", "reshape", "round-nearest-afz", "round-nearest-even", "rsqrt", "select", "shift-left",
    "shift-right-arithmetic", "shift-right-logical", "sign", "sine", "sqrt", "subtract", "tan", "tanh", "xor"};

struct Dimensions {
  const char* op;
  const char* attribute;
  bool is_list;
};
// Opcodes of which StableHLO calls the dimensions something else.
const std::map<std::string_view, Dimensions> kWithDimensions = {
    {"broadcast", {"broadcast_in_dim", "broadcast_dimensions", true}},
    {"concatenate", {"concatenate", "dimension", false}},
    {"iota", {"iota", "iota_dimension", false}},
    {"reverse", {"reverse", "dimensions", true}},
    {"transpose", {"transpose", "permutation", true}},
};

struct DotDimensions {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
};

struct Instruction {
  std::string name, opcode, direction, comparison;
  Type type;
  std::string_view literal;
  int64_t id = 0, parameter = 0, tuple_index = 0;
  std::vector<int64_t> dimensions, operands, called;
  DotDimensions dot;
  bool is_sharded = false;
};

struct Computation {
  std::vector<Instruction> instructions;
  int64_t root = 0;
};

// A value of HLO: of a tuple, the names of its leaves.
struct Value {
  Type type;
  std::vector<std::string> names;
};

std::string Text(const ProtoReader& reader) { return std::string(reader.Bytes().value_or("")); }

Type ReadShape(std::string_view bytes, int depth = 0) {
  if (depth == 100) throw InvalidArgument("an HLO shape of too many tuples");
  Type type;
  std::vector<int64_t> dynamic;
  int64_t number = 0;
  ProtoReader reader(bytes, "ShapeProto");
  while (reader.Next()) {
    switch (reader.field()) {
      case 2: number = reader.Varint().value_or(0); break;
      case 3: reader.AppendInts(type.array.dims); break;
      case 4: type.elements.push_back(ReadShape(reader.Bytes().value_or(""), depth + 1)); break;
      case 6: reader.AppendInts(dynamic); break;
    }
  }
  type.is_tuple = number == 13;
  if (type.is_tuple) return type;
  type.array.type = FromPrimitiveType(number);
  if (BitWidth(type.array.type) == 0) throw Unimplemented("HLO values of the primitive type " + std::to_string(number));
  if (std::count(dynamic.begin(), dynamic.end(), 0) != static_cast<int64_t>(dynamic.size())) {
    throw Unimplemented("HLO shapes with dynamic dimensions");
  }
  ElementCount(type.array.dims);
  return type;
}

DotDimensions ReadDot(std::string_view bytes) {
  DotDimensions dot;
  ProtoReader reader(bytes, "DotDimensionNumbers");
  std::vector<int64_t>* const fields[] = {&dot.lhs_contracting, &dot.rhs_contracting, &dot.lhs_batch, &dot.rhs_batch};
  while (reader.Next()) {
    if (reader.field() <= 4) reader.AppendInts(*fields[reader.field() - 1]);
  }
  return dot;
}

// A sharding, unless it is of the type REPLICATED or MAXIMAL.
bool IsSharding(std::string_view bytes) {
  int64_t type = 0;
  ProtoReader reader(bytes, "OpSharding");
  while (reader.Next()) {
    if (reader.field() == 1) type = reader.Varint().value_or(0);
  }
  return type > 1;
}

Instruction ReadInstruction(std::string_view bytes) {
  Instruction result;
  ProtoReader reader(bytes, "HloInstructionProto");
  while (reader.Next()) {
    switch (reader.field()) {
      case 1: result.name = Text(reader); break;
      case 2: result.opcode = Text(reader); break;
      case 3: result.type = ReadShape(reader.Bytes().value_or("")); break;
      case 8: result.literal = reader.Bytes().value_or(""); break;
      case 9: result.parameter = reader.Varint().value_or(0); break;
      case 13: result.tuple_index = reader.Varint().value_or(0); break;
      case 14: reader.AppendInts(result.dimensions); break;
      case 30: result.dot = ReadDot(reader.Bytes().value_or("")); break;
      case 35: result.id = reader.Varint().value_or(0); break;
      case 36: reader.AppendInts(result.operands); break;
      case 38: reader.AppendInts(result.called); break;
      case 40: result.is_sharded = IsSharding(reader.Bytes().value_or("")); break;
      case 63: result.direction = Text(reader); break;
      case 72: result.comparison = Text(reader); break;
    }
  }
  return result;
}

void Flatten(const Type& type, std::vector<Type>& leaves) {
  if (!type.is_tuple) return leaves.push_back(type);
  for (const Type& element : type.elements) Flatten(element, leaves);
}

std::vector<Type> Leaves(const Type& type) {
  std::vector<Type> leaves;
  Flatten(type, leaves);
  return leaves;
}

std::string TypesOf(const std::vector<Type>& types) {
  std::string text;
  for (const Type& type : types) text += (text.empty() ? "" : ", ") + type.ToString();
  return text;
}

std::string NamesOf(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string ListOf(const std::vector<int64_t>& values) {
  return values.empty() ? "array<i64>" : "array<i64: " + Join(values) + ">";
}

// The elements of a LiteralProto in order, as "0x..." of a dense attribute.
std::string HexOf(const Instruction& constant) {
  const ElementType type = constant.type.array.type;
  const size_t width = ByteWidth(type);
  std::string bytes;
  std::vector<int64_t> numbers, minor_to_major;
  ProtoReader reader(constant.literal, "LiteralProto");
  while (reader.Next()) {
    if (reader.field() == 1) {
      ProtoReader shape(reader.Bytes().value_or(""), "ShapeProto");
      while (shape.Next()) {
        if (shape.field() != 5) continue;
        ProtoReader layout(shape.Bytes().value_or(""), "LayoutProto");
        while (layout.Next()) {
          if (layout.field() == 1) layout.AppendInts(minor_to_major);
        }
      }
    } else if (reader.field() == 2 || (reader.field() >= 4 && reader.field() <= 7)) {
      reader.AppendInts(numbers);
    } else {
      bytes += reader.Bytes().value_or("");
    }
  }
  if (!std::is_sorted(minor_to_major.rbegin(), minor_to_major.rend())) {
    throw Unimplemented("the HLO constant " + constant.name + ", whose layout is not row-major");
  }
  if (BitWidth(type) < 8 && type != ElementType::kPred) {
    throw Unimplemented("the HLO constant " + constant.name + " of the type " + Name(type));
  }
  // Little endian, as every machine that this plugin is built for.
  for (const int64_t number : numbers) bytes.append(reinterpret_cast<const char*>(&number), width);
  if (bytes.size() != constant.type.array.bytes()) {
    throw InvalidArgument("the HLO constant " + constant.name + " has " + std::to_string(bytes.size()) + " bytes for " +
                          constant.type.ToString());
  }
  std::string text = "0x";
  for (const char byte : bytes) {
    for (const int digit : {byte >> 4 & 15, byte & 15}) text += "0123456789ABCDEF"[digit];
  }
  return text;
}

class Writer {
 public:
  explicit Writer(std::map<int64_t, Computation> computations) : computations_(std::move(computations)) {}

  // Writes the instructions of a computation. @returns its result
  Value Write(int64_t id, const std::vector<Value>& arguments) {
    const auto found = computations_.find(id);
    if (found == computations_.end()) throw InvalidArgument("the HLO module has no computation " + std::to_string(id));
    if (++depth_ > 100) throw InvalidArgument("the HLO module has calls that are too deep");
    std::map<int64_t, Value> values;
    for (const Instruction& instruction : found->second.instructions) {
      if (++count_ > 1 << 20) throw InvalidArgument("the HLO module has too many instructions");
      if (instruction.is_sharded) throw Unimplemented("the sharding of the HLO instruction " + instruction.name);
      std::vector<Value> operands;
      for (const int64_t operand : instruction.operands) operands.push_back(At(values, operand));
      values[instruction.id] = WriteInstruction(instruction, operands, arguments);
    }
    --depth_;
    return At(values, found->second.root);
  }

  Value Define(const Type& type) {
    Value value = {type, {}};
    for (size_t i = Leaves(type).size(); i > 0; --i) value.names.push_back("%v" + std::to_string(next_++));
    return value;
  }

  // Name and type of each leaf, as of arguments.
  static std::string Declared(const std::vector<Value>& values, const std::map<int64_t, int64_t>& aliases = {}) {
    std::string text;
    int64_t number = 0;
    for (const Value& value : values) {
      const std::vector<Type> leaves = Leaves(value.type);
      for (size_t i = 0; i < leaves.size(); ++i, ++number) {
        text += (text.empty() ? "" : ", ") + value.names[i] + ": " + leaves[i].ToString();
        const auto alias = aliases.find(number);
        if (alias != aliases.end()) text += " {tf.aliasing_output = " + std::to_string(alias->second) + " : i32}";
      }
    }
    return text;
  }

  const Computation* Find(int64_t id) const {
    const auto found = computations_.find(id);
    return found == computations_.end() ? nullptr : &found->second;
  }

  std::string Take() { return std::move(text_); }

 private:
  static const Value& At(const std::map<int64_t, Value>& values, int64_t id) {
    const auto found = values.find(id);
    if (found == values.end()) throw InvalidArgument("no earlier HLO instruction has the id " + std::to_string(id));
    return found->second;
  }

  Value WriteInstruction(const Instruction& instruction, const std::vector<Value>& operands,
                         const std::vector<Value>& arguments) {
    const std::string& opcode = instruction.opcode;
    const auto invalid = [&](const char* what) {
      return InvalidArgument("the HLO instruction " + instruction.name + " (" + opcode + ") " + what);
    };
    if (opcode == "parameter") {
      if (instruction.parameter < 0 || static_cast<size_t>(instruction.parameter) >= arguments.size() ||
          arguments[static_cast<size_t>(instruction.parameter)].type != instruction.type) {
        throw invalid("is no argument of its computation");
      }
      return arguments[static_cast<size_t>(instruction.parameter)];
    }
    if (opcode == "tuple") {
      Value tuple = {{}, {}};
      tuple.type.is_tuple = true;
      for (const Value& operand : operands) {
        tuple.type.elements.push_back(operand.type);
        tuple.names.insert(tuple.names.end(), operand.names.begin(), operand.names.end());
      }
      return tuple;
    }
    if (opcode == "get-tuple-element") {
      const auto index = static_cast<size_t>(instruction.tuple_index);
      if (operands.size() != 1 || index >= operands[0].type.elements.size()) throw invalid("takes no element of a tuple");
      auto first = operands[0].names.begin();
      for (size_t i = 0; i < index; ++i) first += static_cast<long>(Leaves(operands[0].type.elements[i]).size());
      const Type& type = operands[0].type.elements[index];
      return {type, {first, first + static_cast<long>(Leaves(type).size())}};
    }
    if (opcode == "copy" && operands.size() == 1) return operands[0];
    if (opcode == "call") {
      if (instruction.called.size() != 1) throw invalid("does not call one computation");
      return Write(instruction.called[0], operands);
    }
    if (opcode == "constant") {
      return Op(instruction, "constant", {},
                "{value = dense<\"" + HexOf(instruction) + "\"> : " + instruction.type.ToString() + "}");
    }
    if (kElementwise.count(opcode) > 0) {
      std::string name = opcode;
      std::replace(name.begin(), name.end(), '-', '_');
      return Op(instruction, name, operands, "");
    }
    if (const auto found = kWithDimensions.find(opcode); found != kWithDimensions.end()) {
      const Dimensions& form = found->second;
      if (!form.is_list && instruction.dimensions.size() != 1) throw invalid("has not one dimension");
      return Op(instruction, form.op, operands,
                std::string("{") + form.attribute + " = " +
                    (form.is_list ? ListOf(instruction.dimensions) : std::to_string(instruction.dimensions[0]) + " : i64") + "}");
    }
    if (opcode == "compare") {
      const std::string& type = instruction.comparison;
      return Op(instruction, "compare", operands,
                "{comparison_direction = #stablehlo<comparison_direction " + instruction.direction + ">" +
                    (type.empty() ? "" : ", compare_type = #stablehlo<comparison_type " + type + ">") + "}");
    }
    if (opcode == "dot") {
      const DotDimensions& dot = instruction.dot;
      return Op(instruction, "dot_general", operands,
                "{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [" + Join(dot.lhs_batch) +
                    "], rhs_batching_dimensions = [" + Join(dot.rhs_batch) + "], lhs_contracting_dimensions = [" +
                    Join(dot.lhs_contracting) + "], rhs_contracting_dimensions = [" + Join(dot.rhs_contracting) + "]>}");
    }
    if (opcode == "reduce") {
      if (instruction.called.size() != 1) throw invalid("does not call one computation");
      return Op(instruction, "reduce", operands, "{dimensions = " + ListOf(instruction.dimensions) + "}", [&] {
        std::vector<Value> scalars;
        for (int half = 0; half < 2; ++half) {
          for (size_t i = operands.size() / 2; i < operands.size(); ++i) scalars.push_back(Define(operands[i].type));
        }
        text_ += "^bb0(" + Declared(scalars) + "):\n";
        const Value result = Write(instruction.called[0], scalars);
        text_ += "\"stablehlo.return\"(" + NamesOf(result.names) + ") : (" + TypesOf(Leaves(result.type)) + ") -> ()\n";
      });
    }
    throw Unimplemented("the HLO instruction " + instruction.name + " (" + opcode + ")");
  }

  template <typename WriteRegion = std::nullptr_t>
  Value Op(const Instruction& instruction, const std::string& name, const std::vector<Value>& operands,
           const std::string& attributes, WriteRegion region = nullptr) {
    std::vector<std::string> names;
    std::vector<Type> types;
    for (const Value& operand : operands) {
      names.insert(names.end(), operand.names.begin(), operand.names.end());
      Flatten(operand.type, types);
    }
    const Value result = Define(instruction.type);
    text_ += NamesOf(result.names) + " = \"stablehlo." + name + "\"(" + NamesOf(names) + ")";
    if constexpr (!std::is_same_v<WriteRegion, std::nullptr_t>) {
      text_ += " ({\n";
      region();
      text_ += "})";
    }
    text_ += " " + attributes + " : (" + TypesOf(types) + ") -> (" + TypesOf(Leaves(instruction.type)) + ")\n";
    return result;
  }

  const std::map<int64_t, Computation> computations_;
  std::string text_;
  int depth_ = 0;
  int64_t count_ = 0;
  int64_t next_ = 0;
};

Computation ReadComputation(std::string_view bytes, int64_t& id) {
  Computation computation;
  ProtoReader reader(bytes, "HloComputationProto");
  while (reader.Next()) {
    switch (reader.field()) {
      case 2: computation.instructions.push_back(ReadInstruction(reader.Bytes().value_or(""))); break;
      case 5: id = reader.Varint().value_or(0); break;
      case 6: computation.root = reader.Varint().value_or(0); break;
    }
  }
  return computation;
}

// Output by argument, of aliases of whole arrays.
void ReadAliases(std::string_view bytes, std::map<int64_t, int64_t>& aliases) {
  ProtoReader reader(bytes, "HloInputOutputAliasProto");
  while (reader.Next()) {
    if (reader.field() != 1) continue;
    std::vector<int64_t> output, inside;
    int64_t parameter = 0;
    ProtoReader entry(reader.Bytes().value_or(""), "AliasEntryProto");
    while (entry.Next()) {
      switch (entry.field()) {
        case 1: entry.AppendInts(output); break;
        case 2: parameter = entry.Varint().value_or(0); break;
        case 3: entry.AppendInts(inside); break;
      }
    }
    if (output.size() > 1 || !inside.empty()) throw Unimplemented("aliases of nested tuples in an HLO module");
    aliases[parameter] = output.empty() ? 0 : output[0];
  }
}

}  // namespace

std::string TextOfHlo(std::string_view module) {
  std::string name;
  int64_t entry = 0;
  std::map<int64_t, Computation> computations;
  std::map<int64_t, int64_t> aliases;
  ProtoReader reader(module, "HloModuleProto");
  while (reader.Next()) {
    switch (reader.field()) {
      case 1: name = Text(reader); break;
      case 3: {
        int64_t id = 0;
        Computation computation = ReadComputation(reader.Bytes().value_or(""), id);
        computations[id] = std::move(computation);
        break;
      }
      case 6: entry = reader.Varint().value_or(0); break;
      case 8: ReadAliases(reader.Bytes().value_or(""), aliases); break;
    }
  }
  Writer writer(std::move(computations));
  std::map<int64_t, Value> parameters;
  if (const Computation* main = writer.Find(entry)) {
    for (const Instruction& instruction : main->instructions) {
      if (instruction.opcode == "parameter") parameters[instruction.parameter] = writer.Define(instruction.type);
    }
  }
  std::vector<Value> arguments;
  for (const auto& [number, value] : parameters) {
    if (number != static_cast<int64_t>(arguments.size())) throw InvalidArgument("the HLO module lacks a parameter");
    arguments.push_back(value);
  }
  const Value result = writer.Write(entry, arguments);
  const std::string types = TypesOf(Leaves(result.type));
  return "module @" + PrintQuoted(name) + " {\nfunc.func public @main(" + Writer::Declared(arguments, aliases) + ") -> (" +
         types + ") {\n" + writer.Take() + "\"func.return\"(" + NamesOf(result.names) + ") : (" + types + ") -> ()\n}\n}\n";
}

std::string_view ModuleWithoutConfig(std::string_view module_with_config) {
  std::string_view module;
  ProtoReader reader(module_with_config, "HloModuleProtoWithConfig");
  while (reader.Next()) {
    if (reader.field() == 1) module = reader.Bytes().value_or("");
  }
  return module;
}

}  // namespace reference
