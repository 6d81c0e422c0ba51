#include "calls.h"

#include <cstdlib>
#include <atomic>
#include <cstring>

#include "contents.h"
#include "copies.h"
#include "layouts.h"
#include "plugins.h"
#include "settings.h"
#include "stablehlo.h"
#include "trace.h"

namespace recorder {
namespace {

template <class T>
T& As(void* args) {
  return *static_cast<T*>(args);
}

/** Whether a field is inside the caller's struct. */
#define HAS(args, Type, field) ((args).struct_size >= offsetof(Type, field) + sizeof((args).field))

/** What a recording with --programs-only has, and one with --window outside of it. */
bool IsOfPrograms(int function) {
  switch (function) {
    case kPJRT_Plugin_Initialize:
    case kPJRT_Plugin_Attributes:
    case kPJRT_Client_Create:
    case kPJRT_Client_Destroy:
    case kPJRT_Client_Compile:
    case kPJRT_Compile:
    case kPJRT_Executable_DeserializeAndLoad:
    case kPJRT_LoadedExecutable_Destroy:
      return true;
    default:
      return false;
  }
}

/** Whether a call is recorded. The window is open from the beginning of its first execution to that of the next after its last. */
bool IsRecorded(int function) {
  static std::atomic<uint64_t> begun{0};
  const Settings& asked = Asked();
  if (__builtin_expect(!asked.programs_only && asked.window[1] == 0, 1)) return true;
  if (asked.window[1] != 0) {
    const bool executes = function == kPJRT_LoadedExecutable_Execute;
    const uint64_t now = executes ? begun.fetch_add(1) + 1 : begun.load(std::memory_order_relaxed);
    if (asked.window[0] <= now && now <= asked.window[1]) return true;
  }
  return IsOfPrograms(function);
}

/** A callback of the caller's, in front of which the recorder is. */
struct OnReady {
  PJRT_Event_OnReadyCallback callback;
  void* user_arg;
  PJRT_Event* event;
  uint64_t call;
  int plugin;
  bool called;
};

struct ErrorText {
  uint32_t code;
  const char* message;
  size_t size;
};

ErrorText TextOf(PJRT_Error* error, int plugin) {
  if (error == nullptr) return {0, nullptr, 0};
  const Call* functions = PluginAt(plugin).functions;
  ErrorText text{};
  PJRT_Error_GetCode_Args code{};
  code.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE;
  code.error = error;
  if (functions[kPJRT_Error_GetCode] != nullptr && functions[kPJRT_Error_GetCode](&code) == nullptr) text.code = code.code;
  PJRT_Error_Message_Args message{};
  message.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE;
  message.error = error;
  if (functions[kPJRT_Error_Message] != nullptr) {
    functions[kPJRT_Error_Message](&message);
    text.message = message.message;
    text.size = message.message == nullptr ? 0 : message.message_size;
  }
  return text;
}

void WriteError(Record& record, PJRT_Error* error, const ErrorText& text) {
  record.U64(reinterpret_cast<uint64_t>(error));
  record.U32(text.code);
  record.U32(static_cast<uint32_t>(text.size));
  record.Bytes(text.message, text.size);
  record.Pad();
}

/** Frees a front some calls later: a plugin that calls back twice must not find it gone. */
void Retire(OnReady* front) {
  static std::atomic<OnReady*> retired[1024];
  static std::atomic<uint32_t> next{0};
  free(retired[next.fetch_add(1, std::memory_order_relaxed) % 1024].exchange(front));
}

void ReadyInFront(PJRT_Error* error, void* user_arg) {
  const OnReady ready = As<OnReady>(user_arg);
  bool* called = &As<OnReady>(user_arg).called;
  if (!__atomic_exchange_n(called, true, __ATOMIC_RELAXED)) Retire(static_cast<OnReady*>(user_arg));
  uint64_t order = 0;
  const bool recording = Recording();
  if (recording) {
    EventComplete(ready.event, error == nullptr);
    const ErrorText text = TextOf(error, ready.plugin);
    Record record(Kind::kCallbackEnter, kPJRT_Event_OnReady, static_cast<uint32_t>(ready.plugin), ready.call);
    order = record.order();
    record.U64(reinterpret_cast<uint64_t>(ready.callback));
    record.U64(reinterpret_cast<uint64_t>(ready.user_arg));
    WriteError(record, error, text);
  }
  ready.callback(error, ready.user_arg);
  if (recording && Recording()) Record(Kind::kCallbackLeave, kPJRT_Event_OnReady, static_cast<uint32_t>(ready.plugin), order);
}

/** Host data of a call, which the layout does not count. */
void CopyHostData(Record& record, int function, void* args, size_t size) {
  if (function == kPJRT_Client_BufferFromHostBuffer && size >= PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE) {
    const auto& call = As<PJRT_Client_BufferFromHostBuffer_Args>(args);
    CopyArray(record, {call.data, call.type, call.dims, call.num_dims, call.byte_strides, call.num_byte_strides});
  }
  if (function == kPJRT_AsyncHostToDeviceTransferManager_TransferLiteral &&
      size >= offsetof(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_layout)) {
    const auto& call = As<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>(args);
    CopyArray(record, {call.data, call.shape_element_type, call.shape_dims, call.shape_num_dims, nullptr, 0});
  }
}

/** The output lists of an execution, which are as long as its executable has results. */
void CopyOutputLists(Record& record, const PJRT_LoadedExecutable_Execute_Args& args, int plugin) {
  if (args.output_lists == nullptr) return;
  const size_t results = ResultsOf(args.executable, plugin);
  for (size_t device = 0; results > 0 && device < args.num_devices; ++device) {
    record.Memory(args.output_lists[device], 8 * results);
  }
}

uint64_t Enter(int plugin, int function, void* args) {
  const Struct& layout = kStructTable[kFunctionTable[function].args];
  const size_t size = SizeOf(layout, args);
  Record record(Kind::kEnter, static_cast<uint16_t>(function), static_cast<uint32_t>(plugin), 0);
  record.U64(reinterpret_cast<uint64_t>(args));
  record.Arguments(args, size);
  CopyInputs(record, layout, args);
  CopyHostData(record, function, args, size);
  const void* chain = function < kCoreFunctions && size >= 16 ? As<PJRT_Error_Destroy_Args>(args).extension_start : nullptr;
  if (chain != nullptr && PluginAt(plugin).minor >= 45) CopyNodes(record, chain);
  return record.order();
}

void Leave(int plugin, int function, void* args, PJRT_Error* error, uint64_t call) {
  const Struct& layout = kStructTable[kFunctionTable[function].args];
  // Before the record begins, because these ask the plugin.
  const ErrorText text = TextOf(error, plugin);
  if (function == kPJRT_LoadedExecutable_Execute && error == nullptr) {
    ResultsOf(As<PJRT_LoadedExecutable_Execute_Args>(args).executable, plugin);
  }
  Record record(Kind::kLeave, static_cast<uint16_t>(function), static_cast<uint32_t>(plugin), call);
  WriteError(record, error, text);
  record.Arguments(args, SizeOf(layout, args));
  if (error != nullptr) return;
  CopyOutputs(record, layout, args);
  if (function == kPJRT_LoadedExecutable_Execute) {
    CopyOutputLists(record, As<PJRT_LoadedExecutable_Execute_Args>(args), plugin);
  }
}

/** What the recorder does for some functions between the record and the call. */
void Before(int plugin, int function, void* args, uint64_t call, bool& reads) {
  switch (function) {
    case kPJRT_LoadedExecutable_Execute: {
      const auto& execute = As<PJRT_LoadedExecutable_Execute_Args>(args);
      reads = HAS(execute, PJRT_LoadedExecutable_Execute_Args, output_lists) && ReadsExecution(execute.executable, plugin);
      if (reads) ReadArguments(execute, call, plugin);
      return;
    }
    case kPJRT_Buffer_Destroy:
      return BufferEnds(As<PJRT_Buffer_Destroy_Args>(args).buffer, plugin);
    case kPJRT_Buffer_Delete:
      return BufferEnds(As<PJRT_Buffer_Delete_Args>(args).buffer, plugin);
    case kPJRT_Buffer_DecreaseExternalReferenceCount:
      return BufferEnds(As<PJRT_Buffer_DecreaseExternalReferenceCount_Args>(args).buffer, plugin);
    case kPJRT_Event_Destroy:
      return EventDestroyed(As<PJRT_Event_Destroy_Args>(args).event, plugin);
    default:
      return;
  }
}

/** What becomes known by a call that has returned. */
void After(int plugin, int function, void* args, PJRT_Error* error, uint64_t call, bool reads) {
  if (function == kPJRT_Event_Await) return EventComplete(As<PJRT_Event_Await_Args>(args).event, error == nullptr);
  if (function == kPJRT_Event_Error) return EventComplete(As<PJRT_Event_Error_Args>(args).event, error == nullptr);
  if (error != nullptr) return;
  switch (function) {
    case kPJRT_Event_IsReady: {
      const auto& is = As<PJRT_Event_IsReady_Args>(args);
      if (HAS(is, PJRT_Event_IsReady_Args, is_ready) && is.is_ready) EventComplete(is.event, true);
      return;
    }
    case kPJRT_Buffer_ToHostBuffer: {
      const auto& to = As<PJRT_Buffer_ToHostBuffer_Args>(args);
      if (to.dst != nullptr && HAS(to, PJRT_Buffer_ToHostBuffer_Args, event)) {
        ReadBegins(to.event, to.dst, to.dst_size, call, plugin);
      }
      return;
    }
    case kPJRT_Buffer_CopyRawToHost: {
      const auto& to = As<PJRT_Buffer_CopyRawToHost_Args>(args);
      if (to.dst != nullptr && HAS(to, PJRT_Buffer_CopyRawToHost_Args, event)) {
        ReadBegins(to.event, to.dst, static_cast<size_t>(to.transfer_size), call, plugin);
      }
      return;
    }
    case kPJRT_Buffer_ReadyEvent: {
      const auto& ready = As<PJRT_Buffer_ReadyEvent_Args>(args);
      return BufferAwaited(ready.buffer, ready.event);
    }
    case kPJRT_Buffer_OpaqueDeviceMemoryDataPointer: {
      const auto& at = As<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>(args);
      return BufferPointed(at.buffer, at.device_memory_ptr, call, plugin);
    }
    case kPJRT_Buffer_UnsafePointer: {
      const auto& at = As<PJRT_Buffer_UnsafePointer_Args>(args);
      return BufferPointed(at.buffer, reinterpret_cast<const void*>(at.buffer_pointer), call, plugin);
    }
    case kPJRT_Client_Compile:
      return ExecutableEnds(As<PJRT_Client_Compile_Args>(args).executable);
    case kPJRT_Executable_DeserializeAndLoad:
      return ExecutableEnds(As<PJRT_Executable_DeserializeAndLoad_Args>(args).loaded_executable);
    case kPJRT_LoadedExecutable_Execute:
      if (reads) ReadResults(As<PJRT_LoadedExecutable_Execute_Args>(args), call, plugin);
      return;
    default:
      return;
  }
}

/** PJRT_Event_OnReady with the recorder in front of the callback; the caller's struct is as before when the call returns. */
PJRT_Error* CallOnReady(int plugin, void* args, uint64_t call) {
  const Call base = PluginAt(plugin).functions[kPJRT_Event_OnReady];
  auto& given = As<PJRT_Event_OnReady_Args>(args);
  auto* front = static_cast<OnReady*>(malloc(sizeof(OnReady)));
  if (front == nullptr || !HAS(given, PJRT_Event_OnReady_Args, user_arg) || given.callback == nullptr) {
    free(front);
    return static_cast<PJRT_Error*>(base(args));
  }
  *front = {given.callback, given.user_arg, given.event, call, plugin, false};
  PJRT_Event_OnReady_Args own{};
  std::memcpy(&own, &given, given.struct_size < sizeof(own) ? given.struct_size : sizeof(own));
  own.struct_size = PJRT_Event_OnReady_Args_STRUCT_SIZE;
  own.callback = ReadyInFront;
  own.user_arg = front;
  // If it fails, a plugin may have kept the callback all the same: what it would need stays.
  return static_cast<PJRT_Error*>(base(&own));
}

/** The plugin's answer, as the caller gets it whether it is recorded or not. */
void* CallBase(int plugin, int function, void* args) {
  void* answer = PluginAt(plugin).functions[function](args);
  if (function == kPJRT_Plugin_Attributes && answer == nullptr && args != nullptr) {
    LowerStablehlo(plugin, As<PJRT_Plugin_Attributes_Args>(args));
  }
  if (function == kPJRT_Buffer_IsOnCpu && answer == nullptr && Asked().no_views && args != nullptr) {
    auto& on = As<PJRT_Buffer_IsOnCpu_Args>(args);
    if (HAS(on, PJRT_Buffer_IsOnCpu_Args, is_on_cpu)) on.is_on_cpu = false;
  }
  return answer;
}

}  // namespace

void* Recorded(int plugin, int function, void* args) {
  if (args == nullptr || !Recording()) return CallBase(plugin, function, args);
  if (!IsRecorded(function)) return CallBase(plugin, function, args);
  const uint64_t call = Enter(plugin, function, args);
  bool reads = false;
  // A number of an object may be used again as soon as the call has freed it.
  if (function == kPJRT_LoadedExecutable_Destroy) {
    ExecutableEnds(As<PJRT_LoadedExecutable_Destroy_Args>(args).executable);
  }
  Before(plugin, function, args, call, reads);
  void* answer = function == kPJRT_Event_OnReady ? CallOnReady(plugin, args, call) : CallBase(plugin, function, args);
  if (!Recording()) return answer;
  PJRT_Error* error = kFunctionTable[function].answers ? static_cast<PJRT_Error*>(answer) : nullptr;
  After(plugin, function, args, error, call, reads);
  Leave(plugin, function, args, error, call);
  return answer;
}

}  // namespace recorder
