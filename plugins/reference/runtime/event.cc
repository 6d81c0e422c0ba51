#include "runtime/event.h"

#include <atomic>
#include <utility>

namespace reference {

EventPtr Event::Pending() { return EventPtr(new Event()); }

EventPtr Event::Ready() {
  EventPtr event = Pending();
  event->ready_ = true;
  return event;
}

EventPtr Event::Failed(Error error) {
  EventPtr event = Pending();
  event->ready_ = true;
  event->error_ = std::move(error);
  return event;
}

bool Event::SetDone() { return Complete(std::nullopt); }

bool Event::SetError(Error error) { return Complete(std::move(error)); }

bool Event::Complete(std::optional<Error> error) {
  // A callback may release the last owner but this one.
  const EventPtr self = shared_from_this();
  std::vector<Callback> callbacks;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ready_) return false;
    error_ = std::move(error);
    ready_ = true;
    callbacks.swap(callbacks_);
    completed_.notify_all();
  }
  for (Callback& callback : callbacks) {
    callback(this->error());
    callback = nullptr;  // its captures are freed before the next one runs
  }
  return true;
}

bool Event::IsReady() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ready_;
}

const Error* Event::error() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ready_ && error_ ? &*error_ : nullptr;
}

void Event::Await() const {
  std::unique_lock<std::mutex> lock(mutex_);
  completed_.wait(lock, [this] { return ready_; });
  if (error_) throw Error(*error_);
}

void Event::OnReady(Callback callback) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!ready_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  const EventPtr self = shared_from_this();
  callback(error());
}

void WhenAll(const std::vector<EventPtr>& events, Event::Callback then) {
  struct Waiting {
    std::vector<EventPtr> events;  // the open ones, in order
    std::atomic<size_t> open{0};
    Event::Callback then;
  };
  std::vector<EventPtr> open;
  for (const EventPtr& event : events) {
    // Complete without an error: nothing to wait for and nothing to report.
    if (event != nullptr && !(event->IsReady() && event->error() == nullptr)) open.push_back(event);
  }
  if (open.empty()) {
    then(nullptr);
    return;
  }
  const auto waiting = std::make_shared<Waiting>();
  waiting->events = open;
  waiting->open = open.size();
  waiting->then = std::move(then);
  for (const EventPtr& event : open) {
    event->OnReady([waiting](const Error*) {
      if (--waiting->open > 0) return;
      const std::vector<EventPtr> complete = std::move(waiting->events);
      const Event::Callback call = std::move(waiting->then);
      const Error* first = nullptr;
      for (size_t i = 0; first == nullptr && i < complete.size(); i++) first = complete[i]->error();
      call(first);
    });
  }
}

}  // namespace reference
