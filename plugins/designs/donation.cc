// A plugin that ignores donation: what the caller gives away stays his.
#include <cstring>
#include <numeric>

#include "programs.h"

namespace designs {

void NoDonation() {
  if (!Has("PJRT_DESIGN_DONATION", "no")) return;
  RefusePrograms([](const Contents& contents) -> std::string {
    return contents.must_donate ? "arguments that must be donated are not supported" : "";
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& right) -> PJRT_Error* {
    using Args = PJRT_LoadedExecutable_Execute_Args;
    // What is no proper call is for the base to judge.
    if (!HAS(args, Args, num_args) || args.options == nullptr ||
        !HAS(*args.options, PJRT_ExecuteOptions, num_non_donatable_input_indices)) {
      return right(&args);
    }
    // The caller's structs are the caller's, who may use the options in several calls at a time: the base gets copies, as
    // long as theirs, which may be longer than what is known here.
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
    return right(copy);
  });
}

}  // namespace designs
