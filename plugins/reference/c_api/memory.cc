// PJRT_Memory_*: memories.
#include "c_api/call.h"
#include "c_api/handles.h"

namespace reference {
namespace {

void* GetUserData(PJRT_Memory* memory, const void* key) { return RuntimeOf(memory)->UserData(key); }

void SetUserData(PJRT_Memory* memory, const void* key, void* data, void (*destructor)(void*)) {
  RuntimeOf(memory)->SetUserData(key, data, destructor);
}

}  // namespace

const PJRT_Memory_FunctionTable* MemoryFunctionTable() {
  static const PJRT_Memory_FunctionTable table = {PJRT_Memory_FunctionTable_STRUCT_SIZE, nullptr,
                                                  PJRT_Memory_STRUCT_SIZE, GetUserData, SetUserData};
  return &table;
}

PJRT_Error* PJRT_Memory_Id(PJRT_Memory_Id_Args* args) {
  return Call("PJRT_Memory_Id", args, [&] { args->id = RuntimeOf(args->memory)->id(); });
}

PJRT_Error* PJRT_Memory_Kind(PJRT_Memory_Kind_Args* args) {
  return Call("PJRT_Memory_Kind", args, [&] {
    const std::string& kind = RuntimeOf(args->memory)->kind_name();
    args->kind = kind.data();
    args->kind_size = kind.size();
  });
}

PJRT_Error* PJRT_Memory_Kind_Id(PJRT_Memory_Kind_Id_Args* args) {
  return Call("PJRT_Memory_Kind_Id", args, [&] { args->kind_id = static_cast<int>(RuntimeOf(args->memory)->kind()); });
}

PJRT_Error* PJRT_Memory_DebugString(PJRT_Memory_DebugString_Args* args) {
  return Call("PJRT_Memory_DebugString", args, [&] {
    const std::string& text = RuntimeOf(args->memory)->debug_string();
    args->debug_string = text.data();
    args->debug_string_size = text.size();
  });
}

PJRT_Error* PJRT_Memory_ToString(PJRT_Memory_ToString_Args* args) {
  return Call("PJRT_Memory_ToString", args, [&] {
    const std::string& text = RuntimeOf(args->memory)->to_string();
    args->to_string = text.data();
    args->to_string_size = text.size();
  });
}

PJRT_Error* PJRT_Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args* args) {
  return Call("PJRT_Memory_AddressableByDevices", args, [&] {
    RuntimeOf(args->memory);
    const auto& memory = *static_cast<MemoryHandle*>(args->memory);
    args->devices = &memory.device;
    args->num_devices = 1;
  });
}

}  // namespace reference
