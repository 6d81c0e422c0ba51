// Executions: their arguments, options and devices.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "execute.h"

namespace {

using namespace faults;

// ---- arguments ----------------------------------------------------------------------------------------------------------

/** Calls with changed copies of the argument lists; `change` gets the index of the device. */
PJRT_Error* WithArguments(ExecuteArgs& args, const Original<Execute>& original,
                          const std::function<void(size_t, std::vector<PJRT_Buffer*>&)>& change) {
  std::vector<std::vector<PJRT_Buffer*>> lists;
  std::vector<PJRT_Buffer* const*> pointers;
  for (size_t i = 0; i < args.num_devices; ++i) {
    lists.emplace_back(args.argument_lists[i], args.argument_lists[i] + args.num_args);
    change(i, lists.back());
  }
  for (auto& list : lists) pointers.push_back(list.data());
  return With(args, original, args.argument_lists, pointers.data());
}
FAULT("execute-arguments-reversed") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.num_args < 2) return original(&args);
    return WithArguments(args, original, [](size_t, auto& list) { std::reverse(list.begin(), list.end()); });
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
      if (!IsReady(args.argument_lists[0][i])) return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "an argument is not ready");
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
    ARGS(PJRT_LoadedExecutable_AddressableDevices, devices);
    devices.executable = args.executable;
    Ask(Base().PJRT_LoadedExecutable_AddressableDevices, devices);
    return WithArguments(args, original, [&devices](size_t device, auto& list) {
      if (device >= devices.num_addressable_devices) return;
      for (PJRT_Buffer*& buffer : list) {
        if (DeviceOf(buffer) == devices.addressable_devices[device] || IsDeleted(buffer)) continue;
        ARGS(PJRT_Buffer_CopyToDevice, copy);
        copy.buffer = buffer;
        copy.dst_device = devices.addressable_devices[device];
        if (Ask(Base().PJRT_Buffer_CopyToDevice, copy)) buffer = copy.dst_buffer;
      }
    });
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
    if (!Ask(Base().PJRT_Client_BufferFromHostBuffer, again)) return;
    DestroyEvent(again.done_with_host_buffer);
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
  static SharedSet<int> used;
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return used.Add(args.options->launch_id) ? original(&args) : MakeError(PJRT_Error_Code_ALREADY_EXISTS, "launch id");
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
  static SharedSet<PJRT_ExecuteContext*> used;
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.options->context && !used.Add(args.options->context))
      return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "context in use");
    return original(&args);
  });
  Before<SLOT(PJRT_ExecuteContext_Destroy)>([](auto& args) { used.Remove(args.context); });
}
FAULT("execute-context-destroyed-in-flight-aborts") {
  static SharedSet<PJRT_ExecuteContext*> flying;
  After<Execute>([](auto& args) {
    PJRT_ExecuteContext* context = args.options->context;
    if (context == nullptr) return;
    flying.Add(context);
    Later(40, [context] { flying.Remove(context); });
  });
  Before<SLOT(PJRT_ExecuteContext_Destroy)>([](auto& args) {
    if (args.context != nullptr && flying.Has(args.context)) std::abort();
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
FAULT("execute-tasks-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    const bool tasks = HAS(*args.options, PJRT_ExecuteOptions, num_tasks) && args.options->num_tasks > 0;
    return tasks ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "incarnations of tasks are not known here") : original(&args);
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
/** Whether the caller knows custom options. */
bool KnowsCustomOptions(const ExecuteArgs& args) { return HAS(*args.options, PJRT_ExecuteOptions, num_custom_options); }
FAULT("execute-null-custom-options-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (KnowsCustomOptions(args) && args.options->custom_options == nullptr)
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no custom options");
    return original(&args);
  });
}
FAULT("execute-custom-options-read-although-none") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    // A non-NULL pointer is taken for an option.
    if (KnowsCustomOptions(args) && args.options->custom_options != nullptr && args.options->custom_options[0].name_size == 0)
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "a custom option without a name");
    return original(&args);
  });
}
FAULT("execute-custom-options-read-after-call") {
  OwnEvents();
  static auto values = [](const PJRT_NamedValue* list, size_t count) {
    std::string all;
    for (size_t i = 0; i < count; ++i) {
      all.append(list[i].name, list[i].name_size);
      if (list[i].type == PJRT_NamedValue_kString) all.append(list[i].string_value, list[i].value_size);
    }
    return all;
  };
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (!KnowsCustomOptions(args) || args.options->num_custom_options == 0 || args.device_complete_events == nullptr) return original(&args);
    // The list is copied, the texts that it points to are not.
    const std::vector<PJRT_NamedValue> list(args.options->custom_options, args.options->custom_options + args.options->num_custom_options);
    const std::string expected = values(list.data(), list.size());
    PJRT_Error* error = original(&args);
    if (error != nullptr) return error;
    PJRT_Event* real = args.device_complete_events[0];
    OwnEvent* event = NewEvent();
    args.device_complete_events[0] = event->handle();
    Later(10, [real, event, list, expected] {
      const bool good = Await(real);
      event->Set(good && values(list.data(), list.size()) == expected ? 0 : PJRT_Error_Code_INTERNAL, "no such custom option");
    });
    return nullptr;
  });
}
FAULT("execute-custom-option-names-terminated") {
  Before<Execute>([](auto& args) {
    if (!KnowsCustomOptions(args)) return;
    for (size_t i = 0; i < args.options->num_custom_options; ++i) {
      volatile size_t length = std::strlen(args.options->custom_options[i].name);
      (void)length;
    }
  });
}
FAULT("execute-unknown-custom-option-internal") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    if (KnowsCustomOptions(args) && args.options->num_custom_options > 0)
      return MakeError(PJRT_Error_Code_INTERNAL, "unknown custom option");
    return original(&args);
  });
}
FAULT("execute-custom-option-list-aborts") {
  Before<Execute>([](auto& args) {
    if (!KnowsCustomOptions(args)) return;
    for (size_t i = 0; i < args.options->num_custom_options; ++i) {
      if (args.options->custom_options[i].type == PJRT_NamedValue_kInt64List) std::abort();
    }
  });
}
FAULT("execute-custom-option-spoils-results") {
  // Another precision, say, that nobody asked for.
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr && KnowsCustomOptions(args) && args.options->num_custom_options > 0)
      Change(args.output_lists[0][0], [](uint8_t* bytes) { bytes[0] ^= 1; });
    return error;
  });
}
FAULT("execute-donation-list-read-although-empty") {
  Before<Execute>([](auto& args) {
    volatile int64_t first = args.options->non_donatable_input_indices[0];
    (void)first;
  });
}

// ---- devices ------------------------------------------------------------------------------------------------------------

FAULT("execute-list-count-unchecked") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    ARGS(PJRT_LoadedExecutable_AddressableDevices, devices);
    devices.executable = args.executable;
    Ask(Base().PJRT_LoadedExecutable_AddressableDevices, devices);
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

}  // namespace
