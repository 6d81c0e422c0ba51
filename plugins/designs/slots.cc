// Missing functions.
#include <map>

#include "../reference/c_api/functions.h"
#include "designs.h"

namespace designs {
namespace {

/** How to disable one slot. */
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

void TakeSlotsAway() {
  const std::string variable = "PJRT_DESIGN_SLOTS";
  for (const std::string& one : Split(Setting(variable.c_str()).value_or(""))) {
    const size_t equals = one.find('=');
    if (equals == std::string::npos) Die(variable + ": expected FUNCTION=null, =UNIMPLEMENTED or =INTERNAL, not " + one);
    const auto found = Actions().find(one.substr(0, equals));
    if (found == Actions().end()) Die(variable + ": no function is called " + one.substr(0, equals));
    const std::string what = one.substr(equals + 1);
    if (what == "null") {
      found->second.clear();
    } else {
      const auto code = kCodes.find(what);
      if (code == kCodes.end()) Die(variable + ": a slot can be null, UNIMPLEMENTED or INTERNAL, not " + what);
      found->second.fail(code->second);
    }
  }
}

}  // namespace designs
