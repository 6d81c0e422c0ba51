// What a call leaves in the process, so that another call goes wrong later, in a case that has nothing to do with it.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "buffers.h"
#include "calls.h"
#include "damage.h"
#include "execute.h"
#include "profiler.h"

namespace {

using namespace faults;

std::atomic<bool> poisoned{false};
void Poison() { poisoned = true; }

size_t RankOf(PJRT_Buffer* buffer) {
  ARGS(PJRT_Buffer_Dimensions, args);
  args.buffer = buffer;
  return Ask(Base().PJRT_Buffer_Dimensions, args) ? args.num_dims : 0;
}

// What poisons the process.
template <class Slot>
void Call() {
  After<Slot>([](auto&) { Poison(); });
}
template <class Slot>
void FailedCall() {
  Replace<Slot>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) Poison();
    return error;
  });
}
void Donation() {
  After<Execute>([](auto& args) {
    for (size_t i = 0; i < args.num_args; ++i) {
      if (args.num_devices > 0 && IsDeleted(args.argument_lists[0][i])) Poison();
    }
  });
}
void StridedArray() {
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (args.num_byte_strides > 1) Poison();
  });
}
void ProfilerSession() {
  ChangeProfiler([](PLUGIN_Profiler_Api& table) {
    table.stop = [](PLUGIN_Profiler_Stop_Args* args) {
      Poison();
      return base_profiler.stop(args);
    };
  });
}
/** Both a compilation that fails and an event of the caller's. */
void TwoThings() {
  static std::atomic<int> seen{0};
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr && (seen |= 1) == 3) Poison();
    return error;
  });
  After<SLOT(PJRT_Event_Create)>([](auto&) {
    if ((seen |= 2) == 3) Poison();
  });
}

// What goes wrong then.
template <class Slot>
void Refuses() {
  OwnErrors();
  Replace<Slot>([](auto& args, auto& original) -> PJRT_Error* {
    if (!poisoned) return original(&args);
    MarkReached();
    return MakeError(PJRT_Error_Code_INTERNAL, "the context of the device was lost");
  });
}
template <class Slot>
void Aborts() {
  Before<Slot>([](auto&) {
    if (poisoned) std::abort();
  });
}
template <class Slot>
void Crashes() {
  Before<Slot>([](auto&) {
    if (poisoned) *reinterpret_cast<volatile int*>(16) = 1;
  });
}
template <class Slot>
void Hangs() {
  Before<Slot>([](auto&) {
    while (poisoned) std::this_thread::sleep_for(std::chrono::seconds(1));
  });
}
/** Programs with several outputs compute another first one. */
void SpoilsOutputs() {
  ReadDamage();
  After<Execute>([](auto& args) {
    if (!poisoned || args.output_lists == nullptr || OutputsOf(args.executable) < 2) return;
    MarkReached();
    Damaged().Add(args.output_lists[0][0]);
  });
}
void SpoilsScalars() {
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (!poisoned || args.dst == nullptr || RankOf(args.src) > 0 || !Await(args.event)) return;
    MarkReached();
    static_cast<uint8_t*>(args.dst)[0] ^= 0x5a;
  });
}

#define POISONED(name, by, then)   \
  FAULT("poisoned-by-" #name) {    \
    MarksItself();                 \
    by();                          \
    then();                        \
  }
POISONED(profiler_session, ProfilerSession, SpoilsOutputs)
POISONED(failed_compilation, FailedCall<SLOT(PJRT_Client_Compile)>, Refuses<SLOT(PJRT_Executable_OutputDimensions)>)
POISONED(failed_lookup, FailedCall<SLOT(PJRT_Client_LookupDevice)>, Refuses<SLOT(PJRT_Device_MemoryStats)>)
POISONED(donation, Donation, Refuses<SLOT(PJRT_Executable_Serialize)>)
POISONED(strided_array, StridedArray, SpoilsScalars)
POISONED(error_buffer, Call<SLOT(PJRT_Client_CreateErrorBuffer)>, Refuses<SLOT(PJRT_Event_Create)>)
POISONED(ended_client, Call<SLOT(PJRT_Client_Destroy)>, Refuses<SLOT(PJRT_Client_TopologyDescription)>)
POISONED(device_assignment, Call<SLOT(PJRT_Client_DefaultDeviceAssignment)>, Refuses<SLOT(PJRT_Executable_Fingerprint)>)
POISONED(external_reference, Call<SLOT(PJRT_Buffer_IncreaseExternalReferenceCount)>, Refuses<SLOT(PJRT_Executable_NumOutputs)>)
POISONED(event_of_the_caller, Call<SLOT(PJRT_Event_Set)>, Hangs<SLOT(PJRT_TopologyDescription_Attributes)>)
POISONED(uninitialized_buffer, Call<SLOT(PJRT_Client_CreateUninitializedBuffer)>, Crashes<SLOT(PJRT_Executable_GetCostAnalysis)>)
POISONED(copy_to_memory, Call<SLOT(PJRT_Buffer_CopyToMemory)>, Aborts<SLOT(PJRT_LoadedExecutable_AddressableDevices)>)
POISONED(deleted_executable, Call<SLOT(PJRT_LoadedExecutable_Delete)>, SpoilsOutputs)
POISONED(copy_to_device, Call<SLOT(PJRT_Buffer_CopyToDevice)>, SpoilsOutputs)
POISONED(loading, Call<SLOT(PJRT_Executable_DeserializeAndLoad)>, Refuses<SLOT(PJRT_Executable_Fingerprint)>)
POISONED(two_things_together, TwoThings, Refuses<SLOT(PJRT_Executable_Name)>)

}  // namespace
