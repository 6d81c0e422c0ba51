// Facts about a plugin: attributes, the client, its devices and memories, topologies.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "faults.h"

namespace {

using namespace faults;

// ---- attributes of the plugin -------------------------------------------------------------------------------------------

/** A copy of the attributes that lives forever, modified by `change`. */
void ChangeAttributes(std::function<void(std::vector<PJRT_NamedValue>&)> change) {
  After<SLOT(PJRT_Plugin_Attributes)>([change](auto& args) {
    static std::vector<PJRT_NamedValue> kept;
    static std::once_flag once;
    std::call_once(once, [&] {
      kept.assign(args.attributes, args.attributes + args.num_attributes);
      change(kept);
    });
    args.attributes = kept.data();
    args.num_attributes = kept.size();
  });
}
bool Is(const PJRT_NamedValue& value, std::string_view name) {
  return std::string_view(value.name, value.name_size) == name;
}

FAULT("attributes-null-with-count") {
  After<SLOT(PJRT_Plugin_Attributes)>([](auto& args) { args.attributes = nullptr; });
}
FAULT("attributes-without-stablehlo-versions") {
  ChangeAttributes([](auto& list) {
    std::vector<PJRT_NamedValue> rest;
    for (const auto& value : list) {
      if (std::string_view(value.name, value.name_size).find("stablehlo") == std::string_view::npos) rest.push_back(value);
    }
    list = rest;
  });
}
FAULT("attributes-version-of-two-numbers") {
  ChangeAttributes([](auto& list) {
    for (auto& value : list) {
      if (Is(value, "stablehlo_current_version")) value.value_size = 2;
    }
  });
}
FAULT("attributes-minimum-newer-than-current") {
  ChangeAttributes([](auto& list) {
    PJRT_NamedValue *current = nullptr, *minimum = nullptr;
    for (auto& value : list) {
      if (Is(value, "stablehlo_current_version")) current = &value;
      if (Is(value, "stablehlo_minimum_version")) minimum = &value;
    }
    if (current && minimum) std::swap(current->int64_array_value, minimum->int64_array_value);
  });
}
FAULT("attributes-current-version-as-text") {
  ChangeAttributes([](auto& list) {
    for (auto& value : list) {
      if (!Is(value, "stablehlo_current_version")) continue;
      value.type = PJRT_NamedValue_kString;
      value.string_value = "1.13.0";
      value.value_size = 6;
    }
  });
}
FAULT("attributes-type-out-of-enum") {
  ChangeAttributes([](auto& list) { list[0].type = static_cast<PJRT_NamedValue_Type>(9); });
}
FAULT("attributes-scalar-of-size-0") {
  ChangeAttributes([](auto& list) {
    for (auto& value : list) {
      if (Is(value, "xla_version")) value.value_size = 0;
    }
  });
}
FAULT("attributes-name-twice") {
  ChangeAttributes([](auto& list) { list.push_back(list[0]); });
}
FAULT("attributes-without-struct-size") {
  ChangeAttributes([](auto& list) {
    for (auto& value : list) value.struct_size = 0;
  });
}
FAULT("attributes-made-anew") {
  // Each call rebuilds the array in place.
  After<SLOT(PJRT_Plugin_Attributes)>([](auto& args) {
    static std::vector<PJRT_NamedValue> rooms[2];
    static std::atomic<int> calls{0};
    const int call = calls++;
    std::vector<PJRT_NamedValue>& room = rooms[call % 2];
    std::vector<PJRT_NamedValue>& other = rooms[(call + 1) % 2];
    room.assign(args.attributes, args.attributes + args.num_attributes);
    for (auto& value : other) value.value_size = 77;
    args.attributes = room.data();
  });
}
FAULT("attributes-only-before-client") {
  OwnErrors();
  static std::atomic<bool> client{false};
  After<SLOT(PJRT_Client_Create)>([](auto&) { client = true; });
  Replace<SLOT(PJRT_Plugin_Attributes)>([](auto& args, auto& original) -> PJRT_Error* {
    return client ? MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "there is a client") : original(&args);
  });
}
FAULT("attributes-fail") {
  OwnErrors();
  Replace<SLOT(PJRT_Plugin_Attributes)>([](auto&, auto&) -> PJRT_Error* {
    return MakeError(PJRT_Error_Code_INTERNAL, "there are no attributes");
  });
}
FAULT("attributes-old-size-without-count") {
  Replace<SLOT(PJRT_Plugin_Attributes)>([](auto& args, auto& original) -> PJRT_Error* {
    // Accepts 24 as declared, and writes no count.
    if (args.struct_size != 24) return original(&args);
    PJRT_Plugin_Attributes_Args whole{};
    whole.struct_size = PJRT_Plugin_Attributes_Args_STRUCT_SIZE;
    PJRT_Error* error = original(&whole);
    args.attributes = whole.attributes;
    return error;
  });
}

