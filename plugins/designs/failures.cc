// What a failed call leaves in its outputs, of which the header says nothing.
#include <cstring>
#include <mutex>

#include "designs.h"

namespace designs {
namespace {

struct Output {
  size_t offset, size;
};

/** After a failure the outputs have what the last successful call had there, or bits that mean nothing. */
template <class S>
void LeaveOutputs(bool stale, const std::vector<Output>& outputs) {
  static std::mutex mutex;
  static std::vector<unsigned char> last(sizeof(typename S::Args), 0xff);
  Replace<S>([stale, outputs](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr && !stale) return error;
    auto* const bytes = reinterpret_cast<unsigned char*>(&args);
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [offset, size] : outputs) {
      if (args.struct_size < offset + size) break;
      if (error == nullptr) {
        std::memcpy(&last[offset], bytes + offset, size);
      } else {
        std::memcpy(bytes + offset, &last[offset], size);
      }
    }
    return error;
  });
}

}  // namespace

void OutputsOnError() {
  const auto kind = Setting("PJRT_DESIGN_OUTPUTS_ON_ERROR");
  if (!kind) return;
  if (*kind != "junk" && *kind != "stale") Die("PJRT_DESIGN_OUTPUTS_ON_ERROR can be junk or stale, not " + *kind);
  const bool stale = *kind == "stale";
  // Offset and size of each output of each function.
#define OUTPUTS(function, ...) LeaveOutputs<SLOT(function)>(stale, {__VA_ARGS__});
#include "outputs.inc"
}

}  // namespace designs
