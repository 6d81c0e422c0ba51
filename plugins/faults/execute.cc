// Executions: their arguments, options, outputs, completion events, and donation.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "programs.h"

namespace {

using namespace faults;

using Execute = SLOT(PJRT_LoadedExecutable_Execute);
using ExecuteArgs = PJRT_LoadedExecutable_Execute_Args;

bool IsDeleted(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_IsDeleted, args);
  args.buffer = buffer;
  Ask(Base().PJRT_Buffer_IsDeleted, args);
  return args.is_deleted;
}
void Delete(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Delete, args);
  args.buffer = buffer;
  Ask(Base().PJRT_Buffer_Delete, args);
}
void Destroy(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Destroy, args);
  args.buffer = buffer;
  Ask(Base().PJRT_Buffer_Destroy, args);
}
/** Calls with modified options. */
PJRT_Error* WithOptions(ExecuteArgs& args, const Original<Execute>& original, const std::function<void(PJRT_ExecuteOptions&)>& change) {
  PJRT_ExecuteOptions options{};
  std::memcpy(&options, args.options, std::min<size_t>(args.options->struct_size, sizeof(options)));
  change(options);
  PJRT_ExecuteOptions* given = args.options;
  args.options = &options;
  PJRT_Error* error = original(&args);
  args.options = given;
  return error;
}

// ---- arguments ----------------------------------------------------------------------------------------------------------

