// The client: its properties, options and lifetime, its key-value store, device assignments, and lookups of devices.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "calls.h"

namespace {

using namespace faults;

FAULT("client-platform-name-empty") {
  After<SLOT(PJRT_Client_PlatformName)>([](auto& args) { args.platform_name_size = 0; });
}
FAULT("client-platform-name-other") {
  After<SLOT(PJRT_Client_PlatformName)>([](auto& args) {
    args.platform_name = "accelerator";
    args.platform_name_size = 11;
  });
}
FAULT("client-platform-name-is-a-temporary") {
  After<SLOT(PJRT_Client_PlatformName)>([](auto& args) {
    MakeTemporary(args.platform_name, args.platform_name_size);
  });
}
FAULT("client-platform-name-changes-with-work") {
  static std::atomic<bool> worked{false};
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto&) { worked = true; });
  After<SLOT(PJRT_Client_PlatformName)>([](auto& args) {
    if (worked) args.platform_name_size -= 1;
  });
}
FAULT("client-platform-version-null") {
  After<SLOT(PJRT_Client_PlatformVersion)>([](auto& args) {
    args.platform_version = nullptr;
    args.platform_version_size = 5;
  });
}
FAULT("client-platform-version-unimplemented") {
  Fail<SLOT(PJRT_Client_PlatformVersion)>(PJRT_Error_Code_UNIMPLEMENTED, "no version");
}
FAULT("client-process-index-1") {
  After<SLOT(PJRT_Client_ProcessIndex)>([](auto& args) { args.process_index = 1; });
}
FAULT("client-second-refused") {
  OwnErrors();
  static std::atomic<int> living{0};
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    if (living > 0) std::abort();
    PJRT_Error* error = original(&args);
    if (error == nullptr) ++living;
    return error;
  });
  After<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (args.client != nullptr) --living;
  });
}
FAULT("client-again-refused") {
  OwnErrors();
  static std::atomic<bool> gone{false};
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    return gone ? MakeError(PJRT_Error_Code_UNAVAILABLE, "the device was shut down") : original(&args);
  });
  After<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (args.client != nullptr) gone = true;
  });
}
FAULT("client-second-ever-aborts") {
  static std::atomic<bool> made{false};
  Before<SLOT(PJRT_Client_Create)>([](auto&) {
    if (made.exchange(true)) std::abort();
  });
}
FAULT("client-destroy-takes-others-along") {
  // The runtime is shared by the process; destroying one client ends it for all.
  OwnErrors();
  static std::atomic<bool> down{false};
  After<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (args.client != nullptr) down = true;
  });
  After<SLOT(PJRT_Client_Create)>([](auto&) { down = false; });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    return down ? MakeError(PJRT_Error_Code_INTERNAL, "the runtime is down") : original(&args);
  });
}
FAULT("client-destroy-fails") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    const bool real = args.client != nullptr;
    PJRT_Error* error = original(&args);
    return error == nullptr && real ? MakeError(PJRT_Error_Code_INTERNAL, "shut down with warnings") : error;
  });
}
FAULT("client-destroy-while-busy-aborts") {
  static std::atomic<int> busy{0};
  Before<SLOT(PJRT_LoadedExecutable_Execute)>([](auto&) {
    ++busy;
    Later(300, [] { --busy; });
  });
  Before<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto&) {
    ++busy;
    Later(300, [] { --busy; });
  });
  Before<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (args.client != nullptr && busy > 0) std::abort();
  });
}
FAULT("client-failed-creation-leaves-pointer") {
  // With unknown options; the base may be more lenient.
  OwnErrors();
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_options; ++i) {
      if (std::string_view(args.create_options[i].name, args.create_options[i].name_size).find("no_such_option") == 0) {
        args.client = reinterpret_cast<PJRT_Client*>(0x100);
        return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no_such_option_of_any_plugin");
      }
    }
    return original(&args);
  });
}
FAULT("client-unknown-option-ignored") {
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    std::vector<PJRT_NamedValue> known;
    for (size_t i = 0; i < args.num_options; ++i) {
      const PJRT_NamedValue& option = args.create_options[i];
      if (std::string_view(option.name, option.name_size).find("no_such_option") != 0) known.push_back(option);
    }
    return With(args, original, args.create_options, known.data(), args.num_options, known.size());
  });
}
FAULT("client-option-type-unchecked") {
  Before<SLOT(PJRT_Client_Create)>([](auto& args) {
    for (size_t i = 0; i < args.num_options; ++i) {
      // Any value is read as a list with that many numbers.
      const PJRT_NamedValue& option = args.create_options[i];
      if (option.type != PJRT_NamedValue_kString && option.type != PJRT_NamedValue_kFloat) continue;
      volatile int64_t sum = 0;
      for (size_t j = 0; j < 1 << 20; ++j) sum = sum + option.int64_array_value[j];
    }
  });
}
FAULT("client-unknown-option-not-named") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_options; ++i) {
      if (std::string_view(args.create_options[i].name, args.create_options[i].name_size).find("no_such_option") == 0)
        return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "bad option");
    }
    return original(&args);
  });
}
FAULT("client-options-read-although-none") {
  Before<SLOT(PJRT_Client_Create)>([](auto& args) {
    if (args.create_options == nullptr || args.num_options > 0) return;
    volatile const char* name = args.create_options[0].name;
    (void)*name;
  });
}
FAULT("client-options-read-after-call") {
  // The options are stored as pointers and read at the first query.
  static std::map<PJRT_Client*, std::pair<const PJRT_NamedValue*, size_t>> kept;
  static std::mutex mutex;
  static std::map<PJRT_Client*, std::string> names;
  After<SLOT(PJRT_Client_Create)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    kept[args.client] = {args.create_options, args.num_options};
    if (args.num_options > 0) names[args.client].assign(args.create_options[0].name, args.create_options[0].name_size);
  });
  OwnErrors();
  Replace<SLOT(PJRT_Client_AddressableDevices)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = kept.find(args.client);
    if (found != kept.end() && found->second.second > 0) {
      const PJRT_NamedValue& option = *found->second.first;
      if (names[args.client] != std::string_view(option.name, option.name_size))
        return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "an option that is not known");
    }
    return original(&args);
  });
}
FAULT("client-devices-of-all-clients") {
  // One list for the process: a client sees the devices of the others.
  static std::mutex mutex;
  static std::vector<PJRT_Device*> all;
  After<SLOT(PJRT_Client_Devices)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    static std::set<PJRT_Client*> seen;
    if (seen.insert(args.client).second) all.insert(all.end(), args.devices, args.devices + args.num_devices);
    if (seen.size() < 2) return;
    ChangeList(args.devices, args.num_devices, [](auto& list) { list = all; });
  });
}
FAULT("client-memories-of-all-clients") {
  // The same for memories.
  static std::mutex mutex;
  static std::vector<PJRT_Memory*> all;
  After<SLOT(PJRT_Client_AddressableMemories)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    static std::set<PJRT_Client*> seen;
    if (seen.insert(args.client).second) {
      all.insert(all.end(), args.addressable_memories, args.addressable_memories + args.num_addressable_memories);
    }
    if (seen.size() < 2) return;
    ChangeList(args.addressable_memories, args.num_addressable_memories, [](auto& list) { list = all; });
  });
}
FAULT("client-update-process-info-refused-empty") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_UpdateGlobalProcessInfo)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.num_process_infos == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no processes") : original(&args);
  });
}
FAULT("client-update-process-info-demands-message") {
  Before<SLOT(PJRT_Client_UpdateGlobalProcessInfo)>([](auto& args) {
    for (size_t i = 0; i < args.num_process_infos; ++i) {
      volatile size_t length = std::strlen(args.process_infos[i].error_message);
      (void)length;
    }
  });
}
FAULT("client-update-process-info-stops-work") {
  OwnErrors();
  static std::atomic<bool> updated{false};
  After<SLOT(PJRT_Client_UpdateGlobalProcessInfo)>([](auto&) { updated = true; });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    return updated ? MakeError(PJRT_Error_Code_UNAVAILABLE, "a process is gone") : original(&args);
  });
}
FAULT("client-update-process-info-error-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_UpdateGlobalProcessInfo)>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_process_infos; ++i) {
      if (args.process_infos[i].state == PJRT_ProcessState_kError) return MakeError(PJRT_Error_Code_INTERNAL, "process failed");
    }
    return original(&args);
  });
}

