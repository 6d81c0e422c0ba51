// A plugin that ignores donation: donated inputs stay with the caller.
#include <cstring>
#include <numeric>

#include "programs.h"

namespace designs {

void NoDonation() {
  if (!Has("PJRT_DESIGN_DONATION", "no")) return;
  RefusePrograms([](const Contents& contents) -> std::string {
    return contents.must_donate ? "arguments that must be donated are not supported" : "";
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    using Args = PJRT_LoadedExecutable_Execute_Args;
    // Invalid calls are left to the base.
    if (!HAS(args, Args, num_args) || args.options == nullptr ||
        !HAS(*args.options, PJRT_ExecuteOptions, num_non_donatable_input_indices)) {
      return original(&args);
    }
    // The options belong to the caller, who may use them in several concurrent calls. The base gets copies of the same
    // size, which may be larger than known here.
    std::vector<int64_t> all(args.num_args);
    std::iota(all.begin(), all.end(), int64_t{0});
    std::vector<unsigned char> options_copy(args.options->struct_size);
    std::memcpy(options_copy.data(), args.options, options_copy.size());
    auto* options = reinterpret_cast<PJRT_ExecuteOptions*>(options_copy.data());
    options->non_donatable_input_indices = all.data();
    options->num_non_donatable_input_indices = all.size();
    std::vector<unsigned char> args_copy(args.struct_size);
    std::memcpy(args_copy.data(), &args, args_copy.size());
    auto* copy = reinterpret_cast<Args*>(args_copy.data());
    copy->options = options;
    return original(copy);
  });
}

}  // namespace designs