// ---- initialization -----------------------------------------------------------------------------------------------------

FAULT("initialize-needs-a-free-lock") {
  // One process at a time: the effect of an accelerator's lock on a second one.
  OwnErrors();
  Replace<SLOT(PJRT_Plugin_Initialize)>([](auto& args, auto& original) -> PJRT_Error* {
    if (std::getenv("PJRT_FAULTS_LOCKED") != nullptr) return MakeError(PJRT_Error_Code_ABORTED, "the device is in use");
    setenv("PJRT_FAULTS_LOCKED", "1", 1);
    return original(&args);
  });
}
FAULT("initialize-crashes-first") {
  // Initialization needs something that only client creation provides.
  static std::atomic<bool> known{false};
  Before<SLOT(PJRT_Plugin_Attributes)>([](auto&) { known = true; });
  Before<SLOT(PJRT_Plugin_Initialize)>([](auto&) {
    if (!known) std::abort();
  });
}
FAULT("initialize-twice-breaks-client") {
  OwnErrors();
  static std::atomic<int> calls{0};
  Before<SLOT(PJRT_Plugin_Initialize)>([](auto&) { ++calls; });
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    return calls > 1 ? MakeError(PJRT_Error_Code_ALREADY_EXISTS, "initialized twice") : original(&args);
  });
}

// ---- the client ---------------------------------------------------------------------------------------------------------

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
    static std::string rooms[2];
    static std::mutex mutex;
    static int next = 0;
    std::lock_guard<std::mutex> lock(mutex);
    std::string& room = rooms[next ^= 1];
    for (char& c : rooms[next ^ 1]) c = '?';
    room.assign(args.platform_name, args.platform_name_size);
    args.platform_name = room.data();
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
  OwnErrors();
  Replace<SLOT(PJRT_Client_PlatformVersion)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "no version"); });
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
    const PJRT_NamedValue* given = args.create_options;
    const size_t count = args.num_options;
    args.create_options = known.data();
    args.num_options = known.size();
    PJRT_Error* error = original(&args);
    args.create_options = given;
    args.num_options = count;
    return error;
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
    auto* copy = new std::vector<PJRT_Device*>(all);
    args.devices = copy->data();
    args.num_devices = copy->size();
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
    auto* copy = new std::vector<PJRT_Memory*>(all);
    args.addressable_memories = copy->data();
    args.num_addressable_memories = copy->size();
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
    PJRT_KeyValuePutCallback_Args put{};
    put.struct_size = PJRT_KeyValuePutCallback_Args_STRUCT_SIZE;
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
  PJRT_Client_Devices_Args args{};
  args.struct_size = PJRT_Client_Devices_Args_STRUCT_SIZE;
  args.client = client;
  Drop(Base().PJRT_Client_Devices(&args));
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

// ---- devices ------------------------------------------------------------------------------------------------------------

/** Replaces a list with one that lives forever. */
template <class T>
void Relist(T*& list, size_t& count, std::vector<std::remove_const_t<T>> made) {
  auto* kept = new std::vector<std::remove_const_t<T>>(std::move(made));
  list = kept->data();
  count = kept->size();
}
template <class T>
std::vector<std::remove_const_t<T>> Copy(T* list, size_t count) {
  return {list, list + count};
}