FAULT("execute-arguments-reversed") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.num_args < 2) return original(&args);
    std::vector<std::vector<PJRT_Buffer*>> lists;
    std::vector<PJRT_Buffer* const*> pointers;
    for (size_t i = 0; i < args.num_devices; ++i) {
      lists.emplace_back(args.argument_lists[i], args.argument_lists[i] + args.num_args);
      std::reverse(lists.back().begin(), lists.back().end());
    }
    for (auto& list : lists) pointers.push_back(list.data());
    auto given = args.argument_lists;
    args.argument_lists = pointers.data();
    PJRT_Error* error = original(&args);
    args.argument_lists = given;
    return error;
  });
}
FAULT("execute-too-many-arguments-accepted") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    const size_t given = args.num_args;
    while (error != nullptr && args.num_args > 0) {
      args.num_args -= 1;
      PJRT_Error* again = original(&args);
      Drop(again == nullptr ? error : again);
      if (again == nullptr) error = nullptr;
    }
    args.num_args = given;
    return error;
  });
}
FAULT("execute-too-few-arguments-crash") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && args.num_args == 1) std::abort();
    return error;
  });
}
FAULT("execute-two-hundred-arguments-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return args.num_args > 128 ? MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "too many arguments") : original(&args);
  });
}
FAULT("execute-no-arguments-reads-list") {
  Before<Execute>([](auto& args) {
    if (args.num_args > 0 || args.num_devices == 0) return;
    volatile const char* first = reinterpret_cast<const char*>(args.argument_lists[0][0]);
    (void)*first;
  });
}
FAULT("execute-empty-arrays-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_args; ++i) {
      if (ShapeOf(args.argument_lists[0][i]).count() == 0) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no elements");
    }
    return original(&args);
  });
}
FAULT("execute-same-argument-twice-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::set<PJRT_Buffer*> seen;
    for (size_t i = 0; i < args.num_args; ++i) {
      if (!seen.insert(args.argument_lists[0][i]).second) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "one buffer twice");
    }
    return original(&args);
  });
}
FAULT("execute-pending-argument-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_args; ++i) {
      PJRT_Buffer_ReadyEvent_Args ready{};
      ready.struct_size = PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE;
      ready.buffer = args.argument_lists[0][i];
      if (PJRT_Error* error = Base().PJRT_Buffer_ReadyEvent(&ready)) {
        Drop(error);
        continue;
      }
      PJRT_Event_IsReady_Args is{};
      is.struct_size = PJRT_Event_IsReady_Args_STRUCT_SIZE;
      is.event = ready.event;
      Drop(Base().PJRT_Event_IsReady(&is));
      DestroyEvent(ready.event);
      if (!is.is_ready) return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "an argument is not ready");
    }
    return original(&args);
  });
}
FAULT("execute-shape-unchecked") {
  // Another shape: any memory contents; another size: the process crashes.
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.num_args != 1 || MessageOf(error).find("deleted") != std::string::npos) return error;
    std::abort();
  });
}
FAULT("execute-wrong-device-copies") {
  // An argument on another device is copied without an error.
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_LoadedExecutable_AddressableDevices_Args devices{};
    devices.struct_size = PJRT_LoadedExecutable_AddressableDevices_Args_STRUCT_SIZE;
    devices.executable = args.executable;
    Drop(Base().PJRT_LoadedExecutable_AddressableDevices(&devices));
    std::vector<std::vector<PJRT_Buffer*>> lists;
    std::vector<PJRT_Buffer* const*> pointers;
    for (size_t i = 0; i < args.num_devices; ++i) {
      lists.emplace_back(args.argument_lists[i], args.argument_lists[i] + args.num_args);
      if (i >= devices.num_addressable_devices) continue;
      for (PJRT_Buffer*& buffer : lists.back()) {
        if (DeviceOf(buffer) == devices.addressable_devices[i] || IsDeleted(buffer)) continue;
        PJRT_Buffer_CopyToDevice_Args copy{};
        copy.struct_size = PJRT_Buffer_CopyToDevice_Args_STRUCT_SIZE;
        copy.buffer = buffer;
        copy.dst_device = devices.addressable_devices[i];
        if (PJRT_Error* error = Base().PJRT_Buffer_CopyToDevice(&copy)) Drop(error);
        else buffer = copy.dst_buffer;
      }
    }
    for (auto& list : lists) pointers.push_back(list.data());
    auto given = args.argument_lists;
    args.argument_lists = pointers.data();
    PJRT_Error* error = original(&args);
    args.argument_lists = given;
    return error;
  });
}
FAULT("execute-deleted-argument-aborts") {
  Before<Execute>([](auto& args) {
    for (size_t i = 0; i < args.num_args; ++i) {
      if (IsDeleted(args.argument_lists[0][i])) std::abort();
    }
  });
}
FAULT("execute-deleted-argument-is-last-good") {
  // Transferred data is kept, and replaces a deleted buffer.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, PJRT_Buffer*> kept;
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    auto again = args;
    again.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    if (PJRT_Error* error = Base().PJRT_Client_BufferFromHostBuffer(&again)) return Drop(error);
    PJRT_Event_Destroy_Args destroy{};
    destroy.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE;
    destroy.event = again.done_with_host_buffer;
    Drop(Base().PJRT_Event_Destroy(&destroy));
    std::lock_guard<std::mutex> lock(mutex);
    kept[args.buffer] = again.buffer;
  });
  Before<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    static std::vector<std::vector<PJRT_Buffer*>> lists;
    static std::vector<PJRT_Buffer* const*> pointers;
    lists.clear();
    pointers.clear();
    for (size_t d = 0; d < args.num_devices; ++d) {
      lists.emplace_back(args.argument_lists[d], args.argument_lists[d] + args.num_args);
      for (PJRT_Buffer*& buffer : lists.back())
        if (auto found = kept.find(buffer); found != kept.end() && IsDeleted(buffer)) buffer = found->second;
    }
    for (auto& list : lists) pointers.push_back(list.data());
    args.argument_lists = pointers.data();
  });
}
FAULT("execute-failure-deletes-arguments") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      for (size_t i = 0; i < args.num_args; ++i) Delete(args.argument_lists[0][i]);
    }
    return error;
  });
}
FAULT("execute-fails-after-a-failure") {
  OwnErrors();
  static std::mutex mutex;
  static std::set<PJRT_LoadedExecutable*> bad;
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    if (bad.count(args.executable) > 0) return MakeError(PJRT_Error_Code_INTERNAL, "an earlier run failed");
    PJRT_Error* error = original(&args);
    if (error != nullptr) bad.insert(args.executable);
    return error;
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    bad.erase(args.executable);
  });
}
FAULT("execute-inputs-needed-after-call") {
  // An argument deleted during execution is read from its freed memory.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::set<PJRT_Buffer*>> users;
  After<Execute>([](auto& args) {
    if (args.output_lists == nullptr) return;
    const size_t outputs = OutputsOf(args.executable);
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_args; ++i) {
      users[args.argument_lists[0][i]].insert(args.output_lists[0], args.output_lists[0] + outputs);
    }
  });
  auto end = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    std::set<PJRT_Buffer*> gone = users[buffer];
    for (PJRT_Buffer* output : gone) {
      if (IsReady(output) || ShapeOf(output).count() == 0) continue;
      if (uint8_t* bytes = BytesOf(output)) *bytes ^= 1;
    }
    users.erase(buffer);
    gone.insert(buffer);
    for (auto& [input, outputs] : users) {
      for (PJRT_Buffer* output : gone) outputs.erase(output);
    }
  };
  Before<SLOT(PJRT_Buffer_Destroy)>([end](auto& args) { end(args.buffer); });
  Before<SLOT(PJRT_Buffer_Delete)>([end](auto& args) { end(args.buffer); });
}
FAULT("execute-lists-read-after-call") {
  // The options of the call are read after the execution.
  OwnEvents();
  After<Execute>([](auto& args) {
    if (args.device_complete_events == nullptr) return;
    PJRT_Event* real = args.device_complete_events[0];
    OwnEvent* event = NewEvent();
    args.device_complete_events[0] = event->handle();
    const PJRT_ExecuteOptions* options = args.options;
    const size_t size = options->struct_size;
    Later(10, [real, event, options, size] {
      const bool good = Await(real);
      event->Set(good && options->struct_size == size ? 0 : PJRT_Error_Code_INTERNAL, "options of unknown size");
    });
  });
}

