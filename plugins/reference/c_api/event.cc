// PJRT_Event_*: events.
#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"

namespace reference::c_api {

PJRT_Error* Event_Destroy(PJRT_Event_Destroy_Args* args) {
  return Call("PJRT_Event_Destroy", args, [&] {
    if (args->event == nullptr) return;
    const EventPtr event = args->event->event;
    const bool created = args->event->created;
    delete args->event;
    // Nothing else can complete it any more, and waiters must not hang.
    if (created) event->SetError(Internal("the event was destroyed before it was set"));
  });
}

PJRT_Error* Event_IsReady(PJRT_Event_IsReady_Args* args) {
  return Call("PJRT_Event_IsReady", args, [&] { args->is_ready = Given(args->event, "event").event->IsReady(); });
}

PJRT_Error* Event_Error(PJRT_Event_Error_Args* args) {
  return Call("PJRT_Event_Error", args, [&] {
    const EventPtr event = Given(args->event, "event").event;
    if (!event->IsReady()) throw FailedPrecondition("the event is not ready");
    if (const Error* error = event->error()) throw Error(*error);
  });
}

PJRT_Error* Event_Await(PJRT_Event_Await_Args* args) {
  return Call("PJRT_Event_Await", args, [&] {
    // Keeps its own reference: another thread may destroy the handle while this one waits.
    const EventPtr event = Given(args->event, "event").event;
    event->Await();
  });
}

PJRT_Error* Event_OnReady(PJRT_Event_OnReady_Args* args) {
  return Call("PJRT_Event_OnReady", args, [&] {
    const EventPtr event = Given(args->event, "event").event;
    if (args->callback == nullptr) throw InvalidArgument("callback is null");
    event->OnReady([callback = args->callback, user_arg = args->user_arg](const Error* error) {
      callback(MakeError(error), user_arg);
    });
  });
}

PJRT_Error* Event_Create(PJRT_Event_Create_Args* args) {
  return Call("PJRT_Event_Create", args, [&] { args->event = new PJRT_Event{Event::Pending(), true}; });
}

PJRT_Error* Event_Set(PJRT_Event_Set_Args* args) {
  return Call("PJRT_Event_Set", args, [&] {
    const PJRT_Event& handle = Given(args->event, "event");
    if (!handle.created) throw InvalidArgument("only events of PJRT_Event_Create can be set");
    // A callback may destroy the handle.
    const EventPtr event = handle.event;
    const bool set = args->error_code == PJRT_Error_Code_OK
                         ? event->SetDone()
                         : event->SetError(CallersError(args->error_code, args->error_message, args->error_message_size));
    if (!set) throw FailedPrecondition("the event has been set already");
  });
}

}  // namespace reference::c_api
