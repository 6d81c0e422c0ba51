#include "runtime/device.h"

#include <chrono>
#include <optional>

#include "base/design.h"
#include "runtime/client.h"

namespace reference {

namespace {

// With streams, each of those that do not compute alternates between two threads.
constexpr int kQueuesOf[kKindsOfWork] = {1, 2, 2, 2};
constexpr std::chrono::microseconds kMostLate(2000);

}  // namespace

Device::Device(Client* client, int id, int process_index, int local_hardware_id)
    : client_(client), id_(id), process_index_(process_index), local_hardware_id_(local_hardware_id) {
  if (!addressable()) return;
  for (int kind = 0; kind < kNumMemoryKinds; kind++) {
    memories_.push_back(std::make_unique<MemorySpace>(id * kNumMemoryKinds + kind, static_cast<MemoryKind>(kind), this,
                                                      client->options().memory_limit_bytes));
  }
  Lateness lateness;
  lateness.each = std::chrono::microseconds(client->options().delay_us);
  if (!ThisDesign().streams) {
    queues_.push_back(std::make_unique<WorkQueue>(lateness, client->activity()));
    for (auto& queues : queues_for_) queues.push_back(queues_.front().get());
    return;
  }
  lateness.most_more = kMostLate;
  for (int work = 0; work < kKindsOfWork; work++) {
    for (int i = 0; i < kQueuesOf[work]; i++) {
      lateness.seed = (DesignSeed() + static_cast<uint64_t>(id)) * 16 + queues_.size() + 1;
      queues_.push_back(std::make_unique<WorkQueue>(lateness, client->activity()));
      queues_for_[static_cast<size_t>(work)].push_back(queues_.back().get());
    }
  }
}

Device::~Device() = default;

MemorySpace* Device::default_memory() const { return memories_.empty() ? nullptr : memories_.front().get(); }

MemorySpace* Device::memory(const std::string& kind) const {
  for (const auto& memory : memories_) {
    if (memory->kind_name() == kind) return memory.get();
  }
  throw InvalidArgument("device " + std::to_string(id_) + " has no memory of kind '" + kind + "'");
}

WorkQueue& Device::queue(Work work) const {
  const auto& queues = queues_for_[static_cast<size_t>(work)];
  return queues.size() == 1 ? *queues[0] : *queues[turn_++ % queues.size()];
}

void Device::Complete(const EventPtr& event, const Error* error) const {
  const auto complete = [](const EventPtr& pending, const Error* failed) {
    failed != nullptr ? pending->SetError(*failed) : pending->SetDone();
  };
  if (!ThisDesign().streams) {
    complete(event, error);
    return;
  }
  std::optional<Error> kept;
  if (error != nullptr) kept = *error;
  // Whatever happens to the queue, the reported work is done.
  queue(Work::kNotify).Schedule({}, [event, kept, complete](const Error*) { complete(event, kept ? &*kept : nullptr); });
}

bool Device::OnThread() const {
  for (const auto& queue : queues_) {
    if (queue->OnThread()) return true;
  }
  return false;
}

void Device::Shutdown() {
  for (const auto& queue : queues_) queue->Shutdown();
}

EventPtr Device::BeginLaunch(int32_t launch_id) {
  EventPtr gate = Event::Pending();
  const std::lock_guard<std::mutex> lock(launches_mutex_);
  launches_.remove_if([](const auto& launch) {
    const EventPtr event = launch.second.lock();
    return event == nullptr || event->IsReady();
  });
  launches_.emplace_back(launch_id, gate);
  return gate;
}

bool Device::PoisonLaunch(int32_t launch_id, const Error& error) {
  std::vector<EventPtr> gates;
  {
    const std::lock_guard<std::mutex> lock(launches_mutex_);
    for (const auto& [id, launch] : launches_) {
      const EventPtr gate = id == launch_id ? launch.lock() : nullptr;
      if (gate != nullptr) gates.push_back(gate);
    }
  }
  bool poisoned = false;
  for (const EventPtr& gate : gates) poisoned |= gate->SetError(error);
  return poisoned;
}

}  // namespace reference