// ---- options ------------------------------------------------------------------------------------------------------------

FAULT("execute-negative-launch-id-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return args.options->launch_id < 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "launch id") : original(&args);
  });
}
FAULT("execute-launch-id-used-twice-refused") {
  OwnErrors();
  static std::mutex mutex;
  static std::set<int> used;
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    if (!used.insert(args.options->launch_id).second) return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "launch id");
    return original(&args);
  });
}
FAULT("execute-context-demanded") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return args.options->context == nullptr ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no context") : original(&args);
  });
}
FAULT("execute-context-only-once") {
  OwnErrors();
  static std::mutex mutex;
  static std::set<PJRT_ExecuteContext*> used;
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.options->context && !used.insert(args.options->context).second)
      return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "context in use");
    return original(&args);
  });
  Before<SLOT(PJRT_ExecuteContext_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    used.erase(args.context);
  });
}
FAULT("execute-context-destroyed-in-flight-aborts") {
  static std::mutex mutex;
  static std::set<PJRT_ExecuteContext*> flying;
  After<Execute>([](auto& args) {
    PJRT_ExecuteContext* context = args.options->context;
    if (context == nullptr) return;
    std::lock_guard<std::mutex> lock(mutex);
    flying.insert(context);
    Later(40, [context] {
      std::lock_guard<std::mutex> later(mutex);
      flying.erase(context);
    });
  });
  Before<SLOT(PJRT_ExecuteContext_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.context != nullptr && flying.count(args.context) > 0) std::abort();
  });
}
FAULT("execute-context-leaks") { Ignore<SLOT(PJRT_ExecuteContext_Destroy)>(); }
FAULT("execute-call-location-demanded") {
  Before<Execute>([](auto& args) {
    if (!HAS(*args.options, PJRT_ExecuteOptions, call_location)) return;
    volatile size_t length = std::strlen(args.options->call_location);
    (void)length;
  });
}
FAULT("execute-call-location-in-small-room") {
  Before<Execute>([](auto& args) {
    if (!HAS(*args.options, PJRT_ExecuteOptions, call_location) || args.options->call_location == nullptr) return;
    // A buffer for short paths, as on a stack.
    if (std::strlen(args.options->call_location) >= 256) std::abort();
  });
}
FAULT("execute-tasks-read-although-none") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    // A non-NULL pointer is taken for a task.
    if (HAS(*args.options, PJRT_ExecuteOptions, incarnation_ids) && args.options->task_ids != nullptr &&
        args.options->incarnation_ids != nullptr && args.options->incarnation_ids[0] == 0)
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "task 0 has no incarnation");
    return original(&args);
  });
}
FAULT("execute-null-tasks-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (HAS(*args.options, PJRT_ExecuteOptions, incarnation_ids) && args.options->task_ids == nullptr)
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no tasks");
    return original(&args);
  });
}
FAULT("execute-multi-slice-config-demanded") {
  Before<Execute>([](auto& args) {
    if (!HAS(*args.options, PJRT_ExecuteOptions, multi_slice_config)) return;
    volatile char first = *reinterpret_cast<const char*>(args.options->multi_slice_config);
    (void)first;
  });
}
FAULT("execute-callbacks-demanded") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return args.options->send_callbacks == nullptr ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no callbacks") : original(&args);
  });
}
FAULT("execute-output-callbacks-demanded") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (HAS(*args.options, PJRT_ExecuteOptions, num_hlo_output_callbacks) && args.options->num_hlo_output_callbacks == 0)
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no callbacks");
    return original(&args);
  });
}
FAULT("execute-donation-list-read-although-empty") {
  Before<Execute>([](auto& args) {
    volatile int64_t first = args.options->non_donatable_input_indices[0];
    (void)first;
  });
}

