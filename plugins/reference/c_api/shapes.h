// Types, shapes and layouts as the C API passes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/array.h"
#include "base/error.h"
#include "pjrt_c_api.h"
#include "runtime/layout.h"

namespace reference {

// Throw InvalidArgument for types that this version does not have, and for dimensions that cannot be.
ElementType ElementTypeFrom(PJRT_Buffer_Type type);
ArrayType ArrayTypeFrom(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims);
// The same for arrays that hold something: no tokens.
ArrayType StorableTypeFrom(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims);

// Null is row-major. struct_size and extension_start are not looked at: frameworks leave them uninitialised.
Layout LayoutFrom(const PJRT_Buffer_MemoryLayout* layout, const ArrayType& type);

// A list of int64 of a caller; throws InvalidArgument where a length comes without a list.
std::vector<int64_t> Int64sFrom(const int64_t* values, size_t count, const char* what);

// An error that a caller made: a code other than OK, with a message that may be null.
Error ErrorFrom(PJRT_Error_Code code, const char* message, size_t message_size);
// Text payloads of an error; throws InvalidArgument for values of another type.
std::map<std::string, std::string> PayloadsFrom(const PJRT_NamedValue* payload, size_t num_payload);

// A layout in the form that callers read, and what it points to.
struct LayoutForm {
  explicit LayoutForm(Layout layout);
  LayoutForm(const LayoutForm&) = delete;
  LayoutForm& operator=(const LayoutForm&) = delete;

  PJRT_Buffer_MemoryLayout form{};

 private:
  Layout layout_;
  std::vector<int64_t> tile_dims_;
  std::vector<size_t> tile_dim_sizes_;
};

}  // namespace reference
