// Events in the form of raw buffers: an object with a function table and a reference count.
#pragma once

#include <functional>
#include <vector>

#include "c_api/extensions/extension.h"

namespace reference {

// An event of the plugin for the caller, with one reference.
PJRT_DeviceEvent MakeDeviceEvent(EventPtr event);

// Events for those of a caller, which may be of another plugin; null and empty lists give none. They complete with the
// caller's, which are referenced until then.
std::vector<EventPtr> EventsOf(const PJRT_DeviceEventVector* events);

// Completes a caller's promise with the event; the promise is referenced until then. Null does nothing.
void Fulfill(PJRT_DeviceEventPromise* promise, const EventPtr& event);

}  // namespace reference
