// A table of pointers that many threads use without a lock.
#ifndef PJRT_RECORDER_SLOTS_H_
#define PJRT_RECORDER_SLOTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace recorder {

/**
 * Values by pointer, of any number. Each list has the keys whose bits lead there; its places stay, and are used again. The value of a key
 * is used by whoever owns the object behind the pointer, as callers of a plugin may not destroy what others use.
 */
template <class Value, size_t Lists = 8192>
class Slots {
 public:
  /** The value of a new key, or null if there is no memory; `Publish` makes it visible. */
  Value* Take(const void* key) {
    std::atomic<Slot*>& list = lists_[At(key)];
    for (Slot* slot = list.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
      const void* none = nullptr;
      if (slot->key.load(std::memory_order_relaxed) == nullptr && slot->key.compare_exchange_strong(none, &busy_)) {
        used_.fetch_add(1);
        return &slot->value;
      }
    }
    auto* slot = static_cast<Slot*>(calloc(1, sizeof(Slot)));
    if (slot == nullptr) return nullptr;
    slot->key.store(&busy_, std::memory_order_relaxed);
    slot->next = list.load(std::memory_order_relaxed);
    while (!list.compare_exchange_weak(slot->next, slot, std::memory_order_release, std::memory_order_relaxed)) {
    }
    used_.fetch_add(1);
    return &slot->value;
  }
  void Publish(Value* value, const void* key) { SlotOf(value)->key.store(key, std::memory_order_release); }

  Value* Find(const void* key) {
    if (used_.load(std::memory_order_relaxed) == 0 || key == nullptr) return nullptr;
    for (Slot* slot = lists_[At(key)].load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
      if (slot->key.load(std::memory_order_acquire) == key) return &slot->value;
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
  struct Slot {
    std::atomic<const void*> key;
    Slot* next;
    Value value;
  };
  static Slot* SlotOf(Value* value) {
    return reinterpret_cast<Slot*>(reinterpret_cast<char*>(value) - offsetof(Slot, value));
  }
  static size_t At(const void* key) { return ((reinterpret_cast<uintptr_t>(key) >> 4) * 0x9E3779B97F4A7C15u >> 40) % Lists; }

  std::atomic<Slot*> lists_[Lists];
  std::atomic<size_t> used_;
  const char busy_ = 0;
};

}  // namespace recorder

#endif
