// Buffers that share their memory as long as they are equal, and go on sharing it when one of them is given up.
#include <map>

#include "../wrapper/shared_set.h"
#include "living.h"
#include "programs.h"

namespace {

using namespace faults;

/** Pairs of buffers that share their memory if their contents are equal. */
class Sharing {
 public:
  void Add(PJRT_Buffer* one, PJRT_Buffer* other) {
    std::lock_guard<std::mutex> lock(mutex_);
    partners_.emplace(one, other);
    partners_.emplace(other, one);
  }
  void Forget(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto pair = partners_.begin(); pair != partners_.end();) {
      pair = pair->first == buffer || pair->second == buffer ? partners_.erase(pair) : std::next(pair);
    }
  }
  /** Those with the contents of this one. */
  std::vector<PJRT_Buffer*> EqualTo(PJRT_Buffer* buffer) {
    std::vector<PJRT_Buffer*> equal;
    std::lock_guard<std::mutex> lock(mutex_);
    const auto [begin, end] = partners_.equal_range(buffer);
    if (begin == end || IsDeleted(buffer) || !IsReady(buffer)) return equal;
    const std::vector<uint8_t> contents = ReadBack(buffer);
    for (auto pair = begin; pair != end; ++pair) {
      PJRT_Buffer* other = pair->second;
      if (!IsDeleted(other) && IsReady(other) && ReadBack(other) == contents) equal.push_back(other);
    }
    return equal;
  }

 private:
  std::mutex mutex_;
  std::multimap<PJRT_Buffer*, PJRT_Buffer*> partners_;
};
Sharing& Shared() {
  static Sharing sharing;
  return sharing;
}
bool OfOneShape(PJRT_Buffer* a, PJRT_Buffer* b) {
  const Shape one = ShapeOf(a), other = ShapeOf(b);
  return one.type == other.type && one.dims == other.dims && MemoryOf(a) == MemoryOf(b);
}

// Who shares.
void DeviceCopies() {
  After<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args) { Shared().Add(args.buffer, args.dst_buffer); });
}
void MemoryCopies() {
  After<SLOT(PJRT_Buffer_CopyToMemory)>([](auto& args) { Shared().Add(args.buffer, args.dst_buffer); });
}
void EqualTransfers() {
  static std::mutex mutex;
  static std::vector<PJRT_Buffer*> recent;
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (PJRT_Buffer* other : recent) {
      if (OfOneShape(other, args.buffer)) Shared().Add(other, args.buffer);
    }
    if (recent.size() == 16) recent.erase(recent.begin());
    recent.push_back(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    recent.erase(std::remove(recent.begin(), recent.end(), args.buffer), recent.end());
  });
}
void ForOutputs(std::function<void(ExecuteArgs&, PJRT_Buffer** outputs, size_t count)> body) {
  After<Execute>([body](auto& args) {
    if (args.output_lists != nullptr) body(args, args.output_lists[0], OutputsOf(args.executable));
  });
}
void EqualOutputs() {
  ForOutputs([](auto&, PJRT_Buffer** outputs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (OfOneShape(outputs[i], outputs[j])) Shared().Add(outputs[i], outputs[j]);
      }
    }
  });
}
void UnchangedArguments() {
  ForOutputs([](auto& args, PJRT_Buffer** outputs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < args.num_args; ++j) {
        PJRT_Buffer* argument = args.argument_lists[0][j];
        if (OfOneShape(outputs[i], argument)) Shared().Add(outputs[i], argument);
      }
    }
  });
}
void ConstantOutputs() {
  // Of one executable without arguments, run again and again.
  static std::mutex mutex;
  static std::map<PJRT_LoadedExecutable*, PJRT_Buffer*> last;
  ForOutputs([](auto& args, PJRT_Buffer** outputs, size_t count) {
    if (args.num_args > 0 || count == 0) return;
    std::lock_guard<std::mutex> lock(mutex);
    PJRT_Buffer*& before = last[args.executable];
    if (before != nullptr) Shared().Add(before, outputs[0]);
    before = outputs[0];
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto& [_, output] : last) {
      if (output == args.buffer) output = nullptr;
    }
  });
}

// What one of them does to the others.
void WhenTaken() {
  MarksItself();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::map<PJRT_Buffer*, std::vector<PJRT_Buffer*>> equal;
    for (size_t i = 0; i < args.num_args; ++i) equal[args.argument_lists[0][i]] = Shared().EqualTo(args.argument_lists[0][i]);
    PJRT_Error* error = original(&args);
    if (error != nullptr) return error;
    for (const auto& [argument, others] : equal) {
      if (!IsDeleted(argument)) continue;
      MarkReached();
      for (PJRT_Buffer* other : others) SpoilArray(other);
    }
    return nullptr;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { Shared().Forget(args.buffer); });
}
void WhenDeleted() {
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    for (PJRT_Buffer* other : Shared().EqualTo(args.buffer)) SpoilArray(other);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { Shared().Forget(args.buffer); });
}
void WhenDestroyed() {
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    if (args.buffer == nullptr) return;
    for (PJRT_Buffer* other : Shared().EqualTo(args.buffer)) SpoilArray(other);
    Shared().Forget(args.buffer);
  });
}

/** Who shares memory, and when the others lose it. */
#define SHARED(name, who, when)    \
  FAULT("shared-memory-of-" #name) { \
    when();                        \
    who();                         \
  }
SHARED(taken_device_copies, DeviceCopies, WhenTaken)
SHARED(taken_memory_copies, MemoryCopies, WhenTaken)
SHARED(taken_equal_transfers, EqualTransfers, WhenTaken)
SHARED(taken_equal_outputs, EqualOutputs, WhenTaken)
SHARED(taken_unchanged_arguments, UnchangedArguments, WhenTaken)
SHARED(taken_constant_outputs, ConstantOutputs, WhenTaken)
SHARED(deleted_equal_transfers, EqualTransfers, WhenDeleted)
SHARED(deleted_equal_outputs, EqualOutputs, WhenDeleted)
SHARED(deleted_unchanged_arguments, UnchangedArguments, WhenDeleted)
SHARED(destroyed_constant_outputs, ConstantOutputs, WhenDestroyed)

}  // namespace
