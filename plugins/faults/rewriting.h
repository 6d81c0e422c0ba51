/**
 * Faults of compilers: the program is changed as it is compiled, so that the defect shows in whatever program has the operation in
 * that form.
 */
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "calls.h"

namespace faults {

using Lines = std::vector<std::string>;

/** Calls `body` with an executable of a loaded one. */
inline void WithExecutable(PJRT_LoadedExecutable* loaded, const std::function<void(PJRT_Executable*)>& body) {
  ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  get.loaded_executable = loaded;
  if (!Ask(Base().PJRT_LoadedExecutable_GetExecutable, get)) return;
  body(get.executable);
  ARGS(PJRT_Executable_Destroy, destroy);
  destroy.executable = get.executable;
  Ask(Base().PJRT_Executable_Destroy, destroy);
}
/** The program in the generic form of MLIR, one operation a line; empty if it cannot be had. */
inline std::string TextOf(PJRT_LoadedExecutable* loaded) {
  std::string text;
  WithExecutable(loaded, [&text](PJRT_Executable* executable) {
    PJRT_Program program{};
    program.struct_size = PJRT_Program_STRUCT_SIZE;
    ARGS(PJRT_Executable_OptimizedProgram, args);
    args.executable = executable;
    args.program = &program;
    if (!Ask(Base().PJRT_Executable_OptimizedProgram, args)) return;
    if (std::string_view(program.format, program.format_size) != "mlir") return;
    text.resize(program.code_size);
    program.code = text.data();
    if (!Ask(Base().PJRT_Executable_OptimizedProgram, args)) text.clear();
  });
  return text;
}
inline Lines Split(const std::string& text) {
  Lines lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}
inline std::string Join(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}
inline void Destroy(PJRT_LoadedExecutable* loaded) {
  ARGS(PJRT_LoadedExecutable_Destroy, args);
  args.executable = loaded;
  Ask(Base().PJRT_LoadedExecutable_Destroy, args);
}
inline PJRT_LoadedExecutable* CompileText(PJRT_Client* client, std::string text, std::string_view options) {
  static const std::string kFormat = "mlir";
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = text.data();
  program.code_size = text.size();
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  ARGS(PJRT_Client_Compile, args);
  args.client = client;
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  return Ask(Base().PJRT_Client_Compile, args) ? args.executable : nullptr;
}
/** The compiler turns a program into another one where `change` returns true. */
inline void Miscompile(std::function<bool(Lines& lines, PJRT_LoadedExecutable* compiled)> change) {
  MarksItself();
  After<SLOT(PJRT_Client_Compile)>([change](auto& args) {
    const std::string text = TextOf(args.executable);
    // A partitioned program has operations that only the compiler itself can make.
    if (text.find("call_target_name = \"reference.") != std::string::npos) return;
    Lines lines = Split(text);
    if (lines.empty() || !change(lines, args.executable)) return;
    PJRT_LoadedExecutable* other = CompileText(args.client, Join(lines), {args.compile_options, args.compile_options_size});
    if (other == nullptr) return Missing("a compiler for changed text");
    MarkReached();
    Destroy(args.executable);
    args.executable = other;
  });
}
/** An operation of one line without regions: its results, operands, attributes and types. */
struct Op {
  std::string indent, result, attributes, result_type;
  std::vector<std::string> operands, types;
  std::string Text(const std::string& name) const {
    const auto list = [](const std::vector<std::string>& items) {
      std::string text;
      for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
      return text;
    };
    return indent + result + " = \"stablehlo." + name + "\"(" + list(operands) + ")" + attributes + " : (" + list(types) +
           ") -> " + result_type;
  }
};
inline std::vector<std::string> List(const std::string& text) {
  std::vector<std::string> items;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '<' || c == '{' || c == '[' || c == '(') ++depth;
    if (c == '>' || c == '}' || c == ']' || c == ')') --depth;
    if ((i == text.size() || (c == ',' && depth == 0))) {
      std::string item = text.substr(begin, i - begin);
      item.erase(0, item.find_first_not_of(' '));
      if (!item.empty()) items.push_back(item);
      begin = i + 1;
    }
  }
  return items;
}
/** What stands between two texts, the second after the first; empty if they are not there. */
inline std::string Between(const std::string& text, const std::string& before, const std::string& after) {
  const size_t at = text.find(before), begin = at + before.size();
  const size_t end = at == std::string::npos ? at : text.find(after, begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}
/** Reads a line with this operation, which has no regions. (No regular expressions: they need the locales of a C++ library
 * that may not be the one of the process.) */
inline bool Parse(const std::string& line, const std::string& name, Op& op) {
  const std::string mark = " = \"stablehlo." + name + "\"(";
  const size_t at = line.find(mark), types = line.rfind(" : (");
  if (line.size() > 4000 || at == std::string::npos || types == std::string::npos) return false;
  const size_t indent = line.find_first_not_of(' '), operands = at + mark.size(), closed = line.find(')', operands);
  const size_t arrow = line.find(") -> ", types);
  if (arrow == std::string::npos || closed > types || line[indent] != '%') return false;
  op.indent = line.substr(0, indent);
  op.result = line.substr(indent, at - indent);
  op.operands = List(line.substr(operands, closed - operands));
  op.attributes = line.substr(closed + 1, types - closed - 1);
  op.types = List(line.substr(types + 4, arrow - types - 4));
  op.result_type = line.substr(arrow + 5);
  return op.operands.size() == op.types.size();
}
/** The element type of a tensor type. */
inline std::string ElementOf(const std::string& type) {
  const size_t at = type.find_last_of('x', type.find("complex"));
  const size_t begin = at == std::string::npos ? type.find('<') + 1 : at + 1;
  return type.substr(begin, type.rfind('>') - begin);
}
inline std::vector<int64_t> DimsOf(const std::string& type) {
  std::vector<int64_t> dims;
  for (size_t begin = type.find('<') + 1, end; (end = type.find('x', begin)) != std::string::npos; begin = end + 1) {
    const std::string dim = type.substr(begin, end - begin);
    if (dim.empty() || dim.find_first_not_of("0123456789") != std::string::npos) break;
    dims.push_back(std::strtoll(dim.c_str(), nullptr, 10));
  }
  return dims;
}
inline std::string Tensor(const std::vector<int64_t>& dims, const std::string& element) {
  std::string text = "tensor<";
  for (int64_t dim : dims) text += std::to_string(dim) + "x";
  return text + element + ">";
}
inline std::string I64s(const std::vector<int64_t>& values) {
  std::string text = "array<i64";
  for (size_t i = 0; i < values.size(); ++i) text += (i == 0 ? ": " : ", ") + std::to_string(values[i]);
  return text + ">";
}
inline std::string Fresh() {
  static std::atomic<int> next{0};
  return "%other_" + std::to_string(next++);
}
inline std::string Constant(const std::string& indent, const std::string& name, const std::string& value, const std::string& type) {
  return indent + name + " = \"stablehlo.constant\"() <{value = dense<" + value + "> : " + type + "}> : () -> " + type;
}
inline std::string Made(const Op& like, const std::string& name, const std::string& op, std::vector<std::string> operands,
                 std::vector<std::string> types, const std::string& type, const std::string& attributes = "") {
  return Op{like.indent, name, attributes, type, std::move(operands), std::move(types)}.Text(op);
}
/** Replaces each line with the operation by others. */
inline void MiscompileOp(const std::string& name, std::function<Lines(Op op)> others) {
  Miscompile([name, others](Lines& lines, PJRT_LoadedExecutable*) {
    Lines changed;
    bool any = false;
    for (const std::string& line : lines) {
      Op op;
      const Lines instead = Parse(line, name, op) ? others(op) : Lines{};
      any = any || !instead.empty();
      if (instead.empty()) changed.push_back(line);
      else changed.insert(changed.end(), instead.begin(), instead.end());
    }
    lines.swap(changed);
    return any;
  });
}
inline std::vector<int64_t> Numbers(const std::string& text) {
  std::vector<int64_t> numbers;
  const auto is_digit = [&text](size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(i)) continue;
    const bool negative = i > 0 && text[i - 1] == '-';
    int64_t number = 0;
    for (; is_digit(i); ++i) number = number * 10 + (text[i] - '0');
    numbers.push_back(negative ? -number : number);
  }
  return numbers;
}
/** Index of the line that closes the regions of the operation in line `at`. */
inline size_t EndOf(const Lines& lines, size_t at) {
  const std::string close = lines[at].substr(0, lines[at].find_first_not_of(' ')) + "})";
  for (size_t i = at + 1; i < lines.size(); ++i) {
    if (lines[i].compare(0, close.size(), close) == 0) return i;
  }
  return lines.size();
}

}  // namespace faults
