// Buffers of the base: size, layout and deletion.
#ifndef PJRT_FAULTS_BUFFERS_H_
#define PJRT_FAULTS_BUFFERS_H_

#include <vector>

#include "faults.h"

namespace faults {

/** Bytes of the elements on hosts. */
inline size_t HostBytes(PJRT_Buffer* buffer) {
  const Shape shape = ShapeOf(buffer);
  return shape.count() * ElementBytes(shape.type);
}
/** The layout with the dimensions in this order, minor to major, which must outlive it. */
inline PJRT_Buffer_MemoryLayout InOrder(const std::vector<int64_t>& minor_to_major) {
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  return layout;
}
inline bool IsDeleted(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_IsDeleted, args);
  args.buffer = buffer;
  Ask(Base().PJRT_Buffer_IsDeleted, args);
  return args.is_deleted;
}
inline void Delete(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Delete, args);
  args.buffer = buffer;
  Ask(Base().PJRT_Buffer_Delete, args);
}
inline void Destroy(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Destroy, args);
  args.buffer = buffer;
  Ask(Base().PJRT_Buffer_Destroy, args);
}

}  // namespace faults

#endif