// ---- outputs ------------------------------------------------------------------------------------------------------------

FAULT("execute-output-lists-overrun") {
  After<Execute>([](auto& args) {
    if (args.output_lists != nullptr) args.output_lists[0][OutputsOf(args.executable)] = nullptr;
  });
}
FAULT("execute-outputs-share-a-buffer") {
  After<Execute>([](auto& args) {
    if (args.output_lists == nullptr || OutputsOf(args.executable) < 2) return;
    const Shape a = ShapeOf(args.output_lists[0][0]), b = ShapeOf(args.output_lists[0][1]);
    if (a.dims == b.dims && a.type == b.type) args.output_lists[0][1] = args.output_lists[0][0];
  });
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> destroyed;
  // Destroying it twice goes unnoticed.
  After<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.output_lists != nullptr && OutputsOf(args.executable) > 0) destroyed.erase(args.output_lists[0][0]);
  });
  Replace<SLOT(PJRT_Buffer_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    return args.buffer != nullptr && !destroyed.insert(args.buffer).second ? nullptr : original(&args);
  });
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    destroyed.erase(args.buffer);
  });
}
FAULT("execute-output-is-the-argument") {
  // A program that returns its argument returns the caller's own buffer.
  AfterRun([](Run& run) {
    if (run.args.num_args != 1 || run.outputs.size() != 1 || run.program.Has("add") || run.program.Has("constant")) return;
    const Array in = run.Argument(0);
    const Array& out = run.outputs[0];
    const size_t bytes = out.count() * ElementBytes(out.shape.type);
    if (in.bytes == nullptr || in.shape.dims != out.shape.dims || in.shape.type != out.shape.type || bytes == 0 ||
        std::memcmp(in.bytes, out.bytes, bytes) != 0)
      return;
    Destroy(run.args.output_lists[0][0]);
    run.args.output_lists[0][0] = run.args.argument_lists[0][0];
  });
}
FAULT("execute-outputs-of-devices-exchanged") {
  After<Execute>([](auto& args) {
    if (args.num_devices != 2 || args.output_lists == nullptr) return;
    const size_t outputs = OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) std::swap(args.output_lists[0][i], args.output_lists[1][i]);
  });
}
FAULT("execute-output-metadata-waits") {
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> outputs;
  After<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.output_lists != nullptr && OutputsOf(args.executable) > 0) outputs.insert(args.output_lists[0][0]);
  });
  OwnErrors();
  Replace<SLOT(PJRT_Buffer_Dimensions)>([](auto& args, auto& original) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(mutex);
      // The first query comes too early.
      if (outputs.erase(args.buffer) > 0) return MakeError(PJRT_Error_Code_UNAVAILABLE, "not computed yet");
    }
    return original(&args);
  });
}
FAULT("execute-output-in-other-memory") {
  After<Execute>([](auto& args) {
    if (args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    PJRT_Buffer*& output = args.output_lists[0][0];
    PJRT_Device_AddressableMemories_Args memories{};
    memories.struct_size = PJRT_Device_AddressableMemories_Args_STRUCT_SIZE;
    memories.device = DeviceOf(output);
    Drop(Base().PJRT_Device_AddressableMemories(&memories));
    for (size_t i = 0; i < memories.num_memories; ++i) {
      if (memories.memories[i] == MemoryOf(output)) continue;
      PJRT_Buffer_CopyToMemory_Args copy{};
      copy.struct_size = PJRT_Buffer_CopyToMemory_Args_STRUCT_SIZE;
      copy.buffer = output;
      copy.dst_memory = memories.memories[i];
      if (PJRT_Error* error = Base().PJRT_Buffer_CopyToMemory(&copy)) return Drop(error);
      Destroy(output);
      output = copy.dst_buffer;
      return;
    }
  });
}
FAULT("execute-no-outputs-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return OutputsOf(args.executable) == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no outputs") : original(&args);
  });
}
FAULT("execute-scalar-output-has-rank-1") {
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> outputs;
  After<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const size_t count = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < count; ++i) outputs.insert(args.output_lists[0][i]);
  });
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    static const int64_t one = 1;
    std::lock_guard<std::mutex> lock(mutex);
    if (args.num_dims > 0 || outputs.count(args.buffer) == 0) return;
    args.dims = &one;
    args.num_dims = 1;
  });
}
FAULT("execute-empty-output-fails") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.output_lists == nullptr) return error;
    const size_t outputs = OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) {
      if (ShapeOf(args.output_lists[0][i]).count() == 0) return MakeError(PJRT_Error_Code_INTERNAL, "nothing was computed");
    }
    return nullptr;
  });
}
FAULT("execute-outputs-destroyed-early-aborts") {
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> fresh;
  After<Execute>([](auto& args) {
    const size_t outputs = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < outputs; ++i) {
      PJRT_Buffer* output = args.output_lists[0][i];
      fresh.insert(output);
      Later(15, [output] {
        std::lock_guard<std::mutex> later(mutex);
        fresh.erase(output);
      });
    }
  });
  Before<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    fresh.erase(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    fresh.erase(args.src);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (fresh.count(args.buffer) > 0) std::abort();
  });
}

