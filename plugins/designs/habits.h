// Habits: what plugins of other architectures do and the header allows. PJRT_DESIGN_HABITS=late-notices,odd-costs names them;
// each is defined with the sentence that allows it, or with what the header does not say.
//
// What is static in these files lives as long as the process: callers may hold pointers into it, and threads may outlive main.
#ifndef PJRT_DESIGNS_HABITS_H_
#define PJRT_DESIGNS_HABITS_H_

#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "../wrapper/shared_set.h"
#include "designs.h"

namespace designs {

// ---- the habits

// habits_of_answers.cc
void UnterminatedTexts();
void LongDescriptions();
void MixedKinds();
void ManyAttributes();
void NoPluginAttributes();
void OddCosts();
void ShuffledLists();
// habits_of_calls.cc
void RoundTrips();
void SlowExit();
void DoneOnReturn();
void ShortQueue();
void NoExecuteDevice();
void PickyDonation();
// habits_of_compilers.cc
void UnstableSorts();
void ChunkedReductions();
void IndefiniteConversions();
void ZeroQuotients();
void DefaultRng();
void CanonicalNans();
// habits_of_errors.cc
void TracedMessages();
void OtherCodes();
void StrictInitialize();
// habits_of_events.cc
void LateNotices();
void LateCompletion();
void LateDone();
void LateOutputs();
void FirstRead();
void PolledEvents();
void BatchedCallbacks();
// habits_of_executables.cc
void FirstRun();
void JumboImages();
void BinaryFingerprints();
void SaltedSerialization();
void SingleSerialization();
void AnnotatedOptions();
// habits_of_memory.cc
void LazyDestroy();
void MovingPointers();
void PagedSizes();
void BareStats();
void StaleStats();
void PooledStats();
// habits_of_places.cc
void RingAssignment();
void OneLayout();
// habits_of_transfers.cc
void DeviceCopies();
void StagedTransfers();
void ZeroCopyUntilFreed();
void ScribblingReads();

// ---- what several of them need

using Clock = std::chrono::steady_clock;

/** Whether a slot is one of these. */
template <class S, class... Slots>
constexpr bool kIsOneOf = (std::is_same_v<S, Slots> || ...);

/** Drops an error by the function of the base, or by that of the table, which knows all errors. */
void DropBy(const PJRT_Api& api, PJRT_Error* error);
inline void DropAny(PJRT_Error* error) { DropBy(Table(), error); }
PJRT_Error_Code CodeOfAny(PJRT_Error* error);
/** Calls a function of the table, as a caller does, and drops its error; returns whether it succeeded. */
template <class A>
bool AskAny(PJRT_Error* (*function)(A*), A& args) {
  PJRT_Error* error = function(&args);
  DropAny(error);
  return error == nullptr;
}

/** Calls `then` when an event of the base, or of the table, is ready; false if that is refused. */
bool WhenReady(const PJRT_Api& api, PJRT_Event* event, std::function<void(bool failed)> then);

using Callback = std::function<void(PJRT_Error*)>;
/** Registers `change(event, callback)` instead of each callback of the caller. Invalid calls are left to the base. */
void ChangeCallbacks(std::function<Callback(PJRT_Event*, Callback)> change);

/** How many devices a program is for; 0 if the base does not say it. */
size_t DevicesOf(PJRT_Executable* executable);

/** The one copy of a value (a text, a list), which is never freed: equal values get the same pointers. */
template <class T>
const T& Kept(T value) {
  static std::mutex& mutex = *new std::mutex();
  static auto& kept = *new std::set<T>();
  std::lock_guard<std::mutex> lock(mutex);
  return *kept.insert(std::move(value)).first;
}

/** A copy of a caller's struct, of its size, which may be larger than is known here. */
template <class T>
class StructCopy {
 public:
  explicit StructCopy(const T& given) : bytes_(given.struct_size) { std::memcpy(bytes_.data(), &given, bytes_.size()); }
  T* get() { return reinterpret_cast<T*>(bytes_.data()); }
  T* operator->() { return get(); }

 private:
  std::vector<unsigned char> bytes_;
};

/** Calls `forget(handle)` before a handle is destroyed. */
template <class H>
void BeforeDestroy(std::function<void(H*)> forget) {
#define DESTROYS(handle, field)                                                       \
  if constexpr (std::is_same_v<H, PJRT_##handle>) {                                   \
    Before<SLOT(PJRT_##handle##_Destroy)>([forget](auto& args) {                      \
      if (HAS(args, PJRT_##handle##_Destroy_Args, field)) forget(args.field);         \
    });                                                                               \
  }
  DESTROYS(Buffer, buffer)
  DESTROYS(Event, event)
  DESTROYS(Executable, executable)
  DESTROYS(LoadedExecutable, executable)
#undef DESTROYS
}

/** What is known of each handle until it is destroyed. Several threads can use it. */
template <class H, class V>
class Notes {
 public:
  /** Wraps the function that destroys such handles. */
  Notes() {
    BeforeDestroy<H>([this](H* handle) { Take(handle); });
  }
  void Set(H* handle, V value) {
    std::lock_guard<std::mutex> lock(mutex_);
    values_[handle] = std::move(value);
  }
  /** Calls `change(value)`, of a new one if there is none, and returns what it returns. */
  template <class F>
  auto Change(H* handle, F change) {
    std::lock_guard<std::mutex> lock(mutex_);
    return change(values_[handle]);
  }
  std::optional<V> Get(H* handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = values_.find(handle);
    return found == values_.end() ? std::nullopt : std::optional<V>(found->second);
  }
  std::optional<V> Take(H* handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = values_.find(handle);
    if (found == values_.end()) return std::nullopt;
    std::optional<V> value(std::move(found->second));
    values_.erase(found);
    return value;
  }

 private:
  std::mutex mutex_;
  std::map<H*, V> values_;
};

}  // namespace designs

#endif
