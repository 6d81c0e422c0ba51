#include "rewriting.h"

#include <algorithm>

#include "habits.h"
#include "programs.h"

namespace designs {

std::string Rewriter::Rewrite(std::string_view code, const std::vector<Change>& changes) {
  try {
    reference::Module module = reference::ReadProgram(code);
    Rewriter rewriter(changes);
    for (auto& [name, function] : module.functions) rewriter.Rewrite(function);
    if (!rewriter.changed_) return "";
    std::string text = reference::Print(module);
    reference::ParseText(text);
    return text;
  } catch (const std::exception&) {
    return "";
  }
}

void Rewriter::Emit(Op op) {
  for (size_t i = 0; i < op.results.size(); ++i) types_[op.results[i]] = op.result_types[i];
  out_->push_back(std::move(op));
}

std::vector<ValueId> Rewriter::Insert(std::string text, const std::vector<std::pair<std::string, std::string>>& words,
                                      const std::vector<ValueId>& arguments) {
  for (const auto& [word, meaning] : words) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + meaning.size())) {
      text.replace(at, word.size(), meaning);
    }
  }
  const reference::Module module = reference::ParseText(text);
  const reference::Block& body = module.main().body;
  std::map<ValueId, ValueId> names;
  for (size_t i = 0; i < arguments.size(); ++i) names[body.arguments[i]] = arguments[i];
  for (Op op : body.ops) {
    Rename(op, names);
    if (op.name == "return") return op.operands;
    Emit(std::move(op));
  }
  return {};
}

Op Rewriter::Copy(const Op& op) {
  Op copy = op;
  std::map<ValueId, ValueId> names;
  Rename(copy, names);
  return copy;
}

/** Gives new names to what an op defines, and those of `names` to its operands. */
void Rewriter::Rename(Op& op, std::map<ValueId, ValueId>& names) {
  for (ValueId& operand : op.operands) {
    const auto found = names.find(operand);
    if (found != names.end()) operand = found->second;
  }
  const auto rename = [&](ValueId& value) { value = names[value] = function_->value_count++; };
  for (reference::Region& region : op.regions) {
    for (reference::Block& block : region.blocks) {
      for (ValueId& argument : block.arguments) rename(argument);
      for (Op& inner : block.ops) Rename(inner, names);
    }
  }
  for (ValueId& result : op.results) rename(result);
}

void Rewriter::Rewrite(reference::Function& function) {
  function_ = &function;
  types_.clear();
  others_.clear();
  Rewrite(function.body, true);
}

/** Regions of control flow are programs; those of reductions, sorts and the like stay as they are. */
void Rewriter::Rewrite(reference::Block& block, bool may_change) {
  for (size_t i = 0; i < block.arguments.size(); ++i) types_[block.arguments[i]] = block.argument_types[i];
  std::vector<Op> ops, *const outer = out_;
  out_ = &ops;
  for (Op& op : block.ops) {
    for (ValueId& operand : op.operands) {
      for (auto found = others_.find(operand); found != others_.end(); found = others_.find(operand)) operand = found->second;
    }
    const bool control = op.name == "stablehlo.while" || op.name == "stablehlo.if" || op.name == "stablehlo.case";
    for (reference::Region& region : op.regions) {
      for (reference::Block& inner : region.blocks) Rewrite(inner, may_change && control);
    }
    if (!may_change || !IsPlain(op) || !ChangeOp(op)) Emit(std::move(op));
  }
  block.ops = std::move(ops);
  out_ = outer;
}

bool Rewriter::ChangeOp(Op& op) {
  const bool changed = std::any_of(changes_.begin(), changes_.end(), [&](Change change) { return change(*this, op); });
  changed_ = changed_ || changed;
  return changed;
}

/** Whether all operands and results are arrays of constant size. */
bool Rewriter::IsPlain(const Op& op) const {
  const auto plain = [](const Type& type) {
    if (type.is_tuple) return false;
    return std::all_of(type.array.dims.begin(), type.array.dims.end(), [](int64_t dim) { return dim >= 0; }) &&
           type.ToString().find_first_of("?!#") == std::string::npos;
  };
  for (const ValueId operand : op.operands) {
    const auto found = types_.find(operand);
    if (found == types_.end() || !plain(found->second)) return false;
  }
  return !op.results.empty() && std::all_of(op.result_types.begin(), op.result_types.end(), plain);
}

void ChangePrograms(Rewriter::Change change) {
  static auto& changes = *new std::vector<Rewriter::Change>();
  changes.push_back(change);
  if (changes.size() > 1) return;
  const auto wrap = [](auto& args, auto& original) -> PJRT_Error* {
    using Args = std::remove_reference_t<decltype(args)>;
    const auto code = HAS(args, Args, program) ? Mlir(args.program) : std::nullopt;
    std::string text = code ? Rewriter::Rewrite(*code, changes) : "";
    if (text.empty()) return original(&args);
    StructCopy<PJRT_Program> program(*args.program);
    program->code = text.data();
    program->code_size = text.size();
    return With(args, original, args.program, program.get());
  };
  Replace<SLOT(PJRT_Client_Compile)>(wrap);
  Replace<SLOT(PJRT_Compile)>(wrap);
}

}  // namespace designs
