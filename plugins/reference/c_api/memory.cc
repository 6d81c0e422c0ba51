// PJRT_Memory_*: memories.
#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/wrap.h"

namespace reference {
namespace {

void* GetUserData(PJRT_Memory* memory, const void* key) { return MemoryOf(memory).UserData(key); }

void SetUserData(PJRT_Memory* memory, const void* key, void* data, void (*destructor)(void*)) {
  MemoryOf(memory).SetUserData(key, data, destructor);
}

}  // namespace

const PJRT_Memory_FunctionTable* MemoryFunctionTable() {
  constexpr int kMinorWithTable = 105;
  static const PJRT_Memory_FunctionTable table = {PJRT_Memory_FunctionTable_STRUCT_SIZE, nullptr,
                                                  PJRT_Memory_STRUCT_SIZE, GetUserData, SetUserData};
  return ApiMinor() < kMinorWithTable ? nullptr : &table;
}

}  // namespace reference

namespace reference::c_api {

PJRT_Error* Memory_Id(PJRT_Memory_Id_Args* args) {
  return Call("PJRT_Memory_Id", args, [&] { args->id = MemoryOf(args->memory).id(); });
}

PJRT_Error* Memory_Kind(PJRT_Memory_Kind_Args* args) {
  return Call("PJRT_Memory_Kind", args, [&] {
    const std::string& kind = MemoryOf(args->memory).kind_name();
    args->kind = kind.data();
    args->kind_size = kind.size();
  });
}

PJRT_Error* Memory_Kind_Id(PJRT_Memory_Kind_Id_Args* args) {
  return Call("PJRT_Memory_Kind_Id", args, [&] { args->kind_id = static_cast<int>(MemoryOf(args->memory).kind()); });
}

PJRT_Error* Memory_DebugString(PJRT_Memory_DebugString_Args* args) {
  return Call("PJRT_Memory_DebugString", args, [&] {
    const std::string& text = MemoryOf(args->memory).debug_string();
    args->debug_string = text.data();
    args->debug_string_size = text.size();
  });
}

PJRT_Error* Memory_ToString(PJRT_Memory_ToString_Args* args) {
  return Call("PJRT_Memory_ToString", args, [&] {
    const std::string& text = MemoryOf(args->memory).to_string();
    args->to_string = text.data();
    args->to_string_size = text.size();
  });
}

PJRT_Error* Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args* args) {
  return Call("PJRT_Memory_AddressableByDevices", args, [&] {
    const std::vector<PJRT_Device*>& devices = HandleOf(Given(args->memory, "memory")).devices;
    args->devices = devices.data();
    args->num_devices = devices.size();
  });
}

}  // namespace reference::c_api
