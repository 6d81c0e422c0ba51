// Memories: ids, kinds, lists, and the data that callers attach to them.
#include <atomic>

#include "calls.h"

namespace {

using namespace faults;

FAULT("memory-ids-all-zero") {
  After<SLOT(PJRT_Memory_Id)>([](auto& args) { args.id = 0; });
}
FAULT("memory-ids-count-up") {
  After<SLOT(PJRT_Memory_Id)>([](auto& args) {
    static std::atomic<int> next{100};
    args.id = next++;
  });
}
FAULT("memory-ids-by-kind") {
  // Each kind counts by itself.
  After<SLOT(PJRT_Memory_Id)>([](auto& args) {
    ARGS(PJRT_Memory_AddressableByDevices, devices);
    devices.memory = args.memory;
    if (Ask(Base().PJRT_Memory_AddressableByDevices, devices)) args.id = static_cast<int>(IdOf(devices.devices[0]));
  });
}
FAULT("memory-ids-by-device") {
  // Each device counts by itself.
  After<SLOT(PJRT_Memory_Id)>([](auto& args) {
    ARGS(PJRT_Memory_AddressableByDevices, devices);
    devices.memory = args.memory;
    ARGS(PJRT_Device_AddressableMemories, own);
    if (!Ask(Base().PJRT_Memory_AddressableByDevices, devices)) return;
    own.device = devices.devices[0];
    if (!Ask(Base().PJRT_Device_AddressableMemories, own)) return;
    args.id = static_cast<int>(std::find(own.memories, own.memories + own.num_memories, args.memory) - own.memories);
  });
}
FAULT("memory-kind-empty") {
  After<SLOT(PJRT_Memory_Kind)>([](auto& args) { args.kind_size = 0; });
}
FAULT("memory-kind-is-a-temporary") {
  After<SLOT(PJRT_Memory_Kind)>([](auto& args) {
    MakeTemporary(args.kind, args.kind_size);
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
    ARGS(PJRT_Memory_Id, id);
    id.memory = args.memory;
    Ask(Base().PJRT_Memory_Id, id);
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
    ChangeList(args.devices, args.num_devices, [](auto& list) { list = {first}; });
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
    ARGS(PJRT_Device_AddressableMemories, list);
    list.device = args.device;
    Ask(Base().PJRT_Device_AddressableMemories, list);
    if (list.num_memories > 0) args.memory = list.memories[list.num_memories - 1];
  });
}
FAULT("memories-of-client-incomplete") {
  After<SLOT(PJRT_Client_AddressableMemories)>([](auto& args) { args.num_addressable_memories -= 1; });
}
FAULT("memories-of-client-change") {
  After<SLOT(PJRT_Client_AddressableMemories)>([](auto& args) {
    ReverseEverySecond(args.addressable_memories, args.num_addressable_memories);
  });
}
FAULT("memories-of-device-internal-error") {
  Fail<SLOT(PJRT_Device_AddressableMemories)>(PJRT_Error_Code_INTERNAL, "no memories");
}
FAULT("memories-of-client-internal-error") {
  Fail<SLOT(PJRT_Client_AddressableMemories)>(PJRT_Error_Code_INTERNAL, "no memories");
}
FAULT("memories-of-device-order-changes") {
  After<SLOT(PJRT_Device_AddressableMemories)>([](auto& args) {
    ReverseEverySecond(args.memories, args.num_memories);
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

}  // namespace
