#include "runtime/trace.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/protobuf.h"

namespace reference {
namespace {

struct Recorders {
  std::mutex mutex;
  std::vector<std::shared_ptr<Trace>> traces;
  std::atomic<int> count{0};
};

// Never destroyed: the devices' threads may outlive the end of main.
Recorders& All() {
  static Recorders& all = *new Recorders;
  return all;
}

int64_t Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

std::shared_ptr<Trace> Trace::Begin() {
  auto trace = std::make_shared<Trace>();
  trace->begin_ns_ = Now();
  const std::lock_guard<std::mutex> lock(All().mutex);
  All().traces.push_back(trace);
  All().count++;
  return trace;
}

void Trace::End(const std::shared_ptr<Trace>& trace) {
  const std::lock_guard<std::mutex> lock(All().mutex);
  auto& traces = All().traces;
  const auto place = std::find(traces.begin(), traces.end(), trace);
  if (place == traces.end()) return;
  traces.erase(place);
  All().count--;
}

// Field numbers of tsl/profiler/protobuf/xplane.proto.
std::string Trace::ToXSpace() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, int64_t> names;
  std::map<int, ProtoWriter> lines;
  for (const Event& event : events_) {
    const int64_t id = names.emplace(event.name, static_cast<int64_t>(names.size()) + 1).first->second;
    ProtoWriter written;
    written.Varint(1, id);
    written.Varint(2, (event.begin_ns - begin_ns_) * 1000);
    written.Varint(3, event.duration_ns * 1000);
    ProtoWriter& line = lines[event.device];
    if (line.bytes().empty()) {
      line.Varint(1, event.device);
      line.Bytes(2, "device " + std::to_string(event.device));
      line.Varint(3, begin_ns_);
    }
    line.Bytes(4, written.bytes());
  }
  ProtoWriter plane;
  plane.Bytes(2, "/device:reference");
  for (const auto& [device, line] : lines) plane.Bytes(3, line.bytes());
  for (const auto& [name, id] : names) {
    ProtoWriter metadata;
    metadata.Varint(1, id);
    metadata.Bytes(2, name);
    ProtoWriter entry;
    entry.Varint(1, id);
    entry.Bytes(2, metadata.bytes());
    plane.Bytes(4, entry.bytes());
  }
  ProtoWriter space;
  space.Bytes(1, plane.bytes());
  return space.bytes();
}

TraceSpan::TraceSpan(int device, std::string name) : device_(device), name_(std::move(name)) {
  if (All().count.load(std::memory_order_relaxed) > 0) begin_ns_ = Now();
}

TraceSpan::~TraceSpan() {
  if (begin_ns_ < 0) return;
  const int64_t end = Now();
  const std::lock_guard<std::mutex> lock(All().mutex);
  for (const auto& trace : All().traces) {
    const std::lock_guard<std::mutex> events_lock(trace->mutex_);
    trace->events_.push_back({device_, name_, std::max(begin_ns_, trace->begin_ns_), end - begin_ns_});
  }
}

}  // namespace reference
