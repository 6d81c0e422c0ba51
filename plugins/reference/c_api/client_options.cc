#include "c_api/client_options.h"

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>

#include "base/design.h"
#include "base/error.h"

namespace reference {
namespace {

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (errno != 0 || *end != '\0') throw InvalidArgument(std::string(name) + " is no number: " + text);
  return value;
}

int ToInt(const std::string& name, int64_t value) {
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    throw InvalidArgument(name + " is out of range: " + std::to_string(value));
  }
  return static_cast<int>(value);
}

}  // namespace

ClientOptions ClientOptionsFrom(const PJRT_NamedValue* options, size_t num_options) {
  ClientOptions result;
  if (ThisDesign().one_device) result.num_devices = 1;
  result.num_devices = ToInt("PJRT_REFERENCE_NUM_DEVICES",
                             FromEnvironment("PJRT_REFERENCE_NUM_DEVICES", result.num_devices));
  result.delay_us = FromEnvironment("PJRT_REFERENCE_DELAY_US", result.delay_us);
  if (num_options > 0 && options == nullptr) throw InvalidArgument("create_options is null but has a length");
  std::set<std::string> seen;
  for (size_t i = 0; i < num_options; i++) {
    const PJRT_NamedValue& option = options[i];
    if (option.name == nullptr) throw InvalidArgument("option " + std::to_string(i) + " has no name");
    const std::string name(option.name, option.name_size);
    const bool known = name == "num_devices" || name == "delay_us" || name == "memory_limit_bytes" ||
                       name == "num_nodes" || name == "node_id";
    if (!known) {
      throw InvalidArgument("there is no option '" + name +
                            "': known are num_devices, delay_us, memory_limit_bytes, num_nodes and node_id");
    }
    if (!seen.insert(name).second) throw InvalidArgument("option '" + name + "' is given twice");
    if (option.type != PJRT_NamedValue_kInt64) throw InvalidArgument("option '" + name + "' is no int64");
    const int64_t value = option.int64_value;
    if (name == "num_devices") result.num_devices = ToInt(name, value);
    if (name == "delay_us") result.delay_us = value;
    if (name == "memory_limit_bytes") result.memory_limit_bytes = value;
    if (name == "num_nodes") result.num_processes = ToInt(name, value);
    if (name == "node_id") result.process_index = ToInt(name, value);
  }
  return result;
}

}  // namespace reference
