// Deliberate defects: a build with -DREFERENCE_FAULTS has the one named by PJRT_REFERENCE_FAULT. They are those that
// need access to the inside of a plugin; the others are in plugins/faults. A normal build has none.
#pragma once

#ifdef REFERENCE_FAULTS
#include <cstdlib>
#include <cstring>

namespace reference {

/** Whether the environment selects the defect with this name. */
inline bool FaultIs(const char* name) {
  static const char* wanted = std::getenv("PJRT_REFERENCE_FAULT");
  return wanted != nullptr && std::strcmp(wanted, name) == 0;
}

}  // namespace reference

#define FAULT(name) (::reference::FaultIs(name))
#else
#define FAULT(name) false
#endif
