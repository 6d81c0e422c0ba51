// PJRT_FAULT=slots: functions that a young plugin does not have yet, named by
//   PJRT_FAULTS_SLOTS=Client_Load=null,Buffer_Memory=UNIMPLEMENTED,Buffer_IsOnCpu=INTERNAL
// No defect of the catalogue, but a setting for tests that need a plugin with gaps of their choice.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "../reference/c_api/functions.h"
#include "faults.h"

namespace faults {
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

[[noreturn]] void Refuse(const std::string& what) {
  std::fprintf(stderr, "faults: PJRT_FAULTS_SLOTS: %s\n", what.c_str());
  std::_Exit(97);
}

void Install() {
  const char* text = std::getenv("PJRT_FAULTS_SLOTS");
  if (text == nullptr || *text == '\0') return;
  OwnErrors();
  const std::string all = text;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find(',', at), all.size());
    const std::string one = all.substr(at, end - at);
    at = end + 1;
    const size_t equals = one.find('=');
    if (equals == std::string::npos) Refuse("expected FUNCTION=null, =UNIMPLEMENTED or =INTERNAL, not " + one);
    const auto found = Actions().find(one.substr(0, equals));
    if (found == Actions().end()) Refuse("no function is called " + one.substr(0, equals));
    const std::string what = one.substr(equals + 1);
    if (what == "null") {
      found->second.clear();
    } else {
      const auto code = kCodes.find(what);
      if (code == kCodes.end()) Refuse("a slot can be null, UNIMPLEMENTED or INTERNAL, not " + what);
      found->second.fail(code->second);
    }
  }
}

Registration registration("slots", Install);

}  // namespace
}  // namespace faults
