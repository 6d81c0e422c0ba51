// Memory that is never given back.
#ifndef PJRT_FAULTS_LEAK_H_
#define PJRT_FAULTS_LEAK_H_

#include <cstddef>
#include <cstdlib>

namespace faults {

/** Touched, so that it counts as used. */
inline void Leak(size_t bytes) {
  auto* lost = static_cast<volatile char*>(std::malloc(bytes));
  for (size_t i = 0; lost != nullptr && i < bytes; i += 512) lost[i] = 1;
}

}  // namespace faults

#endif
