// Types and attributes of an artifact, of the dialects vhlo, builtin and sdy, decoded into those of the canonical
// module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/bytecode_container.h"
#include "ir/ir.h"

namespace reference {

struct TypeNode {
  enum Kind : uint8_t {
    kValue,     // a type of values: `type`
    kElement,   // of elements: `type.array.type`, and `bits`
    kFunction,  // `inputs`, `outputs`
    kNone,
    kOther,     // no form in the canonical module; `name` says what it is
  };
  Kind kind = kOther;
  Type type;
  // Set for static arrays, also of index (as kS64), which only constants may have.
  bool has_constants = false;
  bool is_index = false;
  int bits = 0;  // of a number; also of numbers that are kOther
  bool is_signed = false;
  std::string name;  // MLIR's spelling of an element type; for a kOther type, its description in messages
  std::vector<const TypeNode*> inputs, outputs;
  uint64_t cost = 0;
};

struct AttributeNode {
  enum Kind : uint8_t { kPlain, kString, kSymbol, kType, kConstant, kDictionary, kMesh, kShardy };
  Kind kind = kPlain;
  Attribute value;                 // not of kConstant and kDictionary
  std::string inner;               // of Shardy: the text without "#sdy.name"
  const TypeNode* type = nullptr;  // of kType and kConstant
  std::string_view blob;           // of kConstant
  std::optional<Array> array;      // of kConstant, decoded on demand
  std::vector<std::pair<const std::string*, AttributeNode*>> items;  // of kDictionary
  std::optional<Attribute> late;   // the value of kConstant and kDictionary, decoded on demand
  uint64_t cost = 0;  // bytes of a copy, including everything below
};

// Decodes entries of the tables on demand, each once.
class AttributeReader {
 public:
  explicit AttributeReader(const Container& container);

  const TypeNode& GetType(uint64_t index);
  AttributeNode& GetAttribute(uint64_t index);

  // The canonical value; a dense attribute as in ir.h, unless an op requires an array.
  const Attribute& Value(AttributeNode& node);
  // A dense attribute as an array.
  const Array& Constant(AttributeNode& node);
  // A location as text of bounded length; empty if unknown.
  std::string Location(uint64_t index);

  // Throws Unimplemented if this plugin does not support values of the type.
  const Type& ValueType(const TypeNode& node);

  // Counts memory that is not proportional to the bytes read; throws if an artifact uses too much of it.
  void Charge(uint64_t bytes);

 private:
  template <typename Node>
  struct Slot {
    enum State : uint8_t { kFresh, kBusy, kDone } state = kFresh;
    Node node;
  };

  Cursor EntryCursor(const Container::Entry& entry, const char* what) const;
  const std::string_view& String(Cursor& cursor);
  std::string StringOf(Cursor& cursor);
  const TypeNode& TypeAt(Cursor& cursor) { return GetType(cursor.Varint()); }
  AttributeNode& AttributeAt(Cursor& cursor) { return GetAttribute(cursor.Varint()); }
  std::vector<int64_t> Integers(Cursor& cursor);

  void DecodeType(const Container::Entry& entry, TypeNode& node);
  void DecodeVhloType(Cursor& cursor, TypeNode& node);
  void DecodeBuiltinType(Cursor& cursor, TypeNode& node);
  void ReadTensorType(Cursor& cursor, bool has_encoding, TypeNode& node);
  void ReadFunctionType(Cursor& cursor, TypeNode& node);
  void ReadTupleType(Cursor& cursor, TypeNode& node);
  void ReadComplexType(Cursor& cursor, TypeNode& node);

  void DecodeAttribute(const Container::Entry& entry, AttributeNode& node);
  void DecodeVhloAttribute(Cursor& cursor, AttributeNode& node);
  void DecodeBuiltinAttribute(Cursor& cursor, AttributeNode& node);
  void DecodeShardyAttribute(Cursor& cursor, AttributeNode& node);
  void ReadList(Cursor& cursor, AttributeNode& node);
  void ReadDictionary(Cursor& cursor, AttributeNode& node);
  void ReadInteger(Cursor& cursor, AttributeNode& node);
  void ReadFloat(Cursor& cursor, AttributeNode& node);
  void ReadTypeAttribute(Cursor& cursor, AttributeNode& node);
  void ReadConstant(Cursor& cursor, AttributeNode& node);
  void ReadDenseArray(Cursor& cursor, AttributeNode& node);
  uint64_t BitPattern(Cursor& cursor, int bits);
  double DoubleAt(Cursor& cursor);
  std::string MeshText(Cursor& cursor, bool vhlo);
  std::string ShardyList(Cursor& cursor, std::string_view open, std::string_view close);
  std::string RuleText(Cursor& cursor);

  const Container& container_;
  std::vector<Slot<TypeNode>> types_;
  std::vector<Slot<AttributeNode>> attributes_;
  int depth_ = 0;
  uint64_t charged_ = 0;
  uint64_t budget_;
};

// Fills `array` from the bytes of a dense attribute or resource: all elements, one for all, or packed booleans. False
// if the number of bytes matches none of these.
bool UnpackConstant(std::string_view blob, Array& array);

}  // namespace reference
