// Common code of all functions of the C API.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "c_api/error.h"
#include "c_api/version.h"
#include "pjrt_c_api.h"

namespace reference {

// Bytes of a struct with a struct_size that both sides know: the rest is neither read nor written.
template <typename T>
size_t KnownSize(const T* value) {
  return std::min(value->struct_size, SizeOf<T>().current);
}

// Whether a field is in the bytes that both sides know. Fields that the struct has had from its beginning need no check
// after Call has accepted the struct.
#define HAS(args, field)                                                                             \
  (offsetof(std::remove_const_t<std::remove_pointer_t<decltype(args)>>, field) + sizeof((args)->field) <= \
   ::reference::KnownSize(args))

template <typename Args>
void CheckArgs(const char* name, const Args* args) {
  if (args == nullptr) throw InvalidArgument(std::string(name) + ": args is null");
  const StructSize& size = SizeOf<Args>();
  if (args->struct_size < size.smallest) {
    throw InvalidArgument(std::string(name) + ": struct_size is " + std::to_string(args->struct_size) +
                          ", expected " + std::to_string(size.current) +
                          (size.smallest < size.current ? ", or at least " + std::to_string(size.smallest) : ""));
  }
}

// Runs the body of a function of the C API: exceptions become errors.
template <typename Args, typename Body>
PJRT_Error* Call(const char* name, Args* args, Body&& body) {
  try {
    CheckArgs(name, args);
    std::forward<Body>(body)();
    return nullptr;
  } catch (...) {
    return MakeCaughtError();
  }
}

// The target of a pointer that must not be null.
template <typename T>
T& Given(T* pointer, const char* field) {
  if (pointer == nullptr) throw InvalidArgument(std::string(field) + " is null");
  return *pointer;
}

// A caller's array of `size` elements, null only if empty.
template <typename T>
T* GivenArray(T* array, size_t size, const char* field) {
  if (array == nullptr && size > 0) {
    throw InvalidArgument(std::string(field) + " is null, with " + std::to_string(size) + " elements");
  }
  return array;
}

// A caller's text by pointer and length.
inline std::string GivenText(const char* text, size_t size, const char* field) {
  return size == 0 ? std::string() : std::string(GivenArray(text, size, field), size);
}

}  // namespace reference
