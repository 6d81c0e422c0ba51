// Which version of the API this process speaks, and how large its structs are in it.
#pragma once

#include <cstddef>
#include <typeinfo>

#include "pjrt_c_api.h"

namespace reference {

constexpr int kOldestMinor = 60;
constexpr int kNewestMinor = PJRT_API_MINOR;

// PJRT_REFERENCE_API_MINOR, read once; kNewestMinor without it, 0 when it is none of the minors there are.
int ApiMinor();

struct StructSize {
  size_t current = 0;   // in the version that this process speaks; 0: not known in it
  size_t smallest = 0;  // of all versions from kOldestMinor to that one
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
  size_t bytes = 0;
};
TableSize FindTableSize();

// Whether this version knows a value of an enum.
bool KnownBufferType(int type);
bool KnownErrorCode(int code);

}  // namespace reference
