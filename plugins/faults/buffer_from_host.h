// Transfers to the device, and what their arguments say of the array.
#ifndef PJRT_FAULTS_BUFFER_FROM_HOST_H_
#define PJRT_FAULTS_BUFFER_FROM_HOST_H_

#include "faults.h"

namespace faults {

using H2D = SLOT(PJRT_Client_BufferFromHostBuffer);
using ToDevice = PJRT_Client_BufferFromHostBuffer_Args;

inline size_t CountOf(const ToDevice& args) {
  size_t count = 1;
  for (size_t i = 0; i < args.num_dims; ++i) count *= args.dims[i] < 0 ? 0 : static_cast<size_t>(args.dims[i]);
  return count;
}
inline bool IsDense(const ToDevice& args) { return args.byte_strides == nullptr || args.num_byte_strides == 0; }

}  // namespace faults

#endif
