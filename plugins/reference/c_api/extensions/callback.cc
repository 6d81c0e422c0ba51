// Callback: notifications for a framework before an error ends the process. The plugin never ends a process, and there
// are no slices: callbacks run only when invoked.
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "c_api/extensions/extension.h"

namespace reference {
namespace {

struct Registration {
  void (*callback)(void* args, void* user_arg);
  void* user_arg;
};

// They belong to the process: a client is only named.
struct Registrations {
  std::mutex mutex;
  std::map<int, std::vector<Registration>> by_type;
};
Registrations& All() {
  static Registrations& all = *new Registrations;
  return all;
}

int Checked(PJRT_Callback_Type type) {
  if (type == PJRT_Callback_Type_Tpu_SliceBuilder) throw Unimplemented("there are no slices");
  if (type != PJRT_Callback_Type_Prefatal) {
    throw InvalidArgument("there are no callbacks of the type " + std::to_string(static_cast<int>(type)));
  }
  return type;
}

PJRT_Error* Register(PJRT_Callback_RegisterCallback_Args* args) {
  return CALL_EXTENSION(PJRT_Callback_RegisterCallback, args, [&] {
    const int type = Checked(args->type);
    if (args->callback == nullptr) throw InvalidArgument("callback is null");
    const std::lock_guard<std::mutex> lock(All().mutex);
    All().by_type[type].push_back({args->callback, args->user_arg});
  });
}

PJRT_Error* Invoke(PJRT_Callback_InvokeCallback_Args* args) {
  return CALL_EXTENSION(PJRT_Callback_InvokeCallback, args, [&] {
    const int type = Checked(args->type);
    std::vector<Registration> registered;
    {
      const std::lock_guard<std::mutex> lock(All().mutex);
      registered = All().by_type[type];
    }
    if (registered.empty()) throw NotFound("nobody has registered a callback of this type");
    for (const auto& [callback, user_arg] : registered) callback(args->args, user_arg);
  });
}

}  // namespace

PJRT_Extension_Base* CallbackExtension() {
  static PJRT_Callback_Extension extension = {BaseOf(PJRT_Extension_Type_Callback), Register, Invoke};
  return &extension.base;
}

}  // namespace reference
