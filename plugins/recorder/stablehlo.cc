#include "stablehlo.h"

#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "plugins.h"
#include "settings.h"

namespace recorder {
namespace {

constexpr char kName[] = "stablehlo_current_version";

/** Attributes as the caller gets them, in place of the plugin's; they stay, as callers may keep them. */
struct Lowered {
  const PJRT_NamedValue* of;
  PJRT_NamedValue* attributes;
};
Lowered lowered[kMostPlugins];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

bool IsVersion(const PJRT_NamedValue& value) {
  return value.name != nullptr && value.name_size == sizeof(kName) - 1 && std::memcmp(value.name, kName, value.name_size) == 0 &&
         value.type == PJRT_NamedValue_kInt64List && value.value_size == 3 && value.int64_array_value != nullptr;
}

bool IsLater(const int64_t* version, const int64_t* than) {
  for (int i = 0; i < 3; ++i) {
    if (version[i] != than[i]) return version[i] > than[i];
  }
  return false;
}

/** A copy with another version; null if there is none to lower, of which stderr has the reason. */
PJRT_NamedValue* Lower(int plugin, const PJRT_NamedValue* attributes, size_t count) {
  const int64_t* asked = Asked().stablehlo;
  const size_t stride = count == 0 ? 0 : (attributes->struct_size + 7) & ~size_t{7};
  if (count > 0 && stride < sizeof(PJRT_NamedValue)) return nullptr;
  const auto* bytes = reinterpret_cast<const char*>(attributes);
  for (size_t i = 0; i < count; ++i) {
    const auto& value = *reinterpret_cast<const PJRT_NamedValue*>(bytes + i * stride);
    if (!IsVersion(value)) continue;
    const int64_t* own = value.int64_array_value;
    if (!IsLater(own, asked)) {
      Say("%s reads StableHLO %d.%d.%d, which --stablehlo leaves as it is", PluginAt(plugin).path, static_cast<int>(own[0]),
          static_cast<int>(own[1]), static_cast<int>(own[2]));
      return nullptr;
    }
    auto* copy = static_cast<char*>(malloc(count * stride));
    if (copy == nullptr) return nullptr;
    std::memcpy(copy, bytes, count * stride);
    reinterpret_cast<PJRT_NamedValue*>(copy + i * stride)->int64_array_value = asked;
    return reinterpret_cast<PJRT_NamedValue*>(copy);
  }
  Say("%s does not say which StableHLO it reads, so --stablehlo changes nothing", PluginAt(plugin).path);
  return nullptr;
}

}  // namespace

void LowerStablehlo(int plugin, PJRT_Plugin_Attributes_Args& args) {
  if (!Asked().lowers_stablehlo || args.struct_size < PJRT_Plugin_Attributes_Args_STRUCT_SIZE) return;
  if (args.attributes == nullptr) return;
  pthread_mutex_lock(&mutex);
  Lowered& known = lowered[plugin];
  if (known.of != args.attributes) known = {args.attributes, Lower(plugin, args.attributes, args.num_attributes)};
  if (known.attributes != nullptr) args.attributes = known.attributes;
  pthread_mutex_unlock(&mutex);
}

}  // namespace recorder
