// Lists of named values, as results and as arguments.
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

// A list that owns everything in it, for as long as the caller may read it.
class NamedValues {
 public:
  NamedValues() = default;
  NamedValues(std::initializer_list<std::pair<std::string, NamedValue>> values);
  NamedValues(const NamedValues&) = delete;
  NamedValues& operator=(const NamedValues&) = delete;

  void Add(std::string name, NamedValue value);

  // Null if empty.
  const PJRT_NamedValue* data() const { return values_.empty() ? nullptr : values_.data(); }
  size_t size() const { return values_.size(); }

 private:
  std::list<std::pair<std::string, NamedValue>> storage_;
  std::vector<PJRT_NamedValue> values_;
};

// A caller's list. Throws InvalidArgument for missing or repeated names, or unknown types. Ignores struct_size of the
// elements: frameworks leave it unset.
std::map<std::string, NamedValue> ReadNamedValues(const PJRT_NamedValue* values, size_t size, const char* field);

// Payloads of errors: only strings, else InvalidArgument.
std::map<std::string, std::string> ReadPayloads(const PJRT_NamedValue* values, size_t size);

}  // namespace reference
