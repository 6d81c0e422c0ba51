// Programs that are compiled as another compiler would understand them.
#ifndef PJRT_DESIGNS_REWRITING_H_
#define PJRT_DESIGNS_REWRITING_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace designs {

using reference::Op;
using reference::Type;
using reference::ValueId;

/** Goes through a program and changes its ops. */
class Rewriter {
 public:
  /** Emits something instead of an op, whose operands are final; false, with nothing emitted, if it is not concerned. */
  using Change = bool (*)(Rewriter& program, Op& op);

  /** The program with all changes made, or empty if there are none or it cannot be read. */
  static std::string Rewrite(std::string_view code, const std::vector<Change>& changes);

  const Type& TypeOf(ValueId value) const { return types_.at(value); }
  void Emit(Op op);
  /**
   * Emits the body of a @main with these arguments, and returns its results. Each key of `words`, such as $T, stands for its value
   * in the text.
   */
  std::vector<ValueId> Insert(std::string text, const std::vector<std::pair<std::string, std::string>>& words,
                              const std::vector<ValueId>& arguments);
  /** A copy of an op, whose results and whose regions' values are new. */
  Op Copy(const Op& op);
  /** From here on, another value is meant. */
  void Substitute(ValueId value, ValueId other) { others_[value] = other; }

 private:
  explicit Rewriter(const std::vector<Change>& changes) : changes_(changes) {}
  void Rename(Op& op, std::map<ValueId, ValueId>& names);
  void Rewrite(reference::Function& function);
  void Rewrite(reference::Block& block, bool may_change);
  bool IsPlain(const Op& op) const;
  bool ChangeOp(Op& op);

  const std::vector<Change>& changes_;
  reference::Function* function_ = nullptr;
  std::map<ValueId, Type> types_;
  std::map<ValueId, ValueId> others_;
  std::vector<Op>* out_ = nullptr;
  bool changed_ = false;
};

/** Makes this change to all programs, which are given to the base as text then. */
void ChangePrograms(Rewriter::Change change);

}  // namespace designs

#endif
