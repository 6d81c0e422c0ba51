// Types, shapes and layouts as the C API passes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/array.h"
#include "base/error.h"
#include "pjrt_c_api.h"
#include "runtime/layout.h"

namespace reference {

// Throw InvalidArgument for types that this version does not have, and for invalid dimensions.
ElementType ElementTypeFrom(PJRT_Buffer_Type type);
ArrayType ArrayTypeFrom(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims);
// The same for arrays with data: no tokens.
ArrayType StorableTypeFrom(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims);

// Null is the default layout of devices. Ignores struct_size and extension_start: frameworks leave them uninitialised.
Layout LayoutFrom(const PJRT_Buffer_MemoryLayout* layout, const ArrayType& type);

// A caller's list; throws InvalidArgument for a length without a list.
std::vector<int64_t> Int64sFrom(const int64_t* values, size_t count, const char* field);

// The caller's error, which must not be OK.
Error CallersError(int code, const char* message, size_t message_size);

}  // namespace reference
