// A memory of a device: its names, and the accounting of its contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace reference {

class Device;

struct MemoryStats {
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t num_allocs = 0;
  int64_t largest_alloc_size = 0;
  int64_t bytes_limit = 0;
};

// Kinds of memory; the values are the kind ids.
enum class MemoryKind : int { kDevice = 0, kPinnedHost = 1, kUnpinnedHost = 2 };
constexpr int kNumMemoryKinds = 3;
// "device", "pinned_host", "unpinned_host".
const std::string& MemoryKindName(MemoryKind kind);

class MemorySpace {
 public:
  MemorySpace(int id, MemoryKind kind, Device* device, int64_t bytes_limit);
  ~MemorySpace();

  int id() const { return id_; }
  MemoryKind kind() const { return kind_; }
  const std::string& kind_name() const { return MemoryKindName(kind_); }
  const std::string& debug_string() const { return debug_string_; }
  const std::string& to_string() const { return to_string_; }
  Device* device() const { return device_; }

  // Zeroed memory of at least one byte, 64-byte aligned, accounted until its last owner is gone, which may be after the
  // memory space is. Throws ResourceExhausted beyond the limit, or if the system is out of memory.
  std::shared_ptr<std::byte> Allocate(size_t bytes);

  // Whether the host can read and write the bytes. The plugin always can, because it is the device.
  bool host_addressable() const;
  // The address of a byte of this memory that callers see: for device memory one that is invalid on the host.
  std::byte* AddressOf(std::byte* byte) const;
  // The byte at an address of this memory. Throws InvalidArgument for a host address in device memory.
  std::byte* ByteAt(void* address) const;

  MemoryStats stats() const;
  // Sets the peaks to the current use, and the counts to zero.
  void ClearStats();

  // Callers' data of a memory, by the address of a key. Replaced and cleared (null) data, and the rest when the memory
  // is destroyed, is passed to its destructor, which may be null.
  void* UserData(const void* key) const;
  void SetUserData(const void* key, void* data, void (*destructor)(void*));
  void ClearUserData();

  // The handle of this memory in the C API.
  void* handle = nullptr;

 private:
  struct Account;
  struct UserDatum {
    void* data;
    void (*destructor)(void*);
  };

  const int id_;
  const MemoryKind kind_;
  Device* const device_;
  const std::string debug_string_;
  const std::string to_string_;
  const std::shared_ptr<Account> account_;
  mutable std::mutex mutex_;
  std::unordered_map<const void*, UserDatum> user_data_;
};

}  // namespace reference
