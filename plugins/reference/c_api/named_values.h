// Lists of named values: those that the plugin gives and those that it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pjrt_c_api.h"

namespace reference {

using NamedValue = std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;

// A list that owns everything in it, for as long as the caller may look at it.
class NamedValues {
 public:
  NamedValues() = default;
  NamedValues(std::initializer_list<std::pair<std::string, NamedValue>> values);
  NamedValues(const NamedValues&) = delete;
  NamedValues& operator=(const NamedValues&) = delete;

  void Add(std::string name, NamedValue value);

  // Null without values.
  const PJRT_NamedValue* data() const { return values_.empty() ? nullptr : values_.data(); }
  size_t size() const { return values_.size(); }

 private:
  std::list<std::pair<std::string, NamedValue>> storage_;
  std::vector<PJRT_NamedValue> values_;
};

// A caller's list. Throws InvalidArgument for one without names, with a name twice, or of types that there are not.
// struct_size of the elements is not looked at: frameworks leave it unset.
std::map<std::string, NamedValue> ReadNamedValues(const PJRT_NamedValue* values, size_t size, const char* field);

// Payloads of errors: strings alone, else InvalidArgument.
std::map<std::string, std::string> ReadPayloads(const PJRT_NamedValue* values, size_t size);

}  // namespace reference
