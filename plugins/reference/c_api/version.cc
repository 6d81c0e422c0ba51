#include "c_api/version.h"

#include <cstdlib>
#include <cstring>
#include <typeindex>
#include <unordered_map>

namespace reference {

namespace {

int ReadMinor() {
  const char* text = std::getenv("PJRT_REFERENCE_API_MINOR");
  if (text == nullptr || *text == '\0') return kNewestMinor;
  char* end = nullptr;
  const long minor = std::strtol(text, &end, 10);
  return *end == '\0' && minor >= kOldestMinor && minor <= kNewestMinor ? static_cast<int>(minor) : 0;
}

void Add(std::unordered_map<std::type_index, StructSize>& sizes, const std::type_info& type, int minor, size_t size,
         size_t declared) {
  if (minor > ApiMinor()) return;
  StructSize& entry = sizes[type];
  entry.current = size;
  const size_t least = declared != 0 && declared < size ? declared : size;
  const bool oldest = minor <= kOldestCaller;
  if (oldest || entry.smallest == 0 || least < entry.smallest) entry.smallest = least;
}

std::unordered_map<std::type_index, StructSize> ReadSizes() {
  std::unordered_map<std::type_index, StructSize> sizes;
#define REFERENCE_STRUCT_SIZE(type, minor, size, declared) Add(sizes, typeid(type), minor, size, declared);
#include "struct_sizes.inc"
  return sizes;
}

}  // namespace

int ApiMinor() {
  static const int minor = ReadMinor();
  return minor;
}

StructSize FindStructSize(const std::type_info& type) {
  static const auto sizes = ReadSizes();
  const auto found = sizes.find(type);
  return found == sizes.end() ? StructSize{} : found->second;
}

TableSize FindTableSize() {
  TableSize table;
#define REFERENCE_FUNCTIONS(minor, count, size, declared) \
  if (minor <= ApiMinor()) table = {count, size, declared};
#include "struct_sizes.inc"
  return table;
}

bool KnownBufferType(int type) {
#define IS_PJRT_Buffer_Type(value, minor) \
  if (type == value) return minor <= ApiMinor();
#define IS_PJRT_Error_Code(value, minor)
#define IS_PJRT_Extension_Type(value, minor)
#define IS_PJRT_NamedValue_Type(value, minor)
#define IS_PJRT_ProcessState(value, minor)
#define IS_PJRT_HostBufferSemantics(value, minor)
#define IS_PJRT_Buffer_MemoryLayout_Type(value, minor)
#define REFERENCE_ENUM_VALUE(type, value, minor) IS_##type(value, minor)
#include "struct_sizes.inc"
#undef IS_PJRT_Buffer_Type
#undef IS_PJRT_Error_Code
  return false;
}

bool KnownErrorCode(int code) {
#define IS_PJRT_Buffer_Type(value, minor)
#define IS_PJRT_Error_Code(value, minor) \
  if (code == value) return minor <= ApiMinor();
#define REFERENCE_ENUM_VALUE(type, value, minor) IS_##type(value, minor)
#include "struct_sizes.inc"
  return false;
}

}  // namespace reference
