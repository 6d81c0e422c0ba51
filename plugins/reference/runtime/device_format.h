// How arrays lie on devices, as the design of the plugin has it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/layout.h"

namespace reference {

// The layout that an array has on a device unless somebody wants another: row-major, or that of the least padding in tiles.
Layout DefaultLayout(const ArrayType& type);

// What an array takes on a device. Throws as BytesInLayout does, and Unimplemented for strides where devices have tiles.
size_t DeviceBytes(const ArrayType& type, const Layout& layout);

// Throws InvalidArgument where bytes that are copied as they are do not all lie in a buffer of `bytes`, or do not begin and
// end where the device's memory can be cut.
void CheckRawRange(int64_t offset, int64_t size, int64_t bytes);

}  // namespace reference
