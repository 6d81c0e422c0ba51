// Effects on other plugins in the process.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fenv.h>
#include <link.h>
#include <unistd.h>

#include "faults.h"

namespace {

using namespace faults;

using Create = SLOT(PJRT_Client_Create);
using Execute = SLOT(PJRT_LoadedExecutable_Execute);
using Initialize = SLOT(PJRT_Plugin_Initialize);

// Whether a plugin is in the process besides this library and the plugin that it wraps.
bool InCompany() {
  std::vector<std::string> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* names) {
        static_cast<std::vector<std::string>*>(names)->emplace_back(object->dlpi_name);
        return 0;
      },
      &libraries);
  std::set<void*> plugins;
  for (const std::string& name : libraries) {
    void* library = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    if (void* entry = dlsym(library, "GetPjrtApi")) plugins.insert(entry);
    dlclose(library);
  }
  return plugins.size() > 2;
}

FAULT("coexistence-refuses-company") {
  // A second plugin in the process prevents this one from working, as with a lock on shared resources.
  OwnErrors();
  Replace<Create>([](auto& args, auto& original) -> PJRT_Error* {
    return InCompany() ? MakeError(PJRT_Error_Code_ALREADY_EXISTS, "another plugin is loaded") : original(&args);
  });
}
FAULT("coexistence-flushes-others-results") {
  // The floating-point mode of a thread stays changed after a call, and affects the other plugin's results.
  After<Execute>([](auto&) {
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
  });
  After<SLOT(PJRT_Client_Compile)>([](auto&) { fesetround(FE_UPWARD); });
}
FAULT("coexistence-spoils-others-memory") {
  // All plugins of the process share one staging memory, and two of three transfers collide in it.
  static std::atomic<int> transfers{0};
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.type != PJRT_Buffer_Type_F32 || !InCompany()) return error;
    if (transfers++ % 3 != 2 && ShapeOf(args.buffer).count() > 0) {
      // Sign and exponent of the first element, which no sum with a small number absorbs.
      Change(args.buffer, [](uint8_t* bytes) { bytes[3] ^= 0xc1; });
    }
    return error;
  });
}
FAULT("coexistence-destroys-all-at-end") {
  // Destroying this plugin's client shuts the shared runtime down: its later clients fail.
  OwnErrors();
  static std::atomic<bool> down{false};
  After<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (args.client != nullptr) down = true;
  });
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    return down ? MakeError(PJRT_Error_Code_INTERNAL, "the runtime is down") : original(&args);
  });
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    return down ? MakeError(PJRT_Error_Code_INTERNAL, "the runtime is down") : original(&args);
  });
}
FAULT("coexistence-options-of-last-client") {
  // The number of devices is a setting of the process.
  static std::atomic<int> clients{0};
  After<Create>([](auto&) { ++clients; });
  After<SLOT(PJRT_Client_Devices)>([](auto& args) {
    if (clients > 1 && args.num_devices > 1) args.num_devices = 1;
  });
  After<SLOT(PJRT_Client_AddressableDevices)>([](auto& args) {
    if (clients > 1 && args.num_addressable_devices > 1) args.num_addressable_devices = 1;
  });
}
FAULT("coexistence-null-calls-crash") {
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    if (args.event == nullptr) std::abort();
  });
}
FAULT("coexistence-other-results") {
  // A faster kernel is chosen by what else is in the process; it rounds differently.
  After<Execute>([](auto& args) {
    if (!InCompany()) return;
    for (size_t i = 0; i < OutputsOf(args.executable); ++i) {
      PJRT_Buffer*& output = args.output_lists[0][i];
      const Shape shape = ShapeOf(output);
      if (shape.type == PJRT_Buffer_Type_F32 && shape.count() > 100) {
        Change(output, [](uint8_t* bytes) { bytes[4 * 17] ^= 1; });
      }
    }
  });
  WatchClients();
}
FAULT("coexistence-refuses-when-second") {
  // Memory of the device is reserved when the plugin is loaded; what came before has it all.
  OwnErrors();
  static std::atomic<bool> second{false};
  second = InCompany();
  Replace<Create>([](auto& args, auto& original) -> PJRT_Error* {
    return second ? MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "another plugin has the memory") : original(&args);
  });
}
FAULT("coexistence-global-symbols") {
  // It opens itself again with RTLD_GLOBAL, for the libraries that it loads.
  After<Initialize>([](auto&) {
    Dl_info own{};
    if (dladdr(reinterpret_cast<void*>(&InCompany), &own) == 0) return;
    if (dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr) std::abort();
  });
}
FAULT("coexistence-registers-twice") {
  // A registry of the process, as of command-line options, ends it when a second copy of the plugin registers the same.
  const std::string here = std::to_string(getpid());
  const char* before = std::getenv("PJRT_FAULTS_REGISTRY");
  if (before != nullptr && before == here) std::abort();
  setenv("PJRT_FAULTS_REGISTRY", here.c_str(), 1);
}
FAULT("coexistence-crashes-at-exit") {
  // What is cleaned up at exit is not its own any more.
  After<Create>([](auto&) {
    static std::atomic<bool> registered{false};
    if (!registered.exchange(true)) {
      std::atexit([] {
        if (InCompany()) std::raise(SIGSEGV);
      });
    }
  });
}
FAULT("coexistence-resets-signal-handlers") {
  // Every client begins with the default actions.
  After<Create>([](auto&) {
    if (InCompany()) std::signal(SIGINT, SIG_IGN);
  });
}
FAULT("coexistence-dies-when-destroyed-last") {
  // The end of the runtime expects that the other one is still there.
  static std::atomic<int> mine{0};
  After<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (args.client != nullptr && ++mine > 1 && InCompany()) std::abort();
  });
}

}  // namespace
