#include "c_api/extensions/device_event.h"

#include <atomic>
#include <memory>
#include <utility>

namespace reference {
namespace {

struct CountedEvent {
  EventPtr event;
  std::atomic<int64_t> references{1};
};

CountedEvent* Counted(void* event) { return static_cast<CountedEvent*>(event); }

void Reference(void* event) { Counted(event)->references.fetch_add(1, std::memory_order_relaxed); }

void Release(void* event) {
  if (Counted(event)->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete Counted(event);
}

void AndThen(void* event, PJRT_DeviceEvent_AndThen callback, void* user_arg) {
  Counted(event)->event->OnReady([=](const Error*) { callback(user_arg); });
}

int ErrorIfPresent(void* event, PJRT_Error_Code* code, const char** message, size_t* message_size) {
  const EventPtr& known = Counted(event)->event;
  const Error* const error = known->IsReady() ? known->error() : nullptr;
  if (error == nullptr) return 0;
  *code = static_cast<PJRT_Error_Code>(error->code);
  *message = error->message.data();
  *message_size = error->message.size();
  return 1;
}

PJRT_DeviceEvent_State State(void* event) {
  const EventPtr& known = Counted(event)->event;
  if (!known->IsReady()) return PJRT_DeviceEvent_State_Unavailable;
  return known->error() == nullptr ? PJRT_DeviceEvent_State_Ready : PJRT_DeviceEvent_State_Error;
}

// Events here belong to no stream.
intptr_t DefinitionStream(void*, uint64_t* sequence_number) {
  if (sequence_number != nullptr) *sequence_number = 0;
  return 0;
}

const PJRT_DeviceEvent_FunctionTable kTable = {
    PJRT_DeviceEvent_FunctionTable_STRUCT_SIZE, nullptr, Reference, Release, AndThen, ErrorIfPresent, nullptr, State,
    DefinitionStream};

// A caller's event that is being waited for.
struct Awaited {
  PJRT_DeviceEvent event;
  EventPtr completed;
};

void OnCallersEvent(void* user_arg) {
  const std::unique_ptr<Awaited> awaited(static_cast<Awaited*>(user_arg));
  const auto& [vtable, object] = awaited->event;
  PJRT_Error_Code code = PJRT_Error_Code_UNKNOWN;
  const char* message = nullptr;
  size_t size = 0;
  if (vtable->get_error_if_present(object, &code, &message, &size) != 0) {
    Error error(static_cast<Code>(code), message == nullptr ? "" : std::string(message, size));
    vtable->dec_ref(object);
    awaited->completed->SetError(std::move(error));
  } else {
    vtable->dec_ref(object);
    awaited->completed->SetDone();
  }
}

}  // namespace

PJRT_DeviceEvent MakeDeviceEvent(EventPtr event) {
  auto counted = std::make_unique<CountedEvent>();
  counted->event = std::move(event);
  return {&kTable, counted.release()};
}

std::vector<EventPtr> EventsOf(const PJRT_DeviceEventVector* events) {
  std::vector<EventPtr> result;
  if (events == nullptr) return result;
  GivenArray(events->data, events->size, "dependencies");
  for (size_t i = 0; i < events->size; i++) {
    const PJRT_DeviceEvent& event = events->data[i];
    if (event.vtable == nullptr) throw InvalidArgument("a dependency has no table of functions");
    auto awaited = std::make_unique<Awaited>(Awaited{event, Event::Pending()});
    result.push_back(awaited->completed);
    event.vtable->inc_ref(event.device_event);
    event.vtable->and_then(event.device_event, OnCallersEvent, awaited.release());
  }
  return result;
}

void Fulfill(PJRT_DeviceEventPromise* promise, const EventPtr& event) {
  if (promise == nullptr) return;
  promise->vtable->inc_ref(promise);
  event->OnReady([promise](const Error* error) {
    if (error != nullptr) {
      promise->vtable->set_error(promise, MakeError(error));
    } else {
      promise->vtable->set_ready(promise);
    }
    promise->vtable->dec_ref(promise);
  });
}

}  // namespace reference
