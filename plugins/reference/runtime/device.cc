#include "runtime/device.h"

#include <chrono>

#include "runtime/client.h"

namespace reference {

Device::Device(Client* client, int id, int process_index, int local_hardware_id)
    : client_(client), id_(id), process_index_(process_index), local_hardware_id_(local_hardware_id) {
  if (!addressable()) return;
  for (int kind = 0; kind < kNumMemoryKinds; kind++) {
    memories_.push_back(std::make_unique<MemorySpace>(id * kNumMemoryKinds + kind, static_cast<MemoryKind>(kind), this,
                                                      client->options().memory_limit_bytes));
  }
  queue_ = std::make_unique<WorkQueue>(std::chrono::microseconds(client->options().delay_us), client->activity());
}

Device::~Device() = default;

MemorySpace* Device::default_memory() const { return memories_.empty() ? nullptr : memories_.front().get(); }

MemorySpace* Device::memory(const std::string& kind) const {
  for (const auto& memory : memories_) {
    if (memory->kind_name() == kind) return memory.get();
  }
  throw InvalidArgument("device " + std::to_string(id_) + " has no memory of kind '" + kind + "'");
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
