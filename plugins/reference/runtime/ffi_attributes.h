// Attributes of a custom call in the form of the FFI.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "runtime/ffi_abi.h"

namespace reference {

// Owns a dictionary of attributes and everything in it.
class FfiAttributes {
 public:
  // Throws Unimplemented naming an attribute that has no form there: units, types, lists of anything but numbers.
  explicit FfiAttributes(const Dictionary& attributes);
  FfiAttributes(const FfiAttributes&) = delete;
  FfiAttributes& operator=(const FfiAttributes&) = delete;

  const ffi::Attributes& attributes() const { return attributes_; }

 private:
  struct Level {
    std::vector<ffi::AttributeKind> kinds;
    std::vector<ffi::ByteSpan*> names;
    std::vector<void*> values;
  };
  ffi::Attributes Fill(const Dictionary& dictionary);
  void Add(Level& level, const std::string& name, const Attribute& attribute);
  void* NumberBytes(ElementType type, const std::vector<Attribute>& numbers, const std::string& name);
  ffi::ByteSpan* Text(const std::string& text);

  std::deque<Level> levels_;
  std::deque<std::string> texts_;
  std::deque<std::vector<uint64_t>> bytes_;
  std::deque<ffi::ByteSpan> spans_;
  std::deque<ffi::Scalar> scalars_;
  std::deque<ffi::ArrayAttribute> arrays_;
  std::deque<ffi::Attributes> dictionaries_;
  ffi::Attributes attributes_;
};

}  // namespace reference
