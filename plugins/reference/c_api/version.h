// The API version of this process, and the sizes of its structs.
#pragma once

#include <cstddef>
#include <typeinfo>

#include "pjrt_c_api.h"

namespace reference {

constexpr int kOldestMinor = 31;
// Callers that declare less than the structs of this version are served by plugins of their own time only.
constexpr int kOldestCaller = 60;
constexpr int kNewestMinor = PJRT_API_MINOR;

// PJRT_REFERENCE_API_MINOR, read once; kNewestMinor by default, 0 if it is not a known minor.
int ApiMinor();

struct StructSize {
  size_t current = 0;   // in the version of this process; 0: not in this version
  size_t smallest = 0;  // that is accepted
};
StructSize FindStructSize(const std::type_info& type);

template <typename T>
const StructSize& SizeOf() {
  static const StructSize size = FindStructSize(typeid(T));
  return size;
}

// Functions of PJRT_Api and its struct_size in this version.
struct TableSize {
  size_t functions = 0;
  size_t bytes = 0;     // end of the last one
  size_t declared = 0;  // struct_size, which headers before 0.57 gave too small
};
TableSize FindTableSize();

// Whether this version has an enum value.
bool KnownBufferType(int type);
bool KnownErrorCode(int code);

}  // namespace reference
