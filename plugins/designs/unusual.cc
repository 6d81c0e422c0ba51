// Designs with answers that the header allows and that other plugins do not give.
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "designs.h"

namespace designs {
namespace {

/** Every call of Error_Message returns another copy, which lives as long as the error. */
void CopyMessages() {
  static std::mutex mutex;
  static auto& copies = *new std::multimap<const PJRT_Error*, std::string>();
  After<SLOT(PJRT_Error_Message)>([](auto& args) {
    if (args.message == nullptr) return;
    std::lock_guard<std::mutex> lock(mutex);
    const auto copy = copies.emplace(args.error, std::string(args.message, args.message_size));
    args.message = copy->second.c_str();
  });
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    copies.erase(args.error);
  });
}

/** What a failed call leaves in an output is not zero, and no handle. */
template <class T>
T* Junk() {
  return reinterpret_cast<T*>(uintptr_t{0x5a5a5a50});
}

void LeaveJunk() {
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && HAS(args, PJRT_Client_LookupDevice_Args, device)) args.device = Junk<PJRT_Device>();
    return error;
  });
  Replace<SLOT(PJRT_Client_LookupAddressableDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && HAS(args, PJRT_Client_LookupAddressableDevice_Args, addressable_device)) {
      args.addressable_device = Junk<PJRT_Device>();
    }
    return error;
  });
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && HAS(args, PJRT_Client_Compile_Args, executable)) {
      args.executable = Junk<PJRT_LoadedExecutable>();
    }
    return error;
  });
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && HAS(args, PJRT_Client_BufferFromHostBuffer_Args, buffer)) {
      args.buffer = Junk<PJRT_Buffer>();
      args.done_with_host_buffer = Junk<PJRT_Event>();
    }
    return error;
  });
}

/** Executables have no name. */
void NamelessExecutables() {
  After<SLOT(PJRT_Executable_Name)>([](auto& args) {
    args.executable_name = "";
    args.executable_name_size = 0;
  });
}

/** Devices have no hardware id: -1 stands for "undefined", and nothing is found by it. */
void NoHardwareIds() {
  After<SLOT(PJRT_Device_LocalHardwareId)>([](auto& args) { args.local_hardware_id = -1; });
  Replace<SLOT(PJRT_Client_LookupAddressableDevice)>([](auto&, auto&) -> PJRT_Error* {
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no device has a local hardware id");
  });
}

/** GetExecutable returns one handle with one more reference, which each Executable_Destroy takes back. */
void SharedExecutables() {
  struct Shared {
    PJRT_Executable* handle;
    size_t references;
  };
  static std::mutex mutex;
  static auto& shared = *new std::map<PJRT_LoadedExecutable*, Shared>();
  Replace<SLOT(PJRT_LoadedExecutable_GetExecutable)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    const auto known = shared.find(args.loaded_executable);
    if (known != shared.end()) {
      known->second.references++;
      args.executable = known->second.handle;
      return nullptr;
    }
    PJRT_Error* error = original(&args);
    if (error == nullptr) shared[args.loaded_executable] = {args.executable, 1};
    return error;
  });
  Replace<SLOT(PJRT_Executable_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto entry = shared.begin(); entry != shared.end(); ++entry) {
      if (entry->second.handle != args.executable) continue;
      if (--entry->second.references > 0) return nullptr;
      shared.erase(entry);
      break;
    }
    return original(&args);
  });
  // A loaded executable that comes at the same address has another executable.
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto known = shared.find(args.executable);
    if (known == shared.end()) return;
    const Shared left = known->second;
    shared.erase(known);
    // The handles that are left still count, under a key that no loaded executable has.
    shared[reinterpret_cast<PJRT_LoadedExecutable*>(reinterpret_cast<uintptr_t>(left.handle) | 1)] = left;
  });
}

}  // namespace

void UnusualAnswers() {
  const auto list = Setting("PJRT_DESIGN_ANSWERS");
  if (!list) return;
  static const std::map<std::string, void (*)()> all = {
      {"copied-messages", CopyMessages},         {"junk-on-error", LeaveJunk},
      {"nameless-executables", NamelessExecutables}, {"no-hardware-ids", NoHardwareIds},
      {"shared-executables", SharedExecutables},
  };
  for (const std::string& name : Split(*list)) {
    const auto found = all.find(name);
    if (found == all.end()) Die("PJRT_DESIGN_ANSWERS: " + name + " is not known");
    found->second();
  }
}

}  // namespace designs
