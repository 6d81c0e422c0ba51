// The attributes of StableHLO's ops, combined into structures as in its text.
#include <functional>

#include "ir/op_table.h"
#include "ir/print_attributes.h"

namespace reference {
namespace {

using List = std::shared_ptr<std::vector<Attribute>>;

std::string IntsText(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

// name = value, for numbers, lists of numbers and other values in structures.
std::string Field(const std::string& name, const Attribute& value) {
  if (const auto* ints = value.get<std::vector<int64_t>>()) return name + " = " + IntsText(*ints);
  if (const auto* number = value.get<int64_t>()) return name + " = " + std::to_string(*number);
  if (const auto* text = value.get<std::string>()) return name + " = " + *text;
  if (const auto* type = value.get<Type>()) {
    return name + " = " + (type->is_tuple ? type->ToString() : MlirName(type->array.type));
  }
  std::string text = PrintAttribute(value);
  // Inside a structure the type of a number is known.
  if (value.get<double>()) text.resize(text.find(" :"));
  return name + " = " + text;
}

// #stablehlo.kind<a = 1, b = [2]>, with the attributes that are present.
std::string Structure(const Op& op, const std::string& kind, const std::vector<std::string>& names) {
  std::string text = "#stablehlo." + kind + "<";
  bool first = true;
  for (const std::string& name : names) {
    const Attribute* value = op.Find(name);
    if (!value) continue;
    const auto* ints = value->get<std::vector<int64_t>>();
    if (ints && ints->empty()) continue;
    text += (first ? "" : ", ") + Field(name, *value);
    first = false;
  }
  return text + ">";
}

// [b, f, 0, 1] from the positions of the roles.
std::string Roles(const Op& op, const char* first, const char* first_letter, const char* second,
                  const char* second_letter, const char* spatial) {
  std::vector<int64_t> spatial_dimensions = op.Ints(spatial);
  std::vector<std::string> letters(spatial_dimensions.size() + 2);
  letters.at(static_cast<size_t>(op.Int(first))) = first_letter;
  letters.at(static_cast<size_t>(op.Int(second))) = second_letter;
  for (size_t i = 0; i < spatial_dimensions.size(); ++i) {
    letters.at(static_cast<size_t>(spatial_dimensions[i])) = std::to_string(i);
  }
  std::string text = "[";
  for (size_t i = 0; i < letters.size(); ++i) text += (i > 0 ? ", " : "") + letters[i];
  return text + "]";
}

std::string ConvolutionText(const Op& op) {
  return "#stablehlo.conv<" +
         Roles(op, "input_batch_dimension", "b", "input_feature_dimension", "f", "input_spatial_dimensions") + "x" +
         Roles(op, "kernel_input_feature_dimension", "i", "kernel_output_feature_dimension", "o",
               "kernel_spatial_dimensions") +
         "->" +
         Roles(op, "output_batch_dimension", "b", "output_feature_dimension", "f", "output_spatial_dimensions") + ">";
}

std::string ChannelText(const Op& op) {
  const Attribute* type = op.Find("channel_type");
  const int64_t* number = type ? type->get<int64_t>() : nullptr;
  return "#stablehlo.channel_handle<handle = " + std::to_string(op.Int("channel_id")) +
         ", type = " + std::to_string(number ? *number : 0) + ">";
}

std::string AccuracyText(const Dictionary& fields) {
  std::string text = "#stablehlo.result_accuracy<";
  for (const char* name : {"atol", "rtol", "ulps"}) text += Field(name, fields.at(name)) + ", ";
  return text + "mode = #stablehlo.result_accuracy_mode<" + *fields.at("mode").get<std::string>() + ">>";
}

std::string AliasText(const Dictionary& fields) {
  std::string text = "#stablehlo.output_operand_alias<";
  for (const char* name : {"output_tuple_indices", "operand_index", "operand_tuple_indices"}) {
    if (text.back() != '<') text += ", ";
    text += Field(name, fields.at(name));
  }
  return text + ">";
}

std::string Each(const Attribute& list, const std::function<std::string(const Attribute&)>& print) {
  std::string text = "[";
  for (const Attribute& element : **list.get<List>()) text += (text.size() > 1 ? ", " : "") + print(element);
  return text + "]";
}

std::string LayoutText(const Attribute& layout) {
  const auto& ints = *layout.get<std::vector<int64_t>>();
  return "dense<" + (ints.empty() ? "" : IntsText(ints)) + "> : tensor<" + std::to_string(ints.size()) + "xindex>";
}

// The value of one attribute in the op table.
std::string RuleText(const AttributeRule& rule, const Attribute& value) {
  auto enumerator = [&](const Attribute& text) {
    return "#stablehlo<" + rule.enumeration + " " + *text.get<std::string>() + ">";
  };
  auto symbol = [](const Attribute& name) { return "@" + PrintQuoted(*name.get<std::string>()); };
  switch (rule.kind) {
    case AttributeKind::kInt32:
      return std::to_string(*value.get<int64_t>()) + " : i32";
    case AttributeKind::kInt:
      return std::to_string(*value.get<int64_t>()) + " : i64";
    case AttributeKind::kFloat: {
      Attribute number = value;
      number.number_type = ElementType::kF32;
      return PrintAttribute(number);
    }
    case AttributeKind::kInts: {
      Attribute list = value;
      list.number_type = ElementType::kS64;
      return PrintAttribute(list);
    }
    case AttributeKind::kSymbol:
      return symbol(value);
    case AttributeKind::kSymbols:
      return Each(value, symbol);
    case AttributeKind::kEnum:
      return enumerator(value);
    case AttributeKind::kEnums:
      return Each(value, enumerator);
    case AttributeKind::kIntEnum: {
      const auto& values = *EnumValues(rule.enumeration);
      size_t index = 0;
      while (values[index] != *value.get<std::string>()) ++index;
      return std::to_string(index) + " : i32";
    }
    case AttributeKind::kLayouts:
      return Each(value, LayoutText);
    case AttributeKind::kAccuracy:
      return AccuracyText(**value.get<std::shared_ptr<Dictionary>>());
    case AttributeKind::kAliases:
      return Each(value, [](const Attribute& alias) { return AliasText(**alias.get<std::shared_ptr<Dictionary>>()); });
    default:
      return PrintAttribute(value);
  }
}

// Attributes that text combines into one structure.
struct StructureRule {
  const char* op;
  const char* name;
  const char* kind;
  std::vector<std::string> fields;
};

const std::vector<StructureRule>& Structures() {
  static const std::vector<std::string> gather = {"offset_dims",           "collapsed_slice_dims",
                                                  "operand_batching_dims", "start_indices_batching_dims",
                                                  "start_index_map",       "index_vector_dim"};
  static const std::vector<StructureRule> rules = {
      {"stablehlo.dot_general", "algorithm", "dot_algorithm",
       {"lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count", "rhs_component_count",
        "num_primitive_operations", "allow_imprecise_accumulation"}},
      {"stablehlo.dot_general", "dot_dimension_numbers", "dot",
       {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
        "rhs_contracting_dimensions"}},
      {"stablehlo.gather", "dimension_numbers", "gather", gather},
      {"stablehlo.dynamic_gather", "dimension_numbers", "gather", gather},
      {"stablehlo.scatter", "scatter_dimension_numbers", "scatter",
       {"update_window_dims", "inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims",
        "scatter_dims_to_operand_dims", "index_vector_dim"}},
      {"stablehlo.convolution", "dimension_numbers", "conv",
       {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
        "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions",
        "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"}},
  };
  return rules;
}

// Whether omitting it has the same meaning.
bool IsDefault(const AttributeRule& rule, const Attribute& value) {
  if (rule.absent != AttributeDefault::kValue) return false;
  const auto same = [&](const auto* written, const auto* meant) { return written && meant && *written == *meant; };
  return same(value.get<bool>(), rule.value.get<bool>()) || same(value.get<int64_t>(), rule.value.get<int64_t>()) ||
         same(value.get<std::string>(), rule.value.get<std::string>());
}

}  // namespace

std::string PrintProperties(const Op& op, Dictionary* others) {
  const OpInfo* info = FindOp(op.name);
  Dictionary left = op.attributes;
  std::map<std::string, std::string> properties;
  for (const StructureRule& rule : Structures()) {
    bool dynamic = op.name == "stablehlo.dynamic_conv" && std::string(rule.kind) == "conv";
    if (op.name != rule.op && !dynamic) continue;
    bool any = false;
    for (const std::string& field : rule.fields) any = left.erase(field) > 0 || any;
    if (!any) continue;
    bool is_convolution = std::string(rule.kind) == "conv";
    properties[rule.name] = is_convolution ? ConvolutionText(op) : Structure(op, rule.kind, rule.fields);
  }
  if (info && info->Find("channel_id") && left.erase("channel_id") > 0) {
    left.erase("channel_type");
    properties["channel_handle"] = ChannelText(op);
  }
  for (const auto& [name, value] : left) {
    const AttributeRule* rule = info ? info->Find(name) : nullptr;
    if (!rule) {
      others->emplace(name, value);
    } else if (const List* list = value.get<List>(); list && (*list)->empty()) {
      // The readers add the omitted lists, and MLIR rejects an empty list of layouts.
      if (rule->absent == AttributeDefault::kRequired) properties[name] = "[]";
    } else if (op.name == "stablehlo.custom_call" && IsDefault(*rule, value)) {
      // The readers add these too, and XLA rejects a call of "mhlo.erf" that has any of them.
    } else if (rule->kind == AttributeKind::kUnit) {
      if (*value.get<bool>()) properties[name] = "unit";
    } else {
      properties[name] = RuleText(*rule, value);
    }
  }
  std::string text;
  for (const auto& [name, value] : properties) text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text;
}

}  // namespace reference
