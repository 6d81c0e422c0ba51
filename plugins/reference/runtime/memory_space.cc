#include "runtime/memory_space.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/array.h"
#include "base/design.h"
#include "base/error.h"
#include "runtime/device.h"

namespace reference {

const std::string& MemoryKindName(MemoryKind kind) {
  static const std::array<std::string, kNumMemoryKinds> names = {"device", "pinned_host", "unpinned_host"};
  return names[static_cast<size_t>(kind)];
}

struct MemorySpace::Account {
  mutable std::mutex mutex;
  MemoryStats stats;

  void Add(int64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (bytes > stats.bytes_limit - stats.bytes_in_use) {
      throw Error(Code::kResourceExhausted, "out of memory: " + std::to_string(bytes) + " bytes were asked for, " +
                                                std::to_string(stats.bytes_in_use) + " of " +
                                                std::to_string(stats.bytes_limit) + " bytes are in use");
    }
    stats.bytes_in_use += bytes;
    stats.peak_bytes_in_use = std::max(stats.peak_bytes_in_use, stats.bytes_in_use);
    stats.largest_alloc_size = std::max(stats.largest_alloc_size, bytes);
    stats.num_allocs++;
  }

  void Subtract(int64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    stats.bytes_in_use -= bytes;
  }
};

MemorySpace::MemorySpace(int id, MemoryKind kind, Device* device, int64_t bytes_limit)
    : id_(id),
      kind_(kind),
      device_(device),
      debug_string_("reference memory " + std::to_string(id) + ": " + MemoryKindName(kind) + " memory of device " +
                    std::to_string(device->id())),
      to_string_("ReferenceMemory(id=" + std::to_string(id) + ", kind=" + MemoryKindName(kind) + ")"),
      account_(std::make_shared<Account>()) {
  account_->stats.bytes_limit = bytes_limit;
}

MemorySpace::~MemorySpace() { ClearUserData(); }

std::shared_ptr<std::byte> MemorySpace::Allocate(size_t bytes) {
  // Covers everything below 2^63: larger shapes are rejected when their size is computed.
  const int64_t accounted = static_cast<int64_t>(bytes);
  account_->Add(accounted);
  try {
    std::shared_ptr<std::byte> memory = AllocateBytes(bytes);
    std::byte* const at = memory.get();
    return std::shared_ptr<std::byte>(at, [account = account_, memory, accounted](std::byte*) mutable {
      memory.reset();
      account->Subtract(accounted);
    });
  } catch (...) {
    account_->Subtract(accounted);
    throw;
  }
}

// No process has memory there: above the user address space of today's systems.
constexpr uintptr_t kDeviceAddresses = uintptr_t{1} << 48;

bool MemorySpace::host_addressable() const { return !ThisDesign().device_memory || kind_ != MemoryKind::kDevice; }

std::byte* MemorySpace::AddressOf(std::byte* byte) const {
  if (host_addressable() || byte == nullptr) return byte;
  return reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(byte) | kDeviceAddresses);
}

std::byte* MemorySpace::ByteAt(void* address) const {
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (host_addressable() || at == 0) return static_cast<std::byte*>(address);
  if ((at & kDeviceAddresses) == 0) throw InvalidArgument("an address of the host is none in " + debug_string_);
  return reinterpret_cast<std::byte*>(at & ~kDeviceAddresses);
}

MemoryStats MemorySpace::stats() const {
  const std::lock_guard<std::mutex> lock(account_->mutex);
  return account_->stats;
}

void MemorySpace::ClearStats() {
  const std::lock_guard<std::mutex> lock(account_->mutex);
  account_->stats.peak_bytes_in_use = account_->stats.bytes_in_use;
  account_->stats.largest_alloc_size = 0;
  account_->stats.num_allocs = 0;
}

void* MemorySpace::UserData(const void* key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = user_data_.find(key);
  return found == user_data_.end() ? nullptr : found->second.data;
}

void MemorySpace::SetUserData(const void* key, void* data, void (*destructor)(void*)) {
  UserDatum old{nullptr, nullptr};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = user_data_.find(key);
    if (found != user_data_.end()) {
      old = found->second;
      user_data_.erase(found);
    }
    if (data != nullptr) user_data_[key] = {data, destructor};
  }
  // Not under the lock: a destructor may call back.
  if (old.destructor != nullptr) old.destructor(old.data);
}

void MemorySpace::ClearUserData() {
  std::unordered_map<const void*, UserDatum> data;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    data.swap(user_data_);
  }
  for (const auto& [key, datum] : data) {
    if (datum.destructor != nullptr) datum.destructor(datum.data);
  }
}

}  // namespace reference
