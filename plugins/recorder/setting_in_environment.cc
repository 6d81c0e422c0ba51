// In LD_PRELOAD: settings are the variables that `record` sets for the program.
#include <cstdlib>

#include "settings.h"

namespace recorder {

const char* Setting(const char* name) { return getenv(name); }

}  // namespace recorder
