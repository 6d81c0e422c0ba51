// Types of an artifact.

#include <limits>

#include "ir/bytecode_attributes.h"

namespace reference {
namespace {

constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

// VHLO types without fields, by code; "" for other codes. i1 has its own code there.
constexpr const char* kVhloScalars[] = {
    "i1", "", "bf16", "f16", "f32", "f64", "f8E4M3FN", "f8E5M2",
    "", "index", "i4", "i8", "i16", "i32", "i64", "ui4",
    "ui8", "ui16", "ui32", "ui64", "", "", "token", "",
    "", "", "witness", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "", "i2",
    "ui2", "none", "tf32", "f8E4M3", "f8E3M4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN",
    "f8E8M0FNU",
};

const char* BuiltinScalar(uint64_t code) {
  switch (code) {
    case 1: return "index";
    case 3: return "bf16";
    case 4: return "f16";
    case 5: return "f32";
    case 6: return "f64";
    case 7: return "f80";
    case 8: return "f128";
    case 12: return "none";
    case 21: return "tf32";
    case 22: return "f8E5M2";
    case 23: return "f8E4M3";
    case 24: return "f8E4M3FN";
    case 25: return "f8E5M2FNUZ";
    case 26: return "f8E4M3FNUZ";
    case 27: return "f8E4M3B11FNUZ";
    case 28: return "f8E3M4";
    case 29: return "f4E2M1FN";
    case 30: return "f6E2M3FN";
    case 31: return "f6E3M2FN";
    case 32: return "f8E8M0FNU";
    default: return nullptr;
  }
}

void SetScalar(const std::string& name, TypeNode& node) {
  node.name = name;
  if (name == "none") {
    node.kind = TypeNode::kNone;
  } else if (name == "token") {
    node.kind = TypeNode::kValue;
    node.type.array.type = ElementType::kToken;
  } else if (name == "index") {
    node.is_index = true;
    node.bits = 64;
    node.is_signed = true;
  } else if (name == "tf32") {
    node.bits = 19;
  } else if (name == "f80" || name == "f128") {
    node.bits = name == "f80" ? 80 : 128;
  } else if (ElementType type = FromMlir(name); type != ElementType::kInvalid && type != ElementType::kToken) {
    node.kind = TypeNode::kElement;
    node.type.array.type = type;
    node.bits = BitWidth(type);
    node.is_signed = IsSignedInteger(type);
  }
}

}  // namespace

const TypeNode& AttributeReader::GetType(uint64_t index) {
  if (index >= types_.size()) {
    throw InvalidArgument("artifact: type " + std::to_string(index) + " of " + std::to_string(types_.size()));
  }
  Slot<TypeNode>& slot = types_[static_cast<size_t>(index)];
  if (slot.state != Slot<TypeNode>::kDone) {
    if (slot.state == Slot<TypeNode>::kBusy || depth_ > 100) {
      throw InvalidArgument("artifact: type " + std::to_string(index) + " refers to itself or is too deep");
    }
    slot.state = Slot<TypeNode>::kBusy;
    ++depth_;
    DecodeType(container_.types[static_cast<size_t>(index)], slot.node);
    --depth_;
    slot.state = Slot<TypeNode>::kDone;
  }
  return slot.node;
}

void AttributeReader::DecodeType(const Container::Entry& entry, TypeNode& node) {
  Cursor cursor = EntryCursor(entry, "type");
  std::string_view dialect = container_.dialects[entry.dialect];
  node.cost = 64;
  if (!entry.own_encoding) {
    std::string text(cursor.Terminated().substr(0, 100));
    node.name = text;
    SetScalar(text, node);
  } else if (dialect == "vhlo") {
    DecodeVhloType(cursor, node);
  } else if (dialect == "builtin") {
    DecodeBuiltinType(cursor, node);
  } else {
    node.name = "of the dialect " + std::string(dialect.substr(0, 100));
    return;
  }
  cursor.ExpectEnd();
}

void AttributeReader::DecodeVhloType(Cursor& cursor, TypeNode& node) {
  uint64_t code = cursor.Varint();
  switch (code) {
    case 1: return ReadComplexType(cursor, node);
    case 8: return ReadFunctionType(cursor, node);
    case 20: return ReadTensorType(cursor, false, node);
    case 21: return ReadTensorType(cursor, true, node);
    case 23: return ReadTupleType(cursor, node);
    case 24: {
      node.name = "quant";
      cursor.Varint();
      node.bits = TypeAt(cursor).bits;
      TypeAt(cursor);
      DoubleAt(cursor);
      for (int i = 0; i < 3; ++i) cursor.Signed();
      return;
    }
    case 25:
      node.name = "unranked tensor";
      TypeAt(cursor);
      return;
    case 30: {
      node.name = "quant";
      cursor.Varint();
      node.bits = TypeAt(cursor).bits;
      TypeAt(cursor);
      cursor.Varint();
      for (int i = 0; i < 2; ++i) cursor.Signed();
      for (uint64_t n = cursor.Count(); n > 0; --n) DoubleAt(cursor);
      Integers(cursor);
      return;
    }
    case 41:
      node.name = "buffer";
      Integers(cursor);
      TypeAt(cursor);
      return;
    case 42:
      node.name = "future";
      for (uint64_t n = cursor.Count(); n > 0; --n) TypeAt(cursor);
      return;
    default:
      if (code >= std::size(kVhloScalars) || *kVhloScalars[code] == '\0') {
        cursor.Fail("type " + std::to_string(code) + " is not known");
      }
      SetScalar(kVhloScalars[code], node);
  }
}

void AttributeReader::DecodeBuiltinType(Cursor& cursor, TypeNode& node) {
  uint64_t code = cursor.Varint();
  switch (code) {
    case 0: {
      uint64_t word = cursor.Varint();
      uint64_t width = word >> 2;
      if ((word & 3) == 3 || width > (uint64_t{1} << 24)) cursor.Fail("no type of integers");
      SetScalar(((word & 3) == 2 ? "ui" : "i") + std::to_string(width), node);
      node.bits = static_cast<int>(width);
      node.is_signed = (word & 3) != 2 && width != 1;
      return;
    }
    case 2: return ReadFunctionType(cursor, node);
    case 9: return ReadComplexType(cursor, node);
    case 13: return ReadTensorType(cursor, false, node);
    case 14: return ReadTensorType(cursor, true, node);
    case 15: return ReadTupleType(cursor, node);
    case 18:
      node.name = "unranked tensor";
      TypeAt(cursor);
      return;
    case 19:
      ReadTensorType(cursor, false, node);
      node.kind = TypeNode::kOther;  // of constants, not of values
      node.name = "vector";
      return;
    default:
      if (const char* name = BuiltinScalar(code)) return SetScalar(name, node);
      cursor.Fail("builtin type " + std::to_string(code) + " is not known");
  }
}

void AttributeReader::ReadTensorType(Cursor& cursor, bool has_encoding, TypeNode& node) {
  if (has_encoding) AttributeAt(cursor);
  Dims dims = Integers(cursor);
  const TypeNode& element = TypeAt(cursor);
  node.cost += 8 * dims.size();
  bool dynamic = false;
  for (int64_t dim : dims) {
    if (dim < 0 && dim != kDynamic) cursor.Fail("the dimension " + std::to_string(dim));
    dynamic = dynamic || dim < 0;
  }
  if (dynamic) {
    node.name = "tensor with dimensions of unknown size";
    return;
  }
  node.is_index = element.is_index;
  if (element.kind != TypeNode::kElement && !element.is_index) {
    node.name = "tensor of " + element.name;
    return;
  }
  ElementCount(dims);
  node.type.array = {element.is_index ? ElementType::kS64 : element.type.array.type, std::move(dims)};
  node.has_constants = true;
  node.kind = element.is_index ? TypeNode::kOther : TypeNode::kValue;
  node.name = "tensor of index";
}

void AttributeReader::ReadFunctionType(Cursor& cursor, TypeNode& node) {
  node.kind = TypeNode::kFunction;
  node.name = "function";
  for (uint64_t n = cursor.Count(); n > 0; --n) node.inputs.push_back(&TypeAt(cursor));
  for (uint64_t n = cursor.Count(); n > 0; --n) node.outputs.push_back(&TypeAt(cursor));
}

void AttributeReader::ReadTupleType(Cursor& cursor, TypeNode& node) {
  std::vector<const TypeNode*> elements;
  node.kind = TypeNode::kValue;
  for (uint64_t n = cursor.Count(); n > 0; --n) {
    elements.push_back(&TypeAt(cursor));
    node.cost += elements.back()->cost;
    if (elements.back()->kind != TypeNode::kValue) node.kind = TypeNode::kOther;
  }
  if (node.kind == TypeNode::kOther) {
    node.name = "tuple of other types than tensors, tokens and tuples";
    return;
  }
  Charge(node.cost);
  node.type.is_tuple = true;
  for (const TypeNode* element : elements) node.type.elements.push_back(element->type);
}

void AttributeReader::ReadComplexType(Cursor& cursor, TypeNode& node) {
  const TypeNode& part = TypeAt(cursor);
  node.name = "complex of " + part.name.substr(0, 100);
  if (part.kind != TypeNode::kElement) return;
  ElementType type = part.type.array.type;
  if (type == ElementType::kF32 || type == ElementType::kF64) {
    SetScalar(type == ElementType::kF32 ? "complex<f32>" : "complex<f64>", node);
  }
}

const Type& AttributeReader::ValueType(const TypeNode& node) {
  if (node.kind == TypeNode::kValue) return node.type;
  if (node.kind == TypeNode::kOther) throw Unimplemented("values of the type " + node.name);
  throw InvalidArgument("artifact: a value of a type that no value has");
}

}  // namespace reference
