// A device: threads with memories.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/event.h"
#include "runtime/memory_space.h"
#include "runtime/work_queue.h"

namespace reference {

class Client;

// Purpose of a device's queue. Without streams, one queue serves all.
enum class Work : int { kCompute = 0, kToDevice, kToHost, kNotify };
constexpr int kKindsOfWork = 4;

class Device {
 public:
  // `local_hardware_id` is -1, and there are neither memories nor a thread, for a device of another process.
  Device(Client* client, int id, int process_index, int local_hardware_id);
  ~Device();

  Client* client() const { return client_; }
  int id() const { return id_; }
  int process_index() const { return process_index_; }
  bool addressable() const { return local_hardware_id_ >= 0; }
  int local_hardware_id() const { return local_hardware_id_; }

  const std::vector<std::unique_ptr<MemorySpace>>& memories() const { return memories_; }
  MemorySpace* default_memory() const;  // null where the device is not addressable
  // Throws InvalidArgument for an unknown kind.
  MemorySpace* memory(const std::string& kind) const;

  // Only of addressable devices. There is one compute queue; several others alternate, so that work without
  // dependencies completes in any order.
  WorkQueue& queue(Work work) const;
  // Completes the event without an error: at once, or with a delay if the design has streams.
  void Complete(const EventPtr& event, const Error* error) const;

  bool OnThread() const;
  // Runs queued work and ends the threads.
  void Shutdown();

  // A launch that PoisonExecution can find by its id while the event is pending and referenced. The first to complete
  // it decides: the launch (SetDone, as its first act on the device's thread) or the poisoner (SetError, after which
  // the launch's outputs and events get that error).
  EventPtr BeginLaunch(int32_t launch_id);
  // False if no launch with this id is waiting.
  bool PoisonLaunch(int32_t launch_id, const Error& error);

  // The handle of this device in the C API.
  void* handle = nullptr;

 private:
  Client* const client_;
  const int id_;
  const int process_index_;
  const int local_hardware_id_;
  std::vector<std::unique_ptr<MemorySpace>> memories_;
  std::vector<std::unique_ptr<WorkQueue>> queues_;
  std::array<std::vector<WorkQueue*>, kKindsOfWork> queues_for_;
  mutable std::atomic<size_t> turn_{0};
  std::mutex launches_mutex_;
  std::list<std::pair<int32_t, std::weak_ptr<Event>>> launches_;
};

}  // namespace reference
