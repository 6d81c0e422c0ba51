// Callbacks of the caller, of events and of views, with something before or after them.
#ifndef PJRT_FAULTS_CALLBACKS_H_
#define PJRT_FAULTS_CALLBACKS_H_

#include "calls.h"

namespace faults {

/** A callback of the caller. */
struct Callback {
  PJRT_Event_OnReadyCallback call;
  void* user_arg;
};
/** Passes a different callback to the base, which gets the caller's as an argument. */
inline void ChangeCallbacks(void (*change)(const Callback&, PJRT_Error*)) {
  static void (*action)(const Callback&, PJRT_Error*);
  action = change;
  Replace<SLOT(PJRT_Event_OnReady)>([](auto& args, auto& original) -> PJRT_Error* {
    auto* given = new Callback{args.callback, args.user_arg};
    return With(args, original, args.user_arg, given, args.callback,
                [](PJRT_Error* error, void* user_arg) { action(*static_cast<Callback*>(user_arg), error); });
  });
}

using Deleter = void (*)(void*, void*);
/** A delete callback of the caller. */
struct Kept {
  Deleter call;
  void* user_arg;
};
/** Passes a different delete callback to the base, which gets the caller's as an argument. */
inline void ChangeDeleter(void (*change)(const Kept&, void* pointer)) {
  static void (*action)(const Kept&, void*);
  action = change;
  Replace<SLOT(PJRT_Client_CreateViewOfDeviceBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.on_delete_callback == nullptr) return original(&args);
    auto* given = new Kept{args.on_delete_callback, args.on_delete_callback_arg};
    return With(args, original, args.on_delete_callback_arg, given, args.on_delete_callback,
                [](void* pointer, void* user_arg) { action(*static_cast<Kept*>(user_arg), pointer); });
  });
}

}  // namespace faults

#endif
