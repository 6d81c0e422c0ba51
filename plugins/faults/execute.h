// Executions.
#ifndef PJRT_FAULTS_EXECUTE_H_
#define PJRT_FAULTS_EXECUTE_H_

#include <algorithm>
#include <cstring>

#include "faults.h"

namespace faults {

using Execute = SLOT(PJRT_LoadedExecutable_Execute);
using ExecuteArgs = PJRT_LoadedExecutable_Execute_Args;

/** Calls with modified options. */
inline PJRT_Error* WithOptions(ExecuteArgs& args, const Original<Execute>& original, const std::function<void(PJRT_ExecuteOptions&)>& change) {
  PJRT_ExecuteOptions options{};
  std::memcpy(&options, args.options, std::min<size_t>(args.options->struct_size, sizeof(options)));
  change(options);
  PJRT_ExecuteOptions* given = args.options;
  args.options = &options;
  PJRT_Error* error = original(&args);
  args.options = given;
  return error;
}

}  // namespace faults

#endif
