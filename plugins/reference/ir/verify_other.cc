// Rules of input and output ops, and of random numbers.
#include "ir/verify.h"

namespace reference {
namespace {

using List = std::shared_ptr<std::vector<Attribute>>;

Type Token() { return ScalarType(ElementType::kToken); }

// One layout per value, each a permutation of the dimensions.
void CheckLayouts(const OpCheck& check, const char* name, const std::vector<Type>& types) {
  const List& layouts = *check.op.Find(name)->get<List>();
  if (layouts->empty()) return;
  // The layouts of a single tuple are those of its elements.
  const std::vector<Type>& values = types.size() == 1 && types[0].is_tuple ? types[0].elements : types;
  if (layouts->size() != values.size()) {
    check.Fail(std::string(name) + " has " + std::to_string(layouts->size()) + " entries for " +
               std::to_string(values.size()) + " values");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& layout = *(*layouts)[i].get<std::vector<int64_t>>();
    size_t rank = values[i].array.dims.size();
    std::vector<bool> seen(rank, false);
    bool good = layout.size() == rank && !values[i].is_tuple;
    for (size_t j = 0; good && j < rank; ++j) {
      good = layout[j] >= 0 && layout[j] < static_cast<int64_t>(rank) && !seen[static_cast<size_t>(layout[j])];
      if (good) seen[static_cast<size_t>(layout[j])] = true;
    }
    if (!good) check.Fail(std::string(name) + " is no order of the dimensions of " + values[i].ToString());
  }
}

// The type within tuples at the end of a path.
const Type& Follow(const OpCheck& check, const Type& type, const Attribute* path) {
  const auto* indices = path ? path->get<std::vector<int64_t>>() : nullptr;
  if (!indices) check.Fail("an alias without a path");
  const Type* at = &type;
  for (int64_t index : *indices) {
    bool good = at->is_tuple && index >= 0 && index < static_cast<int64_t>(at->elements.size());
    check.Require(good, "an alias leads to no value");
    at = &at->elements[static_cast<size_t>(index)];
  }
  return *at;
}

}  // namespace

void CheckCustomCall(const OpCheck& check, const OpInfo&) {
  check.Require(!check.String("call_target_name").empty(), "has no target");
  CheckLayouts(check, "operand_layouts", check.OperandTypes());
  CheckLayouts(check, "result_layouts", check.op.result_types);
  bool operands = (*check.op.Find("operand_layouts")->get<List>())->empty() && check.operands() > 0;
  bool results = (*check.op.Find("result_layouts")->get<List>())->empty() && !check.op.result_types.empty();
  bool any = !(*check.op.Find("operand_layouts")->get<List>())->empty() ||
             !(*check.op.Find("result_layouts")->get<List>())->empty();
  check.Require(!any || (!operands && !results), "has layouts only of operands or only of results");
  const Attribute& config = *check.op.Find("backend_config");
  bool typed = check.String("api_version") == "API_VERSION_TYPED_FFI";
  const std::string* text = config.get<std::string>();
  check.Require(typed ? !text || text->empty() : text != nullptr, "backend_config does not fit api_version");
  for (const Attribute& name : **check.op.Find("called_computations")->get<List>()) {
    if (!check.module.functions.count(*name.get<std::string>())) {
      check.Fail("the module has no function @" + *name.get<std::string>());
    }
  }
  for (const Attribute& attribute : **check.op.Find("output_operand_aliases")->get<List>()) {
    const Dictionary& alias = **attribute.get<std::shared_ptr<Dictionary>>();
    auto field = [&](const char* name) -> const Attribute* {
      auto found = alias.find(name);
      return found == alias.end() ? nullptr : &found->second;
    };
    const Attribute* index = field("operand_index");
    check.Require(index && index->get<int64_t>(), "an alias without an operand");
    const Type& operand = Follow(check, check.OperandType(*index->get<int64_t>()), field("operand_tuple_indices"));
    bool tuple = check.op.result_types.size() != 1;
    Type results = tuple ? Type{{}, true, check.op.result_types} : check.op.result_types[0];
    if (Follow(check, results, field("output_tuple_indices")) != operand) {
      check.Fail("an alias between values of different types");
    }
  }
}

void CheckInfeed(const OpCheck& check, const OpInfo&) {
  check.Require(check.OperandType(0) == Token(), "the operand is not a token");
  check.Require(!check.op.result_types.empty() && check.op.result_types.back() == Token(),
                "the last result is not a token");
  for (size_t i = 0; i + 1 < check.op.result_types.size(); ++i) check.Result(static_cast<int64_t>(i));
}

void CheckOutfeed(const OpCheck& check, const OpInfo&) {
  check.Require(check.operands() > 0 && check.OperandType(check.operands() - 1) == Token(),
                "the last operand is not a token");
  check.ExpectResult(0, Token());
}

void CheckSend(const OpCheck& check, const OpInfo& info) { CheckOutfeed(check, info); }

void CheckRecv(const OpCheck& check, const OpInfo& info) { CheckInfeed(check, info); }

void CheckRng(const OpCheck& check, const OpInfo&) {
  const ArrayType& a = check.Operand(0);
  const ArrayType& shape = check.Operand(2);
  const ArrayType& result = check.Result(0);
  check.Require(a.dims.empty() && check.Operand(1) == a, "the bounds are not two scalars of one type");
  bool normal = check.String("rng_distribution") == "NORMAL";
  check.Require(normal ? IsFloat(a.type) : IsOfClasses(a.type, "bif"), "does not make elements of this type");
  check.Require(IsInteger(shape.type) && shape.dims == Dims{static_cast<int64_t>(result.dims.size())},
                "the shape is not a list of one integer a dimension");
  check.Require(result.type == a.type, "the result is of another type than the bounds");
}

void CheckRngBitGenerator(const OpCheck& check, const OpInfo&) {
  const ArrayType& state = check.Operand(0);
  const std::string& algorithm = check.String("rng_algorithm");
  check.Require(state.dims.size() == 1 && IsInteger(state.type), "the state is not a list of integers");
  int64_t bytes = state.dims[0] * static_cast<int64_t>(ByteWidth(state.type));
  bool good = algorithm == "DEFAULT" || bytes == 16 || (algorithm == "PHILOX" && bytes == 24);
  if (!good) check.Fail("the state of " + algorithm + " is not a " + state.ToString());
  check.ExpectResult(0, state);
  check.Require(IsInteger(check.Result(1).type) || IsFloat(check.Result(1).type), "makes integers");
}

}  // namespace reference