// ---- key-value store ----------------------------------------------------------------------------------------------------

FAULT("key-value-called-by-single-process") {
  Before<SLOT(PJRT_Client_Create)>([](auto& args) {
    if (args.kv_put_callback == nullptr) return;
    PJRT_CallbackError make = [](PJRT_Error_Code code, const char* message, size_t size) {
      return MakeError(code, std::string(message, size));
    };
    ARGS(PJRT_KeyValuePutCallback, put);
    put.key = "topology/0";
    put.key_size = 10;
    put.value = "here";
    put.value_size = 4;
    put.callback_error = &make;
    put.user_arg = args.kv_put_user_arg;
    Drop(args.kv_put_callback(&put));
  });
}
FAULT("key-value-demanded") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.kv_get_callback == nullptr && args.num_options == 0)
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "a key-value store is needed");
    return original(&args);
  });
}

// ---- default device assignment ------------------------------------------------------------------------------------------

FAULT("assignment-overruns") {
  After<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args) {
    args.default_assignment[args.num_replicas * args.num_partitions] = 0;
  });
}
FAULT("assignment-partitions-first") {
  After<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args) {
    const int r = args.num_replicas, p = args.num_partitions;
    std::vector<int> given(args.default_assignment, args.default_assignment + r * p);
    for (int i = 0; i < r; ++i) {
      for (int j = 0; j < p; ++j) args.default_assignment[i * p + j] = given[j * r + i];
    }
  });
}
FAULT("assignment-one-device-for-all") {
  After<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args) {
    for (int i = 1; i < args.num_replicas * args.num_partitions; ++i) args.default_assignment[i] = args.default_assignment[0];
  });
}
FAULT("assignment-devices-that-are-not-there") {
  After<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args) {
    for (int i = 0; i < args.num_replicas * args.num_partitions; ++i) args.default_assignment[i] += 100;
  });
}
FAULT("assignment-zero-accepted") {
  Replace<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.num_replicas == 0 || args.num_partitions == 0 ? nullptr : original(&args);
  });
}
FAULT("assignment-negative-accepted") {
  Replace<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.num_replicas < 0 || args.num_partitions < 0 ? nullptr : original(&args);
  });
}
FAULT("assignment-larger-room-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.default_assignment_size > static_cast<size_t>(args.num_replicas) * args.num_partitions)
      return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "the room does not fit");
    return original(&args);
  });
}
FAULT("assignment-room-unchecked") {
  Replace<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.num_replicas <= 0 || args.num_partitions <= 0) return error;
    Drop(error);
    for (size_t i = 0; i < args.default_assignment_size; ++i) args.default_assignment[i] = 0;
    return nullptr;
  });
}
FAULT("assignment-product-in-32-bits") {
  Replace<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args, auto& original) -> PJRT_Error* {
    const uint32_t product = static_cast<uint32_t>(args.num_replicas) * static_cast<uint32_t>(args.num_partitions);
    if (product > 1000 && product < 100000) {
      for (uint32_t i = 0; i < product; ++i) args.default_assignment[i] = 0;
      return nullptr;
    }
    return original(&args);
  });
}
FAULT("assignment-differs-each-time") {
  After<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args) {
    static std::atomic<int> calls{0};
    if (args.num_replicas * args.num_partitions == 1) args.default_assignment[0] = calls++ % 2;
  });
}
FAULT("assignment-more-than-devices-aborts") {
  Before<SLOT(PJRT_Client_DefaultDeviceAssignment)>([](auto& args) {
    if (args.num_replicas == 1 && args.num_partitions > 4) std::abort();
  });
}