FAULT("devices-null-in-list") {
  After<SLOT(PJRT_Client_Devices)>([](auto& args) {
    auto list = Copy(args.devices, args.num_devices);
    list.push_back(nullptr);
    Relist(args.devices, args.num_devices, list);
  });
}
FAULT("devices-one-twice") {
  After<SLOT(PJRT_Client_Devices)>([](auto& args) {
    auto list = Copy(args.devices, args.num_devices);
    list.push_back(list[0]);
    Relist(args.devices, args.num_devices, list);
  });
}
FAULT("devices-order-changes") {
  After<SLOT(PJRT_Client_AddressableDevices)>([](auto& args) {
    static std::atomic<int> calls{0};
    auto list = Copy(args.addressable_devices, args.num_addressable_devices);
    if (++calls % 2 == 0) std::reverse(list.begin(), list.end());
    Relist(args.addressable_devices, args.num_addressable_devices, list);
  });
}
FAULT("devices-lost-after-failure") {
  static std::atomic<int> failures{0};
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) ++failures;
    return error;
  });
  After<SLOT(PJRT_Client_Devices)>([](auto& args) {
    // Every second failure leaks one, until the next releases it.
    if (failures % 2 == 1) args.num_devices -= 1;
  });
}
FAULT("devices-addressable-not-all") {
  After<SLOT(PJRT_Client_AddressableDevices)>([](auto& args) { args.num_addressable_devices -= 1; });
}
FAULT("devices-addressable-missing-from-all") {
  After<SLOT(PJRT_Client_Devices)>([](auto& args) { args.num_devices -= 1; });
}
FAULT("devices-none") {
  After<SLOT(PJRT_Client_Devices)>([](auto& args) { args.num_devices = 0; });
}
FAULT("device-not-addressable") {
  After<SLOT(PJRT_Device_IsAddressable)>([](auto& args) { args.is_addressable = false; });
}
FAULT("device-description-made-anew") {
  // Every second call returns the description of another device.
  After<SLOT(PJRT_Device_GetDescription)>([](auto& args) {
    static std::atomic<int> calls{0};
    static std::map<PJRT_Device*, PJRT_DeviceDescription*> known;
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    known[args.device] = args.device_description;
    if (++calls % 2 == 0) args.device_description = known.begin()->second;
  });
}
FAULT("device-ids-all-zero") {
  After<SLOT(PJRT_DeviceDescription_Id)>([](auto& args) { args.id = 0; });
}
FAULT("device-ids-negative") {
  After<SLOT(PJRT_DeviceDescription_Id)>([](auto& args) { args.id = -1 - args.id; });
}
FAULT("device-process-index-other") {
  After<SLOT(PJRT_DeviceDescription_ProcessIndex)>([](auto& args) { args.process_index = 3; });
}
FAULT("device-kind-empty") {
  After<SLOT(PJRT_DeviceDescription_Kind)>([](auto& args) { args.device_kind_size = 0; });
}
FAULT("device-kind-with-number") {
  After<SLOT(PJRT_DeviceDescription_Kind)>([](auto& args) {
    static std::mutex mutex;
    static std::map<const void*, std::string> kinds;
    std::lock_guard<std::mutex> lock(mutex);
    std::string& kind = kinds[args.device_description];
    if (kind.empty()) kind = std::string(args.device_kind, args.device_kind_size) + " " + std::to_string(kinds.size());
    args.device_kind = kind.data();
    args.device_kind_size = kind.size();
  });
}
FAULT("device-debug-string-empty") {
  After<SLOT(PJRT_DeviceDescription_DebugString)>([](auto& args) { args.debug_string_size = 0; });
}
FAULT("device-debug-string-same-for-all") {
  After<SLOT(PJRT_DeviceDescription_DebugString)>([](auto& args) {
    args.debug_string = "device";
    args.debug_string_size = 6;
  });
}
FAULT("device-to-string-is-a-temporary") {
  After<SLOT(PJRT_DeviceDescription_ToString)>([](auto& args) {
    static std::atomic<int> calls{0};
    auto* text = new std::string(args.to_string, args.to_string_size);
    if (++calls % 2 == 0) text->append("!");
    args.to_string = text->data();
    args.to_string_size = text->size();
  });
}
void ChangeDeviceAttributes(std::function<void(std::vector<PJRT_NamedValue>&)> change) {
  After<SLOT(PJRT_DeviceDescription_Attributes)>([change](auto& args) {
    auto list = Copy(args.attributes, args.num_attributes);
    change(list);
    Relist(args.attributes, args.num_attributes, list);
  });
}
PJRT_NamedValue Named(const char* name, PJRT_NamedValue_Type type) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = type;
  value.value_size = 1;
  return value;
}
FAULT("device-attribute-is-float") {
  ChangeDeviceAttributes([](auto& list) { list.push_back(Named("clock_ghz", PJRT_NamedValue_kFloat)); });
}
FAULT("device-attribute-without-name") {
  ChangeDeviceAttributes([](auto& list) {
    list.push_back(Named("x", PJRT_NamedValue_kInt64));
    list.back().name_size = 0;
  });
}
FAULT("device-attribute-string-without-size") {
  ChangeDeviceAttributes([](auto& list) {
    list.push_back(Named("slice", PJRT_NamedValue_kString));
    list.back().string_value = nullptr;
    list.back().value_size = 4;
  });
}
FAULT("device-attributes-unimplemented") {
  OwnErrors();
  Replace<SLOT(PJRT_DeviceDescription_Attributes)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "no attributes"); });
}
FAULT("device-attributes-fail") {
  OwnErrors();
  Replace<SLOT(PJRT_DeviceDescription_Attributes)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no attributes"); });
}
FAULT("device-local-ids-all-zero") {
  After<SLOT(PJRT_Device_LocalHardwareId)>([](auto& args) { args.local_hardware_id = 0; });
}
FAULT("device-of-buffers-is-first") {
  After<SLOT(PJRT_Buffer_Device)>([](auto& args) {
    static PJRT_Device* first = args.device;
    args.device = first;
  });
}

