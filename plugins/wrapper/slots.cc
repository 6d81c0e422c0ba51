#include "slots.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "../reference/c_api/functions.h"
#include "wrapper.h"

namespace wrapper {
namespace {

/** What can be made of one slot. */
struct SlotActions {
  void (*clear)();
  void (*fail)(PJRT_Error_Code code);
};

template <class S>
void Clear() {
  S::table() = nullptr;
}

template <class S>
void Fail(PJRT_Error_Code code, const char* name) {
  if constexpr (!std::is_void_v<typename S::Result>) {
    std::string message = std::string(name) + (code == PJRT_Error_Code_UNIMPLEMENTED ? " is not implemented" : " failed");
    Replace<S>([code, message](auto&, auto&) -> PJRT_Error* { return MakeError(code, message); });
  } else {
    Missing("an answer of a function that has none");
  }
}

const std::map<std::string, SlotActions>& Actions() {
#define ACTIONS(name)                                                     \
  {#name,                                                                 \
   {[] { Clear<SLOT(PJRT_##name)>(); },                                   \
    [](PJRT_Error_Code code) { Fail<SLOT(PJRT_##name)>(code, "PJRT_" #name); }}},
  static const std::map<std::string, SlotActions> actions = {REFERENCE_C_API_FUNCTIONS(ACTIONS)};
#undef ACTIONS
  return actions;
}

const std::map<std::string, PJRT_Error_Code> kCodes = {
    {"UNIMPLEMENTED", PJRT_Error_Code_UNIMPLEMENTED},
    {"INTERNAL", PJRT_Error_Code_INTERNAL},
};

}  // namespace

void TakeSlotsAway(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return;
  OwnErrors();
  const auto refuse = [variable](const std::string& what) { Die(std::string(variable) + ": " + what); };
  const std::string all = text;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find(',', at), all.size());
    const std::string one = all.substr(at, end - at);
    at = end + 1;
    const size_t equals = one.find('=');
    if (equals == std::string::npos) refuse("expected FUNCTION=null, =UNIMPLEMENTED or =INTERNAL, not " + one);
    const auto found = Actions().find(one.substr(0, equals));
    if (found == Actions().end()) refuse("no function is called " + one.substr(0, equals));
    const std::string what = one.substr(equals + 1);
    if (what == "null") {
      found->second.clear();
    } else {
      const auto code = kCodes.find(what);
      if (code == kCodes.end()) refuse("a slot can be null, UNIMPLEMENTED or INTERNAL, not " + what);
      found->second.fail(code->second);
    }
  }
}

}  // namespace wrapper
