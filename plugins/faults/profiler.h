// The table of the profiler, for faults that change it.
#ifndef PJRT_FAULTS_PROFILER_H_
#define PJRT_FAULTS_PROFILER_H_

#include <algorithm>
#include <cstring>

#include "faults.h"

namespace faults {

inline PLUGIN_Profiler_Api base_profiler;
inline PLUGIN_Profiler_Api changed_profiler;

/** The table of the profiler becomes one that `change` has changed. */
inline void ChangeProfiler(void (*change)(PLUGIN_Profiler_Api& table)) {
  auto* e = Extension<PJRT_Profiler_Extension>(PJRT_Extension_Type_Profiler);
  if (e == nullptr) return;
  if (e->profiler_api == nullptr) return Missing("a profiler");
  std::memcpy(&base_profiler, e->profiler_api, std::min(sizeof(base_profiler), e->profiler_api->struct_size));
  changed_profiler = base_profiler;
  change(changed_profiler);
  e->profiler_api = &changed_profiler;
}

}  // namespace faults

#endif