// ---- statistics of memory -----------------------------------------------------------------------------------------------

FAULT("stats-negative") {
  After<SLOT(PJRT_Device_MemoryStats)>([](auto& args) { args.bytes_in_use = -1; });
}
FAULT("stats-flags-unwritten") {
  Replace<SLOT(PJRT_Device_MemoryStats)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Device_MemoryStats_Args before = args;
    PJRT_Error* error = original(&args);
    args.num_allocs_is_set = before.num_allocs_is_set;
    args.pool_bytes_is_set = before.pool_bytes_is_set;
    return error;
  });
}
FAULT("stats-peak-below-use") {
  After<SLOT(PJRT_Device_MemoryStats)>([](auto& args) {
    args.bytes_in_use += 1 << 20;
    args.peak_bytes_in_use = 1;
    args.peak_bytes_in_use_is_set = true;
  });
}
FAULT("stats-do-not-follow") {
  After<SLOT(PJRT_Device_MemoryStats)>([](auto& args) {
    static const int64_t first = args.bytes_in_use;
    args.bytes_in_use = first;
    args.peak_bytes_in_use_is_set = false;
  });
}
FAULT("stats-fail") {
  OwnErrors();
  Replace<SLOT(PJRT_Device_MemoryStats)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no statistics"); });
}
FAULT("stats-clear-does-nothing") { Ignore<SLOT(PJRT_Device_ClearMemoryStats)>(); }

// ---- newer functions of devices -----------------------------------------------------------------------------------------

