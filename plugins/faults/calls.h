// Other arguments and results of calls than those of the caller and of the base.
#ifndef PJRT_FAULTS_CALLS_H_
#define PJRT_FAULTS_CALLS_H_

#include "faults.h"

namespace faults {

/** Calls with another value in one field, which is restored afterwards. */
template <class S, class T, class Args>
PJRT_Error* With(Args& args, const Original<S>& original, T& field, T value) {
  const T given = field;
  field = value;
  PJRT_Error* error = original(&args);
  field = given;
  return error;
}

}  // namespace faults

#endif
