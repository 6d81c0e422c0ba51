// Layouts and sizes of arrays on devices, depending on the design.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/layout.h"

namespace reference {

// The default layout on a device: row-major, or that with the least padding in tiles.
Layout DefaultLayout(const ArrayType& type);

// Size of an array on a device. Throws as BytesInLayout does, and Unimplemented for strides if devices have tiles.
size_t DeviceBytes(const ArrayType& type, const Layout& layout);

// Throws InvalidArgument if a raw byte range is not inside a buffer of `bytes`, or does not begin and end at a unit of
// the device's memory.
void CheckRawRange(int64_t offset, int64_t size, int64_t bytes);

}  // namespace reference