FAULT("device-newer-attributes-without-deleter") {
  After<SLOT(PJRT_Device_GetAttributes)>([](auto& args) { args.attributes_deleter = nullptr; });
}
FAULT("device-newer-attributes-share-memory") {
  After<SLOT(PJRT_Device_GetAttributes)>([](auto& args) {
    static std::vector<PJRT_NamedValue> room(64);
    for (size_t i = 0; i < args.num_attributes && i < room.size(); ++i) room[i] = args.attributes[i];
    args.attributes = room.data();
    // The deleter of one set destroys all of them.
    args.device_attributes = nullptr;
    args.attributes_deleter = [](PJRT_Device_Attributes*) {
      for (auto& value : room) value.type = static_cast<PJRT_NamedValue_Type>(99);
    };
  });
}
FAULT("device-newer-attributes-float") {
  After<SLOT(PJRT_Device_GetAttributes)>([](auto& args) {
    auto list = Copy(args.attributes, args.num_attributes);
    list.push_back(Named("clock_ghz", PJRT_NamedValue_kFloat));
    Relist(args.attributes, args.num_attributes, list);
  });
}
FAULT("device-newer-attributes-fail") {
  OwnErrors();
  Replace<SLOT(PJRT_Device_GetAttributes)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no attributes"); });
}
FAULT("poison-unknown-launch-fails") {
  OwnErrors();
  Replace<SLOT(PJRT_Device_PoisonExecution)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    return error == nullptr && !args.poisoned ? MakeError(PJRT_Error_Code_NOT_FOUND, "no such launch") : error;
  });
}
FAULT("poison-always-says-yes") {
  After<SLOT(PJRT_Device_PoisonExecution)>([](auto& args) { args.poisoned = true; });
}
FAULT("poison-loses-code") {
  Before<SLOT(PJRT_Device_PoisonExecution)>([](auto& args) { args.error_code = PJRT_Error_Code_INTERNAL; });
}
FAULT("poison-does-nothing") {
  Replace<SLOT(PJRT_Device_PoisonExecution)>([](auto& args, auto&) -> PJRT_Error* {
    args.poisoned = false;
    return nullptr;
  });
}
FAULT("poison-payload-type-unchecked") {
  Replace<SLOT(PJRT_Device_PoisonExecution)>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t count = args.num_payload;
    args.num_payload = 0;
    PJRT_Error* error = original(&args);
    args.num_payload = count;
    return error;
  });
}
FAULT("tracking-event-fails") {
  OwnErrors();
  Replace<SLOT(PJRT_Device_CreateAsyncTrackingEvent)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no tracking events"); });
}
FAULT("tracking-event-null-aborts") {
  Before<SLOT(PJRT_AsyncTrackingEvent_Destroy)>([](auto& args) {
    if (args.event == nullptr) std::abort();
  });
}

// ---- memories -----------------------------------------------------------------------------------------------------------

FAULT("memory-ids-all-zero") {
  After<SLOT(PJRT_Memory_Id)>([](auto& args) { args.id = 0; });
}
FAULT("memory-ids-count-up") {
  After<SLOT(PJRT_Memory_Id)>([](auto& args) {
    static std::atomic<int> next{100};
    args.id = next++;
  });
}
FAULT("memory-kind-empty") {
  After<SLOT(PJRT_Memory_Kind)>([](auto& args) { args.kind_size = 0; });
}
FAULT("memory-kind-is-a-temporary") {
  After<SLOT(PJRT_Memory_Kind)>([](auto& args) {
    static std::string rooms[2];
    static std::mutex mutex;
    static int next = 0;
    std::lock_guard<std::mutex> lock(mutex);
    for (char& c : rooms[next]) c = '?';
    std::string& room = rooms[next ^= 1];
    room.assign(args.kind, args.kind_size);
    args.kind = room.data();
  });
}
FAULT("memory-kind-same-for-all") {
  After<SLOT(PJRT_Memory_Kind)>([](auto& args) {
    args.kind = "device";
    args.kind_size = 6;
  });
}
FAULT("memory-kind-ids-all-equal") {
  After<SLOT(PJRT_Memory_Kind_Id)>([](auto& args) { args.kind_id = 7; });
}
FAULT("memory-kind-ids-are-memory-ids") {
  After<SLOT(PJRT_Memory_Kind_Id)>([](auto& args) {
    PJRT_Memory_Id_Args id{};
    id.struct_size = PJRT_Memory_Id_Args_STRUCT_SIZE;
    id.memory = args.memory;
    Drop(Base().PJRT_Memory_Id(&id));
    args.kind_id = id.id;
  });
}
FAULT("memory-debug-string-null") {
  After<SLOT(PJRT_Memory_DebugString)>([](auto& args) {
    args.debug_string = nullptr;
    args.debug_string_size = 0;
  });
}
FAULT("memory-to-string-changes") {
  After<SLOT(PJRT_Memory_ToString)>([](auto& args) {
    static std::atomic<int> calls{0};
    if (++calls % 2 == 0) args.to_string_size -= 1;
  });
}
FAULT("memory-of-no-device") {
  After<SLOT(PJRT_Memory_AddressableByDevices)>([](auto& args) { args.num_devices = 0; });
}
FAULT("memory-of-first-device-only") {
  After<SLOT(PJRT_Memory_AddressableByDevices)>([](auto& args) {
    static PJRT_Device* first = args.devices[0];
    Relist(args.devices, args.num_devices, {first});
  });
}
FAULT("memory-default-is-anothers") {
  After<SLOT(PJRT_Device_DefaultMemory)>([](auto& args) {
    static PJRT_Memory* first = args.memory;
    args.memory = first;
  });
}
FAULT("memory-default-is-last") {
  // The default memory is one of the device's, but not the one in which buffers are created.
  After<SLOT(PJRT_Device_DefaultMemory)>([](auto& args) {
    PJRT_Device_AddressableMemories_Args list{};
    list.struct_size = PJRT_Device_AddressableMemories_Args_STRUCT_SIZE;
    list.device = args.device;
    Drop(Base().PJRT_Device_AddressableMemories(&list));
    if (list.num_memories > 0) args.memory = list.memories[list.num_memories - 1];
  });
}
FAULT("memories-of-client-incomplete") {
  After<SLOT(PJRT_Client_AddressableMemories)>([](auto& args) { args.num_addressable_memories -= 1; });
}
FAULT("memories-of-client-change") {
  After<SLOT(PJRT_Client_AddressableMemories)>([](auto& args) {
    static std::atomic<int> calls{0};
    auto list = Copy(args.addressable_memories, args.num_addressable_memories);
    if (++calls % 2 == 0) std::reverse(list.begin(), list.end());
    Relist(args.addressable_memories, args.num_addressable_memories, list);
  });
}
FAULT("memories-of-device-internal-error") {
  OwnErrors();
  Replace<SLOT(PJRT_Device_AddressableMemories)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no memories"); });
}
FAULT("memories-of-client-internal-error") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_AddressableMemories)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no memories"); });
}
FAULT("memories-of-device-order-changes") {
  After<SLOT(PJRT_Device_AddressableMemories)>([](auto& args) {
    static std::atomic<int> calls{0};
    auto list = Copy(args.memories, args.num_memories);
    if (++calls % 2 == 0) std::reverse(list.begin(), list.end());
    Relist(args.memories, args.num_memories, list);
  });
}
FAULT("memory-of-buffers-is-default") {
  After<SLOT(PJRT_Buffer_Memory)>([](auto& args) {
    static PJRT_Memory* first = args.memory;
    args.memory = first;
  });
}

