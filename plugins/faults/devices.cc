// Devices: lists, descriptions, attributes, memory statistics, poisoned executions.
#include <atomic>
#include <cstdlib>
#include <map>

#include "calls.h"

namespace {

using namespace faults;

FAULT("devices-null-in-list") {
  After<SLOT(PJRT_Client_Devices)>([](auto& args) {
    ChangeList(args.devices, args.num_devices, [](auto& list) { list.push_back(nullptr); });
  });
}
FAULT("devices-one-twice") {
  After<SLOT(PJRT_Client_Devices)>([](auto& args) {
    ChangeList(args.devices, args.num_devices, [](auto& list) { list.push_back(list[0]); });
  });
}
FAULT("devices-order-changes") {
  After<SLOT(PJRT_Client_AddressableDevices)>([](auto& args) {
    ReverseEverySecond(args.addressable_devices, args.num_addressable_devices);
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
    ChangeList(args.attributes, args.num_attributes, change);
  });
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
  Fail<SLOT(PJRT_DeviceDescription_Attributes)>(PJRT_Error_Code_UNIMPLEMENTED, "no attributes");
}
FAULT("device-attributes-fail") {
  Fail<SLOT(PJRT_DeviceDescription_Attributes)>(PJRT_Error_Code_INTERNAL, "no attributes");
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

FAULT("device-attributes-change-after-compilation") {
  // The compiler enters what it found out about the device.
  static std::atomic<bool> compiled{false};
  After<SLOT(PJRT_Client_Compile)>([](auto&) { compiled = true; });
  ChangeDeviceAttributes([](auto& list) {
    list.push_back(Named("vmem_in_use", PJRT_NamedValue_kInt64));
    list.back().int64_value = compiled ? 1 : 0;
  });
}
FAULT("device-attributes-count-clients") {
  // Coordinates go on counting from client to client.
  static std::atomic<int> clients{0};
  After<SLOT(PJRT_Client_Create)>([](auto&) { ++clients; });
  ChangeDeviceAttributes([](auto& list) {
    list.push_back(Named("core_on_chip", PJRT_NamedValue_kInt64));
    list.back().int64_value = clients;
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
  Fail<SLOT(PJRT_Device_MemoryStats)>(PJRT_Error_Code_INTERNAL, "no statistics");
}
FAULT("stats-freed-twice") {
  // Deleting a buffer and destroying it both count as its end.
  static std::atomic<int64_t> lost{0};
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    if (args.buffer == nullptr) return;
    const Shape shape = ShapeOf(args.buffer);
    lost += static_cast<int64_t>(shape.count() * ElementBytes(shape.type));
  });
  After<SLOT(PJRT_Device_MemoryStats)>([](auto& args) { args.bytes_in_use = std::max<int64_t>(0, args.bytes_in_use - lost); });
}
FAULT("stats-of-reads-stay") {
  // The staging memory of a read counts for ever.
  static std::atomic<int64_t> staged{0};
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (args.dst != nullptr) staged += static_cast<int64_t>(args.dst_size);
  });
  After<SLOT(PJRT_Device_MemoryStats)>([](auto& args) {
    args.bytes_in_use += staged;
    args.peak_bytes_in_use_is_set = false;
  });
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
    ChangeList(args.attributes, args.num_attributes,
               [](auto& list) { list.push_back(Named("clock_ghz", PJRT_NamedValue_kFloat)); });
  });
}
FAULT("device-newer-attributes-fail") {
  Fail<SLOT(PJRT_Device_GetAttributes)>(PJRT_Error_Code_INTERNAL, "no attributes");
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
    return With(args, original, args.num_payload, 0);
  });
}
FAULT("tracking-event-fails") {
  Fail<SLOT(PJRT_Device_CreateAsyncTrackingEvent)>(PJRT_Error_Code_INTERNAL, "no tracking events");
}
FAULT("tracking-event-null-aborts") {
  Before<SLOT(PJRT_AsyncTrackingEvent_Destroy)>([](auto& args) {
    if (args.event == nullptr) std::abort();
  });
}

}  // namespace
