// Events in the form that raw buffers use: an object with a table of functions, counted references.
#pragma once

#include <functional>
#include <vector>

#include "c_api/extensions/extension.h"

namespace reference {

// An event of the plugin for the caller, with one reference.
PJRT_DeviceEvent MakeDeviceEvent(EventPtr event);

// Events for those of a caller, which may be of another plugin; null and empty lists are none. They complete with the
// caller's, and the caller's are referenced until then.
std::vector<EventPtr> EventsOf(const PJRT_DeviceEventVector* events);

// Completes a caller's promise with the event; the promise is referenced until then. Null does nothing.
void Fulfill(PJRT_DeviceEventPromise* promise, const EventPtr& event);

}  // namespace reference