/** Replaces the function table of every returned memory. */
void ChangeMemoryTables(std::function<void(PJRT_Memory_FunctionTable&)> change) {
  if (Base().pjrt_api_version.minor_version < 105) return Missing("a function table of memories");
  auto give = [change](PJRT_Memory* memory) {
    static PJRT_Memory_FunctionTable table;
    static std::once_flag once;
    if (memory == nullptr || memory->vtable == nullptr) return;
    std::call_once(once, [&] {
      table = *memory->vtable;
      change(table);
    });
    memory->vtable = &table;
  };
  After<SLOT(PJRT_Device_AddressableMemories)>([give](auto& args) {
    for (size_t i = 0; i < args.num_memories; ++i) give(args.memories[i]);
  });
  After<SLOT(PJRT_Client_AddressableMemories)>([give](auto& args) {
    for (size_t i = 0; i < args.num_addressable_memories; ++i) give(args.addressable_memories[i]);
  });
  After<SLOT(PJRT_Device_DefaultMemory)>([give](auto& args) { give(args.memory); });
}
void* (*right_get)(PJRT_Memory*, const void*);
void (*right_set)(PJRT_Memory*, const void*, void*, void (*)(void*));
FAULT("memory-table-without-setter") {
  ChangeMemoryTables([](auto& table) { table.set_user_data = nullptr; });
}
FAULT("memory-data-under-unknown-key") {
  ChangeMemoryTables([](auto& table) {
    right_get = table.get_user_data;
    table.get_user_data = [](PJRT_Memory* memory, const void* key) {
      void* data = right_get(memory, key);
      return data != nullptr ? data : memory;
    };
  });
}
FAULT("memory-data-one-key-for-all") {
  ChangeMemoryTables([](auto& table) {
    right_get = table.get_user_data;
    right_set = table.set_user_data;
    static int only;
    table.get_user_data = [](PJRT_Memory* memory, const void*) { return right_get(memory, &only); };
    table.set_user_data = [](PJRT_Memory* memory, const void*, void* data, void (*dtor)(void*)) {
      right_set(memory, &only, data, dtor);
    };
  });
}
FAULT("memory-data-never-destroyed") {
  ChangeMemoryTables([](auto& table) {
    right_set = table.set_user_data;
    table.set_user_data = [](PJRT_Memory* memory, const void* key, void* data, void (*)(void*)) {
      right_set(memory, key, data, nullptr);
    };
  });
}

