#include "runtime/client.h"

#include <unistd.h>

#include <limits>
#include <string>
#include <utility>

namespace reference {
namespace {

int64_t MemoryOfMachine() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages * page : std::numeric_limits<int64_t>::max();
}

ClientOptions Checked(ClientOptions options) {
  // Each device is a thread.
  constexpr int kMaxDevices = 1024;
  if (options.num_devices < 1 || options.num_devices > kMaxDevices) {
    throw InvalidArgument("num_devices is " + std::to_string(options.num_devices) + ", expected 1 to " +
                          std::to_string(kMaxDevices));
  }
  if (options.num_processes < 1 || options.process_index < 0 || options.process_index >= options.num_processes ||
      options.num_processes > std::numeric_limits<int>::max() / kNumMemoryKinds / options.num_devices) {
    throw InvalidArgument("there is no process " + std::to_string(options.process_index) + " of " +
                          std::to_string(options.num_processes));
  }
  if (options.delay_us < 0) throw InvalidArgument("delay_us is negative: " + std::to_string(options.delay_us));
  if (options.memory_limit_bytes < 0) {
    throw InvalidArgument("memory_limit_bytes is negative: " + std::to_string(options.memory_limit_bytes));
  }
  if (options.memory_limit_bytes == 0) options.memory_limit_bytes = MemoryOfMachine();
  return options;
}

}  // namespace

Client::Client(ClientOptions options) : options_(Checked(std::move(options))), activity_(std::make_shared<Activity>()) {
  for (int process = 0; process < options_.num_processes; process++) {
    for (int i = 0; i < options_.num_devices; i++) {
      const int id = process * options_.num_devices + i;
      devices_.push_back(std::make_unique<Device>(this, id, process, process == options_.process_index ? i : -1));
    }
  }
}

Client::~Client() { Shutdown(); }

std::vector<Device*> Client::addressable_devices() const {
  std::vector<Device*> devices;
  for (const auto& device : devices_) {
    if (device->addressable()) devices.push_back(device.get());
  }
  return devices;
}

std::vector<MemorySpace*> Client::addressable_memories() const {
  std::vector<MemorySpace*> memories;
  for (const auto& device : devices_) {
    for (const auto& memory : device->memories()) memories.push_back(memory.get());
  }
  return memories;
}

Device* Client::LookupDevice(int id) const {
  for (const auto& device : devices_) {
    if (device->id() == id) return device.get();
  }
  throw InvalidArgument("there is no device with id " + std::to_string(id));
}

Device* Client::LookupAddressableDevice(int local_hardware_id) const {
  for (const auto& device : devices_) {
    if (device->addressable() && device->local_hardware_id() == local_hardware_id) return device.get();
  }
  throw InvalidArgument("there is no addressable device with local hardware id " + std::to_string(local_hardware_id));
}

void Client::DmaMap(void* data, size_t size) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data);
  if (data == nullptr || size == 0 || size > std::numeric_limits<uintptr_t>::max() - begin) {
    throw InvalidArgument("no memory to map: null, empty, or beyond the address space");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto next = mapped_.lower_bound(begin);
  bool overlaps = next != mapped_.end() && next->first < begin + size;
  if (next != mapped_.begin()) {
    const auto before = std::prev(next);
    overlaps = overlaps || before->first + before->second > begin;
  }
  if (overlaps) throw InvalidArgument("the memory overlaps memory that is mapped already");
  mapped_[begin] = size;
}

void Client::DmaUnmap(void* data) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (mapped_.erase(reinterpret_cast<uintptr_t>(data)) == 0) {
    throw InvalidArgument("the address is not the beginning of memory that is mapped");
  }
}

void Client::UpdateProcessInfo(std::vector<ProcessInfo> infos) {
  const std::lock_guard<std::mutex> lock(mutex_);
  process_infos_ = std::move(infos);
}

std::vector<ProcessInfo> Client::process_infos() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return process_infos_;
}

void Client::Shutdown() {
  bool from_task = false;
  for (const auto& device : devices_) from_task |= device->OnThread();
  // Work may start more work on other devices: all of it is done before the first thread ends.
  if (!from_task) activity_->AwaitNone();
  for (const auto& device : devices_) device->Shutdown();
}

}  // namespace reference
