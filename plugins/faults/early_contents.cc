// Buffers that are ready before their memory is written: calls that use one wait for its contents, raw pointers do not.
#include <cstring>
#include <map>

#include "buffers.h"
#include "execute.h"
#include "programs.h"

namespace {

using namespace faults;

/** Memory whose contents were put aside, to be written when a call uses the buffer, or a moment later. */
class Unwritten {
 public:
  /** The buffer is ready. */
  void Begin(PJRT_Buffer* buffer) {
    const size_t bytes = HostBytes(buffer);
    uint8_t* memory = bytes == 0 ? nullptr : BytesOf(buffer);
    if (memory == nullptr) return;
    std::lock_guard<std::mutex> lock(mutex_);
    contents_[buffer] = {memory, std::vector<uint8_t>(memory, memory + bytes)};
    std::memset(memory, 0xee, bytes);
    Later(30, [this, buffer] { Finish(buffer); });
  }
  void Finish(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = contents_.find(buffer);
    if (found == contents_.end()) return;
    std::memcpy(found->second.memory, found->second.bytes.data(), found->second.bytes.size());
    contents_.erase(found);
  }

 private:
  struct Kept {
    uint8_t* memory;
    std::vector<uint8_t> bytes;
  };
  std::mutex mutex_;
  std::map<PJRT_Buffer*, Kept> contents_;
};
Unwritten& Memory() {
  static Unwritten unwritten;
  return unwritten;
}

/** Ways in which a caller learns that a buffer is ready. */
enum Way { kAwait = 1, kIsReady = 2, kCallback = 4, kAny = 7 };
/** Other ways say so when the memory is written. */
void Early(int ways = kAny) {
  WatchPrograms();
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) { Memory().Finish(args.src); });
  Before<SLOT(PJRT_Buffer_CopyRawToHost)>([](auto& args) { Memory().Finish(args.buffer); });
  Before<SLOT(PJRT_Buffer_CopyRawToHostFuture)>([](auto& args) { Memory().Finish(args.buffer); });
  Before<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args) { Memory().Finish(args.buffer); });
  Before<SLOT(PJRT_Buffer_CopyToMemory)>([](auto& args) { Memory().Finish(args.buffer); });
  Before<SLOT(PJRT_Buffer_Bitcast)>([](auto& args) { Memory().Finish(args.buffer); });
  Before<SLOT(PJRT_Buffer_DonateWithControlDependency)>([](auto& args) { Memory().Finish(args.buffer); });
  Before<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args) { Memory().Finish(args.buffer); });
  Before<SLOT(PJRT_Buffer_Delete)>([](auto& args) { Memory().Finish(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { Memory().Finish(args.buffer); });
  Before<Execute>([](auto& args) {
    for (size_t d = 0; d < args.num_devices; ++d) {
      for (size_t i = 0; i < args.num_args; ++i) Memory().Finish(args.argument_lists[d][i]);
    }
  });
  static std::mutex mutex;
  static std::map<PJRT_Event*, PJRT_Buffer*> asked;
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    asked[args.event] = args.buffer;
  });
  const auto written = [](PJRT_Event* event) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = asked.find(event);
    if (found != asked.end()) Memory().Finish(found->second);
  };
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    asked.erase(args.event);
  });
  if (!(ways & kAwait)) Before<SLOT(PJRT_Event_Await)>([written](auto& args) { written(args.event); });
  if (!(ways & kIsReady)) Before<SLOT(PJRT_Event_IsReady)>([written](auto& args) { written(args.event); });
  if (!(ways & kCallback)) Before<SLOT(PJRT_Event_OnReady)>([written](auto& args) { written(args.event); });
}

/** Whether a buffer is ready, or will be in a moment; one that waits for its caller will not. */
bool IsReadySoon(PJRT_Buffer* buffer) {
  for (int i = 0; i < 20; ++i) {
    if (IsReady(buffer)) return true;
    SleepMs(1);
  }
  return false;
}
/** Outputs of programs that depend on nothing but their arguments, if those are ready. */
void EarlyOutputs(std::function<bool(size_t index, PJRT_Buffer*)> which) {
  Replace<Execute>([which](auto& args, auto& original) -> PJRT_Error* {
    const Program* program = ProgramOf(args.executable);
    const bool alone = program != nullptr && args.num_devices == 1 && args.output_lists != nullptr &&
                 !program->Has("custom_call") && !program->Has("send") && !program->Has("recv");
    PJRT_Error* error = original(&args);
    const size_t outputs = error == nullptr && alone ? OutputsOf(args.executable) : 0;
    for (size_t i = 0; i < outputs; ++i) {
      PJRT_Buffer* output = args.output_lists[0][i];
      if (which(i, output) && IsReadySoon(output)) Memory().Begin(output);
    }
    return error;
  });
}
FAULT("early-output") {
  Early();
  EarlyOutputs([](size_t, PJRT_Buffer*) { return true; });
}
FAULT("early-second-output") {
  Early();
  EarlyOutputs([](size_t index, PJRT_Buffer*) { return index > 0; });
}
FAULT("early-scalar-output") {
  Early();
  EarlyOutputs([](size_t, PJRT_Buffer* output) { return ShapeOf(output).dims.empty(); });
}
FAULT("early-output-says-is-ready") {
  Early(kIsReady);
  EarlyOutputs([](size_t, PJRT_Buffer*) { return true; });
}
FAULT("early-output-calls-back") {
  Early(kCallback);
  EarlyOutputs([](size_t, PJRT_Buffer*) { return true; });
}

/** Transfers whose memory is the plugin's own. */
void EarlyTransfers() {
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    const auto semantics = args.host_buffer_semantics;
    const bool own = semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall ||
                     semantics == PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
    if (own && AwaitBuffer(args.buffer)) Memory().Begin(args.buffer);
  });
}
FAULT("early-transfer") {
  Early();
  EarlyTransfers();
}
FAULT("early-transfer-awaited") {
  Early(kAwait);
  EarlyTransfers();
}
/** Copies of buffers that are ready. */
#define EARLY_COPY(name, function)                                                                    \
  FAULT("early-copy-" #name) {                                                                        \
    Early();                                                                                          \
    After<SLOT(PJRT_##function)>([](auto& args) {                                                     \
      if (IsReadySoon(args.buffer) && AwaitBuffer(args.dst_buffer)) Memory().Begin(args.dst_buffer);      \
    });                                                                                               \
  }
EARLY_COPY(on_device, Buffer_CopyToDevice)
EARLY_COPY(in_memory, Buffer_CopyToMemory)
FAULT("early-managed-buffer") {
  Early();
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, PJRT_Buffer*> managed;
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    managed[{args.transfer_manager, args.buffer_index}] = args.buffer_out;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto& [_, buffer] : managed) {
      if (buffer == args.buffer) buffer = nullptr;
    }
  });
  After<SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferData)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    PJRT_Buffer* buffer = args.is_last_transfer ? managed[{args.transfer_manager, args.buffer_index}] : nullptr;
    if (buffer != nullptr && AwaitBuffer(buffer)) Memory().Begin(buffer);
  });
}

}  // namespace
