// The table: version, size, slots.
#include <cstdlib>
#include <cstring>

#include "faults.h"

namespace {

using namespace faults;

FAULT("table-major-version-1") { Table().pjrt_api_version.major_version = 1; }
FAULT("table-version-newer-than-size") {
  // The version is from a newer header than the table.
  Table().pjrt_api_version.minor_version = Base().pjrt_api_version.minor_version < 100 ? 107 : 96;
}
FAULT("table-minor-version-0") { Table().pjrt_api_version.minor_version = 0; }
FAULT("table-version-struct-without-size") { Table().pjrt_api_version.struct_size = 0; }
FAULT("table-version-extension-wild") {
  Table().pjrt_api_version.extension_start = reinterpret_cast<PJRT_Extension_Base*>(0x1234);
}
FAULT("table-size-no-whole-pointers") { Table().struct_size += 4; }
FAULT("table-size-forgets-last-functions") { Table().struct_size -= 6 * sizeof(void*); }
FAULT("table-size-too-large") { Table().struct_size += 8 * sizeof(void*); }
FAULT("table-function-null") { Table().PJRT_Buffer_IsOnCpu = nullptr; }
FAULT("table-function-is-data") {
  static int data = 42;
  Table().PJRT_LoadedExecutable_Fingerprint = reinterpret_cast<decltype(Table().PJRT_LoadedExecutable_Fingerprint)>(&data);
}
FAULT("table-new-at-each-call") {
  OnGetPjrtApi([] {
    auto* copy = static_cast<PJRT_Api*>(std::malloc(Base().struct_size));
    std::memcpy(copy, &Table(), Base().struct_size);
    return copy;
  });
}
FAULT("table-changes-after-initialize") {
  After<SLOT(PJRT_Plugin_Initialize)>([](auto&) {
    // Functions that exist only after initialization.
    static PJRT_Error* (*original)(PJRT_Buffer_IsOnCpu_Args*) = Table().PJRT_Buffer_IsOnCpu;
    Table().PJRT_Buffer_IsOnCpu = [](PJRT_Buffer_IsOnCpu_Args* args) { return original(args); };
  });
}
FAULT("table-two-functions-swapped") {
  // Both take a device and return a number: a table in the order of another header.
  auto id = Table().PJRT_Device_LocalHardwareId;
  auto is = Table().PJRT_Device_IsAddressable;
  std::memcpy(&Table().PJRT_Device_LocalHardwareId, &is, sizeof(is));
  std::memcpy(&Table().PJRT_Device_IsAddressable, &id, sizeof(id));
}
FAULT("null-buffer-destroy-aborts") {
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    if (args.buffer == nullptr) std::abort();
  });
}
FAULT("null-error-destroy-aborts") {
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    if (args.error == nullptr) std::abort();
  });
}
FAULT("null-event-destroy-aborts") {
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    if (args.event == nullptr) std::abort();
  });
}
FAULT("null-client-destroy-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.client == nullptr ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no client") : original(&args);
  });
}
FAULT("null-executable-destroy-aborts") {
  Before<SLOT(PJRT_Executable_Destroy)>([](auto& args) {
    if (args.executable == nullptr) std::abort();
  });
}
FAULT("null-loaded-executable-destroy-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.executable == nullptr ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no executable") : original(&args);
  });
}
FAULT("null-topology-destroy-aborts") {
  Before<SLOT(PJRT_TopologyDescription_Destroy)>([](auto& args) {
    if (args.topology == nullptr) std::abort();
  });
}
FAULT("null-transfer-manager-destroy-aborts") {
  Before<SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy)>([](auto& args) {
    if (args.transfer_manager == nullptr) std::abort();
  });
}
FAULT("null-context-destroy-aborts") {
  Before<SLOT(PJRT_ExecuteContext_Destroy)>([](auto& args) {
    if (args.context == nullptr) std::abort();
  });
}
FAULT("null-copy-stream-destroy-aborts") {
  Before<SLOT(PJRT_CopyToDeviceStream_Destroy)>([](auto& args) {
    if (args.stream == nullptr) std::abort();
  });
}

}  // namespace
