#include "ir/bytecode_attributes.h"

#include <iterator>

#include "ir/op_table.h"

namespace reference {
namespace {

uint64_t Saturated(uint64_t a, uint64_t b) { return a + b < a ? ~uint64_t{0} : a + b; }

// Names of enumerations by code; nullptr for codes without an enumeration.
struct Enumeration {
  const char* const* names;
  size_t count;
};

Enumeration EnumerationOf(uint64_t code) {
  static constexpr const char* direction[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  static constexpr const char* comparison[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  static constexpr const char* api[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                        "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
                                        "API_VERSION_TYPED_FFI"};
  static constexpr const char* fft[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  static constexpr const char* precision[] = {"DEFAULT", "HIGH", "HIGHEST"};
  static constexpr const char* algorithm[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  static constexpr const char* distribution[] = {nullptr, "UNIFORM", "NORMAL"};
  static constexpr const char* transpose[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  static constexpr const char* accuracy[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
  switch (code) {
    case 3: return {direction, std::size(direction)};
    case 4: return {comparison, std::size(comparison)};
    case 5: return {api, std::size(api)};
    case 7: return {fft, std::size(fft)};
    case 11: return {precision, std::size(precision)};
    case 12: return {algorithm, std::size(algorithm)};
    case 13: return {distribution, std::size(distribution)};
    case 16: return {transpose, std::size(transpose)};
    case 19: return {accuracy, std::size(accuracy)};
    default: return {nullptr, 0};
  }
}

Attribute Shared(Dictionary dictionary) { return {std::make_shared<Dictionary>(std::move(dictionary))}; }
Attribute Shared(std::vector<Attribute> list) { return {std::make_shared<std::vector<Attribute>>(std::move(list))}; }

}  // namespace

// Every byte may produce ops and attributes of some size; beyond that, memory is used only by splat constants and by
// values that are shared in the artifact.
AttributeReader::AttributeReader(const Container& container)
    : container_(container),
      types_(container.types.size()),
      attributes_(container.attributes.size()),
      budget_(kMaxConstantBytes + 1024 * static_cast<uint64_t>(container.bytes.size())) {}

void AttributeReader::Charge(uint64_t bytes) {
  charged_ = Saturated(charged_, bytes);
  if (charged_ > budget_) {
    throw Error(Code::kResourceExhausted, "artifact: its constants and attributes take more than " +
                                              std::to_string(budget_) + " bytes of memory");
  }
}

Cursor AttributeReader::EntryCursor(const Container::Entry& entry, const char* what) const {
  return Cursor(container_.bytes, entry.begin, entry.end, what);
}

const std::string_view& AttributeReader::String(Cursor& cursor) {
  return container_.strings[cursor.Index(container_.strings.size(), "string")];
}

std::string AttributeReader::StringOf(Cursor& cursor) {
  const std::string_view& text = String(cursor);
  Charge(text.size());
  return std::string(text);
}

std::vector<int64_t> AttributeReader::Integers(Cursor& cursor) {
  std::vector<int64_t> out(cursor.Count());
  for (int64_t& value : out) value = cursor.Signed();
  return out;
}

AttributeNode& AttributeReader::GetAttribute(uint64_t index) {
  if (index >= attributes_.size()) {
    throw InvalidArgument("artifact: attribute " + std::to_string(index) + " of " + std::to_string(attributes_.size()));
  }
  Slot<AttributeNode>& slot = attributes_[static_cast<size_t>(index)];
  if (slot.state != Slot<AttributeNode>::kDone) {
    if (slot.state == Slot<AttributeNode>::kBusy || depth_ > 100) {
      throw InvalidArgument("artifact: attribute " + std::to_string(index) + " refers to itself or is too deep");
    }
    slot.state = Slot<AttributeNode>::kBusy;
    ++depth_;
    DecodeAttribute(container_.attributes[static_cast<size_t>(index)], slot.node);
    --depth_;
    slot.state = Slot<AttributeNode>::kDone;
  }
  return slot.node;
}

void AttributeReader::DecodeAttribute(const Container::Entry& entry, AttributeNode& node) {
  Cursor cursor = EntryCursor(entry, "attribute");
  std::string_view dialect = container_.dialects[entry.dialect];
  node.cost = 64;
  if (!entry.own_encoding) {
    std::string_view text = cursor.Terminated();
    Charge(text.size());
    node.value.value = std::string(text);
    node.cost += text.size();
  } else if (dialect == "vhlo") {
    DecodeVhloAttribute(cursor, node);
  } else if (dialect == "builtin") {
    DecodeBuiltinAttribute(cursor, node);
  } else if (dialect == "sdy") {
    DecodeShardyAttribute(cursor, node);
  } else {
    return;  // kept as an attribute without a value
  }
  cursor.ExpectEnd();
}

void AttributeReader::DecodeVhloAttribute(Cursor& cursor, AttributeNode& node) {
  uint64_t code = cursor.Varint();
  if (Enumeration names = EnumerationOf(code); names.names != nullptr) {
    uint64_t value = cursor.Varint();
    if (value >= names.count || names.names[value] == nullptr) {
      cursor.Fail("the value " + std::to_string(value) + " of the enumeration " + std::to_string(code));
    }
    node.value.value = std::string(names.names[value]);
    return;
  }
  switch (code) {
    case 1: return ReadList(cursor, node);
    case 2: {
      uint64_t value = cursor.Varint();
      if (value > 1) cursor.Fail("a boolean of " + std::to_string(value));
      node.value.value = value == 1;
      return;
    }
    case 6: return ReadDictionary(cursor, node);
    case 8: return ReadFloat(cursor, node);
    case 9: return ReadInteger(cursor, node);
    case 10: {
      Dictionary alias;
      alias["output_tuple_indices"].value = Integers(cursor);
      alias["operand_index"].value = cursor.Signed();
      alias["operand_tuple_indices"].value = Integers(cursor);
      node.value = Shared(std::move(alias));
      node.cost += 200;
      return;
    }
    case 14: {
      node.kind = AttributeNode::kString;
      std::string text = StringOf(cursor);
      node.cost += text.size();
      node.value.value = std::move(text);
      return;
    }
    case 15: return ReadConstant(cursor, node);
    case 17: return ReadTypeAttribute(cursor, node);
    case 18:
      node.value.value = Integers(cursor);
      return;
    case 20: {
      Dictionary accuracy;
      accuracy["atol"].value = DoubleAt(cursor);
      accuracy["rtol"].value = DoubleAt(cursor);
      accuracy["ulps"].value = cursor.Signed();
      accuracy["mode"] = Value(AttributeAt(cursor));
      node.value = Shared(std::move(accuracy));
      node.cost += 300;
      return;
    }
    case 21: {
      node.kind = AttributeNode::kShardy;
      int64_t before = cursor.Signed();
      node.inner = "(" + std::to_string(before) + ")" + std::to_string(cursor.Signed());
      break;
    }
    case 22: {
      node.kind = AttributeNode::kShardy;
      const Attribute& name = Value(AttributeAt(cursor));
      if (name.get<std::string>() == nullptr) cursor.Fail("the name of an axis is no string");
      node.inner = "\"" + *name.get<std::string>() + "\"";
      if (cursor.Varint() != 0) node.inner += ":" + AttributeAt(cursor).inner;
      break;
    }
    case 23: {
      Dictionary axes;
      axes["mesh"] = Value(AttributeAt(cursor));
      axes["axes"] = Value(AttributeAt(cursor));
      node.value = Shared(std::move(axes));
      node.cost += 300;
      return;
    }
    case 24: {
      node.kind = AttributeNode::kShardy;
      const Attribute& name = Value(AttributeAt(cursor));
      if (name.get<std::string>() == nullptr) cursor.Fail("the name of an axis is no string");
      node.inner = "\"" + *name.get<std::string>() + "\"=" + std::to_string(cursor.Signed());
      break;
    }
    case 25:
      node.kind = AttributeNode::kMesh;
      node.inner = MeshText(cursor, true);
      node.cost += node.inner.size();
      Charge(node.inner.size());
      node.value.value = "#sdy.mesh" + node.inner;
      return;
    default: cursor.Fail("attribute " + std::to_string(code) + " is not known");
  }
  // Parts of a mesh: text inside other text.
  node.cost += node.inner.size();
  Charge(node.inner.size());
  node.value.value = node.inner;
}

void AttributeReader::DecodeBuiltinAttribute(Cursor& cursor, AttributeNode& node) {
  uint64_t code = cursor.Varint();
  switch (code) {
    case 0: return ReadList(cursor, node);
    case 1: return ReadDictionary(cursor, node);
    case 2:
    case 3: {
      node.kind = AttributeNode::kString;
      std::string text = StringOf(cursor);
      node.cost += text.size();
      node.value.value = std::move(text);
      if (code == 3) TypeAt(cursor);
      return;
    }
    case 4:
    case 5: {
      node.kind = AttributeNode::kSymbol;
      AttributeNode& root = AttributeAt(cursor);
      Charge(root.cost);
      node.value = Value(root);
      node.cost += root.cost;
      if (node.value.get<std::string>() == nullptr) cursor.Fail("the name of a symbol is no string");
      if (code == 5) {
        for (uint64_t n = cursor.Count(); n > 0; --n) AttributeAt(cursor);
      }
      return;
    }
    case 6: return ReadTypeAttribute(cursor, node);
    case 7: return;
    case 8: return ReadInteger(cursor, node);
    case 9: return ReadFloat(cursor, node);
    // Locations are not attributes of ops; they are read by Location().
    case 10: case 11: case 12: case 13: case 14: case 15: case 22:
      cursor.Take(cursor.left());
      return;
    case 16: {
      node.kind = AttributeNode::kConstant;
      node.type = &TypeAt(cursor);
      node.blob = container_.resources[cursor.Index(container_.resources.size(), "resource")];
      return;
    }
    case 17: return ReadDenseArray(cursor, node);
    case 18: return ReadConstant(cursor, node);
    case 21:
      node.value = Value(AttributeAt(cursor));
      return;
    default: cursor.Fail("builtin attribute " + std::to_string(code) + " is not known");
  }
}

void AttributeReader::ReadList(Cursor& cursor, AttributeNode& node) {
  std::vector<Attribute> items;
  for (uint64_t n = cursor.Count(); n > 0; --n) {
    AttributeNode& item = AttributeAt(cursor);
    const Attribute& value = Value(item);
    Charge(item.cost);
    node.cost = Saturated(node.cost, item.cost);
    items.push_back(value);
  }
  node.value = Shared(std::move(items));
}

void AttributeReader::ReadDictionary(Cursor& cursor, AttributeNode& node) {
  node.kind = AttributeNode::kDictionary;
  for (uint64_t n = cursor.Count(); n > 0; --n) {
    AttributeNode& key = AttributeAt(cursor);
    if (key.kind != AttributeNode::kString) cursor.Fail("the key of a dictionary is no string");
    AttributeNode& item = AttributeAt(cursor);
    node.cost = Saturated(node.cost, Saturated(key.cost, item.cost));
    node.items.emplace_back(key.value.get<std::string>(), &item);
  }
}

const Attribute& AttributeReader::Value(AttributeNode& node) {
  if (node.kind != AttributeNode::kConstant && node.kind != AttributeNode::kDictionary) return node.value;
  if (node.late) return *node.late;
  Attribute value;
  if (node.kind == AttributeNode::kDictionary) {
    Dictionary items;
    Charge(node.cost);
    for (const auto& [key, item] : node.items) {
      if (!items.emplace(*key, Value(*item)).second) throw InvalidArgument("artifact: a key of a dictionary twice");
    }
    value = Shared(std::move(items));
  } else if (const Array& array = Constant(node);
             array.dims().size() != 1 ||
             (array.element_type() != ElementType::kS64 && array.element_type() != ElementType::kPred)) {
    value.value = array;
  } else if (array.element_type() == ElementType::kS64) {
    Charge(array.bytes());
    value.value = std::vector<int64_t>(array.as<int64_t>(), array.as<int64_t>() + array.size());
  } else {
    value.value = std::vector<bool>(array.as<uint8_t>(), array.as<uint8_t>() + array.size());
  }
  node.late = std::move(value);
  return *node.late;
}

void AttributeReader::ReadTypeAttribute(Cursor& cursor, AttributeNode& node) {
  node.kind = AttributeNode::kType;
  node.type = &TypeAt(cursor);
  switch (node.type->kind) {
    case TypeNode::kValue:
      Charge(node.type->cost);
      node.value.value = node.type->type;
      node.cost = Saturated(node.cost, node.type->cost);
      return;
    case TypeNode::kElement:
      node.value.value = node.type->type;
      return;
    case TypeNode::kOther:
      node.value.value = node.type->name;
      node.cost += node.type->name.size();
      return;
    case TypeNode::kFunction:
    case TypeNode::kNone:
      return;
  }
}

void AttributeReader::ReadConstant(Cursor& cursor, AttributeNode& node) {
  node.kind = AttributeNode::kConstant;
  node.type = &TypeAt(cursor);
  node.blob = cursor.Take(cursor.Varint());
  node.cost += 8 * node.type->type.array.dims.size();
  const ArrayType& type = node.type->type.array;
  if (node.type->has_constants && type.dims.size() == 1 &&
      (type.type == ElementType::kS64 || type.type == ElementType::kPred)) {
    node.cost = Saturated(node.cost, type.bytes());
  }
}

}  // namespace reference
