// Activity of this process's devices during a recording.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace reference {

class Trace {
 public:
  // Recordings are independent of each other; each gets everything from its beginning to its end.
  static std::shared_ptr<Trace> Begin();
  static void End(const std::shared_ptr<Trace>& trace);

  // An XSpace message: a plane for the devices of this process, a line for each device, an event for each span.
  std::string ToXSpace() const;

 private:
  friend class TraceSpan;
  struct Event {
    int device;
    std::string name;
    int64_t begin_ns;
    int64_t duration_ns;
  };
  mutable std::mutex mutex_;
  std::vector<Event> events_;
  int64_t begin_ns_ = 0;
};

// A span of a device's work, from here to the end of the scope. Almost free unless recording.
class TraceSpan {
 public:
  TraceSpan(int device, std::string name);
  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  int device_;
  std::string name_;
  int64_t begin_ns_ = -1;  // not recording
};

}  // namespace reference
