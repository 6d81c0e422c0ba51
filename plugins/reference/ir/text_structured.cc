// Converts StableHLO's attributes to those of the canonical module, which are VHLO's.
#include <algorithm>

#include "ir/text_parser.h"

namespace reference {
namespace {

using List = std::shared_ptr<std::vector<Attribute>>;

// A list of integers in any form; false if it is none.
bool ToInts(const Attribute& value, std::vector<int64_t>* ints) {
  if (const auto* already = value.get<std::vector<int64_t>>()) {
    *ints = *already;
    return true;
  }
  if (const auto* array = value.get<Array>()) {
    if (array->element_type() != ElementType::kS64 || array->dims().size() != 1) return false;
    ints->assign(array->as<int64_t>(), array->as<int64_t>() + array->size());
    return true;
  }
  const List* list = value.get<List>();
  if (!list) return false;
  for (const Attribute& element : **list) {
    const int64_t* number = element.get<int64_t>();
    if (!number) return false;
    ints->push_back(*number);
  }
  return true;
}

bool ToBools(const Attribute& value, std::vector<bool>* bools) {
  if (const auto* already = value.get<std::vector<bool>>()) {
    *bools = *already;
    return true;
  }
  if (const auto* array = value.get<Array>()) {
    if (array->element_type() != ElementType::kPred || array->dims().size() != 1) return false;
    for (int64_t i = 0; i < array->size(); ++i) bools->push_back(array->as<uint8_t>()[i] != 0);
    return true;
  }
  const List* list = value.get<List>();
  if (!list) return false;
  for (const Attribute& element : **list) {
    const bool* truth = element.get<bool>();
    const int64_t* number = element.get<int64_t>();
    if (!truth && !(number && (*number == 0 || *number == 1))) return false;
    bools->push_back(truth ? *truth : *number == 1);
  }
  return true;
}

bool IsEnumValue(const AttributeRule& rule, const std::string& value) {
  const auto* values = EnumValues(rule.enumeration);
  return values && !value.empty() && std::find(values->begin(), values->end(), value) != values->end();
}

// The fields of a structure, with defaults for missing ones; false if it has others.
bool CompleteStructure(const Attribute& value, Dictionary complete, Attribute* result) {
  const auto* given = value.get<std::shared_ptr<Dictionary>>();
  if (!given) return false;
  for (const auto& [name, field] : **given) {
    auto found = complete.find(name);
    if (found == complete.end()) return false;
    std::vector<int64_t> ints;
    if (found->second.get<std::vector<int64_t>>()) {
      if (!ToInts(field, &ints)) return false;
      found->second = {std::move(ints)};
    } else if (found->second.value.index() != field.value.index()) {
      return false;
    } else {
      found->second = field;
    }
  }
  *result = {std::make_shared<Dictionary>(std::move(complete))};
  return true;
}

}  // namespace

// The value of one attribute in its canonical kind.
Attribute TextParser::Coerce(const Op& op, const AttributeRule& rule, Attribute value) {
  auto fail = [&](const char* what) {
    throw InvalidArgument(op.location + ": the attribute " + rule.name + " of " + op.name + " is not " + what);
  };
  auto strings = [&](const char* what, bool enumeration) {
    const List* list = value.get<List>();
    if (!list) fail(what);
    for (const Attribute& element : **list) {
      const std::string* text = element.get<std::string>();
      if (!text || (enumeration && !IsEnumValue(rule, *text))) fail(what);
    }
  };
  if (value.get<std::monostate>() && rule.absent == AttributeDefault::kOptional) return value;
  switch (rule.kind) {
    case AttributeKind::kInt:
    case AttributeKind::kInt32:
      if (!value.get<int64_t>()) fail("an integer");
      break;
    case AttributeKind::kBool:
      if (!value.get<bool>()) fail("a boolean");
      break;
    case AttributeKind::kUnit:
      if (value.get<std::monostate>()) return {true};
      if (!value.get<bool>()) fail("a unit");
      break;
    case AttributeKind::kFloat:
      if (!value.get<double>()) fail("a floating-point number");
      break;
    case AttributeKind::kString:
    case AttributeKind::kSymbol:
      if (!value.get<std::string>()) fail("a string");
      break;
    case AttributeKind::kText:
      if (!value.get<std::string>() && !value.get<std::shared_ptr<Dictionary>>()) fail("a string or a dictionary");
      break;
    case AttributeKind::kSymbols:
      strings("a list of symbols", false);
      break;
    case AttributeKind::kEnums:
      strings("a list of values of its enumeration", true);
      break;
    case AttributeKind::kEnum:
      if (!value.get<std::string>() || !IsEnumValue(rule, *value.get<std::string>())) {
        fail("a value of its enumeration");
      }
      break;
    case AttributeKind::kIntEnum: {
      const auto* values = EnumValues(rule.enumeration);
      if (const int64_t* number = value.get<int64_t>()) {
        if (*number < 0 || *number >= static_cast<int64_t>(values->size())) fail("a value of its enumeration");
        return {(*values)[static_cast<size_t>(*number)]};
      }
      if (!value.get<std::string>() || !IsEnumValue(rule, *value.get<std::string>())) {
        fail("a value of its enumeration");
      }
      break;
    }
    case AttributeKind::kInts: {
      std::vector<int64_t> ints;
      if (!ToInts(value, &ints)) fail("a list of integers");
      return {std::move(ints)};
    }
    case AttributeKind::kBools: {
      std::vector<bool> bools;
      if (!ToBools(value, &bools)) fail("a list of booleans");
      return {std::move(bools)};
    }
    case AttributeKind::kTensor:
      if (!value.get<Array>() || value.get<Array>()->element_type() != ElementType::kS64) {
        fail("a constant of i64");
      }
      break;
    case AttributeKind::kValue:
      if (!value.get<Array>()) fail("a constant");
      break;
    case AttributeKind::kType:
      if (!value.get<Type>() && !(value.get<std::string>() && *value.get<std::string>() == "tf32")) fail("a type");
      break;
    case AttributeKind::kDictionary:
      if (!value.get<std::shared_ptr<Dictionary>>()) fail("a dictionary");
      break;
    case AttributeKind::kList:
      if (!value.get<List>()) fail("a list");
      break;
    case AttributeKind::kLayouts: {
      const List* list = value.get<List>();
      if (!list) fail("a list of layouts");
      auto layouts = std::make_shared<std::vector<Attribute>>();
      for (const Attribute& element : **list) {
        std::vector<int64_t> ints;
        if (!ToInts(element, &ints)) fail("a list of layouts");
        layouts->push_back({std::move(ints)});
      }
      return {layouts};
    }
    case AttributeKind::kAliases: {
      const List* list = value.get<List>();
      if (!list) fail("a list of aliases");
      auto aliases = std::make_shared<std::vector<Attribute>>();
      for (const Attribute& element : **list) {
        Attribute alias;
        Dictionary fields = {{"output_tuple_indices", {std::vector<int64_t>()}},
                             {"operand_index", {int64_t{0}}},
                             {"operand_tuple_indices", {std::vector<int64_t>()}}};
        if (!CompleteStructure(element, std::move(fields), &alias)) fail("a list of aliases");
        aliases->push_back(std::move(alias));
      }
      return {aliases};
    }
    case AttributeKind::kAccuracy: {
      Attribute accuracy;
      if (!CompleteStructure(value, **rule.value.get<std::shared_ptr<Dictionary>>(), &accuracy)) {
        fail("an accuracy");
      }
      const auto& mode = (*accuracy.get<std::shared_ptr<Dictionary>>())->at("mode");
      const auto* modes = EnumValues("result_accuracy_mode");
      if (std::find(modes->begin(), modes->end(), *mode.get<std::string>()) == modes->end()) fail("an accuracy");
      return accuracy;
    }
  }
  return value;
}

// Replaces a structure by its fields.
void TextParser::FlattenStructure(Op& op, const std::string& name, const std::vector<std::string>& required,
                                  const std::vector<std::string>& optional) {
  auto found = op.attributes.find(name);
  if (found == op.attributes.end()) return;
  const auto* structure = found->second.get<std::shared_ptr<Dictionary>>();
  if (!structure) {
    throw InvalidArgument(op.location + ": the attribute " + name + " of " + op.name + " has no fields");
  }
  std::shared_ptr<Dictionary> fields = *structure;
  op.attributes.erase(found);
  auto known = [](const std::vector<std::string>& names, const std::string& field) {
    return std::find(names.begin(), names.end(), field) != names.end();
  };
  for (const auto& [field, value] : *fields) {
    if (!known(required, field) && !known(optional, field)) {
      throw InvalidArgument(op.location + ": " + name + " of " + op.name + " has no field " + field);
    }
    op.attributes[field] = value;
  }
  for (const std::string& field : required) {
    if (op.attributes.count(field)) continue;
    bool is_number = field == "index_vector_dim";
    op.attributes[field] = is_number ? Attribute{int64_t{0}} : Attribute{std::vector<int64_t>()};
  }
}

void TextParser::FlattenAttributes(Op& op, const OpInfo& info) {
  if (op.name == "stablehlo.dot_general") {
    FlattenStructure(op, "dot_dimension_numbers",
                     {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
                      "rhs_contracting_dimensions"},
                     {});
    FlattenStructure(op, "algorithm", {},
                     {"lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
                      "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"});
  } else if (op.name == "stablehlo.gather" || op.name == "stablehlo.dynamic_gather") {
    FlattenStructure(op, "dimension_numbers",
                     {"offset_dims", "collapsed_slice_dims", "start_index_map", "index_vector_dim"},
                     {"operand_batching_dims", "start_indices_batching_dims"});
  } else if (op.name == "stablehlo.scatter") {
    FlattenStructure(op, "scatter_dimension_numbers",
                     {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "index_vector_dim"},
                     {"input_batching_dims", "scatter_indices_batching_dims"});
  } else if (op.name == "stablehlo.convolution" || op.name == "stablehlo.dynamic_conv") {
    FlattenStructure(op, "dimension_numbers", {},
                     {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
                      "kernel_input_feature_dimension", "kernel_output_feature_dimension",
                      "kernel_spatial_dimensions", "output_batch_dimension", "output_feature_dimension",
                      "output_spatial_dimensions"});
  }
  if (info.Find("channel_id")) {
    FlattenStructure(op, "channel_handle", {}, {"handle", "type"});
    auto rename = [&](const char* from, const char* to) {
      auto node = op.attributes.extract(from);
      if (node.empty() || !info.Find(to)) return;
      node.key() = to;
      op.attributes.insert(std::move(node));
    };
    rename("handle", "channel_id");
    rename("type", "channel_type");
  }
  for (auto& [name, value] : op.attributes) {
    if (const AttributeRule* rule = info.Find(name)) value = Coerce(op, *rule, std::move(value));
  }
}

}  // namespace reference
