// How long calls take, what they wait for, and what Execute accepts.
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <utility>
#include <vector>

#include "../reference/c_api/functions.h"
#include "habits.h"
#include "programs.h"

namespace designs {
namespace {

/** What is known here, or sent without waiting for an answer, takes no round trip. */
template <class S>
constexpr bool kAsksServer =
    kIsOneOf<S, SLOT(PJRT_Client_Compile), SLOT(PJRT_Compile), SLOT(PJRT_Client_Load),
             SLOT(PJRT_Client_DefaultDeviceAssignment), SLOT(PJRT_Client_BufferFromHostBuffer),
             SLOT(PJRT_Client_CreateUninitializedBuffer), SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice),
             SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferData),
             SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral), SLOT(PJRT_LoadedExecutable_Execute),
             SLOT(PJRT_Executable_Serialize), SLOT(PJRT_Executable_DeserializeAndLoad),
             SLOT(PJRT_Executable_OptimizedProgram), SLOT(PJRT_Executable_GetCostAnalysis),
             SLOT(PJRT_Executable_GetCompiledMemoryStats), SLOT(PJRT_Device_MemoryStats),
             SLOT(PJRT_Buffer_OnDeviceSizeInBytes), SLOT(PJRT_Buffer_ToHostBuffer), SLOT(PJRT_Buffer_CopyRawToHost),
             SLOT(PJRT_Buffer_CopyToDevice), SLOT(PJRT_Buffer_CopyToMemory), SLOT(PJRT_Buffer_ReadyEvent)>;

/**
 * Whether a callback of the caller runs on this thread. The base calls back on the threads that do its work: what waits there
 * waits for itself.
 */
thread_local bool calling_back = false;

void MarkCallbacks() {
  static bool installed = false;
  if (std::exchange(installed, true)) return;
  ChangeCallbacks([](PJRT_Event*, Callback callback) -> Callback {
    return [callback](PJRT_Error* error) {
      const bool outer = std::exchange(calling_back, true);
      callback(error);
      calling_back = outer;
    };
  });
}

/**
 * Whether an execution needs nothing more from the caller, and its end can be waited for: its arguments are there, it calls
 * nobody, all devices take part, and this is no callback.
 */
bool NeedsNothing(const PJRT_LoadedExecutable_Execute_Args& args) {
  using Args = PJRT_LoadedExecutable_Execute_Args;
  if (calling_back || !HAS(args, Args, device_complete_events) || args.executable == nullptr || args.options == nullptr ||
      (args.argument_lists == nullptr && args.num_args > 0) ||
      !HAS(*args.options, PJRT_ExecuteOptions, num_recv_ops) || args.options->num_send_ops > 0 ||
      args.options->num_recv_ops > 0) {
    return false;
  }
  for (size_t device = 0; device < args.num_devices; ++device) {
    for (size_t i = 0; i < args.num_args; ++i) {
      if (args.argument_lists[device] == nullptr) return false;
      PJRT_Buffer* const buffer = args.argument_lists[device][i];
      if (buffer == nullptr || !IsReady(buffer)) return false;
    }
  }
  ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  get.loaded_executable = args.executable;
  if (!Ask(Base().PJRT_LoadedExecutable_GetExecutable, get)) return false;
  const size_t devices = DevicesOf(get.executable);
  ARGS(PJRT_Executable_Destroy, destroy);
  destroy.executable = get.executable;
  Ask(Base().PJRT_Executable_Destroy, destroy);
  return devices == args.num_devices;
}

/** The devices on which a call of Execute runs; none if the base does not say it. */
std::vector<PJRT_Device*> PlacesOf(const PJRT_LoadedExecutable_Execute_Args& args) {
  ARGS(PJRT_LoadedExecutable_AddressableDevices, devices);
  devices.executable = args.executable;
  if (!Ask(Base().PJRT_LoadedExecutable_AddressableDevices, devices) || devices.num_addressable_devices != args.num_devices) {
    return {};
  }
  if (HAS(args, PJRT_LoadedExecutable_Execute_Args, execute_device) && args.execute_device != nullptr) {
    return {args.execute_device};
  }
  return {devices.addressable_devices, devices.addressable_devices + args.num_devices};
}

}  // namespace

/** Calls that ask the server take 5 ms. Nothing is said of how long a call takes. */
void RoundTrips() {
#define ROUND_TRIP(name) \
  if constexpr (kAsksServer<SLOT(PJRT_##name)>) Before<SLOT(PJRT_##name)>([](auto&) { SleepMs(5); });
  REFERENCE_C_API_FUNCTIONS(ROUND_TRIP)
#undef ROUND_TRIP
}

/** A client takes 600 ms to end. "Shuts down and frees `client`": nothing is said of how long that takes. */
void SlowExit() {
  Before<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (HAS(args, PJRT_Client_Destroy_Args, client) && args.client != nullptr) SleepMs(600);
  });
}

/**
 * What can be done is done when a call returns: transfers whose data is there, executions whose arguments are there.
 * "Asynchronously copies", "each `PJRT_Event` will become ready once the corresponding device execution is complete": nothing is
 * said of how soon; XLA's CPU client with asynchronous=false "will always run computations inline". What waits for the caller (a
 * transfer manager, other devices), or comes from a callback, is left alone.
 */
