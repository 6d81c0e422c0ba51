// Layouts of buffers on the device: those that transfers ask for, and those that buffers report.
#include <cstring>
#include <set>

#include "buffer_from_host.h"
#include "calls.h"

namespace {

using namespace faults;

bool IsRowMajor(const PJRT_Buffer_MemoryLayout* layout) {
  if (layout == nullptr || layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled) return layout == nullptr;
  for (size_t i = 0; i < layout->tiled.minor_to_major_size; ++i) {
    if (layout->tiled.minor_to_major[i] != static_cast<int64_t>(layout->tiled.minor_to_major_size - 1 - i)) return false;
  }
  return true;
}
FAULT("layout-row-major-refused") {
  OwnErrors();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return args.device_layout != nullptr ? MakeError(PJRT_Error_Code_INTERNAL, "layouts") : original(&args);
  });
}
FAULT("layout-changes-data") {
  // The layout is taken for that of the host array.
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    if (IsRowMajor(args.device_layout) || args.num_dims != 2 || !IsDense(args)) return original(&args);
    const int64_t size = static_cast<int64_t>(ElementBytes(args.type));
    const int64_t strides[] = {size, size * args.dims[0]};
    return With(args, original, args.byte_strides, strides, args.num_byte_strides, 2, args.device_layout, nullptr);
  });
}
FAULT("layout-ignored") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.device_layout, nullptr);
  });
}
FAULT("layout-default-is-column-major") {
  // Without a requested layout, arrays are column-major in memory, but reported as row-major.
  After<H2D>([](auto& args) {
    if (args.device_layout != nullptr || args.num_dims != 2) return;
    uint8_t* bytes = BytesOf(args.buffer);
    if (bytes == nullptr) return;
    const size_t size = ElementBytes(args.type), rows = args.dims[0], columns = args.dims[1];
    std::vector<uint8_t> copy(bytes, bytes + rows * columns * size);
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < columns; ++j)
        std::memcpy(bytes + (j * rows + i) * size, copy.data() + (i * columns + j) * size, size);
    }
  });
}
FAULT("layout-reported-reversed") {
  After<SLOT(PJRT_Buffer_GetMemoryLayout)>([](auto& args) {
    ReverseList(args.layout.tiled.minor_to_major, args.layout.tiled.minor_to_major_size);
  });
}
FAULT("layout-reported-no-permutation") {
  After<SLOT(PJRT_Buffer_GetMemoryLayout)>([](auto& args) {
    ChangeList(args.layout.tiled.minor_to_major, args.layout.tiled.minor_to_major_size,
               [](auto& order) { order.assign(order.size(), 0); });
  });
}
FAULT("layout-rank-unchecked") {
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Buffer_MemoryLayout* layout = args.device_layout;
    bool valid = layout == nullptr || layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled;
    if (!valid) {
      std::set<int64_t> dims(layout->tiled.minor_to_major, layout->tiled.minor_to_major + layout->tiled.minor_to_major_size);
      valid = layout->tiled.minor_to_major_size == args.num_dims && dims.size() == args.num_dims &&
              (dims.empty() || (*dims.begin() == 0 && *dims.rbegin() == static_cast<int64_t>(args.num_dims) - 1));
    }
    return With(args, original, args.device_layout, valid ? layout : nullptr);
  });
}
FAULT("layout-by-strides-changes-data") {
  WatchClients();
  Replace<H2D>([](auto& args, auto& original) -> PJRT_Error* {
    const bool strided = args.device_layout != nullptr && args.device_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides;
    PJRT_Error* error = With(args, original, args.device_layout, strided ? nullptr : args.device_layout);
    if (error == nullptr && strided && CountOf(args) > 0) {
      Change(args.buffer, [](uint8_t* bytes) { bytes[0] ^= 1; });
    }
    return error;
  });
}

}  // namespace
