// Buffers of the base: size and deletion.
#ifndef PJRT_FAULTS_BUFFERS_H_
#define PJRT_FAULTS_BUFFERS_H_

#include "faults.h"

namespace faults {

/** Bytes of the elements on hosts. */
inline size_t HostBytes(PJRT_Buffer* buffer) {
  const Shape shape = ShapeOf(buffer);
  return shape.count() * ElementBytes(shape.type);
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
