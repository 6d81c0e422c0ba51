// What the arguments of a call lead to.
#ifndef PJRT_RECORDER_COPIES_H_
#define PJRT_RECORDER_COPIES_H_

#include <cstddef>
#include <cstdint>

#include "trace.h"

namespace recorder {

struct Struct;

/** Bytes of an args struct, as its caller says, or as the layout says where structs have no size. */
size_t SizeOf(const Struct& layout, const void* args);

/** Writes what is behind the inputs of a call, before it is made. */
void CopyInputs(Record& record, const Struct& layout, const void* args);
/** Writes what is behind the outputs of a call that succeeded. */
void CopyOutputs(Record& record, const Struct& layout, const void* args);
/** The chain of extensions that a caller attaches. */
void CopyNodes(Record& record, const void* first);

/** An array in memory of the host. */
struct HostArray {
  const void* data;
  int type;
  const int64_t* dims;
  size_t rank;
  /** Null: row-major without gaps. */
  const int64_t* strides;
  size_t num_strides;
};
/** Writes all bytes from the first to the last element. */
void CopyArray(Record& record, const HostArray& array);
/** Bytes of a dense array; 0 if its type has none. */
size_t DenseBytes(int type, const int64_t* dims, size_t rank);

}  // namespace recorder

#endif