// ---- lookups ------------------------------------------------------------------------------------------------------------

/** The first device of a client. */
PJRT_Device* FirstDevice(PJRT_Client* client) {
  ARGS(PJRT_Client_Devices, args);
  args.client = client;
  Ask(Base().PJRT_Client_Devices, args);
  return args.devices[0];
}
FAULT("lookup-unknown-id-gives-first") {
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      Drop(error);
      args.device = FirstDevice(args.client);
    }
    return nullptr;
  });
}
FAULT("lookup-unknown-id-gives-null") {
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      Drop(error);
      args.device = nullptr;
    }
    return nullptr;
  });
}
FAULT("lookup-one-past-the-end") {
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr || args.id < 1 || args.id > 64) return error;
    args.id -= 1;
    PJRT_Error* second = original(&args);
    args.id += 1;
    if (second != nullptr) {
      Drop(second);
      return error;
    }
    Drop(error);
    return nullptr;
  });
}
FAULT("lookup-always-first") {
  After<SLOT(PJRT_Client_LookupDevice)>([](auto& args) { args.device = FirstDevice(args.client); });
}
FAULT("lookup-fails-after-a-failure") {
  OwnErrors();
  static std::atomic<bool> failed{false};
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    if (failed.exchange(false)) return MakeError(PJRT_Error_Code_INTERNAL, "an earlier call failed");
    PJRT_Error* error = original(&args);
    if (error != nullptr) failed = true;
    return error;
  });
}
FAULT("lookup-local-id-unchecked") {
  Replace<SLOT(PJRT_Client_LookupAddressableDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) {
      Drop(error);
      args.addressable_device = FirstDevice(args.client);
    }
    return nullptr;
  });
}
FAULT("lookup-local-id-always-first") {
  After<SLOT(PJRT_Client_LookupAddressableDevice)>([](auto& args) { args.addressable_device = FirstDevice(args.client); });
}
FAULT("lookup-by-position") {
  // Ids have gaps, and an id is taken for a place in the list of devices.
  After<SLOT(PJRT_DeviceDescription_Id)>([](auto& args) { args.id = 3 + 10 * args.id; });
}
FAULT("lookup-id-cut-to-16-bits") {
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.id, args.id & 0xffff);
  });
}
FAULT("lookup-local-id-of-neighbour") {
  Replace<SLOT(PJRT_Client_LookupAddressableDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.local_hardware_id, args.local_hardware_id ^ 1);
  });
}
FAULT("lookup-local-id-by-position") {
  // Devices without an id are found by their places.
  After<SLOT(PJRT_Device_LocalHardwareId)>([](auto& args) {
    if (args.local_hardware_id % 2 != 0) args.local_hardware_id = -1;
  });
}
FAULT("lookup-failure-overwrites-id") {
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) args.id = -1;
    return error;
  });
}

FAULT("client-version-freed-with-another-client") {
  // The text belongs to the process, and the first client to go frees it.
  static std::mutex mutex;
  static std::string text;
  After<SLOT(PJRT_Client_PlatformVersion)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (text.empty()) text.assign(args.platform_version, args.platform_version_size);
    args.platform_version = text.data();
    args.platform_version_size = text.size();
  });
  After<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (args.client == nullptr) return;
    std::lock_guard<std::mutex> lock(mutex);
    for (char& c : text) c = '?';
  });
}

}  // namespace
