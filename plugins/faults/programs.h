// Faults in results of programs: which program ran, its arguments, and the memory of its results, to be modified in
// place.
#ifndef PJRT_FAULTS_PROGRAMS_H_
#define PJRT_FAULTS_PROGRAMS_H_

#include <cstring>
#include <deque>

#include "faults.h"

namespace faults {

/** A program as sent. */
struct Program {
  std::string code;
  int runs = 0;
  /** Whether it has this StableHLO operation, by its name in text or in a portable artifact. */
  bool Has(std::string_view op) const;
};

/** An array in host memory. */
struct Array {
  Shape shape;
  uint8_t* bytes = nullptr;
  /** Index of the output and of its argument list. */
  size_t index = 0;
  size_t list = 0;

  size_t count() const { return bytes == nullptr ? 0 : shape.count(); }
  template <class T>
  T* As() const {
    return reinterpret_cast<T*>(bytes);
  }
  /** The bits of an element of at most eight bytes. */
  uint64_t Bits(size_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes + i * ElementBytes(shape.type), ElementBytes(shape.type));
    return bits;
  }
  void SetBits(size_t i, uint64_t bits) const {
    std::memcpy(bytes + i * ElementBytes(shape.type), &bits, ElementBytes(shape.type));
  }
  bool Is(PJRT_Buffer_Type type) const { return bytes != nullptr && shape.type == type; }
};

/** One finished execution. */
struct Run {
  const Program& program;
  /** Number of executions of the program so far, with this one. */
  int runs = 0;
  PJRT_LoadedExecutable_Execute_Args& args;
  std::vector<Array> outputs;
  /** Copies of the arguments. */
  mutable std::deque<std::vector<uint8_t>> arguments;
  /** A copy of an argument of the first list; without bytes if it has none any more. */
  Array Argument(size_t i) const;
};

/** Records the programs of executables that are compiled from here on. */
void WatchPrograms();
/** The program of a loaded executable, or null. */
Program* ProgramOf(PJRT_LoadedExecutable* executable);

/**
 * Runs `body` after each successful execution, when its outputs are ready. A program that consists of others
 * (PJRT_FAULTS_TOGETHER names a list of those) counts as executions of these.
 */
void AfterRun(std::function<void(Run&)> body);
/** The same for each output of programs with the operation; all programs if it is empty. */
void AfterOp(const char* op, std::function<void(Array&)> body);

/** Parts of a floating-point type. */
struct FloatBits {
  uint64_t sign = 0, exponent = 0, mantissa = 0;
};
FloatBits FloatBitsOf(PJRT_Buffer_Type type);
/** Changes the bits of every element of a floating-point array; leaves other arrays alone. */
void EachFloat(const Array& array, const std::function<uint64_t(uint64_t bits, const FloatBits& type)>& change);

}  // namespace faults

#endif
