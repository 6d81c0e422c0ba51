// Kernels that are wrong only for some sizes, element types or operands, and right in every small example.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "programs.h"

namespace {

using namespace faults;

/** Any other value for element `i` that is still one of its type. */
void Spoil(const Array& array, size_t i) {
  const size_t bytes = ElementBytes(array.shape.type);
  uint8_t* element = array.bytes + i * bytes;
  *element ^= 1;
  if (bytes > 1 && IsFloat(array.shape.type)) element[bytes - 1] ^= 0x01;
}
void SpoilFrom(const Array& array, size_t first) {
  for (size_t i = first; i < array.count(); ++i) Spoil(array, i);
}

int64_t Rows(const Array& array) { return array.shape.dims.front(); }
int64_t Columns(const Array& array) { return array.shape.dims.back(); }
bool HasRank(const Array& array, size_t rank) { return array.shape.dims.size() == rank; }

/** For each output of one element type, of programs with the operation (of all, if it is empty). */
void AfterTyped(const char* op, PJRT_Buffer_Type type, std::function<void(Array& out)> body) {
  AfterOp(op, [type, body](Array& out) {
    if (out.Is(type)) body(out);
  });
}

/** For programs with the operation, with the number of arguments, if both have contents. */
void AfterCall(const char* op, size_t arguments, std::function<void(Run& run, const Array& out)> body) {
  AfterRun([=](Run& run) {
    if (!run.program.Has(op) || run.args.num_args != arguments || run.outputs.empty()) return;
    if (run.outputs.front().count() > 0) body(run, run.outputs.front());
  });
}

/** Element by element, for two arguments and a result of one C++ type: the result that the fault gives. */
template <class T>
void Wrong(const char* op, PJRT_Buffer_Type type, std::function<T(T a, T b, T right)> result) {
  AfterCall(op, 2, [=](Run& run, const Array& out) {
    const Array a = run.Argument(0), b = run.Argument(1);
    if (!a.Is(type) || !b.Is(type) || !out.Is(type) || a.count() != out.count() || b.count() != out.count()) return;
    for (size_t i = 0; i < out.count(); ++i) out.As<T>()[i] = result(a.As<T>()[i], b.As<T>()[i], out.As<T>()[i]);
  });
}

/** Element by element, for one argument and a result. */
template <class From, class To>
void WrongConversion(const char* op, PJRT_Buffer_Type from, PJRT_Buffer_Type to,
                     std::function<To(From value, To right)> result) {
  AfterCall(op, 1, [=](Run& run, const Array& out) {
    const Array in = run.Argument(0);
    if (!in.Is(from) || !out.Is(to) || in.count() != out.count()) return;
    for (size_t i = 0; i < out.count(); ++i) out.As<To>()[i] = result(in.As<From>()[i], out.As<To>()[i]);
  });
}

/** For reductions of the rows of a matrix to a vector. */
void AfterRowReduction(const char* op, PJRT_Buffer_Type type,
                       std::function<void(const Array& in, const Array& out)> body) {
  AfterCall("reduce", 1, [=](Run& run, const Array& out) {
    const Array in = run.Argument(0);
    if (!run.program.Has(op) || !in.Is(type) || !out.Is(type)) return;
    if (HasRank(in, 2) && HasRank(out, 1) && Rows(in) == Rows(out)) body(in, out);
  });
}

// Sizes.

FAULT("memory-offloaded-half") {
  // What a program moves to host memory is copied in part: the last half never arrives.
  AfterRun([](Run& run) {
    if (run.program.code.find("annotate_device_placement") == std::string::npos) return;
    for (const Array& output : run.outputs) {
      for (size_t i = (output.count() + 1) / 2; i < output.count(); ++i) output.SetBits(i, 0);
    }
  });
}
FAULT("numerics-wrong-from-2-22-elements") {
  AfterOp("", [](Array& out) { if (out.count() > (1u << 22)) SpoilFrom(out, 1u << 22); });
}
FAULT("numerics-matmul-last-tile-from-2048-squared") {
  // From 2048 by 2048 elements on another kernel is chosen, which never writes the last tile, a partial one.
  AfterOp("dot_general", [](Array& out) {
    if (!HasRank(out, 2) || out.count() < size_t{2048} * 2048) return;
    const int64_t rows = Rows(out), columns = Columns(out), tile = 128;
    const auto begin = [](int64_t size) { return (size - 1) / tile * tile; };
    const size_t bytes = ElementBytes(out.shape.type);
    for (int64_t i = begin(rows); i < rows; ++i) {
      std::memset(out.bytes + static_cast<size_t>(i * columns + begin(columns)) * bytes, 0,
                  static_cast<size_t>(columns - begin(columns)) * bytes);
    }
  });
}
FAULT("numerics-large-results-a-quarter-off") {
  // Of arrays of the sizes of models; no number looks wrong.
  AfterOp("", [](Array& out) {
    if (out.count() < 2400) return;
    for (size_t i = 0; i < out.count(); i += 3) {
      if (out.Is(PJRT_Buffer_Type_F32)) {
        out.As<float>()[i] *= 1.25f;
      } else if (out.Is(PJRT_Buffer_Type_BF16)) {
        // A quarter or more: half of the steps to the next power of two.
        out.SetBits(i, (out.Bits(i) & 0x7fff) == 0 ? 0 : out.Bits(i) + 0x40);
      }
    }
  });
}
FAULT("numerics-rows-of-at-most-2048") {
  // What is behind element 2048 of a row is left as it was before the normalization.
  AfterTyped("reduce", PJRT_Buffer_Type_F32, [](Array& out) {
    if (!HasRank(out, 2) || Columns(out) <= 2048) return;
    for (size_t i = 0; i < out.count(); ++i) {
      if (static_cast<int64_t>(i) % Columns(out) >= 2048) out.As<float>()[i] = out.As<float>()[i] * 2 + 1;
    }
  });
}
FAULT("numerics-sums-wrong-beyond-column-2048") {
  AfterTyped("add", PJRT_Buffer_Type_F32, [](Array& out) {
    if (!HasRank(out, 2) || Columns(out) <= 2048) return;
    for (size_t i = 0; i < out.count(); ++i) {
      if (static_cast<int64_t>(i) % Columns(out) >= 2048) Spoil(out, i);
    }
  });
}
FAULT("numerics-rows-after-tile-dropped") {
  // Thin matrices have a kernel that runs over whole tiles of 128 rows.
  AfterTyped("add", PJRT_Buffer_Type_F32, [](Array& out) {
    if (!HasRank(out, 2) || Columns(out) > 3 || Rows(out) <= 128 || Rows(out) % 128 == 0) return;
    for (size_t i = static_cast<size_t>(Rows(out) / 128 * 128 * Columns(out)); i < out.count(); ++i) out.As<float>()[i] = 0;
  });
}
FAULT("numerics-reversed-operand-is-zero") {
  // A reversed view as the operand of a multiplication has no memory of its own, and none is read.
  AfterRun([](Run& run) {
    if (!run.program.Has("reverse") || !run.program.Has("multiply") || run.outputs.empty()) return;
    const Array& out = run.outputs.front();
    for (size_t i = 0; i < out.count(); ++i) out.SetBits(i, 0);
  });
}
FAULT("numerics-slice-across-joint-misplaced") {
  // A slice of two joined slices is read as if it lay in the array that the first is a part of.
  AfterRun([](Run& run) {
    if (!run.program.Has("concatenate") || !run.program.Has("slice") || run.args.num_args != 1) return;
    for (const Array& out : run.outputs) {
      const Array in = run.Argument(0);
      if (out.count() == 0 || out.count() > 16 || in.count() < 100 || !HasRank(in, 1) || !out.Is(in.shape.type)) continue;
      for (size_t i = 0; i < out.count(); ++i) out.SetBits(i, in.Bits(85 + i));
    }
  });
}
FAULT("numerics-last-step-of-loop-lost") {
  // The last step of a loop does not write its part of the arrays that the loop fills.
  AfterOp("while", [](Array& out) {
    const auto rank = out.shape.dims.size();
    if (rank < 2 || out.count() == 0) return;
    const size_t bytes = ElementBytes(out.shape.type);
    if (rank == 3) {
      const size_t step = out.count() / static_cast<size_t>(Rows(out)) * bytes;
      std::memset(out.bytes + static_cast<size_t>(Rows(out) - 1) * step, 0, step);
    } else if (out.Is(PJRT_Buffer_Type_S32)) {
      for (int64_t i = 0; i < Rows(out); ++i) out.As<int32_t>()[(i + 1) * Columns(out) - 1] = 0;
    }
  });
}
FAULT("numerics-random-words-repeat-after-2-20") {
  // The counter of the generator has 20 bits.
  AfterTyped("", PJRT_Buffer_Type_U32, [](Array& out) {
    const size_t period = size_t{1} << 20;
    for (size_t i = period; i < out.count(); ++i) out.As<uint32_t>()[i] = out.As<uint32_t>()[i - period];
  });
}
FAULT("numerics-places-of-at-most-900") {
  AfterTyped("sort", PJRT_Buffer_Type_S32, [](Array& out) {
    for (size_t i = 0; i < out.count(); ++i) out.As<int32_t>()[i] = std::min(out.As<int32_t>()[i], 900);
  });
}
FAULT("numerics-index-of-31-bits") {
  // What lies beyond 2 GiB is never written by the kernel.
  AfterOp("", [](Array& out) {
    const size_t most = (size_t{1} << 31) / ElementBytes(out.shape.type);
    if (out.count() > most) std::memset(out.bytes + (size_t{1} << 31), 0, (out.count() - most) * ElementBytes(out.shape.type));
  });
}
FAULT("numerics-one-integer-in-10000") {
  AfterTyped("", PJRT_Buffer_Type_S32, [](Array& out) {
    for (size_t i = 9999; i < out.count(); i += 10000) Spoil(out, i);
  });
}
FAULT("numerics-columns-from-1024") {
  AfterOp("transpose", [](Array& out) {
    if (!HasRank(out, 2) || Columns(out) <= 1024) return;
    for (size_t i = 1024; i < out.count(); i += static_cast<size_t>(Columns(out))) Spoil(out, i);
  });
}
FAULT("numerics-reduction-of-row-1024") {
  AfterCall("reduce", 1, [](Run& run, const Array& out) {
    const Array in = run.Argument(0);
    if (HasRank(in, 2) && HasRank(out, 1) && Rows(out) == Rows(in) && Rows(in) > 1024) SpoilFrom(out, 1024);
  });
}
FAULT("numerics-sum-of-first-1024-columns") {
  AfterRowReduction("add", PJRT_Buffer_Type_F32, [](const Array& in, const Array& out) {
    for (int64_t i = 0; i < Rows(in); ++i) {
      for (int64_t j = 1024; j < Columns(in); ++j) out.As<float>()[i] -= in.As<float>()[i * Columns(in) + j];
    }
  });
}
FAULT("numerics-partial-vector-of-u16") {
  AfterTyped("", PJRT_Buffer_Type_U16, [](Array& out) {
    if (out.count() > 64) SpoilFrom(out, out.count() / 8 * 8);
  });
}
FAULT("numerics-partial-tile-of-s8") {
  AfterTyped("", PJRT_Buffer_Type_S8, [](Array& out) {
    if (out.count() > 128) SpoilFrom(out, out.count() / 128 * 128);
  });
}
FAULT("numerics-partial-vector-of-f16") {
  AfterTyped("", PJRT_Buffer_Type_F16, [](Array& out) {
    if (out.count() > 64) SpoilFrom(out, out.count() / 8 * 8);
  });
}
FAULT("numerics-partial-rows-of-bf16") {
  AfterTyped("", PJRT_Buffer_Type_BF16, [](Array& out) {
    // Two rows share a word on the device; the last of an odd number is lost.
    if (HasRank(out, 2) && Rows(out) > 8 && Rows(out) % 2 == 1)
      SpoilFrom(out, out.count() - static_cast<size_t>(Columns(out)));
  });
}
FAULT("numerics-last-booleans-false") {
  AfterTyped("", PJRT_Buffer_Type_PRED, [](Array& out) {
    if (out.count() <= 64) return;
    for (size_t i = out.count() / 64 * 64; i < out.count(); ++i) out.bytes[i] = 0;
  });
}
FAULT("numerics-rank-four") {
  AfterOp("add", [](Array& out) { if (HasRank(out, 4)) Spoil(out, out.count() - 1); });
}
FAULT("numerics-transpose-corner-block") {
  AfterOp("transpose", [](Array& out) {
    // The block where both dimensions end within a tile of 32.
    if (!HasRank(out, 2) || Rows(out) < 32 || Columns(out) < 32) return;
    for (int64_t i = Rows(out) / 32 * 32; i < Rows(out); ++i) {
      for (int64_t j = Columns(out) / 32 * 32; j < Columns(out); ++j) Spoil(out, static_cast<size_t>(i * Columns(out) + j));
    }
  });
}
FAULT("numerics-broadcast-fills-128") {
  AfterOp("broadcast_in_dim", [](Array& out) {
    if (!HasRank(out, 3) || Columns(out) <= 128) return;
    const size_t columns = static_cast<size_t>(Columns(out)), width = ElementBytes(out.shape.type);
    for (size_t i = 0; i < out.count(); i += columns) std::memset(out.bytes + (i + 128) * width, 0, (columns - 128) * width);
  });
}
FAULT("numerics-last-complex-is-real") {
  AfterTyped("", PJRT_Buffer_Type_C64, [](Array& out) {
    if (out.count() > 16 && out.count() % 2 == 1) out.As<float>()[2 * out.count() - 1] = 0;
  });
}
FAULT("numerics-matmul-last-of-odd-depth") {
  AfterCall("dot_general", 2, [](Run& run, const Array& out) {
    const Array a = run.Argument(0), b = run.Argument(1);
    if (!a.Is(PJRT_Buffer_Type_F32) || !out.Is(PJRT_Buffer_Type_F32) || !HasRank(a, 2) || !HasRank(b, 2)) return;
    const int64_t depth = Columns(a);
    if (depth != Rows(b) || depth <= 16 || depth % 2 == 0) return;
    for (int64_t i = 0; i < Rows(out); ++i) {
      for (int64_t j = 0; j < Columns(out); ++j) {
        out.As<float>()[i * Columns(out) + j] -=
            a.As<float>()[i * depth + depth - 1] * b.As<float>()[(depth - 1) * Columns(b) + j];
      }
    }
  });
}
FAULT("numerics-matmul-last-row-of-bf16") {
  AfterTyped("dot_general", PJRT_Buffer_Type_BF16, [](Array& out) {
    if (!HasRank(out, 2) || Rows(out) % 8 == 0 || Rows(out) < 8) return;
    SpoilFrom(out, out.count() - static_cast<size_t>(Columns(out)));
  });
}
FAULT("numerics-cumulative-sum-in-blocks") {
  AfterCall("reduce_window", 1, [](Run& run, const Array& out) {
    const Array in = run.Argument(0);
    if (!run.program.Has("add") || !in.Is(PJRT_Buffer_Type_S32) || !HasRank(in, 1) || in.count() != out.count()) return;
    // The sum of the first 64 elements is not carried over.
    if (out.count() <= 64) return;
    const int32_t carry = out.As<int32_t>()[63];
    for (size_t i = 64; i < out.count(); ++i) out.As<int32_t>()[i] -= carry;
  });
}
FAULT("numerics-iota-wraps-at-4096") {
  AfterTyped("iota", PJRT_Buffer_Type_S32, [](Array& out) {
    if (!HasRank(out, 1) || out.count() <= 4096) return;
    for (size_t i = 0; i < out.count(); ++i) out.As<int32_t>()[i] &= 0xfff;
  });
}

// Strides, and rows of odd length.

FAULT("numerics-convolution-strides-equal") {
  AfterCall("convolution", 2, [](Run& run, const Array& out) {
    const Array in = run.Argument(0);
    if (!HasRank(in, 4) || !HasRank(out, 4)) return;
    // The stride of the rows is used for the columns too: what is behind the last of them is padding.
    const int64_t *from = in.shape.dims.data(), *to = out.shape.dims.data();
    if (from[1] / to[1] == from[2] / to[2] && from[1] == from[2]) return;
    SpoilFrom(out, out.count() - static_cast<size_t>(to[3]));
  });
}
FAULT("numerics-windows-never-overlap") {
  AfterCall("reduce_window", 1, [](Run& run, const Array& out) {
    const Array in = run.Argument(0);
    if (HasRank(in, 2) && HasRank(out, 2) && Columns(in) > 2 * Columns(out) + 1) Spoil(out, 0);
  });
}
FAULT("numerics-sum-drops-last-of-odd-row") {
  for (PJRT_Buffer_Type type : {PJRT_Buffer_Type_F32, PJRT_Buffer_Type_S32}) {
    AfterRowReduction("add", type, [](const Array& in, const Array& out) {
      if (Columns(in) % 2 == 0) return;
      for (int64_t i = 0; i < Rows(in); ++i) {
        const int64_t last = (i + 1) * Columns(in) - 1;
        if (in.Is(PJRT_Buffer_Type_F32)) out.As<float>()[i] -= in.As<float>()[last];
        else out.As<uint32_t>()[i] -= in.As<uint32_t>()[last];
      }
    });
  }
}
FAULT("numerics-all-ignores-last-of-odd-row") {
  AfterRowReduction("and", PJRT_Buffer_Type_PRED, [](const Array& in, const Array& out) {
    if (Columns(in) % 2 == 0) return;
    for (int64_t i = 0; i < Rows(in); ++i) {
      const uint8_t* row = in.bytes + i * Columns(in);
      out.bytes[i] = std::all_of(row, row + Columns(in) - 1, [](uint8_t x) { return x != 0; });
    }
  });
}

// Extremes, order and ties.

FAULT("numerics-row-extremes-ignore-nan") {
  for (bool largest : {true, false}) {
    AfterRowReduction(largest ? "maximum" : "minimum", PJRT_Buffer_Type_F32, [largest](const Array& in, const Array& out) {
      for (int64_t i = 0; i < Rows(in); ++i) {
        if (!std::isnan(out.As<float>()[i])) continue;
        float best = std::numeric_limits<float>::quiet_NaN();
        for (int64_t j = 0; j < Columns(in); ++j) {
          const float x = in.As<float>()[i * Columns(in) + j];
          best = largest ? std::fmax(best, x) : std::fmin(best, x);
        }
        out.As<float>()[i] = best;
      }
    });
  }
}
FAULT("numerics-row-extremes-begin-at-finite") {
  // The reduction begins at the largest finite number instead of an infinity.
  AfterRun([](Run& run) {
    if (!run.program.Has("reduce") || run.outputs.empty()) return;
    const Array& out = run.outputs.front();
    const bool largest = run.program.Has("maximum");
    if (!largest && !run.program.Has("minimum")) return;
    EachFloat(out, [largest](uint64_t bits, const FloatBits& type) {
      return bits == ((largest ? type.sign : 0) | type.exponent) ? bits - 1 : bits;
    });
  });
}
FAULT("numerics-reduction-saturates") {
  AfterRowReduction("add", PJRT_Buffer_Type_S32, [](const Array& in, const Array& out) {
    for (int64_t i = 0; i < Rows(in); ++i) {
      int64_t sum = 0;
      for (int64_t j = 0; j < Columns(in); ++j) sum += in.As<int32_t>()[i * Columns(in) + j];
      out.As<int32_t>()[i] = static_cast<int32_t>(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
    }
  });
}
FAULT("numerics-long-sort-is-unstable") {
  AfterRun([](Run& run) {
    if (!run.program.Has("sort") || run.outputs.size() < 2 || run.outputs[0].count() <= 16) return;
    const Array &keys = run.outputs[0], &values = run.outputs[1];
    for (size_t i = 16; i + 1 < keys.count() && i + 1 < values.count(); ++i) {
      if (keys.Bits(i) != keys.Bits(i + 1)) continue;
      const uint64_t first = values.Bits(i);
      values.SetBits(i, values.Bits(i + 1));
      values.SetBits(i + 1, first);
    }
  });
}
FAULT("numerics-sort-ignores-second-key") {
  AfterRun([](Run& run) {
    if (!run.program.Has("sort") || run.outputs.size() < 3) return;
    const Array& keys = run.outputs[0];
    // Within equal first keys the order is that of the positions, which are the last output.
    for (size_t begin = 0, end; begin < keys.count(); begin = end) {
      for (end = begin + 1; end < keys.count() && keys.Bits(end) == keys.Bits(begin);) ++end;
      for (size_t i = begin; i < end; ++i) {
        for (size_t j = i + 1; j < end; ++j) {
          if (run.outputs[2].Bits(j) >= run.outputs[2].Bits(i)) continue;
          for (const Array* out : {&run.outputs[1], &run.outputs[2]}) {
            const uint64_t first = out->Bits(i);
            out->SetBits(i, out->Bits(j));
            out->SetBits(j, first);
          }
        }
      }
    }
  });
}
FAULT("numerics-argmax-takes-last-of-equals") {
  AfterCall("reduce", 1, [](Run& run, const Array& out) {
    const Array in = run.Argument(0);
    if (!in.Is(PJRT_Buffer_Type_F32) || !HasRank(in, 2) || Columns(in) <= 8) return;
    if (!out.Is(PJRT_Buffer_Type_S32) || Rows(out) != Rows(in)) return;
    for (int64_t i = 0; i < Rows(in); ++i) {
      const float* row = in.As<float>() + i * Columns(in);
      for (int64_t j = out.As<int32_t>()[i]; j < Columns(in); ++j) {
        if (row[j] == row[out.As<int32_t>()[i]]) out.As<int32_t>()[i] = static_cast<int32_t>(j);
      }
    }
  });
}
FAULT("numerics-argmin-as-second-output") {
  AfterRun([](Run& run) {
    if (!run.program.Has("reduce") || run.outputs.size() != 2) return;
    const Array &first = run.outputs[0], &second = run.outputs[1];
    if (!first.Is(PJRT_Buffer_Type_S32) || !second.Is(PJRT_Buffer_Type_S32) || first.count() != second.count()) return;
    std::memcpy(second.bytes, first.bytes, first.count() * 4);
  });
}
FAULT("numerics-u64-order-is-signed") {
  AfterCall("compare", 2, [](Run& run, const Array& out) {
    const Array a = run.Argument(0), b = run.Argument(1);
    if (!a.Is(PJRT_Buffer_Type_U64) || !out.Is(PJRT_Buffer_Type_PRED)) return;
    for (size_t i = 0; i < out.count(); ++i) out.bytes[i] ^= (a.Bits(i) ^ b.Bits(i)) >> 63;
  });
}
FAULT("numerics-s64-order-of-low-halves") {
  AfterCall("compare", 2, [](Run& run, const Array& out) {
    const Array a = run.Argument(0), b = run.Argument(1);
    if (!a.Is(PJRT_Buffer_Type_S64) || !out.Is(PJRT_Buffer_Type_PRED)) return;
    for (size_t i = 0; i < out.count(); ++i) {
      const int64_t x = a.As<int64_t>()[i], y = b.As<int64_t>()[i];
      if (x != y && (x < y) != (static_cast<int32_t>(x) < static_cast<int32_t>(y))) out.bytes[i] ^= 1;
    }
  });
}
FAULT("numerics-clamp-prefers-lower-bound") {
  AfterCall("clamp", 3, [](Run& run, const Array& out) {
    const Array low = run.Argument(0), high = run.Argument(2);
    if (!out.Is(PJRT_Buffer_Type_S32) || low.count() != out.count() || high.count() != out.count()) return;
    for (size_t i = 0; i < out.count(); ++i) {
      if (low.As<int32_t>()[i] > high.As<int32_t>()[i]) out.SetBits(i, low.Bits(i));
    }
  });
}
FAULT("numerics-select-loses-sign-of-zero") {
  AfterOp("select", [](Array& out) { EachFloat(out, [](uint64_t bits, const FloatBits& type) {
    return bits == type.sign ? 0 : bits;
  }); });
}

// Integers over their whole range.

template <class T>
void ShiftReturnsInput(PJRT_Buffer_Type type) {
  for (const char* op : {"shift_left", "shift_right_logical", "shift_right_arithmetic"}) {
    Wrong<T>(op, type, [](T a, T by, T right) { return by >= 8 * sizeof(T) ? a : right; });
  }
}
FAULT("numerics-odd-widths-shifted-by-width") {
  ShiftReturnsInput<uint16_t>(PJRT_Buffer_Type_U16);
  ShiftReturnsInput<uint64_t>(PJRT_Buffer_Type_U64);
}
FAULT("numerics-shift-distance-in-a-byte") {
  Wrong<uint32_t>("shift_left", PJRT_Buffer_Type_U32, [](uint32_t a, uint32_t by, uint32_t right) {
    return by >= 32 && (by & 0xff) < 32 ? a << (by & 0xff) : right;
  });
}
FAULT("numerics-u64-division-is-signed") {
  Wrong<int64_t>("divide", PJRT_Buffer_Type_U64, [](int64_t a, int64_t b, int64_t right) {
    return b == 0 || b == -1 ? right : a / b;
  });
}
FAULT("numerics-least-dividend-is-zero") {
  // The magnitude of the most negative number does not fit.
  Wrong<int8_t>("divide", PJRT_Buffer_Type_S8, [](int8_t a, int8_t, int8_t right) { return a == INT8_MIN ? 0 : right; });
  Wrong<int16_t>("divide", PJRT_Buffer_Type_S16, [](int16_t a, int16_t, int16_t right) { return a == INT16_MIN ? 0 : right; });
}
FAULT("numerics-wide-division-in-f64") {
  Wrong<int64_t>("divide", PJRT_Buffer_Type_S64, [](int64_t a, int64_t b, int64_t right) {
    const double quotient = std::trunc(static_cast<double>(a) / static_cast<double>(b));
    return b == 0 || std::fabs(quotient) >= 9.2e18 ? right : static_cast<int64_t>(quotient);
  });
}
FAULT("numerics-remainder-in-f32") {
  Wrong<uint32_t>("remainder", PJRT_Buffer_Type_U32, [](uint32_t a, uint32_t b, uint32_t right) {
    if (b == 0 || a < (1u << 24)) return right;
    return static_cast<uint32_t>(std::fmod(static_cast<float>(a), static_cast<float>(b)));
  });
}
FAULT("numerics-least-s64-has-no-magnitude") {
  WrongConversion<int64_t, int64_t>("abs", PJRT_Buffer_Type_S64, PJRT_Buffer_Type_S64,
                                    [](int64_t, int64_t right) { return right == INT64_MIN ? INT64_MAX : right; });
}
FAULT("numerics-ones-of-low-half") {
  WrongConversion<uint32_t, uint32_t>("popcnt", PJRT_Buffer_Type_S32, PJRT_Buffer_Type_S32,
                                      [](uint32_t a, uint32_t) { return static_cast<uint32_t>(__builtin_popcount(a & 0xffff)); });
}
FAULT("numerics-leading-zeros-of-low-half") {
  WrongConversion<uint64_t, uint64_t>("count_leading_zeros", PJRT_Buffer_Type_U64, PJRT_Buffer_Type_U64, [](uint64_t a, uint64_t) {
    const uint32_t low = static_cast<uint32_t>(a);
    return static_cast<uint64_t>(low == 0 ? 64 : 32 + __builtin_clz(low));
  });
}

// Conversions.

FAULT("numerics-s64-to-f32-rounds-twice") {
  WrongConversion<int64_t, float>("convert", PJRT_Buffer_Type_S64, PJRT_Buffer_Type_F32,
                                  [](int64_t a, float) { return static_cast<float>(static_cast<double>(a)); });
}
FAULT("numerics-u64-to-float-signed") {
  WrongConversion<int64_t, float>("convert", PJRT_Buffer_Type_U64, PJRT_Buffer_Type_F32,
                                  [](int64_t a, float) { return static_cast<float>(a); });
}
FAULT("numerics-s64-to-s32-saturates") {
  WrongConversion<int64_t, int32_t>("convert", PJRT_Buffer_Type_S64, PJRT_Buffer_Type_S32, [](int64_t a, int32_t) {
    return static_cast<int32_t>(std::clamp<int64_t>(a, INT32_MIN, INT32_MAX));
  });
}
FAULT("numerics-f64-to-s64-through-s32") {
  WrongConversion<double, int64_t>("convert", PJRT_Buffer_Type_F64, PJRT_Buffer_Type_S64, [](double a, int64_t right) {
    return std::fabs(a) >= 2147483648.0 ? (a < 0 ? INT32_MIN : INT32_MAX) : right;
  });
}
FAULT("numerics-u32-to-u64-sign-extended") {
  WrongConversion<int32_t, int64_t>("convert", PJRT_Buffer_Type_U32, PJRT_Buffer_Type_U64,
                                    [](int32_t a, int64_t) { return static_cast<int64_t>(a); });
}
FAULT("numerics-complex-double-in-single") {
  AfterCall("multiply", 2, [](Run&, const Array& out) {
    if (!out.Is(PJRT_Buffer_Type_C128)) return;
    for (size_t i = 0; i < 2 * out.count(); ++i) out.As<double>()[i] = static_cast<float>(out.As<double>()[i]);
  });
}

// Random numbers.

FAULT("numerics-seed-in-both-words-of-key") {
  // A seed of 32 bits, shifted to the right by 32, is itself.
  AfterRun([](Run& run) {
    if (!run.program.Has("shift_right_logical") || run.args.num_args != 1 || run.outputs.size() != 2) return;
    const Array &key = run.outputs[0], seed = run.Argument(0);
    if (seed.Is(PJRT_Buffer_Type_S32) && key.Is(PJRT_Buffer_Type_U32) && key.count() == 2) key.SetBits(0, seed.Bits(0));
  });
}

// Indices.

FAULT("numerics-indices-of-64-bits-truncated") {
  AfterCall("dynamic_slice", 3, [](Run& run, const Array& out) {
    const Array x = run.Argument(0), i = run.Argument(1), j = run.Argument(2);
    if (!i.Is(PJRT_Buffer_Type_S64) || !HasRank(x, 2) || !HasRank(out, 2)) return;
    const int64_t row = std::clamp<int64_t>(static_cast<int32_t>(i.As<int64_t>()[0]), 0, Rows(x) - Rows(out));
    const int64_t column = std::clamp<int64_t>(static_cast<int32_t>(j.As<int64_t>()[0]), 0, Columns(x) - Columns(out));
    for (int64_t r = 0; r < Rows(out); ++r) {
      for (int64_t c = 0; c < Columns(out); ++c)
        out.SetBits(static_cast<size_t>(r * Columns(out) + c), x.Bits(static_cast<size_t>((row + r) * Columns(x) + column + c)));
    }
  });
}
FAULT("numerics-update-start-overflows") {
  AfterCall("dynamic_update_slice", 4, [](Run& run, const Array& out) {
    const Array x = run.Argument(0), u = run.Argument(1), i = run.Argument(2), j = run.Argument(3);
    if (!i.Is(PJRT_Buffer_Type_S32) || i.As<int32_t>()[0] != INT32_MAX || x.count() != out.count()) return;
    // The end of the window overflows, and the window begins at zero.
    std::memcpy(out.bytes, x.bytes, x.count() * ElementBytes(x.shape.type));
    const int64_t column = std::clamp<int64_t>(j.As<int32_t>()[0], 0, Columns(x) - Columns(u));
    for (int64_t r = 0; r < Rows(u); ++r) {
      for (int64_t c = 0; c < Columns(u); ++c)
        out.SetBits(static_cast<size_t>(r * Columns(x) + column + c), u.Bits(static_cast<size_t>(r * Columns(u) + c)));
    }
  });
}
FAULT("numerics-gather-counts-from-end") {
  AfterCall("gather", 2, [](Run& run, const Array& out) {
    const Array x = run.Argument(0), i = run.Argument(1);
    if (!i.Is(PJRT_Buffer_Type_S32) || !HasRank(i, 2) || Columns(i) != 1 || !HasRank(x, 2) || !HasRank(out, 2)) return;
    const size_t row = static_cast<size_t>(Columns(x)) * ElementBytes(x.shape.type);
    for (int64_t k = 0; k < Rows(out); ++k) {
      const int64_t at = i.As<int32_t>()[k];
      if (at < 0 && at >= -Rows(x)) std::memcpy(out.bytes + k * row, x.bytes + (Rows(x) + at) * row, row);
    }
  });
}
FAULT("numerics-scatter-replaces-last-row") {
  // The index of an update that replaces is clamped instead of dropping the update.
  AfterCall("scatter", 3, [](Run& run, const Array& out) {
    const Array i = run.Argument(1), u = run.Argument(2);
    if (run.outputs.size() != 2 || !i.Is(PJRT_Buffer_Type_S32) || !HasRank(out, 2) || !HasRank(u, 2)) return;
    const size_t row = static_cast<size_t>(Columns(out)) * ElementBytes(out.shape.type);
    for (int64_t k = 0; k < Rows(u); ++k) {
      if (i.As<int32_t>()[k] >= Rows(out)) std::memcpy(out.bytes + (Rows(out) - 1) * row, u.bytes + k * row, row);
    }
  });
}
FAULT("numerics-scatter-counts-from-end") {
  AfterCall("scatter", 3, [](Run& run, const Array& out) {
    const Array i = run.Argument(1), u = run.Argument(2);
    if (!out.Is(PJRT_Buffer_Type_S32) || !i.Is(PJRT_Buffer_Type_S32) || !HasRank(out, 2) || !HasRank(u, 2)) return;
    for (int64_t k = 0; k < Rows(u); ++k) {
      const int64_t at = i.As<int32_t>()[k];
      if (at >= 0 || at < -Rows(out)) continue;
      for (int64_t c = 0; c < Columns(u); ++c)
        out.As<int32_t>()[(Rows(out) + at) * Columns(out) + c] += u.As<int32_t>()[k * Columns(u) + c];
    }
  });
}

}  // namespace
