#include "ir/bytecode_attributes.h"

#include <cstring>
#include <iterator>

#include "base/float_formats.h"
#include "ir/op_table.h"

namespace reference {
namespace {

uint64_t Saturated(uint64_t a, uint64_t b) { return a + b < a ? ~uint64_t{0} : a + b; }

// Names of enumerations by code; nullptr for codes that are no enumeration.
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

// Every byte may bring ops and attributes of some size; beyond that only constants of one value for many elements and
// values that are shared in the artifact take memory.
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
  // Parts of a mesh: text that stands inside other text.
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
  Dictionary items;
  for (uint64_t n = cursor.Count(); n > 0; --n) {
    AttributeNode& key = AttributeAt(cursor);
    if (key.kind != AttributeNode::kString) cursor.Fail("the key of a dictionary is no string");
    AttributeNode& item = AttributeAt(cursor);
    const Attribute& value = Value(item);
    uint64_t cost = Saturated(Saturated(key.cost, 64), item.cost);
    Charge(cost);
    node.cost = Saturated(node.cost, cost);
    if (!items.emplace(*key.value.get<std::string>(), value).second) cursor.Fail("a key of a dictionary twice");
  }
  node.value = Shared(std::move(items));
}

uint64_t AttributeReader::BitPattern(Cursor& cursor, int bits) {
  if (bits <= 0) cursor.Fail("a number of a type without numbers");
  uint64_t word = 0;
  if (bits <= 8) {
    word = cursor.Byte();
  } else if (bits <= 64) {
    word = static_cast<uint64_t>(cursor.Signed());
  } else {
    uint64_t words = cursor.Count();
    for (uint64_t i = 0; i < words; ++i) {
      uint64_t part = static_cast<uint64_t>(cursor.Signed());
      if (i == 0) word = part;
    }
  }
  return bits >= 64 ? word : word & ((uint64_t{1} << bits) - 1);
}

double AttributeReader::DoubleAt(Cursor& cursor) {
  uint64_t bits = static_cast<uint64_t>(cursor.Signed());
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void AttributeReader::ReadInteger(Cursor& cursor, AttributeNode& node) {
  const TypeNode& type = TypeAt(cursor);
  uint64_t pattern = BitPattern(cursor, type.bits);
  if (type.kind == TypeNode::kElement && type.type.array.type == ElementType::kPred) {
    node.value.value = pattern != 0;
    return;
  }
  if (type.is_signed && type.bits < 64 && pattern >> (type.bits - 1) != 0) pattern |= ~uint64_t{0} << type.bits;
  node.value.value = static_cast<int64_t>(pattern);
}

void AttributeReader::ReadFloat(Cursor& cursor, AttributeNode& node) {
  const TypeNode& type = TypeAt(cursor);
  uint64_t pattern = BitPattern(cursor, type.bits);
  if (type.kind == TypeNode::kElement && IsFloat(type.type.array.type)) {
    node.value.value = DecodeFloat(type.type.array.type, pattern);
  } else if (type.kind == TypeNode::kOther) {
    node.value.value = std::string("a number of the type ") + type.name;
  } else {
    cursor.Fail("a floating-point number of another type");
  }
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

void AttributeReader::ReadDenseArray(Cursor& cursor, AttributeNode& node) {
  const TypeNode& type = TypeAt(cursor);
  uint64_t count = cursor.Varint();
  std::string_view blob = cursor.Take(cursor.Varint());
  size_t width = static_cast<size_t>((type.bits + 7) / 8);
  if (type.kind != TypeNode::kElement || width == 0 || width > 8 || count > blob.size() || count * width != blob.size()) {
    cursor.Fail("an array of " + std::to_string(count) + " elements in " + std::to_string(blob.size()) + " bytes");
  }
  ElementType element = type.type.array.type;
  node.cost += 8 * count;
  if (IsFloat(element)) {
    Array array(ArrayType{element, {static_cast<int64_t>(count)}});
    std::memcpy(array.mutable_data(), blob.data(), blob.size());
    node.value.value = std::move(array);
    return;
  }
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t word = 0;
    for (size_t k = 0; k < width; ++k) word |= static_cast<uint64_t>(static_cast<uint8_t>(blob[i * width + k])) << 8 * k;
    if (type.is_signed && type.bits < 64 && word >> (type.bits - 1) != 0) word |= ~uint64_t{0} << type.bits;
    values[i] = static_cast<int64_t>(word);
  }
  if (element == ElementType::kPred) {
    std::vector<bool> flags;
    for (int64_t value : values) flags.push_back(value != 0);
    node.value.value = std::move(flags);
  } else {
    node.value.value = std::move(values);
  }
}

const Dictionary* AttributeReader::AsDictionary(AttributeNode& node) {
  auto* shared = Value(node).get<std::shared_ptr<Dictionary>>();
  return shared == nullptr ? nullptr : shared->get();
}

// Locations share their parts; only a few of them are looked at, so that the text stays short.
std::string AttributeReader::Location(uint64_t index) {
  std::string out;
  for (int steps = 0; steps < 20; ++steps) {
    if (index >= container_.attributes.size()) {
      throw InvalidArgument("artifact: attribute " + std::to_string(index) + " of " +
                            std::to_string(container_.attributes.size()));
    }
    const Container::Entry& entry = container_.attributes[static_cast<size_t>(index)];
    if (!entry.own_encoding || container_.dialects[entry.dialect] != "builtin") return out;
    Cursor cursor = EntryCursor(entry, "location");
    uint64_t code = cursor.Varint();
    auto add = [&](AttributeNode& name) {
      if (const std::string* text = name.value.get<std::string>()) {
        if (!out.empty()) out += " at ";
        out += text->substr(0, 120);
      }
    };
    if (code == 14) {  // a name, and where it is from
      if (out.empty()) add(AttributeAt(cursor)); else AttributeAt(cursor);
      index = cursor.Varint();
    } else if (code == 10) {  // the called place
      index = cursor.Varint();
    } else if (code == 12 || code == 13) {  // the first of several
      if (cursor.Count() == 0) return out;
      index = cursor.Varint();
    } else {
      if (code == 11) {
        add(AttributeAt(cursor));
        uint64_t line = cursor.Varint();
        out += ":" + std::to_string(line) + ":" + std::to_string(cursor.Varint());
      } else if (code == 22) {
        add(AttributeAt(cursor));
        for (uint64_t n = cursor.Count(), i = 0; i < n && i < 2; ++i) out += ":" + std::to_string(cursor.Varint());
      }
      return out;
    }
  }
  return out;
}

}  // namespace reference