// ---- topologies ---------------------------------------------------------------------------------------------------------

FAULT("topology-null") {
  After<SLOT(PJRT_Client_TopologyDescription)>([](auto& args) { args.topology = nullptr; });
}
FAULT("topology-platform-name-other") {
  After<SLOT(PJRT_TopologyDescription_PlatformName)>([](auto& args) {
    args.platform_name = "other";
    args.platform_name_size = 5;
  });
}
FAULT("topology-platform-name-empty") {
  After<SLOT(PJRT_TopologyDescription_PlatformName)>([](auto& args) { args.platform_name_size = 0; });
}
FAULT("topology-platform-version-fails") {
  OwnErrors();
  Replace<SLOT(PJRT_TopologyDescription_PlatformVersion)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no version"); });
}
FAULT("topology-attributes-fail") {
  OwnErrors();
  Replace<SLOT(PJRT_TopologyDescription_Attributes)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no attributes"); });
}
FAULT("topology-attributes-of-unknown-type") {
  After<SLOT(PJRT_TopologyDescription_Attributes)>([](auto& args) {
    auto list = Copy(args.attributes, args.num_attributes);
    list.push_back(Named("odd", static_cast<PJRT_NamedValue_Type>(8)));
    Relist(args.attributes, args.num_attributes, list);
  });
}
FAULT("topology-forgets-a-device") {
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) { args.num_descriptions -= 1; });
}
FAULT("topology-order-changes") {
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    static std::atomic<int> calls{0};
    auto list = Copy(args.descriptions, args.num_descriptions);
    if (++calls % 2 == 0) std::reverse(list.begin(), list.end());
    Relist(args.descriptions, args.num_descriptions, list);
  });
}
FAULT("topology-kind-differs-from-client") {
  static std::mutex mutex;
  static std::set<const void*> described;
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_descriptions; ++i) described.insert(args.descriptions[i]);
  });
  After<SLOT(PJRT_Device_GetDescription)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    described.erase(args.device_description);
  });
  After<SLOT(PJRT_DeviceDescription_Kind)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (described.count(args.device_description) > 0) {
      args.device_kind = "topological";
      args.device_kind_size = 11;
    }
  });
}
FAULT("topology-lost-after-work") {
  OwnErrors();
  static std::atomic<bool> worked{false};
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto&) { worked = true; });
  Replace<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args, auto& original) -> PJRT_Error* {
    return worked ? MakeError(PJRT_Error_Code_INTERNAL, "the topology is gone") : original(&args);
  });
}
FAULT("topology-descriptions-fail") {
  OwnErrors();
  static std::mutex mutex;
  static std::set<const void*> described;
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < args.num_descriptions; ++i) described.insert(args.descriptions[i]);
  });
  Replace<SLOT(PJRT_DeviceDescription_DebugString)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    return described.count(args.device_description) > 0 ? MakeError(PJRT_Error_Code_INTERNAL, "no device") : original(&args);
  });
}
FAULT("topology-serialization-differs") {
  After<SLOT(PJRT_TopologyDescription_Serialize)>([](auto& args) {
    static std::atomic<int> calls{0};
    if (++calls % 2 == 0 && args.serialized_bytes_size > 0) args.serialized_bytes_size -= 1;
  });
}
FAULT("topology-serialization-without-deleter") {
  After<SLOT(PJRT_TopologyDescription_Serialize)>([](auto& args) { args.serialized_topology_deleter = nullptr; });
}
FAULT("topology-serialization-empty") {
  After<SLOT(PJRT_TopologyDescription_Serialize)>([](auto& args) { args.serialized_bytes_size = 0; });
}
FAULT("topology-serialization-leaks") {
  After<SLOT(PJRT_TopologyDescription_Serialize)>([](auto& args) {
    // The text is built in memory that is never freed.
    auto* room = new std::vector<char>(4096, 1);
    (void)room;
    args.serialized_topology_deleter = [](PJRT_SerializedTopology*) {};
  });
}
FAULT("topology-any-bytes-accepted") {
  Replace<SLOT(PJRT_TopologyDescription_Deserialize)>([](auto& args, auto& original) -> PJRT_Error* {
    static std::string good;
    PJRT_Error* error = original(&args);
    if (error == nullptr) {
      if (good.empty()) good.assign(args.serialized_topology, args.serialized_topology_size);
      return nullptr;
    }
    if (good.empty()) return error;
    Drop(error);
    const char* given = args.serialized_topology;
    const size_t size = args.serialized_topology_size;
    args.serialized_topology = good.data();
    args.serialized_topology_size = good.size();
    error = original(&args);
    args.serialized_topology = given;
    args.serialized_topology_size = size;
    return error;
  });
}
FAULT("topology-round-trip-loses-a-device") {
  static std::mutex mutex;
  static std::set<const void*> copies;
  After<SLOT(PJRT_TopologyDescription_Deserialize)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    copies.insert(args.topology);
  });
  After<SLOT(PJRT_TopologyDescription_GetDeviceDescriptions)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    if (copies.count(args.topology) > 0) args.num_descriptions -= 1;
  });
}
FAULT("topology-fingerprint-zero") {
  After<SLOT(PJRT_TopologyDescription_Fingerprint)>([](auto& args) { args.fingerprint = 0; });
}
FAULT("topology-fingerprint-by-address") {
  After<SLOT(PJRT_TopologyDescription_Fingerprint)>(
      [](auto& args) { args.fingerprint ^= reinterpret_cast<uintptr_t>(args.topology); });
}
FAULT("topology-unknown-name-accepted") {
  Replace<SLOT(PJRT_TopologyDescription_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    const char* given = args.topology_name;
    const size_t size = args.topology_name_size;
    args.topology_name = nullptr;
    args.topology_name_size = 0;
    PJRT_Error* error = original(&args);
    args.topology_name = given;
    args.topology_name_size = size;
    return error;
  });
}
FAULT("topology-unknown-option-ignored") {
  Replace<SLOT(PJRT_TopologyDescription_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    const size_t count = args.num_options;
    args.num_options = 0;
    PJRT_Error* error = original(&args);
    args.num_options = count;
    return error;
  });
}
FAULT("topology-by-name-fails") {
  OwnErrors();
  Replace<SLOT(PJRT_TopologyDescription_Create)>(
      [](auto&, auto&) -> PJRT_Error* { return MakeError(PJRT_Error_Code_INTERNAL, "no hardware was found"); });
}
FAULT("topology-nameless-aborts") {
  Before<SLOT(PJRT_TopologyDescription_Create)>([](auto& args) {
    if (args.topology_name_size == 0) std::abort();
  });
}
FAULT("topology-kind-ids-twice") {
  After<SLOT(PJRT_TopologyDescription_GetMemorySpaceKindIds)>([](auto& args) {
    auto list = Copy(args.memory_space_kind_ids, args.num_memory_space_kind_ids);
    list.push_back(list[0]);
    Relist(args.memory_space_kind_ids, args.num_memory_space_kind_ids, list);
  });
}
FAULT("topology-kind-ids-of-its-own") {
  After<SLOT(PJRT_TopologyDescription_GetMemorySpaceKindIds)>([](auto& args) {
    auto list = Copy(args.memory_space_kind_ids, args.num_memory_space_kind_ids);
    for (int& id : list) id += 5000;
    Relist(args.memory_space_kind_ids, args.num_memory_space_kind_ids, list);
  });
}
FAULT("topology-canonical-shape-empty") {
  After<SLOT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace)>([](auto& args) { args.serialized_shape_size = 0; });
}
FAULT("topology-canonical-shape-loses-layout") {
  Replace<SLOT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace)>([](auto& args, auto& original) -> PJRT_Error* {
    const PJRT_Buffer_MemoryLayout* given = args.layout;
    args.layout = nullptr;
    PJRT_Error* error = original(&args);
    args.layout = given;
    return error;
  });
}

}  // namespace
