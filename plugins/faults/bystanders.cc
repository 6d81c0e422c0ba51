// What has nothing to do with a call, and is changed by it all the same.
#include "../wrapper/shared_set.h"
#include "calls.h"
#include "damage.h"
#include "living.h"
#include "programs.h"

namespace {

using namespace faults;

// Who suffers.
void Oldest() { Living().Each(SpoilArray); }
void Newest() { Living().EachFromNewest(SpoilArray); }
void OldestOfLastDevice() {
  int64_t last = 0;
  Living().Each([&](PJRT_Buffer* buffer) {
    last = std::max(last, IdOf(DeviceOf(buffer)));
    return false;
  });
  Living().Each([last](PJRT_Buffer* buffer) { return IdOf(DeviceOf(buffer)) == last && SpoilArray(buffer); });
}
SharedSet<PJRT_Buffer*>& Poisoned() {
  static SharedSet<PJRT_Buffer*> poisoned;
  return poisoned;
}
/** Everything that is pending ends in an error. */
void Pending() {
  Living().Each([](PJRT_Buffer* buffer) {
    if (!IsReady(buffer)) Poisoned().Add(buffer);
    return false;
  });
}
std::atomic<int> wrong_runs{0};
/** The next execution of anything computes something else. */
void NextExecution() { wrong_runs = 1; }

void WatchAll() {
  OwnEvents();
  WatchBuffers();
  ReadDamage();
  After<Execute>([](auto& args) {
    if (args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    if (wrong_runs.exchange(0) > 0) Damaged().Add(args.output_lists[0][0]);
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    if (!Poisoned().Has(args.buffer)) return;
    OwnEvent* event = NewEvent();
    event->Set(PJRT_Error_Code_INTERNAL, "the device was reset");
    args.event = event->handle();
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { Poisoned().Remove(args.buffer); });
}

/** A call that fails. */
#define AFTER_FAILURE(name, function, suffers)                                                        \
  FAULT("bystander-of-failed-" #name) {                                                               \
    WatchAll();                                                                                       \
    Replace<SLOT(PJRT_##function)>([](auto& args, auto& original) -> PJRT_Error* {                    \
      PJRT_Error* error = original(&args);                                                            \
      if (error != nullptr) suffers();                                                                \
      return error;                                                                                   \
    });                                                                                               \
  }
AFTER_FAILURE(lookup, Client_LookupDevice, Oldest)
AFTER_FAILURE(loading, Executable_DeserializeAndLoad, NextExecution)
AFTER_FAILURE(execution, LoadedExecutable_Execute, Newest)
AFTER_FAILURE(transfer, Client_BufferFromHostBuffer, OldestOfLastDevice)
AFTER_FAILURE(read, Buffer_ToHostBuffer, Pending)
AFTER_FAILURE(allocation, Client_CreateUninitializedBuffer, Oldest)
AFTER_FAILURE(topology, TopologyDescription_Create, NextExecution)
AFTER_FAILURE(lookup_by_hardware, Client_LookupAddressableDevice, OldestOfLastDevice)

/** A call that succeeds. */
#define AFTER_SUCCESS(name, function, suffers)                                                        \
  FAULT("bystander-of-" #name) {                                                                      \
    WatchAll();                                                                                       \
    After<SLOT(PJRT_##function)>([](auto&) { suffers(); });                                           \
  }
AFTER_SUCCESS(ended_client, Client_Destroy, Oldest)
AFTER_SUCCESS(error_buffer, Client_CreateErrorBuffer, Pending)
AFTER_SUCCESS(uninitialized, Client_CreateUninitializedBuffer, Newest)
AFTER_SUCCESS(ended_manager, AsyncHostToDeviceTransferManager_Destroy, Pending)
AFTER_SUCCESS(cleared_statistics, Device_ClearMemoryStats, Oldest)
AFTER_SUCCESS(deleted_executable, LoadedExecutable_Delete, NextExecution)
/** Events that are pending say that they are ready once this has happened. */
std::atomic<bool> hurried{false};
void Hurry() { hurried = true; }
#define HURRIED_BY(name, watch)                                                                       \
  FAULT("pending-hurried-by-" #name) {                                                                \
    MarksItself();                                                                                    \
    watch();                                                                                          \
    After<SLOT(PJRT_Event_IsReady)>([](auto& args) {                                                  \
      if (args.is_ready || !hurried) return;                                                          \
      MarkReached();                                                                                  \
      args.is_ready = true;                                                                           \
    });                                                                                               \
  }
template <class Slot>
void Failure() {
  Replace<Slot>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) Hurry();
    return error;
  });
}
template <class Slot>
void Success() {
  After<Slot>([](auto&) { Hurry(); });
}
void RunWithoutArguments() {
  After<Execute>([](auto& args) {
    if (args.num_args == 0) Hurry();
  });
}
HURRIED_BY(run_without_arguments, RunWithoutArguments)
HURRIED_BY(deletion, Success<SLOT(PJRT_Buffer_Delete)>)
HURRIED_BY(failed_compilation, Failure<SLOT(PJRT_Client_Compile)>)
HURRIED_BY(error_of_another, Success<SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError)>)
HURRIED_BY(end_of_a_manager, Success<SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy)>)
HURRIED_BY(end_of_a_client, Success<SLOT(PJRT_Client_Destroy)>)
FAULT("bystander-of-program-without-outputs") {
  WatchAll();
  After<Execute>([](auto& args) {
    if (OutputsOf(args.executable) == 0) OldestOfLastDevice();
  });
}
FAULT("bystander-of-empty-transfer") {
  // No memory is asked for, and that of another array is written.
  WatchAll();
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (std::count(args.dims, args.dims + args.num_dims, 0) > 0) Newest();
    return original(&args);
  });
}

}  // namespace
