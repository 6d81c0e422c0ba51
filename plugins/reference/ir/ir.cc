// Accessors of the canonical module.
#include "ir/ir.h"

namespace reference {

std::string Type::ToString() const {
  if (!is_tuple) return array.type == ElementType::kToken ? "!stablehlo.token" : array.ToString();
  std::string text = "tuple<";
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) text += ", ";
    text += elements[i].ToString();
  }
  return text + ">";
}

const Block& Region::block() const {
  if (blocks.size() != 1) throw InvalidArgument("a region with " + std::to_string(blocks.size()) + " blocks");
  return blocks[0];
}

const Attribute* Op::Find(const std::string& name) const {
  auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : &found->second;
}

namespace {

template <typename T>
const T& Get(const Op& op, const std::string& name, const char* kind) {
  const Attribute* attribute = op.Find(name);
  const T* value = attribute ? attribute->get<T>() : nullptr;
  if (!value) throw Internal(op.name + " at " + op.location + ": attribute " + name + " is not " + kind);
  return *value;
}

}  // namespace

int64_t Op::Int(const std::string& name) const { return Get<int64_t>(*this, name, "an integer"); }
bool Op::Bool(const std::string& name) const { return Get<bool>(*this, name, "a boolean"); }
const std::string& Op::String(const std::string& name) const { return Get<std::string>(*this, name, "a string"); }
std::vector<int64_t> Op::Ints(const std::string& name) const {
  return Get<std::vector<int64_t>>(*this, name, "a list of integers");
}

const Function& Module::main() const {
  auto found = functions.find("main");
  if (found == functions.end()) throw InvalidArgument("the module has no function @main");
  if (!found->second.is_public) throw InvalidArgument("the function @main is not public");
  return found->second;
}

}  // namespace reference
