// Designs that change the answers of functions.
#include <algorithm>
#include <atomic>

#include "designs.h"

namespace designs {

void HideExtensions() {
  const char* variable = "PJRT_DESIGN_EXTENSIONS";
  const auto list = Setting(variable);
  if (!list) return;
  const std::vector<int> kept = Numbers(variable, *list);
  KeepExtensions([&kept](PJRT_Extension_Type type) {
    return std::find(kept.begin(), kept.end(), static_cast<int>(type)) != kept.end();
  });
}

void SlowClient() {
  const int pause = Milliseconds("PJRT_DESIGN_CLIENT_MS");
  if (pause == 0) return;
  Before<SLOT(PJRT_Client_Create)>([pause](auto&) {
    static std::atomic<bool> warm{false};
    if (!warm.exchange(true)) SleepMs(pause);
  });
}

void OneClient() {
  if (!Has("PJRT_DESIGN_CLIENTS", "one")) return;
  static std::atomic<bool> taken{false};
  Replace<SLOT(PJRT_Client_Create)>([](auto& args, auto& original) -> PJRT_Error* {
    if (taken.exchange(true)) {
      return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "the device belongs to another client of this process");
    }
    PJRT_Error* error = original(&args);
    if (error != nullptr) taken = false;
    return error;
  });
  After<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (HAS(args, PJRT_Client_Destroy_Args, client) && args.client != nullptr) taken = false;
  });
}

void NotOnCpu() {
  if (!Has("PJRT_DESIGN_ON_CPU", "no")) return;
  After<SLOT(PJRT_Buffer_IsOnCpu)>([](auto& args) { args.is_on_cpu = false; });
}

void EmptyMemories() {
  if (!Has("PJRT_DESIGN_MEMORIES", "empty")) return;
  After<SLOT(PJRT_Client_AddressableMemories)>([](auto& args) {
    args.addressable_memories = nullptr;
    args.num_addressable_memories = 0;
  });
  After<SLOT(PJRT_Device_AddressableMemories)>([](auto& args) {
    args.memories = nullptr;
    args.num_memories = 0;
  });
}

void RefuseSizeQuery() {
  if (!Has("PJRT_DESIGN_SIZE_QUERY", "refused")) return;
  Replace<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (HAS(args, PJRT_Buffer_ToHostBuffer_Args, dst) && args.dst == nullptr) {
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "the destination is null");
    }
    return original(&args);
  });
}

}  // namespace designs
