#include "c_api/named_values.h"

#include "base/error.h"
#include "c_api/call.h"

namespace reference {

NamedValues::NamedValues(std::initializer_list<std::pair<std::string, NamedValue>> values) {
  for (const auto& [name, value] : values) Add(name, value);
}

void NamedValues::Add(std::string name, NamedValue value) {
  const auto& [kept_name, kept] = storage_.emplace_back(std::move(name), std::move(value));
  PJRT_NamedValue entry = {};
  entry.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  entry.name = kept_name.data();
  entry.name_size = kept_name.size();
  entry.type = static_cast<PJRT_NamedValue_Type>(kept.index());
  entry.value_size = 1;
  if (const auto* text = std::get_if<std::string>(&kept)) {
    entry.string_value = text->data();
    entry.value_size = text->size();
  } else if (const auto* integer = std::get_if<int64_t>(&kept)) {
    entry.int64_value = *integer;
  } else if (const auto* list = std::get_if<std::vector<int64_t>>(&kept)) {
    entry.int64_array_value = list->data();
    entry.value_size = list->size();
  } else if (const auto* number = std::get_if<float>(&kept)) {
    entry.float_value = *number;
  } else {
    entry.bool_value = std::get<bool>(kept);
  }
  values_.push_back(entry);
}

std::map<std::string, NamedValue> ReadNamedValues(const PJRT_NamedValue* values, size_t size, const char* field) {
  GivenArray(values, size, field);
  std::map<std::string, NamedValue> result;
  for (size_t i = 0; i < size; i++) {
    const PJRT_NamedValue& value = values[i];
    const std::string place = std::string(field) + "[" + std::to_string(i) + "]";
    if (value.name == nullptr || value.name_size == 0) throw InvalidArgument(place + " has no name");
    const std::string name(value.name, value.name_size);
    NamedValue read;
    // May be out of range: the other side may be in another language, or newer.
    switch (static_cast<int>(value.type)) {
      case PJRT_NamedValue_kString:
        read = GivenText(value.string_value, value.value_size, name.c_str());
        break;
      case PJRT_NamedValue_kInt64:
        read = value.int64_value;
        break;
      case PJRT_NamedValue_kInt64List: {
        const int64_t* list = GivenArray(value.int64_array_value, value.value_size, name.c_str());
        read = std::vector<int64_t>(list, list + value.value_size);
        break;
      }
      case PJRT_NamedValue_kFloat:
        read = value.float_value;
        break;
      case PJRT_NamedValue_kBool:
        read = value.bool_value;
        break;
      default:
        throw InvalidArgument(place + ", " + name + ", is of the unknown type " +
                              std::to_string(static_cast<int>(value.type)));
    }
    if (!result.emplace(name, std::move(read)).second) throw InvalidArgument(name + " is given twice in " + field);
  }
  return result;
}

std::map<std::string, std::string> ReadPayloads(const PJRT_NamedValue* values, size_t size) {
  std::map<std::string, std::string> payloads;
  for (auto& [name, value] : ReadNamedValues(values, size, "payload")) {
    auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) throw InvalidArgument("the payload " + name + " is no string");
    payloads.emplace(name, std::move(*text));
  }
  return payloads;
}

}  // namespace reference
