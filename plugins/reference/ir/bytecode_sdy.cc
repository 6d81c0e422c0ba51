// Attributes of Shardy as text in Shardy's syntax, the form in which the canonical module keeps them.

#include "ir/bytecode_attributes.h"

namespace reference {
namespace {

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// Names of the factors of a sharding rule: i to z, then z_1 and so on.
std::string Factor(int64_t index) {
  if (index < 0) return "?";
  if (index < 17) return std::string(1, static_cast<char>('i' + index));
  return "z_" + std::to_string(index - 17 + 1);
}

}  // namespace

// Comma-separated attributes of Shardy; builtin strings are quoted.
std::string AttributeReader::ShardyList(Cursor& cursor, std::string_view open, std::string_view close) {
  std::string out(open);
  uint64_t count = cursor.Count();
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) out += ", ";
    AttributeNode& item = AttributeAt(cursor);
    Charge(item.inner.size() + 8);
    if (item.kind == AttributeNode::kString) {
      const std::string& text = *item.value.get<std::string>();
      Charge(text.size());
      out += Quoted(text);
    } else if (item.kind == AttributeNode::kShardy) {
      out += item.inner;
    } else {
      cursor.Fail("an attribute of Shardy was expected");
    }
  }
  out += close;
  return out;
}

// <["x"=2, "y"=2], device_ids=[1, 0]>
std::string AttributeReader::MeshText(Cursor& cursor, bool vhlo) {
  std::string out = "<";
  std::vector<int64_t> ids;
  if (vhlo) {
    AttributeNode& axes = AttributeAt(cursor);
    const auto* list = Value(axes).get<std::shared_ptr<std::vector<Attribute>>>();
    if (list == nullptr) cursor.Fail("the axes of a mesh are no list");
    Charge(axes.cost);
    out += "[";
    for (const Attribute& axis : **list) {
      if (axis.get<std::string>() == nullptr) cursor.Fail("the axis of a mesh");
      out += (out.size() > 2 ? ", " : "") + *axis.get<std::string>();
    }
    out += "]";
    Cursor::Flagged device_ids = cursor.FlaggedVarint();
    if (device_ids.flag) {
      const Array& array = Constant(GetAttribute(device_ids.value));
      if (array.element_type() != ElementType::kS64) cursor.Fail("the devices of a mesh");
      Charge(array.bytes() * 3);
      ids.assign(array.as<int64_t>(), array.as<int64_t>() + array.size());
    }
  } else {
    out += ShardyList(cursor, "[", "]");
    ids = Integers(cursor);
  }
  if (!ids.empty()) {
    out += ", device_ids=[";
    for (size_t i = 0; i < ids.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(ids[i]);
    out += "]";
  }
  return out + ">";
}

// ([i, k], [k, j])->([i, j]) {i=8, j=4, k=2} reduction={k}
std::string AttributeReader::RuleText(Cursor& cursor) {
  std::vector<int64_t> sizes = Integers(cursor);
  auto mappings = [&] {
    std::string out = ShardyList(cursor, "(", ")");
    return out;
  };
  std::string out = "<" + mappings();
  out += "->" + mappings() + " {";
  for (size_t i = 0; i < sizes.size(); ++i) {
    out += (i > 0 ? ", " : "") + Factor(static_cast<int64_t>(i)) + "=" + std::to_string(sizes[i]);
  }
  out += "}";
  for (const char* name : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    std::vector<int64_t> factors = Integers(cursor);
    if (factors.empty()) continue;
    out += std::string(" ") + name + "={";
    for (size_t i = 0; i < factors.size(); ++i) out += (i > 0 ? ", " : "") + Factor(factors[i]);
    out += "}";
  }
  if (cursor.Byte() != 0) out += ", custom";
  return out + ">";
}

void AttributeReader::DecodeShardyAttribute(Cursor& cursor, AttributeNode& node) {
  node.kind = AttributeNode::kShardy;
  const char* name = "";
  uint64_t code = cursor.Varint();
  switch (code) {
    case 0:
    case 7:
    case 11:
    case 12:
    case 14:
    case 16: {
      // Axes that are plain strings, and one sharding for each value: the canonical form is a list.
      if (code == 0 || code == 7 || code == 16) {
        node.kind = AttributeNode::kPlain;
        return ReadList(cursor, node);
      }
      name = code == 11 ? "axis_ref_list" : code == 12 ? "list_of_axis_ref_lists" : "all_to_all_param_list";
      node.inner = code == 11 ? ShardyList(cursor, "{", "}") : ShardyList(cursor, "[", "]");
      break;
    }
    case 1: {
      name = "mesh_axis";
      std::string axis = StringOf(cursor);
      node.inner = Quoted(axis) + "=" + std::to_string(cursor.Signed());
      break;
    }
    case 2:
      node.kind = AttributeNode::kMesh;
      name = "mesh";
      node.inner = MeshText(cursor, false);
      break;
    case 3: {
      name = "sub_axis_info";
      int64_t before = cursor.Signed();
      node.inner = "(" + std::to_string(before) + ")" + std::to_string(cursor.Signed());
      break;
    }
    case 4: {
      name = "axis_ref";
      node.inner = Quoted(StringOf(cursor));
      Cursor::Flagged sub = cursor.FlaggedVarint();
      if (sub.flag) {
        AttributeNode& part = GetAttribute(sub.value);
        Charge(part.inner.size());
        node.inner += ":" + part.inner;
      }
      break;
    }
    case 5: {
      name = "dimension_sharding";
      std::string axes = ShardyList(cursor, "{", "");
      if (cursor.Byte() == 0) axes += axes.size() > 1 ? ", ?" : "?";
      Cursor::Flagged priority = cursor.FlaggedVarint();
      node.inner = axes + "}";
      if (priority.flag) node.inner += "p" + std::to_string(priority.value);
      break;
    }
    case 6:
    case 15:
    case 17: {
      name = "sharding";
      AttributeNode& mesh = AttributeAt(cursor);
      if (mesh.kind == AttributeNode::kSymbol) {
        const std::string& symbol = *mesh.value.get<std::string>();
        Charge(symbol.size());
        node.inner = "<@" + symbol;
      } else if (mesh.kind == AttributeNode::kMesh) {
        Charge(mesh.inner.size());
        node.inner = "<mesh" + mesh.inner;
      } else {
        cursor.Fail("a sharding without a mesh");
      }
      node.inner += ", " + ShardyList(cursor, "[", "]");
      std::string replicated = ShardyList(cursor, "{", "}");
      if (replicated.size() > 2) node.inner += ", replicated=" + replicated;
      if (code != 6) {
        std::string unreduced = ShardyList(cursor, "{", "}");
        static constexpr const char* kReductions[] = {"sum", "max", "min"};
        int64_t reduction = code == 17 ? cursor.Signed() : 0;
        if (reduction < 0 || reduction > 2) cursor.Fail("a reduction of " + std::to_string(reduction));
        if (unreduced.size() > 2) node.inner += ", unreduced=" + unreduced;
        if (reduction != 0) node.inner += std::string(", reduction=") + kReductions[reduction];
      }
      node.inner += ">";
      break;
    }
    case 8: {
      name = "dim_mapping";
      std::vector<int64_t> factors = Integers(cursor);
      for (int64_t factor : factors) node.inner += Factor(factor);
      if (factors.empty()) node.inner = "{}";
      break;
    }
    case 9:
      name = "tensor_mapping";
      node.inner = ShardyList(cursor, "[", "]");
      break;
    case 10:
      name = "op_sharding_rule";
      node.inner = RuleText(cursor);
      break;
    case 13: {
      name = "all_to_all_param";
      std::string axes = ShardyList(cursor, "{", "}");
      int64_t source = cursor.Signed();
      node.inner = axes + ": " + std::to_string(source) + "->" + std::to_string(cursor.Signed());
      break;
    }
    default: cursor.Fail("attribute " + std::to_string(code) + " of Shardy is not known");
  }
  Charge(2 * node.inner.size());
  node.cost += node.inner.size() + 40;
  node.value.value = std::string("#sdy.") + name + node.inner;
}

}  // namespace reference
