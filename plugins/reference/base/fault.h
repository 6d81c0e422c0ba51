// Defects on purpose, of which a build with -DREFERENCE_FAULTS has the one that PJRT_REFERENCE_FAULT names. They are
// those that only the inside of a plugin can have; the others are in plugins/faults. A normal build has none.
#pragma once

#ifdef REFERENCE_FAULTS
#include <cstdlib>
#include <cstring>

namespace reference {

/** Whether the environment asks for the defect of this name. */
inline bool FaultIs(const char* name) {
  static const char* wanted = std::getenv("PJRT_REFERENCE_FAULT");
  return wanted != nullptr && std::strcmp(wanted, name) == 0;
}

}  // namespace reference

#define FAULT(name) (::reference::FaultIs(name))
#else
#define FAULT(name) false
#endif
