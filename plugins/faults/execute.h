// Executions with other options.
#ifndef PJRT_FAULTS_EXECUTE_H_
#define PJRT_FAULTS_EXECUTE_H_

#include <algorithm>
#include <cstring>
#include <numeric>

#include "calls.h"

namespace faults {

using Execute = SLOT(PJRT_LoadedExecutable_Execute);
using ExecuteArgs = PJRT_LoadedExecutable_Execute_Args;

/** Calls with modified options. */
inline PJRT_Error* WithOptions(ExecuteArgs& args, const Original<Execute>& original, const std::function<void(PJRT_ExecuteOptions&)>& change) {
  PJRT_ExecuteOptions options{};
  const size_t known = std::min<size_t>(args.options->struct_size, sizeof(options));
  std::memcpy(&options, args.options, known);
  options.struct_size = known;
  change(options);
  return With(args, original, args.options, &options);
}
/** Calls with all arguments declared as not donatable. */
inline PJRT_Error* WithoutDonation(ExecuteArgs& args, const Original<Execute>& original) {
  std::vector<int64_t> all(args.num_args);
  std::iota(all.begin(), all.end(), 0);
  return WithOptions(args, original, [&all](PJRT_ExecuteOptions& options) {
    options.non_donatable_input_indices = all.data();
    options.num_non_donatable_input_indices = all.size();
  });
}

}  // namespace faults

#endif
