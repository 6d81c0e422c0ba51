// A client: devices and create options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "runtime/device.h"
#include "runtime/process_group.h"

namespace reference {

struct ClientOptions {
  int num_devices = 4;  // of each process
  int num_processes = 1;
  int process_index = 0;
  std::shared_ptr<ProcessGroup> processes;  // null: this process is alone, or the others cannot be reached
  int64_t delay_us = 0;
  int64_t memory_limit_bytes = 0;  // of each memory; 0: limited by the machine
};

// Last reported state of a process of the job.
struct ProcessInfo {
  int task_id = 0;
  uint64_t incarnation_id = 0;
  int state = 0;
  Error error{Code::kOk, ""};
};

// Buffers, executables and transfer managers hold their client, so that it outlives them in any order of destruction;
// Shutdown ends its threads before.
class Client : public std::enable_shared_from_this<Client> {
 public:
  explicit Client(ClientOptions options);
  ~Client();

  const ClientOptions& options() const { return options_; }
  int process_index() const { return options_.process_index; }

  // All devices, ordered by id: process * num_devices + local hardware id.
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  std::vector<Device*> addressable_devices() const;
  std::vector<MemorySpace*> addressable_memories() const;
  // Throw InvalidArgument naming the id.
  Device* LookupDevice(int id) const;
  Device* LookupAddressableDevice(int local_hardware_id) const;

  // Memory that callers map for transfers. Throws InvalidArgument for ranges that are empty, overlap one that is
  // mapped, or (on unmapping) do not begin one.
  void DmaMap(void* data, size_t size);
  void DmaUnmap(void* data);

  void UpdateProcessInfo(std::vector<ProcessInfo> infos);
  std::vector<ProcessInfo> process_infos() const;

  // Work in progress on the devices' threads.
  const std::shared_ptr<Activity>& activity() const { return activity_; }

  // Runs queued work and ends the devices' threads; later work fails as cancelled.
  void Shutdown();

 private:
  const ClientOptions options_;
  const std::shared_ptr<Activity> activity_;
  std::vector<std::unique_ptr<Device>> devices_;
  mutable std::mutex mutex_;
  std::map<uintptr_t, size_t> mapped_;
  std::vector<ProcessInfo> process_infos_;
};

}  // namespace reference
