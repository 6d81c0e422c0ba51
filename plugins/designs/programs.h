// The contents of programs to be compiled.
#ifndef PJRT_DESIGNS_PROGRAMS_H_
#define PJRT_DESIGNS_PROGRAMS_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "designs.h"

namespace designs {

struct Contents {
  /** Full StableHLO names, "stablehlo.sort". */
  std::set<std::string> ops;
  /** PJRT_Buffer_Type of all values in the program. */
  std::set<int> types;
  /** Whether an argument must be donated (must-alias). */
  bool must_donate = false;
};

/** The code of a program in MLIR; nothing for other formats, and for invalid programs. */
std::optional<std::string_view> Mlir(const PJRT_Program* program);

/** Rejects every program for which `why` returns a reason; unreadable programs are left to the base. */
void RefusePrograms(std::function<std::string(const Contents&)> why);

/** "element type f64 is not supported". */
std::string NoSuchType(int type);

}  // namespace designs

#endif