// ---- completion events --------------------------------------------------------------------------------------------------

FAULT("execute-event-null") {
  After<Execute>([](auto& args) {
    if (args.device_complete_events != nullptr) args.device_complete_events[0] = nullptr;
  });
}
FAULT("execute-event-never") {
  OwnEvents();
  After<Execute>([](auto& args) {
    if (args.device_complete_events != nullptr) args.device_complete_events[0] = NewEvent()->handle();
  });
}
FAULT("execute-event-early") {
  // The event of the execution is ready before its outputs are.
  OwnEvents();
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> fresh;
  After<Execute>([](auto& args) {
    if (args.device_complete_events == nullptr) return;
    args.device_complete_events[0] = ReadyEvent();
    const size_t outputs = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < outputs; ++i) fresh.insert(args.output_lists[0][i]);
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (fresh.erase(args.buffer) == 0) return;
    }
    PJRT_Event* real = args.event;
    OwnEvent* event = NewEvent();
    args.event = event->handle();
    Later(400, [real, event] {
      const bool good = Await(real);
      event->Set(good ? 0 : PJRT_Error_Code_INTERNAL, "failed");
    });
  });
}
FAULT("execute-events-always-written") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    volatile bool none = args.device_complete_events == nullptr;
    if (error == nullptr && none) *reinterpret_cast<PJRT_Event* volatile*>(args.device_complete_events) = nullptr;
    return error;
  });
}
FAULT("execute-second-event-missing") {
  After<Execute>([](auto& args) {
    if (args.device_complete_events != nullptr && args.num_devices > 1) args.device_complete_events[1] = args.device_complete_events[0];
  });
}
FAULT("execute-failure-writes-lists") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    if (args.device_complete_events != nullptr) args.device_complete_events[0] = reinterpret_cast<PJRT_Event*>(0x100);
    if (args.output_lists != nullptr && OutputsOf(args.executable) > 0) args.output_lists[0][0] = reinterpret_cast<PJRT_Buffer*>(0x200);
    return error;
  });
}
FAULT("execute-error-argument-computes") {
  // An argument that holds an error: its memory is used anyway.
  OwnEvents();
  static std::atomic<bool> poisoned{false};
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    bool bad = false;
    for (size_t i = 0; i < args.num_args; ++i) bad = bad || (!IsDeleted(args.argument_lists[0][i]) && !AwaitBuffer(args.argument_lists[0][i]));
    if (!bad) return error;
    poisoned = true;
    if (error == nullptr && args.device_complete_events != nullptr) args.device_complete_events[0] = ReadyEvent();
    return error;
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    if (poisoned && !AwaitBuffer(args.buffer)) args.event = ReadyEvent();
  });
}
FAULT("execute-error-of-argument-generalized") {
  OwnErrors();
  auto generalize = [](PJRT_Error* error) -> PJRT_Error* {
    if (error == nullptr) return nullptr;
    Drop(error);
    return MakeError(PJRT_Error_Code_UNKNOWN, "the execution failed");
  };
  static std::mutex mutex;
  static std::set<PJRT_Event*> events;
  static std::set<PJRT_Buffer*> outputs;
  Replace<Execute>([generalize](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) return generalize(error);
    std::lock_guard<std::mutex> lock(mutex);
    if (args.device_complete_events != nullptr) events.insert(args.device_complete_events[0]);
    const size_t count = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < count; ++i) outputs.insert(args.output_lists[0][i]);
    return nullptr;
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (outputs.count(args.buffer) > 0) events.insert(args.event);
  });
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (outputs.count(args.src) > 0 && args.dst != nullptr) events.insert(args.event);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    events.erase(args.event);
  });
  Replace<SLOT(PJRT_Event_Await)>([generalize](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    return events.count(args.event) > 0 ? generalize(error) : error;
  });
  Replace<SLOT(PJRT_Event_Error)>([generalize](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    return events.count(args.event) > 0 ? generalize(error) : error;
  });
}

