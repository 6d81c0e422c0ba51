// Calls of the base on buffers.
#ifndef PJRT_FAULTS_BUFFERS_H_
#define PJRT_FAULTS_BUFFERS_H_

#include "faults.h"

namespace faults {

/** Bytes of the elements on hosts. */
inline size_t HostBytes(PJRT_Buffer* buffer) {
  const Shape shape = ShapeOf(buffer);
  return shape.count() * ElementBytes(shape.type);
}

}  // namespace faults

#endif
