// A table of pointers that many threads use without a lock.
#ifndef PJRT_RECORDER_SLOTS_H_
#define PJRT_RECORDER_SLOTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace recorder {

/**
 * Values by pointer. A key is in one of the places after the one that its bits say; if these are full, it is not taken. The value of a key
 * is used by whoever owns the object behind the pointer, as callers of a plugin may not destroy what others use.
 */
template <class Value, size_t Size = 8192>
class Slots {
 public:
  /** The value of a new key, or null if there is no place; `Publish` makes it visible. */
  Value* Take(const void* key) {
    for (size_t i = 0; i < kWindow; ++i) {
      Slot& slot = slots_[(At(key) + i) % Size];
      const void* none = nullptr;
      if (slot.key.load(std::memory_order_relaxed) == nullptr && slot.key.compare_exchange_strong(none, &busy_)) {
        used_.fetch_add(1);
        return &slot.value;
      }
    }
    return nullptr;
  }
  void Publish(Value* value, const void* key) { SlotOf(value)->key.store(key, std::memory_order_release); }

  Value* Find(const void* key) {
    if (used_.load(std::memory_order_relaxed) == 0 || key == nullptr) return nullptr;
    for (size_t i = 0; i < kWindow; ++i) {
      Slot& slot = slots_[(At(key) + i) % Size];
      if (slot.key.load(std::memory_order_acquire) == key) return &slot.value;
    }
    return nullptr;
  }
  /** Takes a key out, for one of those that ask for it; false for the others. `Drop` frees its place. */
  bool Claim(Value* value, const void* key) { return SlotOf(value)->key.compare_exchange_strong(key, &busy_); }
  void Drop(Value* value) {
    SlotOf(value)->key.store(nullptr, std::memory_order_release);
    used_.fetch_sub(1);
  }

 private:
  static constexpr size_t kWindow = 64;
  struct Slot {
    std::atomic<const void*> key;
    Value value;
  };
  static Slot* SlotOf(Value* value) {
    return reinterpret_cast<Slot*>(reinterpret_cast<char*>(value) - offsetof(Slot, value));
  }
  static size_t At(const void* key) { return (reinterpret_cast<uintptr_t>(key) >> 4) * 0x9E3779B97F4A7C15u >> 40; }

  Slot slots_[Size];
  std::atomic<size_t> used_;
  const char busy_ = 0;
};

}  // namespace recorder

#endif