// ---- devices ------------------------------------------------------------------------------------------------------------

FAULT("execute-list-count-unchecked") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    PJRT_LoadedExecutable_AddressableDevices_Args devices{};
    devices.struct_size = PJRT_LoadedExecutable_AddressableDevices_Args_STRUCT_SIZE;
    devices.executable = args.executable;
    Drop(Base().PJRT_LoadedExecutable_AddressableDevices(&devices));
    if (devices.num_addressable_devices == args.num_devices) return error;
    std::abort();
  });
}
FAULT("execute-device-ignored") {
  // Runs on a device of its choice, whatever the call names.
  WatchClients();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Device* given = args.execute_device;
    if (given == nullptr) return original(&args);
    PJRT_Error* error = original(&args);
    if (error != nullptr) std::abort();
    const size_t outputs = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) {
      if (ShapeOf(args.output_lists[0][i]).count() > 0) {
        Change(args.output_lists[0][i], [](uint8_t* bytes) { *bytes ^= 1; });
      }
    }
    return nullptr;
  });
}

// ---- donation -----------------------------------------------------------------------------------------------------------

FAULT("donation-not-noticed") {
  // Donated buffers read as valid.
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> taken;
  After<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_args; ++i) {
      if (IsDeleted(args.argument_lists[0][i])) taken.insert(args.argument_lists[0][i]);
    }
  });
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (taken.count(args.buffer) > 0) args.is_deleted = false;
  });
}
FAULT("donation-never-done") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::vector<int64_t> all(args.num_args);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    return WithOptions(args, original, [&](PJRT_ExecuteOptions& options) {
      options.non_donatable_input_indices = all.data();
      options.num_non_donatable_input_indices = all.size();
    });
  });
}
FAULT("donation-list-ignored") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return WithOptions(args, original, [](PJRT_ExecuteOptions& options) { options.num_non_donatable_input_indices = 0; });
  });
}
FAULT("donation-list-first-entry-only") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return WithOptions(args, original, [](PJRT_ExecuteOptions& options) {
      // An index counted from one.
      static thread_local int64_t shifted;
      if (options.num_non_donatable_input_indices != 1) return;
      shifted = options.non_donatable_input_indices[0] + 1;
      options.non_donatable_input_indices = &shifted;
    });
  });
}
FAULT("donation-of-everything") {
  After<Execute>([](auto& args) {
    const size_t outputs = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) AwaitBuffer(args.output_lists[0][i]);
    for (size_t i = 0; i < args.num_args; ++i) Delete(args.argument_lists[0][i]);
  });
}
FAULT("donation-used-again-aborts") {
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> taken;
  After<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_args; ++i) {
      if (IsDeleted(args.argument_lists[0][i])) taken.insert(args.argument_lists[0][i]);
    }
  });
  auto check = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    if (taken.count(buffer) > 0) std::abort();
  };
  Before<Execute>([check](auto& args) {
    for (size_t i = 0; i < args.num_args; ++i) check(args.argument_lists[0][i]);
  });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([check](auto& args) { check(args.src); });
  Before<SLOT(PJRT_Buffer_ReadyEvent)>([check](auto& args) { check(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    taken.erase(args.buffer);
  });
}
FAULT("donation-frees-handle") {
  // Donated buffers are destroyed as well, leaving a dangling handle.
  static std::mutex mutex;
  static std::set<PJRT_Buffer*> freed;
  After<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_args; ++i) {
      if (IsDeleted(args.argument_lists[0][i])) freed.insert(args.argument_lists[0][i]);
    }
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (freed.erase(args.buffer) > 0) std::abort();
  });
}
FAULT("donation-twice-accepted") {
  WatchClients();
  // A donated buffer that is another argument as well: the program runs, on memory that it overwrites.
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    std::set<PJRT_Buffer*> seen;
    bool twice = false;
    for (size_t i = 0; i < args.num_args; ++i) twice = twice || !seen.insert(args.argument_lists[0][i]).second;
    PJRT_Error* error = original(&args);
    if (!twice || error == nullptr) return error;
    Drop(error);
    std::vector<int64_t> all(args.num_args);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    error = WithOptions(args, original, [&](PJRT_ExecuteOptions& options) {
      options.non_donatable_input_indices = all.data();
      options.num_non_donatable_input_indices = all.size();
    });
    if (error == nullptr && ShapeOf(args.output_lists[0][0]).count() > 0) {
      Change(args.output_lists[0][0], [](uint8_t* bytes) { *bytes ^= 1; });
    }
    return error;
  });
}
FAULT("donation-writes-referenced-memory") {
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, uint8_t*> held;
  After<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    held[args.buffer] = BytesOf(args.buffer);
  });
  After<SLOT(PJRT_Buffer_DecreaseExternalReferenceCount)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    held.erase(args.buffer);
  });
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_args; ++i) {
      auto found = held.find(args.argument_lists[0][i]);
      if (found == held.end() || found->second == nullptr) continue;
      *found->second ^= 1;
    }
    return error;
  });
}
FAULT("donation-writes-immutable-host-memory") {
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, uint8_t*> lent;
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy)
      lent[args.buffer] = static_cast<uint8_t*>(const_cast<void*>(args.data));
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    lent.erase(args.buffer);
  });
  After<Execute>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_args; ++i) {
      auto found = lent.find(args.argument_lists[0][i]);
      if (found != lent.end() && IsDeleted(args.argument_lists[0][i])) *found->second ^= 1;
    }
  });
}
FAULT("donation-result-wrong") {
  // In place, the last element is read after it was written.
  WatchClients();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.num_args == 0 || args.output_lists == nullptr) return error;
    bool taken = false;
    for (size_t i = 0; i < args.num_args; ++i) taken = taken || IsDeleted(args.argument_lists[0][i]);
    const size_t outputs = OutputsOf(args.executable);
    for (size_t i = 0; taken && i < outputs; ++i) {
      const Shape shape = ShapeOf(args.output_lists[0][i]);
      if (shape.count() == 0) continue;
      const size_t last = shape.count() * ElementBytes(shape.type) - 1;
      Change(args.output_lists[0][i], [last](uint8_t* bytes) { bytes[last] ^= 1; });
    }
    return nullptr;
  });
}
FAULT("donation-refuses-misfit") {
  OwnErrors();
  AfterRun([](Run&) {});
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    Program* program = ProgramOf(args.executable);
    const bool donor = program != nullptr && program->code.find("buffer_donor") != std::string::npos;
    PJRT_Error* error = original(&args);
    if (error != nullptr || !donor) return error;
    for (size_t i = 0; i < args.num_args; ++i) {
      if (!IsDeleted(args.argument_lists[0][i])) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "a donated argument was not used");
    }
    return nullptr;
  });
}
FAULT("donation-must-alias-taken-anyway") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.options->num_non_donatable_input_indices == 0) return error;
    Drop(error);
    return WithOptions(args, original, [](PJRT_ExecuteOptions& options) { options.num_non_donatable_input_indices = 0; });
  });
}

}  // namespace
