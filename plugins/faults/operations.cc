// Faults in results of particular StableHLO operations: precision of products, sizes in operands, composites, random bits.
#include <cmath>

#include "programs.h"

namespace faults {
namespace {

/** A number of type f32 with the bits of bf16. */
float AsBf16(float x) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace

FAULT("numerics-products-of-bf16") {
  AfterRun([](Run& run) {
    const bool product = run.program.Has("dot_general") || run.program.Has("convolution");
    if (!product || run.args.num_args != 2 || run.outputs.empty()) return;
    const Array a = run.Argument(0), b = run.Argument(1), out = run.outputs.front();
    if (!a.Is(PJRT_Buffer_Type_F32) || !b.Is(PJRT_Buffer_Type_F32) || !out.Is(PJRT_Buffer_Type_F32)) return;
    if (a.shape.dims.empty() || b.shape.dims.empty() || out.shape.dims.size() != a.shape.dims.size()) return;
    const size_t depth = static_cast<size_t>(a.shape.dims.back()), columns = static_cast<size_t>(b.shape.dims.back());
    // Of matrices, or of filters of one element.
    if (depth == 0 || b.count() != depth * columns || out.count() != a.count() / depth * columns) return;
    for (size_t i = 0; i < out.count(); ++i) {
      float sum = 0;
      for (size_t k = 0; k < depth; ++k) {
        sum += AsBf16(a.As<float>()[i / columns * depth + k]) * AsBf16(b.As<float>()[k * columns + i % columns]);
      }
      out.As<float>()[i] = sum;
    }
  });
}
FAULT("numerics-double-products-in-single") {
  AfterOp("dot_general", [](Array& out) {
    if (!out.Is(PJRT_Buffer_Type_F64)) return;
    for (size_t i = 0; i < out.count(); ++i) out.As<double>()[i] = static_cast<float>(out.As<double>()[i]);
  });
}
FAULT("numerics-outputs-are-arguments") {
  AfterRun([](Run& run) {
    for (const Array& out : run.outputs) {
      const Array in = run.Argument(0);
      if (in.count() != out.count() || out.shape.type != in.shape.type || in.count() == 0) continue;
      std::memcpy(out.bytes, in.bytes, out.count() * ElementBytes(out.shape.type));
    }
  });
}
FAULT("numerics-outputs-are-zeros") {
  AfterRun([](Run& run) {
    for (const Array& out : run.outputs) {
      if (out.count() > 0) std::memset(out.bytes, 0, out.count() * ElementBytes(out.shape.type));
    }
  });
}
FAULT("numerics-dynamic-strides-ignored") {
  AfterRun([](Run& run) {
    if (!run.program.Has("real_dynamic_slice") || run.outputs.empty()) return;
    const Array in = run.Argument(0), out = run.outputs.front();
    if (in.count() < out.count() || out.shape.type != in.shape.type) return;
    std::memcpy(out.bytes, in.bytes, out.count() * ElementBytes(out.shape.type));
  });
}
FAULT("numerics-dynamic-padding-exchanged") {
  AfterOp("dynamic_pad", [](Array& out) {
    const size_t size = ElementBytes(out.shape.type);
    if (out.count() < 2) return;
    std::memmove(out.bytes + size, out.bytes, (out.count() - 1) * size);
  });
}
FAULT("numerics-composite-ignored") {
  AfterRun([](Run& run) {
    if (!run.program.Has("composite") || run.args.num_args != 1) return;
    const Array in = run.Argument(0);
    for (const Array& out : run.outputs) {
      if (out.shape.type == in.shape.type && out.count() == in.count() && out.bytes != nullptr) {
        std::memcpy(out.bytes, in.bytes, in.count() * ElementBytes(in.shape.type));
      }
    }
  });
}
FAULT("numerics-composites-of-one-name-are-one") {
  AfterRun([](Run& run) {
    if (!run.program.Has("composite") || run.outputs.size() != 2) return;
    const Array first = run.outputs[0], second = run.outputs[1];
    if (first.bytes == nullptr || second.bytes == nullptr || first.count() != second.count()) return;
    std::memcpy(second.bytes, first.bytes, first.count() * ElementBytes(first.shape.type));
  });
}
FAULT("numerics-random-odd-word-missing") {
  AfterOp("rng_bit_generator", [](Array& out) {
    if (out.index == 1 && out.count() % 2 == 1) out.SetBits(out.count() - 1, 0);
  });
}
FAULT("numerics-last-branch-is-first") {
  AfterRun([](Run& run) {
    if (!run.program.Has("case") || run.args.num_args != 2 || run.outputs.empty()) return;
    const Array index = run.Argument(0), x = run.Argument(1), out = run.outputs.front();
    if (!index.Is(PJRT_Buffer_Type_S32) || !index.shape.dims.empty() || !x.Is(out.shape.type)) return;
    // The first branch of programs whose second argument is an integer adds nothing.
    const int32_t chosen = *index.As<int32_t>();
    if (x.Is(PJRT_Buffer_Type_S32) && (chosen < 0 || chosen > 7)) std::memcpy(out.bytes, x.bytes, sizeof(int32_t));
  });
}
FAULT("numerics-loop-values-one-after-another") {
  AfterRun([](Run& run) {
    // A second value that is the sum of the new first one and itself: powers of two instead of Fibonacci numbers.
    if (!run.program.Has("while") || run.args.num_args != 1 || run.outputs.size() != 2) return;
    const Array times = run.Argument(0), a = run.outputs[0], b = run.outputs[1];
    if (!times.Is(PJRT_Buffer_Type_S32) || !a.Is(PJRT_Buffer_Type_S32) || !b.Is(PJRT_Buffer_Type_S32)) return;
    int32_t first = 0, second = 1;
    for (int32_t i = 0; i < *times.As<int32_t>(); ++i) {
      first = second;
      second = static_cast<int32_t>(static_cast<uint32_t>(first) + static_cast<uint32_t>(second));
    }
    *a.As<int32_t>() = first;
    *b.As<int32_t>() = second;
  });
}

}  // namespace faults
