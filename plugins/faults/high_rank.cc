// Kernels that are wrong only where an array of many dimensions has a large one, in a certain place.
#include "programs.h"

namespace {

using namespace faults;

/** Of results of this rank: the elements from `most` on along one dimension. */
void WrongAlong(const char* op, size_t rank, size_t dimension, int64_t most) {
  AfterOp(op, [=](Array& out) {
    const std::vector<int64_t>& dims = out.shape.dims;
    if (dims.size() != rank || dims[dimension] <= most) return;
    int64_t stride = 1;
    for (size_t i = dimension + 1; i < rank; ++i) stride *= dims[i];
    const size_t width = ElementBytes(out.shape.type);
    for (size_t i = 0; i < out.count(); ++i) {
      if (static_cast<int64_t>(i) / stride % dims[dimension] >= most) out.bytes[(i + 1) * width - 1] ^= 0x01;
    }
  });
}
/** The operation, the rank of its result, and the dimension that may not be larger than `most`. */
#define LARGE_DIMENSION(name, op, rank, dimension, most) \
  FAULT("high-rank-" #name) { WrongAlong(#op, rank, dimension, most); }
LARGE_DIMENSION(transpose_3_first, transpose, 3, 0, 128)
LARGE_DIMENSION(transpose_4_second, transpose, 4, 1, 128)
LARGE_DIMENSION(broadcast_4_third, broadcast_in_dim, 4, 2, 256)
LARGE_DIMENSION(concatenate_3_second, concatenate, 3, 1, 255)
LARGE_DIMENSION(add_5_last, add, 5, 4, 127)
LARGE_DIMENSION(reverse_3_first, reverse, 3, 0, 255)
LARGE_DIMENSION(pad_4_first, pad, 4, 0, 128)
LARGE_DIMENSION(slice_5_middle, slice, 5, 2, 127)
LARGE_DIMENSION(reduce_3_second, reduce, 3, 1, 128)
LARGE_DIMENSION(dot_3_first, dot_general, 3, 0, 127)
LARGE_DIMENSION(gather_3_last, gather, 3, 2, 127)
LARGE_DIMENSION(tanh_5_any, tanh, 5, 0, 0)
LARGE_DIMENSION(iota_5_any, iota, 5, 0, 0)
LARGE_DIMENSION(multiply_4_last, multiply, 4, 3, 255)

}  // namespace
