// Designs that do what the header says, and nothing of what other plugins do besides.
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "designs.h"

namespace designs {

void CountedNames() {
  static std::mutex mutex;
  static uint64_t count = 0;
  static auto& numbers = *new std::map<PJRT_LoadedExecutable*, uint64_t>();
  static auto& names = *new std::map<PJRT_Executable*, std::string>();
  const auto number = [](PJRT_LoadedExecutable* loaded) {
    std::lock_guard<std::mutex> lock(mutex);
    numbers[loaded] = ++count;
  };
  After<SLOT(PJRT_Client_Compile)>([number](auto& args) { number(args.executable); });
  After<SLOT(PJRT_Executable_DeserializeAndLoad)>([number](auto& args) { number(args.loaded_executable); });
  After<SLOT(PJRT_LoadedExecutable_GetExecutable)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    names[args.executable] = "executable." + std::to_string(numbers[args.loaded_executable]);
  });
  After<SLOT(PJRT_Compile)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    names[args.executable] = "executable." + std::to_string(++count);
  });
  Before<SLOT(PJRT_Executable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    names.erase(args.executable);
  });
  After<SLOT(PJRT_Executable_Name)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto name = names.find(args.executable);
    if (name == names.end()) return;
    args.executable_name = name->second.c_str();
    args.executable_name_size = name->second.size();
  });
}

void DeletionsAlone() {
  static std::mutex mutex;
  static auto& deleted = *new std::set<PJRT_Buffer*>();
  After<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    deleted.insert(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    deleted.erase(args.buffer);
  });
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    args.is_deleted = deleted.count(args.buffer) > 0;
  });
}

void OneDevicePrograms() {
  OwnErrors();
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) return error;
    ARGS(PJRT_LoadedExecutable_AddressableDevices, devices);
    devices.executable = args.executable;
    if (!Ask(Base().PJRT_LoadedExecutable_AddressableDevices, devices) || devices.num_addressable_devices < 2) return nullptr;
    ARGS(PJRT_LoadedExecutable_Destroy, destroy);
    destroy.executable = args.executable;
    Ask(Base().PJRT_LoadedExecutable_Destroy, destroy);
    args.executable = nullptr;
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "a program has one device");
  });
}

void UnknownCodeSize() {
  After<SLOT(PJRT_Executable_SizeOfGeneratedCodeInBytes)>([](auto& args) { args.size_in_bytes = -1; });
  After<SLOT(PJRT_Executable_GetCompiledMemoryStats)>([](auto& args) {
    args.generated_code_size_in_bytes = -1;
    if (HAS(args, PJRT_Executable_GetCompiledMemoryStats_Args, host_generated_code_size_in_bytes)) {
      args.host_generated_code_size_in_bytes = -1;
    }
  });
}

}  // namespace designs
