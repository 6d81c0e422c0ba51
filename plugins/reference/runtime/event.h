// A one-shot event: completion of something, with or without an error.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/error.h"

namespace reference {

class Event;
using EventPtr = std::shared_ptr<Event>;

class Event : public std::enable_shared_from_this<Event> {
 public:
  // Gets the error of the event, or null; the pointer is valid as long as the event.
  using Callback = std::function<void(const Error* error)>;

  static EventPtr Pending();
  static EventPtr Ready();
  static EventPtr Failed(Error error);

  // Complete the event, unless it is already complete: then they return false and change nothing. The callbacks run on
  // the calling thread, without a lock held, after all waiters were woken.
  bool SetDone();
  bool SetError(Error error);

  bool IsReady() const;
  // Of a complete event: its error, or null; the pointer is valid as long as the event.
  const Error* error() const;
  // Blocks until the event is complete; throws its error.
  void Await() const;
  // Calls back exactly once: at once if the event is complete, else on the thread that completes it.
  void OnReady(Callback callback);

 private:
  Event() = default;
  bool Complete(std::optional<Error> error);

  mutable std::mutex mutex_;
  mutable std::condition_variable completed_;
  bool ready_ = false;
  std::optional<Error> error_;  // not written after ready_ is set
  std::vector<Callback> callbacks_;
};

// Calls `then` exactly once, after all of `events` are complete, with the first error in their order, or null. Null
// events count as complete.
void WhenAll(const std::vector<EventPtr>& events, Event::Callback then);

}  // namespace reference
