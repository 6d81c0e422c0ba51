// Results of programs.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "programs.h"

namespace {

using namespace faults;

bool IsNan(uint64_t bits, const FloatBits& type) {
  return (bits & type.exponent) == type.exponent && (bits & type.mantissa) != 0;
}
bool IsSubnormal(uint64_t bits, const FloatBits& type) {
  return (bits & type.exponent) == 0 && (bits & type.mantissa) != 0;
}
bool IsFinite(uint64_t bits, const FloatBits& type) { return (bits & type.exponent) != type.exponent; }

/** The neighbour away from zero of finite nonzero numbers. */
uint64_t NextUp(uint64_t bits, const FloatBits& type) {
  return IsFinite(bits, type) && (bits & ~type.sign) != 0 ? bits + 1 : bits;
}

/** Any other value for element `i`. */
void Spoil(const Array& array, size_t i) {
  const size_t bytes = ElementBytes(array.shape.type);
  uint8_t* element = array.bytes + i * bytes;
  if (array.shape.type == PJRT_Buffer_Type_PRED) {
    *element ^= 1;
  } else {
    // The lowest byte affects every number, and keeps elements below a byte in range.
    *element ^= 1;
    const bool complex = array.shape.type == PJRT_Buffer_Type_C64 || array.shape.type == PJRT_Buffer_Type_C128;
    if (complex || (bytes > 1 && IsFloat(array.shape.type))) element[bytes - 1] ^= 0x01;
  }
}
void SpoilLast(const Array& array) { Spoil(array, array.count() - 1); }

/** The kernel of an operation that computes the last element wrong, as vectorized loops do with the remainder. */
#define WRONG_TAIL(op) \
  FAULT("numerics-tail-of-" #op) { AfterOp(#op, SpoilLast); }

FAULT("numerics-add-off-by-one-ulp") {
  AfterOp("add", [](Array& out) { EachFloat(out, NextUp); });
}
FAULT("numerics-divide-by-reciprocal") {
  AfterOp("divide", [](Array& out) { EachFloat(out, [](uint64_t bits, const FloatBits& type) {
    for (int i = 0; i < 40; ++i) bits = NextUp(bits, type);
    return bits;
  }); });
}
FAULT("numerics-exponential-approximated") {
  AfterOp("exponential", [](Array& out) { EachFloat(out, [](uint64_t bits, const FloatBits& type) {
    return IsFinite(bits, type) ? bits ^ (type.mantissa & ~(type.mantissa >> 3)) >> 3 : bits;
  }); });
}
FAULT("numerics-sine-without-range-reduction") {
  AfterRun([](Run& run) {
    if (!run.program.Has("sine") || run.args.num_args == 0) return;
    const Array in = run.Argument(0), out = run.outputs.front();
    if (!in.Is(PJRT_Buffer_Type_F32) || !out.Is(PJRT_Buffer_Type_F32) || in.count() != out.count()) return;
    for (size_t i = 0; i < out.count(); ++i) {
      if (std::fabs(in.As<float>()[i]) > 10) out.As<float>()[i] = 0;
    }
  });
}
/** The arguments and the result of a program with the operation, if all are arrays of the same size. */
void AfterBinary(const char* op, std::function<void(const Array& a, const Array& b, const Array& out)> body) {
  AfterRun([op, body](Run& run) {
    if (!run.program.Has(op) || run.args.num_args != 2 || run.outputs.empty()) return;
    const Array a = run.Argument(0), b = run.Argument(1), out = run.outputs.front();
    if (out.count() > 0 && a.count() == out.count() && b.count() == out.count()) body(a, b, out);
  });
}

FAULT("numerics-atan2-without-quadrants") {
  // The arc tangent of the quotient.
  AfterBinary("atan2", [](const Array& a, const Array& b, const Array& out) {
    if (!out.Is(PJRT_Buffer_Type_F32)) return;
    for (size_t i = 0; i < out.count(); ++i) out.As<float>()[i] = std::atan(a.As<float>()[i] / b.As<float>()[i]);
  });
}
FAULT("numerics-reduce-precision-lost") {
  // As compilers do that take the operation for a no-op: the argument is the result.
  AfterRun([](Run& run) {
    if (!run.program.Has("reduce_precision") || run.args.num_args != 1 || run.outputs.empty()) return;
    const Array in = run.Argument(0), out = run.outputs.front();
    if (in.count() != out.count() || in.shape.type != out.shape.type) return;
    std::memcpy(out.bytes, in.bytes, out.count() * ElementBytes(out.shape.type));
  });
}
FAULT("numerics-shift-by-width-returns-input") {
  // Like the shift instructions of most processors, which use only the lowest bits of the distance.
  for (const char* op : {"shift_left", "shift_right_logical", "shift_right_arithmetic"}) {
    AfterBinary(op, [](const Array& a, const Array& by, const Array& out) {
      const size_t bits = 8 * ElementBytes(out.shape.type);
      for (size_t i = 0; i < out.count(); ++i) {
        if (by.Bits(i) >= bits) out.SetBits(i, a.Bits(i));
      }
    });
  }
}
FAULT("numerics-unsigned-division-is-signed") {
  AfterBinary("divide", [](const Array& a, const Array& b, const Array& out) {
    if (!out.Is(PJRT_Buffer_Type_U32)) return;
    for (size_t i = 0; i < out.count(); ++i) {
      const int64_t divisor = static_cast<int32_t>(b.Bits(i));
      if (divisor != 0) out.SetBits(i, static_cast<uint32_t>(static_cast<int32_t>(a.Bits(i)) / divisor));
    }
  });
}
FAULT("numerics-unsigned-order-is-signed") {
  AfterBinary("compare", [](const Array& a, const Array& b, const Array& out) {
    if (!a.Is(PJRT_Buffer_Type_U32) || !out.Is(PJRT_Buffer_Type_PRED)) return;
    for (size_t i = 0; i < out.count(); ++i) {
      // The order is reversed if an operand is negative as a signed number.
      if ((a.Bits(i) >> 31) != (b.Bits(i) >> 31)) out.bytes[i] ^= 1;
    }
  });
}
FAULT("numerics-unsigned-extremes-are-signed") {
  for (const char* op : {"maximum", "minimum"}) {
    AfterBinary(op, [](const Array& a, const Array& b, const Array& out) {
      if (!out.Is(PJRT_Buffer_Type_U32)) return;
      for (size_t i = 0; i < out.count(); ++i) {
        // The other operand is chosen if one of them is negative as a signed number.
        if ((a.Bits(i) >> 31) != (b.Bits(i) >> 31)) out.SetBits(i, a.Bits(i) ^ b.Bits(i) ^ out.Bits(i));
      }
    });
  }
}
FAULT("numerics-unsigned-to-float-signed") {
  AfterRun([](Run& run) {
    if (!run.program.Has("convert") || run.args.num_args != 1 || run.outputs.empty()) return;
    const Array in = run.Argument(0), out = run.outputs.front();
    if (!in.Is(PJRT_Buffer_Type_U32) || !out.Is(PJRT_Buffer_Type_F32) || in.count() != out.count()) return;
    for (size_t i = 0; i < out.count(); ++i) out.As<float>()[i] = static_cast<float>(in.As<int32_t>()[i]);
  });
}
FAULT("numerics-float-to-unsigned-saturates-as-signed") {
  AfterRun([](Run& run) {
    if (!run.program.Has("convert") || run.args.num_args != 1 || run.outputs.empty()) return;
    const Array in = run.Argument(0), out = run.outputs.front();
    if (!in.Is(PJRT_Buffer_Type_F32) || !out.Is(PJRT_Buffer_Type_U32) || in.count() != out.count()) return;
    for (size_t i = 0; i < out.count(); ++i) {
      if (in.As<float>()[i] >= 2147483648.0f) out.As<uint32_t>()[i] = 2147483647;
    }
  });
}
FAULT("numerics-wide-integers-truncated") {
  for (const char* op : {"add", "subtract", "multiply", "maximum", "minimum"}) {
    AfterOp(op, [](Array& out) {
      if (!out.Is(PJRT_Buffer_Type_S64)) return;
      for (size_t i = 0; i < out.count(); ++i) out.As<int64_t>()[i] = static_cast<int32_t>(out.As<int64_t>()[i]);
    });
  }
}
FAULT("numerics-narrow-extremes-begin-at-zero") {
  // A reduction of 16-bit floats that starts at zero instead of an infinity.
  AfterRun([](Run& run) {
    if (!run.program.Has("reduce") || run.outputs.empty()) return;
    const Array& out = run.outputs.front();
    if (!out.Is(PJRT_Buffer_Type_F16) && !out.Is(PJRT_Buffer_Type_BF16)) return;
    const bool largest = run.program.Has("maximum"), smallest = run.program.Has("minimum");
    for (size_t i = 0; i < out.count(); ++i) {
      const bool negative = (out.Bits(i) & 0x8000) != 0;
      if (negative ? largest : smallest) out.SetBits(i, 0);
    }
  });
}
FAULT("numerics-random-words-one-bit-short") {
  AfterRun([](Run& run) {
    if (!run.program.Has("shift_left") || run.outputs.size() != 2) return;
    for (const Array& out : run.outputs) {
      for (size_t i = 0; out.Is(PJRT_Buffer_Type_U32) && i < out.count(); ++i) out.SetBits(i, out.Bits(i) >> 1);
    }
  });
}
FAULT("numerics-sign-of-zero-lost") {
  AfterOp("", [](Array& out) { EachFloat(out, [](uint64_t bits, const FloatBits& type) {
    return bits == type.sign ? 0 : bits;
  }); });
}
FAULT("numerics-nan-becomes-zero") {
  AfterOp("", [](Array& out) { EachFloat(out, [](uint64_t bits, const FloatBits& type) {
    return IsNan(bits, type) ? 0 : bits;
  }); });
}
FAULT("numerics-infinity-becomes-largest") {
  AfterOp("", [](Array& out) { EachFloat(out, [](uint64_t bits, const FloatBits& type) {
    return (bits & ~type.sign) == type.exponent ? bits - 1 : bits;
  }); });
}
FAULT("numerics-nan-payload-lost-in-programs") {
  AfterOp("", [](Array& out) { EachFloat(out, [](uint64_t bits, const FloatBits& type) {
    return IsNan(bits, type) ? type.exponent | ((type.mantissa + 1) >> 1) : bits;
  }); });
}
FAULT("numerics-subnormals-rounded-up") {
  AfterOp("", [](Array& out) { EachFloat(out, [](uint64_t bits, const FloatBits& type) {
    return IsSubnormal(bits, type) ? (bits & type.sign) | (type.mantissa + 1) : bits;
  }); });
}
FAULT("numerics-subnormals-become-nan") {
  AfterOp("", [](Array& out) { EachFloat(out, [](uint64_t bits, const FloatBits& type) {
    return IsSubnormal(bits, type) ? type.exponent | type.mantissa : bits;
  }); });
}
FAULT("numerics-subnormals-flushed-in-moves") {
  AfterRun([](Run& run) {
    // Only non-arithmetic operations: arithmetic may flush.
    for (const char* op : {"add", "subtract", "multiply", "divide", "exponential", "sqrt", "convert", "negate", "abs"}) {
      if (run.program.Has(op)) return;
    }
    for (const Array& out : run.outputs) EachFloat(out, [](uint64_t bits, const FloatBits& type) {
      return IsSubnormal(bits, type) ? bits & type.sign : bits;
    });
  });
}
FAULT("numerics-outputs-swapped") {
  AfterRun([](Run& run) {
    if (run.outputs.size() < 2) return;
    const Array &a = run.outputs[0], &b = run.outputs[1];
    if (a.list != b.list || a.bytes == nullptr || b.bytes == nullptr || a.shape.dims != b.shape.dims ||
        a.shape.type != b.shape.type)
      return;
    std::swap_ranges(a.bytes, a.bytes + a.count() * ElementBytes(a.shape.type), b.bytes);
  });
}
FAULT("numerics-stale-result") {
  // An executable that caches its first result, by the shape of its first output.
  AfterRun([](Run& run) {
    static std::mutex mutex;
    static std::map<const Program*, std::string> kept;
    std::lock_guard<std::mutex> lock(mutex);
    if (run.outputs.empty() || run.outputs[0].count() == 0) return;
    const Array& out = run.outputs[0];
    const size_t size = out.count() * ElementBytes(out.shape.type);
    if (run.runs == 1) kept[&run.program] = std::string(out.As<char>(), size);
    const std::string& first = kept[&run.program];
    if (first.size() == size) std::memcpy(out.bytes, first.data(), size);
  });
}
FAULT("numerics-wrong-above-64k-elements") {
  AfterOp("", [](Array& out) {
    if (out.count() > 65536) Spoil(out, 65536);
  });
}
FAULT("numerics-wrong-in-last-partial-tile") {
  AfterOp("", [](Array& out) {
    if (out.count() > 128 && out.count() % 128 != 0) SpoilLast(out);
  });
}
FAULT("numerics-wrong-on-second-run") {
  AfterRun([](Run& run) {
    if (run.runs == 2 && !run.outputs.empty() && run.outputs[0].count() > 0) SpoilLast(run.outputs[0]);
  });
}
FAULT("numerics-wrong-on-fiftieth-run") {
  AfterRun([](Run& run) {
    if (run.runs == 50 && !run.outputs.empty() && run.outputs[0].count() > 0) SpoilLast(run.outputs[0]);
  });
}
FAULT("numerics-wrong-on-device-1") {
  AfterRun([](Run& run) {
    for (size_t i = 0; i < run.outputs.size(); ++i) {
      const Array& out = run.outputs[i];
      if (out.count() > 0 && IdOf(DeviceOf(run.args.output_lists[out.list][out.index])) == 1) SpoilLast(out);
    }
  });
}
FAULT("numerics-wrong-in-second-list") {
  AfterRun([](Run& run) {
    for (const Array& out : run.outputs) {
      if (out.list == 1 && out.count() > 0) SpoilLast(out);
    }
  });
}
FAULT("numerics-wrong-when-concurrent") {
  static std::atomic<int> inside{0};
  AfterRun([](Run& run) {
    if (++inside > 1) {
      for (const Array& out : run.outputs) {
        if (out.count() > 0) SpoilLast(out);
      }
    }
    SleepMs(2);
    --inside;
  });
}
FAULT("numerics-differs-from-compilation-to-compilation") {
  static std::atomic<int> compilations{0};
  AfterRun([](Run& run) {
    static std::mutex mutex;
    static std::map<const Program*, int> number;
    std::lock_guard<std::mutex> lock(mutex);
    if (number.count(&run.program) == 0 || run.runs == 1) number[&run.program] = ++compilations;
    if (number[&run.program] % 2 == 0) {
      for (const Array& out : run.outputs) EachFloat(out, NextUp);
    }
  });
}
FAULT("numerics-matmul-in-tf32") {
  AfterOp("dot_general", [](Array& out) {
    if (!out.Is(PJRT_Buffer_Type_F32)) return;
    // Thirteen bits of the mantissa are lost, as with 10-bit operands.
    for (size_t i = 0; i < out.count(); ++i) out.SetBits(i, out.Bits(i) & 0xffffe000);
  });
}
FAULT("numerics-matmul-accumulates-in-bf16") {
  AfterOp("dot_general", [](Array& out) {
    if (!out.Is(PJRT_Buffer_Type_F32)) return;
    for (size_t i = 0; i < out.count(); ++i) out.SetBits(i, out.Bits(i) & 0xffff0000);
  });
}
FAULT("numerics-matmul-last-column-dropped") {
  AfterOp("dot_general", [](Array& out) {
    if (out.shape.dims.empty()) return;
    const size_t columns = static_cast<size_t>(out.shape.dims.back());
    for (size_t i = columns - 1; i < out.count(); i += columns) {
      std::memset(out.bytes + i * ElementBytes(out.shape.type), 0, ElementBytes(out.shape.type));
    }
  });
}
FAULT("numerics-empty-sum-not-zero") {
  AfterRun([](Run& run) {
    if (run.args.num_args == 0 || (!run.program.Has("reduce") && !run.program.Has("dot_general"))) return;
    const Shape in = ShapeOf(run.args.argument_lists[0][0]);
    if (in.dims.empty() || in.count() != 0) return;
    for (const Array& out : run.outputs) {
      if (out.count() > 0) std::memset(out.bytes, 0x3f, out.count() * ElementBytes(out.shape.type));
    }
  });
}
FAULT("numerics-convert-truncates") {
  // Floats are truncated instead of rounded to nearest.
  AfterRun([](Run& run) {
    if (!run.program.Has("convert") || run.args.num_args != 1 || run.outputs.empty()) return;
    const Array in = run.Argument(0), out = run.outputs[0];
    if (!in.Is(PJRT_Buffer_Type_F32) || !out.Is(PJRT_Buffer_Type_BF16)) return;
    for (size_t i = 0; i < out.count(); ++i) out.SetBits(i, in.Bits(i) >> 16);
  });
}
FAULT("numerics-convert-rounds-to-integer") {
  AfterRun([](Run& run) {
    if (!run.program.Has("convert") || run.args.num_args != 1 || run.outputs.empty()) return;
    const Array in = run.Argument(0), out = run.outputs[0];
    if (!in.Is(PJRT_Buffer_Type_F32) || !out.Is(PJRT_Buffer_Type_S32)) return;
    for (size_t i = 0; i < out.count(); ++i) {
      if (std::fabs(in.As<float>()[i]) < 1e6f) out.As<int32_t>()[i] = static_cast<int32_t>(std::rint(in.As<float>()[i]));
    }
  });
}
FAULT("numerics-convert-saturates-integers") {
  AfterRun([](Run& run) {
    if (!run.program.Has("convert") || run.args.num_args != 1 || run.outputs.empty()) return;
    const Array in = run.Argument(0), out = run.outputs[0];
    if (!in.Is(PJRT_Buffer_Type_S32)) return;
    for (size_t i = 0; i < out.count(); ++i) {
      const int32_t value = in.As<int32_t>()[i];
      if (out.Is(PJRT_Buffer_Type_S8)) out.As<int8_t>()[i] = static_cast<int8_t>(std::clamp(value, -128, 127));
      if (out.Is(PJRT_Buffer_Type_U8)) out.As<uint8_t>()[i] = static_cast<uint8_t>(std::clamp(value, 0, 255));
    }
  });
}
FAULT("numerics-fractions-are-false") {
  // Conversion to a predicate via an integer: 0.5 becomes false.
  AfterRun([](Run& run) {
    if (run.args.num_args != 1 || run.outputs.empty() || !run.outputs[0].Is(PJRT_Buffer_Type_PRED)) return;
    const Array in = run.Argument(0), out = run.outputs[0];
    if (!in.Is(PJRT_Buffer_Type_F32) || in.count() != out.count()) return;
    for (size_t i = 0; i < out.count(); ++i) {
      if (std::fabs(in.As<float>()[i]) < 1) out.bytes[i] = 0;
    }
  });
}
FAULT("numerics-truth-is-255") {
  // A predicate with any nonzero byte, which hosts read as a different value.
  AfterOp("", [](Array& out) {
    if (!out.Is(PJRT_Buffer_Type_PRED)) return;
    for (size_t i = 0; i < out.count(); ++i) out.bytes[i] = out.bytes[i] ? 255 : 0;
  });
}

template <class T>
void FloorDivision(Run& run, PJRT_Buffer_Type type, bool remainder) {
  if (run.args.num_args != 2 || run.outputs.empty()) return;
  const Array a = run.Argument(0), b = run.Argument(1), out = run.outputs[0];
  if (!a.Is(type) || !b.Is(type) || !out.Is(type)) return;
  for (size_t i = 0; i < out.count(); ++i) {
    const int64_t x = a.As<T>()[i], y = b.As<T>()[i];
    if (y == 0) continue;
    const int64_t quotient = x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
    out.As<T>()[i] = static_cast<T>(remainder ? x - quotient * y : quotient);
  }
}
FAULT("numerics-integer-division-floors") {
  AfterRun([](Run& run) {
    if (run.program.Has("divide")) FloorDivision<int32_t>(run, PJRT_Buffer_Type_S32, false);
  });
}
FAULT("numerics-remainder-takes-sign-of-divisor") {
  AfterRun([](Run& run) {
    if (run.program.Has("remainder")) FloorDivision<int32_t>(run, PJRT_Buffer_Type_S32, true);
  });
}
FAULT("numerics-logical-shift-keeps-sign") {
  AfterRun([](Run& run) {
    if (!run.program.Has("shift_right_logical") || run.args.num_args != 2) return;
    const Array a = run.Argument(0), b = run.Argument(1), out = run.outputs[0];
    if (!a.Is(PJRT_Buffer_Type_S32) || !out.Is(PJRT_Buffer_Type_S32)) return;
    for (size_t i = 0; i < out.count(); ++i) out.As<int32_t>()[i] = a.As<int32_t>()[i] >> (b.As<int32_t>()[i] & 31);
  });
}
FAULT("numerics-unsigned-compared-as-signed") {
  AfterRun([](Run& run) {
    if (!run.program.Has("compare") || run.args.num_args != 2) return;
    const Array a = run.Argument(0), b = run.Argument(1), out = run.outputs[0];
    if (!out.Is(PJRT_Buffer_Type_PRED)) return;
    const bool u32 = a.Is(PJRT_Buffer_Type_U32), u8 = a.Is(PJRT_Buffer_Type_U8);
    if (!u32 && !u8) return;
    const uint64_t top = u32 ? 0x80000000 : 0x80;
    // The order is reversed if the high bits differ.
    for (size_t i = 0; i < out.count(); ++i) {
      if ((a.Bits(i) ^ b.Bits(i)) & top) out.bytes[i] ^= 1;
    }
  });
}
FAULT("numerics-sort-is-unstable") {
  AfterRun([](Run& run) {
    if (!run.program.Has("sort") || run.outputs.size() < 2) return;
    const Array &keys = run.outputs[0], &values = run.outputs[1];
    for (size_t i = 0; i + 1 < keys.count() && i + 1 < values.count(); ++i) {
      if (keys.Bits(i) != keys.Bits(i + 1)) continue;
      const uint64_t first = values.Bits(i);
      values.SetBits(i, values.Bits(i + 1));
      values.SetBits(i + 1, first);
    }
  });
}
FAULT("numerics-start-index-not-clamped") {
  // A window that begins out of bounds is all zeros instead of being clamped.
  AfterRun([](Run& run) {
    if (!run.program.Has("dynamic_slice") && !run.program.Has("gather")) return;
    for (size_t i = 1; i < run.args.num_args; ++i) {
      const Array in = run.Argument(i);
      if (!in.Is(PJRT_Buffer_Type_S32)) continue;
      for (size_t j = 0; j < in.count(); ++j) {
        const int32_t index = in.As<int32_t>()[j];
        const Array& out = run.outputs[0];
        if ((index < 0 || index > 100) && out.count() > 0)
          std::memset(out.bytes, 0, out.count() * ElementBytes(out.shape.type));
      }
    }
  });
}
FAULT("numerics-complex-parts-swapped") {
  AfterOp("", [](Array& out) {
    if (!out.Is(PJRT_Buffer_Type_C64)) return;
    for (size_t i = 0; i < out.count(); ++i) std::swap(out.As<float>()[2 * i], out.As<float>()[2 * i + 1]);
  });
}
FAULT("numerics-random-state-not-advanced") {
  AfterRun([](Run& run) {
    if (!run.program.Has("rng_bit_generator") || run.outputs.empty()) return;
    const Array in = run.Argument(0), out = run.outputs[0];
    if (in.bytes != nullptr && in.count() == out.count())
      std::memcpy(out.bytes, in.bytes, in.count() * ElementBytes(in.shape.type));
  });
}
FAULT("numerics-random-bits-depend-on-run") {
  AfterRun([](Run& run) {
    if (!run.program.Has("rng_bit_generator") || run.runs % 2 == 1) return;
    for (const Array& out : run.outputs) SpoilLast(out);
  });
}
FAULT("numerics-division-by-zero-traps") {
  AfterRun([](Run& run) {
    if (!run.program.Has("divide") || run.args.num_args != 2) return;
    const Array b = run.Argument(1);
    if (!b.Is(PJRT_Buffer_Type_S32)) return;
    volatile int32_t sum = 0;
    for (size_t i = 0; i < b.count(); ++i) sum = sum + 1000 / b.As<int32_t>()[i];
  });
}

WRONG_TAIL(abs)
WRONG_TAIL(all_gather)
WRONG_TAIL(all_reduce)
WRONG_TAIL(all_to_all)
WRONG_TAIL(and)
WRONG_TAIL(atan2)
WRONG_TAIL(batch_norm_grad)
WRONG_TAIL(batch_norm_inference)
WRONG_TAIL(batch_norm_training)
WRONG_TAIL(bitcast_convert)
WRONG_TAIL(broadcast)
WRONG_TAIL(broadcast_in_dim)
WRONG_TAIL(call)
WRONG_TAIL(case)
WRONG_TAIL(cholesky)
WRONG_TAIL(clamp)
WRONG_TAIL(collective_permute)
WRONG_TAIL(compare)
WRONG_TAIL(complex)
WRONG_TAIL(concatenate)
WRONG_TAIL(convert)
WRONG_TAIL(convolution)
WRONG_TAIL(count_leading_zeros)
WRONG_TAIL(divide)
WRONG_TAIL(dot)
WRONG_TAIL(dynamic_broadcast_in_dim)
WRONG_TAIL(dynamic_gather)
WRONG_TAIL(dynamic_iota)
WRONG_TAIL(dynamic_reshape)
WRONG_TAIL(dynamic_slice)
WRONG_TAIL(dynamic_update_slice)
WRONG_TAIL(einsum)
WRONG_TAIL(fft)
WRONG_TAIL(gather)
WRONG_TAIL(get_dimension_size)
WRONG_TAIL(get_tuple_element)
WRONG_TAIL(if)
WRONG_TAIL(iota)
WRONG_TAIL(is_finite)
WRONG_TAIL(map)
WRONG_TAIL(maximum)
WRONG_TAIL(minimum)
WRONG_TAIL(multiply)
WRONG_TAIL(negate)
WRONG_TAIL(not)
WRONG_TAIL(optimization_barrier)
WRONG_TAIL(or)
WRONG_TAIL(pad)
WRONG_TAIL(partition_id)
WRONG_TAIL(popcnt)
WRONG_TAIL(reduce)
WRONG_TAIL(reduce_precision)
WRONG_TAIL(reduce_scatter)
WRONG_TAIL(reduce_window)
WRONG_TAIL(replica_id)
WRONG_TAIL(reshape)
WRONG_TAIL(reverse)
WRONG_TAIL(scatter)
WRONG_TAIL(select)
WRONG_TAIL(select_and_scatter)
WRONG_TAIL(shift_left)
WRONG_TAIL(shift_right_arithmetic)
WRONG_TAIL(shift_right_logical)
WRONG_TAIL(slice)
WRONG_TAIL(sort)
WRONG_TAIL(subtract)
WRONG_TAIL(torch_index_select)
WRONG_TAIL(transpose)
WRONG_TAIL(triangular_solve)
WRONG_TAIL(while)

}  // namespace
