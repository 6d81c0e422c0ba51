// One handle for objects that seem to be the same: the first of their owners to end it ends it for all.
#include <map>
#include <set>

#include "../wrapper/shared_set.h"
#include "living.h"

namespace {

using namespace faults;

/** Handles of buffers by what they hold. */
class Unique {
 public:
  /** The handle that the caller gets instead of a new one. */
  PJRT_Buffer* Instead(PJRT_Buffer* made, bool by_contents) {
    const Shape shape = ShapeOf(made);
    std::string key = std::to_string(shape.type);
    for (int64_t dim : shape.dims) key += "x" + std::to_string(dim);
    key += " " + std::to_string(reinterpret_cast<uintptr_t>(MemoryOf(made)));
    if (by_contents && shape.count() > 0) {
      const std::vector<uint8_t> contents = ReadBack(made);
      key.append(contents.begin(), contents.end());
    }
    std::lock_guard<std::mutex> lock(mutex_);
    PJRT_Buffer*& first = handles_[key];
    if (first == nullptr || IsDeleted(first)) {
      first = made;
      owners_[made] = 1;
      return made;
    }
    Destroy(made);
    ++owners_[first];
    return first;
  }
  /** Whether others own the handle still; they have nothing in it any more. */
  bool Release(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = owners_.find(buffer);
    if (found == owners_.end()) return false;
    if (--found->second > 0) {
      Delete(buffer);
      return true;
    }
    owners_.erase(found);
    for (auto handle = handles_.begin(); handle != handles_.end();) {
      handle = handle->second == buffer ? handles_.erase(handle) : std::next(handle);
    }
    return false;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, PJRT_Buffer*> handles_;
  std::map<PJRT_Buffer*, int> owners_;
};
Unique& Handles() {
  static Unique handles;
  return handles;
}
void CountOwners() {
  Replace<SLOT(PJRT_Buffer_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.buffer != nullptr && Handles().Release(args.buffer) ? nullptr : original(&args);
  });
}
bool IsEmpty(PJRT_Buffer* buffer) { return ShapeOf(buffer).count() == 0; }
bool IsScalar(PJRT_Buffer* buffer) { return ShapeOf(buffer).dims.empty(); }
bool IsSmall(PJRT_Buffer* buffer) { return !IsScalar(buffer) && !IsEmpty(buffer) && HostBytes(buffer) <= 64; }
bool IsAny(PJRT_Buffer*) { return true; }

/** Of buffers that one function makes, those that match have one handle if they hold the same. */
#define ONE_HANDLE(name, function, member, matches, by_contents)                                      \
  FAULT("shared-handle-of-" #name) {                                                                  \
    CountOwners();                                                                                    \
    Subject<SLOT(PJRT_##function)>();                                                                 \
    After<SLOT(PJRT_##function)>([](auto& args) {                                                     \
      if (matches(args.member)) args.member = Handles().Instead(args.member, by_contents);            \
    });                                                                                               \
  }
ONE_HANDLE(empty_transfers, Client_BufferFromHostBuffer, buffer, IsEmpty, false)
ONE_HANDLE(scalar_transfers, Client_BufferFromHostBuffer, buffer, IsScalar, true)
ONE_HANDLE(equal_transfers, Client_BufferFromHostBuffer, buffer, IsSmall, true)
ONE_HANDLE(empty_device_copies, Buffer_CopyToDevice, dst_buffer, IsEmpty, false)
ONE_HANDLE(empty_memory_copies, Buffer_CopyToMemory, dst_buffer, IsEmpty, false)
ONE_HANDLE(empty_uninitialized, Client_CreateUninitializedBuffer, buffer, IsEmpty, false)
ONE_HANDLE(error_buffers, Client_CreateErrorBuffer, buffer, IsAny, false)
/** Of the outputs of an execution. */
#define ONE_HANDLE_OF_OUTPUTS(name, matches)                                                          \
  FAULT("shared-handle-of-" #name) {                                                                  \
    CountOwners();                                                                                    \
    After<Execute>([](auto& args) {                                                                   \
      for (size_t i = 0; args.output_lists != nullptr && i < OutputsOf(args.executable); ++i) {       \
        PJRT_Buffer*& output = args.output_lists[0][i];                                               \
        if (matches(output)) output = Handles().Instead(output, false);                               \
      }                                                                                               \
    });                                                                                               \
  }
ONE_HANDLE_OF_OUTPUTS(empty_outputs, IsEmpty)

/** One context for all, which ends with the first of its owners. */
struct OneContext {
  std::mutex mutex;
  PJRT_ExecuteContext* handle = nullptr;
  int owners = 0;
  bool ended = false;
};
FAULT("shared-handle-of-contexts") {
  OwnErrors();
  Subject<SLOT(PJRT_ExecuteContext_Create)>();
  static OneContext one;
  Replace<SLOT(PJRT_ExecuteContext_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(one.mutex);
    if (one.owners == 0) {
      PJRT_Error* error = original(&args);
      if (error != nullptr) return error;
      one.handle = args.context;
      one.ended = false;
    }
    ++one.owners;
    args.context = one.handle;
    return nullptr;
  });
  Replace<SLOT(PJRT_ExecuteContext_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(one.mutex);
    if (args.context != one.handle || args.context == nullptr) return original(&args);
    one.ended = true;
    return --one.owners > 0 ? nullptr : original(&args);
  });
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    const bool given = HAS(*args.options, PJRT_ExecuteOptions, context) && args.options->context != nullptr;
    if (given && args.options->context == one.handle && one.ended)
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no such context");
    return original(&args);
  });
}
FAULT("shared-handle-of-topologies") {
  // Topologies of one name are one, which has no devices any more when the first of them was destroyed.
  static std::mutex mutex;
  static std::map<std::string, PJRT_TopologyDescription*> named;
  static std::map<PJRT_TopologyDescription*, int> owners;
  static std::set<const PJRT_TopologyDescription*> ended;
  After<SLOT(PJRT_TopologyDescription_Create)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    PJRT_TopologyDescription*& first = named[std::string(args.topology_name, args.topology_name_size)];
    if (first == nullptr || ended.count(first) > 0) first = args.topology;
    args.topology = first;
    ++owners[first];
  });
  Replace<SLOT(PJRT_TopologyDescription_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = owners.find(args.topology);
    if (found == owners.end()) return original(&args);
    ended.insert(args.topology);
    if (--found->second > 0) return nullptr;
    ended.erase(args.topology);
    owners.erase(found);
    for (auto& [_, first] : named) {
      if (first == args.topology) first = nullptr;
    }
    return original(&args);
  });
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (ended.count(args.topology) > 0) args.num_descriptions = 0;
  });
}

}  // namespace
