// What is in the programs that are to be compiled.
#ifndef PJRT_DESIGNS_PROGRAMS_H_
#define PJRT_DESIGNS_PROGRAMS_H_

#include <set>
#include <string>

#include "designs.h"

namespace designs {

struct Contents {
  /** As StableHLO calls them, "stablehlo.sort". */
  std::set<std::string> ops;
  /** Values of PJRT_Buffer_Type, of all values in the program. */
  std::set<int> types;
  /** Whether an argument must be donated, and not only may. */
  bool must_donate = false;
};

/** Compiles no program of which `why` gives a reason; programs that cannot be read are for the base to judge. */
void RefusePrograms(std::function<std::string(const Contents&)> why);

/** "element type f64 is not supported". */
std::string NoSuchType(int type);

}  // namespace designs

#endif
