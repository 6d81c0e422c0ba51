#include "ir/bytecode_adapt.h"

#include <algorithm>

#include "ir/sharding.h"

namespace reference {
namespace {

template <typename T>
bool ListOf(const Attribute& attribute) {
  const auto* list = attribute.get<std::shared_ptr<std::vector<Attribute>>>();
  if (list == nullptr) return false;
  return std::all_of((*list)->begin(), (*list)->end(), [](const Attribute& a) { return a.get<T>() != nullptr; });
}

bool IsEnumerator(const AttributeRule& rule, const Attribute& attribute) {
  const std::string* text = attribute.get<std::string>();
  const std::vector<std::string>* values = EnumValues(rule.enumeration);
  return text != nullptr && !text->empty() && values != nullptr &&
         std::find(values->begin(), values->end(), *text) != values->end();
}

// padding, source_target_pairs, replica_groups: rows of i64, or an empty list.
bool AdaptTable(const std::string& name, Attribute& value) {
  if (const auto* list = value.get<std::vector<int64_t>>()) {
    if (!list->empty()) return false;
    value.value = Array(ArrayType{ElementType::kS64, {0, name == "replica_groups" ? 0 : 2}});
    return true;
  }
  if (const Array* array = value.get<Array>()) {
    return array->element_type() == ElementType::kS64 && array->dims().size() == 2;
  }
  return name == "replica_groups" && value.get<std::shared_ptr<Dictionary>>() != nullptr;
}

void ExpandBlock(Block& block, const MeshTable& meshes, AttributeReader& reader) {
  for (Op& op : block.ops) {
    for (Region& region : op.regions) {
      for (Block& inner : region.blocks) ExpandBlock(inner, meshes, reader);
    }
    auto found = op.attributes.find("replica_groups");
    if (found == op.attributes.end()) continue;
    const auto* form = found->second.get<std::shared_ptr<Dictionary>>();
    if (form == nullptr) continue;
    Attribute mesh = (*form)->count("mesh") == 1 ? (*form)->at("mesh") : Attribute();
    Attribute axes = (*form)->count("axes") == 1 ? (*form)->at("axes") : Attribute();
    if (mesh.get<std::string>() == nullptr || !ListOf<std::string>(axes)) {
      throw InvalidArgument(op.location + ": replica_groups of " + op.name);
    }
    std::vector<std::string> names;
    for (const Attribute& axis : **axes.get<std::shared_ptr<std::vector<Attribute>>>()) {
      names.push_back(*axis.get<std::string>());
    }
    Array groups = GroupsOfAxes(FindMesh(*mesh.get<std::string>(), meshes), names);
    reader.Charge(groups.bytes());
    found->second.value = std::move(groups);
  }
}

}  // namespace

Attribute AdaptAttribute(const AttributeRule& rule, AttributeNode& node, AttributeReader& reader) {
  reader.Charge(node.cost);
  if (rule.kind == AttributeKind::kValue) return {reader.Constant(node)};
  Attribute value = reader.Value(node);
  if (node.kind == AttributeNode::kType && node.type->kind == TypeNode::kNone) return {};
  bool good = true;
  switch (rule.kind) {
    case AttributeKind::kInt:
    case AttributeKind::kInt32:
      good = value.get<int64_t>() != nullptr;
      break;
    case AttributeKind::kBool:
    case AttributeKind::kUnit:
      good = value.get<bool>() != nullptr;
      break;
    case AttributeKind::kFloat:
      good = value.get<double>() != nullptr;
      break;
    case AttributeKind::kString:
    case AttributeKind::kSymbol:
      good = value.get<std::string>() != nullptr;
      break;
    case AttributeKind::kSymbols:
      good = ListOf<std::string>(value);
      break;
    case AttributeKind::kEnum:
    case AttributeKind::kIntEnum:
      good = IsEnumerator(rule, value);
      break;
    case AttributeKind::kEnums:
      good = ListOf<std::string>(value);
      if (good) {
        for (const Attribute& item : **value.get<std::shared_ptr<std::vector<Attribute>>>()) {
          good = good && IsEnumerator(rule, item);
        }
      }
      break;
    case AttributeKind::kInts:
      good = value.get<std::vector<int64_t>>() != nullptr;
      break;
    case AttributeKind::kBools:
      good = value.get<std::vector<bool>>() != nullptr;
      break;
    case AttributeKind::kTensor:
      good = AdaptTable(rule.name, value);
      break;
    case AttributeKind::kType:
      good = value.get<Type>() != nullptr ||
             (value.get<std::string>() != nullptr && *value.get<std::string>() == "tf32");
      break;
    case AttributeKind::kDictionary:
      good = value.get<std::shared_ptr<Dictionary>>() != nullptr;
      break;
    case AttributeKind::kText:
      good = value.get<std::string>() != nullptr || value.get<std::shared_ptr<Dictionary>>() != nullptr;
      break;
    case AttributeKind::kLayouts:
      good = ListOf<std::vector<int64_t>>(value);
      break;
    case AttributeKind::kAliases:
      good = ListOf<std::shared_ptr<Dictionary>>(value);
      if (good) {
        for (const Attribute& item : **value.get<std::shared_ptr<std::vector<Attribute>>>()) {
          good = good && (*item.get<std::shared_ptr<Dictionary>>())->count("operand_tuple_indices") == 1;
        }
      }
      break;
    case AttributeKind::kAccuracy: {
      const auto* items = value.get<std::shared_ptr<Dictionary>>();
      AttributeRule mode;
      mode.enumeration = "result_accuracy_mode";
      good = items != nullptr && (*items)->count("ulps") == 1 && (*items)->count("mode") == 1 &&
             IsEnumerator(mode, (*items)->at("mode"));
      break;
    }
    case AttributeKind::kList:
      good = value.get<std::shared_ptr<std::vector<Attribute>>>() != nullptr;
      break;
    case AttributeKind::kValue:
      break;
  }
  if (!good) throw InvalidArgument("the attribute " + rule.name + " is of another kind");
  return value;
}

void ExpandGroups(Module& module, AttributeReader& reader) {
  MeshTable meshes = Meshes(module);
  for (auto& [name, function] : module.functions) ExpandBlock(function.body, meshes, reader);
}

}  // namespace reference
