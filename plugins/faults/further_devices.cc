// Devices behind the second one, for which tables are too small, and what is made of several of them.
#include <map>

#include "calls.h"
#include "damage.h"
#include "execute.h"
#include "leak.h"
#include "living.h"
#include "programs.h"

namespace {

using namespace faults;

std::mutex mutex;
std::map<const PJRT_Device*, std::pair<PJRT_Client*, size_t>> places;

/** Records the places of devices in the lists of their clients. */
void WatchDevices() {
  After<SLOT(PJRT_Client_Create)>([](auto& args) {
    ARGS(PJRT_Client_AddressableDevices, list);
    list.client = args.client;
    Ask(Base().PJRT_Client_AddressableDevices, list);
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < list.num_addressable_devices; ++i) places[list.addressable_devices[i]] = {args.client, i};
  });
}
size_t PlaceOf(const PJRT_Device* device) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto found = places.find(device);
  return found == places.end() ? 0 : found->second.second;
}
/** Another device of the same client. */
PJRT_Device* Sibling(const PJRT_Device* device, size_t place) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto of = places.find(device);
  for (const auto& [other, where] : places) {
    if (of != places.end() && where.first == of->second.first && where.second == place) return const_cast<PJRT_Device*>(other);
  }
  return const_cast<PJRT_Device*>(device);
}

FAULT("further-device-spoils-transfers") {
  WatchDevices();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    const bool own = args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    if (own && PlaceOf(DeviceOf(args.buffer)) == 3 && AwaitBuffer(args.buffer)) SpoilArray(args.buffer);
  });
}
FAULT("further-device-spoils-reads") {
  WatchDevices();
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (args.dst == nullptr || PlaceOf(DeviceOf(args.src)) < 2 || !Await(args.event)) return;
    if (const size_t size = HostBytes(args.src)) static_cast<uint8_t*>(args.dst)[size - 1] ^= 0x11;
  });
}
FAULT("further-devices-copy-nothing") {
  // From one of them to another.
  WatchDevices();
  ReadDamage();
  Replace<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    const bool between = PlaceOf(DeviceOf(args.buffer)) >= 2 && PlaceOf(args.dst_device) >= 2;
    PJRT_Error* error = original(&args);
    if (error == nullptr && between) Damaged().Add(args.dst_buffer);
    return error;
  });
}
FAULT("further-device-computes-otherwise") {
  WatchDevices();
  ReadDamage();
  After<Execute>([](auto& args) {
    const size_t outputs = args.output_lists == nullptr || args.num_devices != 1 ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) {
      if (PlaceOf(DeviceOf(args.output_lists[0][i])) == 3) Damaged().Add(args.output_lists[0][i]);
    }
  });
}
FAULT("further-lists-exchanged") {
  // Outputs of the third and the fourth list.
  After<Execute>([](auto& args) {
    if (args.output_lists == nullptr || args.num_devices < 4) return;
    for (size_t i = 0; i < OutputsOf(args.executable); ++i) std::swap(args.output_lists[2][i], args.output_lists[3][i]);
  });
}
FAULT("further-lists-complete-early") {
  OwnEvents();
  After<Execute>([](auto& args) {
    for (size_t d = 2; args.device_complete_events != nullptr && d < args.num_devices; ++d)
      args.device_complete_events[d] = ReadyEvent();
  });
}
FAULT("further-device-holds-nothing") {
  // A table of devices has room for two: the third is the first once more.
  WatchDevices();
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.device == nullptr || PlaceOf(args.device) < 2) return original(&args);
    return With(args, original, args.device, Sibling(args.device, PlaceOf(args.device) % 2));
  });
}
FAULT("further-device-keeps-donors") {
  WatchDevices();
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    if (PlaceOf(DeviceOf(args.buffer)) >= 2) args.is_deleted = false;
  });
}
FAULT("further-device-leaks") {
  WatchDevices();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (PlaceOf(DeviceOf(args.buffer)) >= 2) Leak(16 << 10);
  });
}
FAULT("further-device-leaks-copies") {
  WatchDevices();
  After<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args) {
    if (PlaceOf(args.dst_device) >= 2) Leak(16 << 10);
  });
}
FAULT("further-device-has-other-statistics") {
  WatchDevices();
  Replace<SLOT(PJRT_Device_MemoryStats)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.device, PlaceOf(args.device) == 3 ? Sibling(args.device, 2) : args.device);
  });
}
FAULT("further-device-has-other-memory") {
  WatchDevices();
  Replace<SLOT(PJRT_Device_DefaultMemory)>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.device, PlaceOf(args.device) == 3 ? Sibling(args.device, 2) : args.device);
  });
}
FAULT("further-device-ready-at-once") {
  OwnEvents();
  WatchDevices();
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    if (PlaceOf(DeviceOf(args.buffer)) >= 2 && !IsReady(args.buffer)) args.event = ReadyEvent();
  });
}
/** What three devices or more compute together with one operation. */
#define WRONG_TOGETHER(name)                                                                          \
  FAULT("further-devices-" #name) {                                                                   \
    AfterRun([](Run& run) {                                                                           \
      if (run.args.num_devices < 3 || !run.program.Has(#name)) return;                                \
      for (const Array& out : run.outputs) {                                                          \
        if (out.list >= 2 && out.count() > 0) out.bytes[out.count() * ElementBytes(out.shape.type) - 1] ^= 0x11; \
      }                                                                                               \
    });                                                                                               \
  }
WRONG_TOGETHER(all_reduce)
WRONG_TOGETHER(all_gather)
WRONG_TOGETHER(collective_permute)
WRONG_TOGETHER(reduce_scatter)
WRONG_TOGETHER(all_to_all)

FAULT("further-memories-copy-nothing") {
  WatchDevices();
  ReadDamage();
  After<SLOT(PJRT_Buffer_CopyToMemory)>([](auto& args) {
    if (PlaceOf(DeviceOf(args.dst_buffer)) >= 2) Damaged().Add(args.dst_buffer);
  });
}
FAULT("further-device-takes-wrongly") {
  WatchDevices();
  ReadDamage();
  After<Execute>([](auto& args) {
    if (args.num_devices != 1 || args.num_args == 0 || args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    PJRT_Buffer* taken = args.argument_lists[0][0];
    if (IsDeleted(taken) && PlaceOf(DeviceOf(args.output_lists[0][0])) >= 2) Damaged().Add(args.output_lists[0][0]);
  });
}
/** Executions on several devices, of which `wrong` says that they go wrong. */
template <class Wrong>
void WrongTogether(Wrong wrong) {
  WatchDevices();
  ReadDamage();
  After<Execute>([wrong](auto& args) {
    if (args.num_devices < 2 || args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    if (wrong(args)) Damaged().Add(args.output_lists[1][0]);
  });
}
FAULT("devices-without-the-first-compute-otherwise") {
  WrongTogether([](const ExecuteArgs& args) {
    for (size_t d = 0; d < args.num_devices; ++d) {
      if (PlaceOf(DeviceOf(args.output_lists[d][0])) == 0) return false;
    }
    return true;
  });
}

}  // namespace
