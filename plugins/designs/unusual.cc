// Designs with answers that the header allows and that other plugins do not give.
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
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

/** Errors of equal text have one message, which lives as long as the process. */
void InternMessages() {
  static std::mutex mutex;
  static auto& texts = *new std::set<std::string>();
  After<SLOT(PJRT_Error_Message)>([](auto& args) {
    if (args.message == nullptr) return;
    std::lock_guard<std::mutex> lock(mutex);
    args.message = texts.emplace(args.message, args.message_size).first->data();
  });
}

void NameExecutables(const char* name) {
  After<SLOT(PJRT_Executable_Name)>([name](auto& args) {
    args.executable_name = name;
    args.executable_name_size = std::strlen(name);
  });
}

/** Whether an event of the base is ready, without an error. */
bool IsDone(PJRT_Event* event) {
  ARGS(PJRT_Event_IsReady, args);
  args.event = event;
  return Ask(Base().PJRT_Event_IsReady, args) && args.is_ready && Await(event);
}

/** One event stands for all that is ready, and each Destroy leaves it alive. */
void ShareReadyEvents() {
  OwnEvents();
  static PJRT_Event* const ready = ReadyEvent();
#define READY(function, field)                                     \
  After<SLOT(PJRT_##function)>([](auto& args) {                    \
    if (args.field == nullptr || !IsDone(args.field)) return;      \
    DestroyEvent(args.field);                                      \
    args.field = ready;                                            \
  })
  READY(Buffer_ReadyEvent, event);
  READY(Buffer_ToHostBuffer, event);
  READY(Buffer_CopyRawToHost, event);
  READY(Client_BufferFromHostBuffer, done_with_host_buffer);
  READY(AsyncHostToDeviceTransferManager_TransferData, done_with_h2d_transfer);
  READY(AsyncHostToDeviceTransferManager_TransferLiteral, done_with_h2d_transfer);
  After<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args) {
    for (size_t i = 0; args.device_complete_events != nullptr && i < args.num_devices; ++i) {
      PJRT_Event*& event = args.device_complete_events[i];
      if (event == nullptr || !IsDone(event)) continue;
      DestroyEvent(event);
      event = ready;
    }
  });
}

/** The ids of memories of different kinds may be alike. */
void NumberMemoriesByKind() {
  After<SLOT(PJRT_Memory_Id)>([](auto& args) {
    ARGS(PJRT_Memory_AddressableByDevices, devices);
    devices.memory = args.memory;
    if (Ask(Base().PJRT_Memory_AddressableByDevices, devices)) args.id = static_cast<int>(IdOf(devices.devices[0]));
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
      {"copied-messages", CopyMessages},
      {"counted-names", CountedNames},
      {"deletions-alone", DeletionsAlone},
      {"interned-messages", InternMessages},
      {"memory-ids-by-kind", NumberMemoriesByKind},
      {"nameless-executables", [] { NameExecutables(""); }},
      {"no-hardware-ids", NoHardwareIds},
      {"one-device-programs", OneDevicePrograms},
      {"one-name", [] { NameExecutables("main"); }},
      {"one-ready-event", ShareReadyEvents},
      {"shared-compilations", SharedCompilations},
      {"shared-executables", SharedExecutables},
      {"some-hardware-ids", SomeHardwareIds},
      {"unknown-code-size", UnknownCodeSize},
  };
  for (const std::string& name : Split(*list)) {
    const auto found = all.find(name);
    if (found == all.end()) Die("PJRT_DESIGN_ANSWERS: " + name + " is not known");
    found->second();
  }
}

}  // namespace designs