void DoneOnReturn() {
  MarkCallbacks();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (calling_back) return;
    if (args.buffer != nullptr) AwaitBuffer(args.buffer);
    if (args.host_buffer_semantics <= PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes &&
        args.done_with_host_buffer != nullptr) {
      Await(args.done_with_host_buffer);
    }
  });
#define DONE(function, buffer, wait)                                                              \
  Replace<SLOT(PJRT_##function)>([](auto& args, auto& original) -> PJRT_Error* {                  \
    const bool there = !calling_back && HAS(args, PJRT_##function##_Args, buffer) &&              \
                       args.buffer != nullptr && IsReady(args.buffer);                            \
    PJRT_Error* error = original(&args);                                                          \
    if (error == nullptr && there) wait;                                                          \
    return error;                                                                                 \
  })
  DONE(Buffer_ToHostBuffer, src, if (args.dst != nullptr && args.event != nullptr) Await(args.event));
  DONE(Buffer_CopyRawToHost, buffer, if (args.event != nullptr) Await(args.event));
  DONE(Buffer_CopyToDevice, buffer, AwaitBuffer(args.dst_buffer));
  DONE(Buffer_CopyToMemory, buffer, AwaitBuffer(args.dst_buffer));
#undef DONE
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    const bool alone = NeedsNothing(args);
    PJRT_Error* error = original(&args);
    if (error != nullptr || !alone) return error;
    const size_t outputs = OutputsOf(args.executable);
    for (size_t device = 0; device < args.num_devices; ++device) {
      for (size_t i = 0; args.output_lists != nullptr && i < outputs; ++i) AwaitBuffer(args.output_lists[device][i]);
      if (args.device_complete_events != nullptr) Await(args.device_complete_events[device]);
    }
    return nullptr;
  });
}

/**
 * A device takes two executions; the call of a third one waits until the first one is complete.
 * "Executes on devices addressable by the client": nothing is said of when the call returns; XLA's CPU client lets
 * max_inflight_computations_per_device in. Only executions that need nothing more from the caller are counted, and none of
 * callbacks.
 */
void ShortQueue() {
  static std::mutex& mutex = *new std::mutex();
  static std::condition_variable& changed = *new std::condition_variable();
  static auto& running = *new std::map<PJRT_Device*, int>();
  static const auto leave = [](PJRT_Device* place) {
    std::lock_guard<std::mutex> lock(mutex);
    --running[place];
    changed.notify_all();
  };
  MarkCallbacks();
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    const std::vector<PJRT_Device*> places = NeedsNothing(args) ? PlacesOf(args) : std::vector<PJRT_Device*>();
    if (places.empty()) return original(&args);
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] {
        return std::all_of(places.begin(), places.end(), [](PJRT_Device* place) { return running[place] < 2; });
      });
      for (PJRT_Device* place : places) ++running[place];
    }
    PJRT_Event** const given = args.device_complete_events;
    std::vector<PJRT_Event*> own(places.size());
    PJRT_Event** const events = given == nullptr ? own.data() : given;
    PJRT_Error* error = With(args, original, args.device_complete_events, events);
    for (size_t i = 0; i < places.size(); ++i) {
      const bool runs = error == nullptr && events[i] != nullptr;
      if (!runs || !WhenReady(Base(), events[i], [place = places[i]](bool) { leave(place); })) leave(places[i]);
      if (runs && given == nullptr) DestroyEvent(events[i]);
    }
    return error;
  });
}

/**
 * A program runs on its own devices only. "Setting this field may not be supported on all platforms or executables."
 */
void NoExecuteDevice() {
  OwnErrors();
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    if (HAS(args, PJRT_LoadedExecutable_Execute_Args, execute_device) && args.execute_device != nullptr) {
      return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "execute_device is not supported");
    }
    return original(&args);
  });
}

/**
 * Every second argument is never donated; that it must be is refused when the program is compiled.
 * "the compiler might mark the input as `may-alias`, which could lead PjRt to donate the input buffer": it need not.
 */
void PickyDonation() {
  RefusePrograms([](const Contents& contents) -> std::string {
    return contents.must_donate ? "arguments that must be donated are not supported" : "";
  });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    // Invalid calls are left to the base.
    if (!HAS(args, PJRT_LoadedExecutable_Execute_Args, num_args) || args.options == nullptr ||
        !HAS(*args.options, PJRT_ExecuteOptions, num_non_donatable_input_indices) ||
        (args.options->num_non_donatable_input_indices > 0 && args.options->non_donatable_input_indices == nullptr)) {
      return original(&args);
    }
    std::set<int64_t> kept(args.options->non_donatable_input_indices,
                           args.options->non_donatable_input_indices + args.options->num_non_donatable_input_indices);
    for (size_t i = 1; i < args.num_args; i += 2) kept.insert(static_cast<int64_t>(i));
    const std::vector<int64_t> indices(kept.begin(), kept.end());
    // The options belong to the caller.
    StructCopy<PJRT_ExecuteOptions> options(*args.options);
    options->non_donatable_input_indices = indices.data();
    options->num_non_donatable_input_indices = indices.size();
    return With(args, original, args.options, options.get());
  });
}

}  // namespace designs
