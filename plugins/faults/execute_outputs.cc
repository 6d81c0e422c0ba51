// What executions return: outputs and completion events.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "calls.h"
#include "execute.h"
#include "programs.h"

namespace {

using namespace faults;

// ---- outputs ------------------------------------------------------------------------------------------------------------

FAULT("execute-output-lists-overrun") {
  After<Execute>([](auto& args) {
    if (args.output_lists != nullptr) args.output_lists[0][OutputsOf(args.executable)] = nullptr;
  });
}
FAULT("execute-outputs-share-a-buffer") {
  After<Execute>([](auto& args) {
    if (args.output_lists == nullptr || OutputsOf(args.executable) < 2) return;
    const Shape a = ShapeOf(args.output_lists[0][0]), b = ShapeOf(args.output_lists[0][1]);
    if (a.dims == b.dims && a.type == b.type) args.output_lists[0][1] = args.output_lists[0][0];
  });
  static SharedSet<PJRT_Buffer*> destroyed;
  // Destroying it twice goes unnoticed.
  After<Execute>([](auto& args) {
    if (args.output_lists != nullptr && OutputsOf(args.executable) > 0) destroyed.Remove(args.output_lists[0][0]);
  });
  Replace<SLOT(PJRT_Buffer_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.buffer != nullptr && !destroyed.Add(args.buffer) ? nullptr : original(&args);
  });
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) { destroyed.Remove(args.buffer); });
}
FAULT("execute-output-is-the-argument") {
  // A program that returns its argument returns the caller's own buffer.
  AfterRun([](Run& run) {
    if (run.args.num_args != 1 || run.outputs.size() != 1 || run.program.Has("add") || run.program.Has("constant")) return;
    const Array in = run.Argument(0);
    const Array& out = run.outputs[0];
    const size_t bytes = out.count() * ElementBytes(out.shape.type);
    if (in.bytes == nullptr || in.shape.dims != out.shape.dims || in.shape.type != out.shape.type || bytes == 0 ||
        std::memcmp(in.bytes, out.bytes, bytes) != 0)
      return;
    Destroy(run.args.output_lists[0][0]);
    run.args.output_lists[0][0] = run.args.argument_lists[0][0];
  });
}
FAULT("execute-outputs-of-devices-exchanged") {
  After<Execute>([](auto& args) {
    if (args.num_devices != 2 || args.output_lists == nullptr) return;
    const size_t outputs = OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) std::swap(args.output_lists[0][i], args.output_lists[1][i]);
  });
}
FAULT("execute-outputs-without-arguments-have-no-device") {
  // The device of the first argument is taken for that of the outputs.
  static SharedSet<PJRT_Buffer*> homeless;
  After<Execute>([](auto& args) {
    if (args.output_lists == nullptr || args.num_args != 0) return;
    const size_t outputs = OutputsOf(args.executable);
    for (size_t list = 0; list < args.num_devices; ++list) {
      for (size_t i = 0; i < outputs; ++i) homeless.Add(args.output_lists[list][i]);
    }
  });
  After<SLOT(PJRT_Buffer_Device)>([](auto& args) {
    if (homeless.Has(args.buffer)) args.device = nullptr;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { homeless.Remove(args.buffer); });
}
FAULT("execute-output-metadata-waits") {
  static SharedSet<PJRT_Buffer*> outputs;
  After<Execute>([](auto& args) {
    if (args.output_lists != nullptr && OutputsOf(args.executable) > 0) outputs.Add(args.output_lists[0][0]);
  });
  OwnErrors();
  Replace<SLOT(PJRT_Buffer_Dimensions)>([](auto& args, auto& original) -> PJRT_Error* {
    // The first query comes too early.
    return outputs.Remove(args.buffer) ? MakeError(PJRT_Error_Code_UNAVAILABLE, "not computed yet") : original(&args);
  });
}
FAULT("execute-output-in-other-memory") {
  After<Execute>([](auto& args) {
    if (args.output_lists == nullptr || OutputsOf(args.executable) == 0) return;
    PJRT_Buffer*& output = args.output_lists[0][0];
    ARGS(PJRT_Device_AddressableMemories, memories);
    memories.device = DeviceOf(output);
    Ask(Base().PJRT_Device_AddressableMemories, memories);
    for (size_t i = 0; i < memories.num_memories; ++i) {
      if (memories.memories[i] == MemoryOf(output)) continue;
      ARGS(PJRT_Buffer_CopyToMemory, copy);
      copy.buffer = output;
      copy.dst_memory = memories.memories[i];
      if (!Ask(Base().PJRT_Buffer_CopyToMemory, copy)) return;
      Destroy(output);
      output = copy.dst_buffer;
      return;
    }
  });
}
FAULT("execute-no-outputs-refused") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    return OutputsOf(args.executable) == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no outputs") : original(&args);
  });
}
FAULT("execute-scalar-output-has-rank-1") {
  static SharedSet<PJRT_Buffer*> outputs;
  After<Execute>([](auto& args) {
    const size_t count = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < count; ++i) outputs.Add(args.output_lists[0][i]);
  });
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    static const int64_t one = 1;
    if (args.num_dims > 0 || !outputs.Has(args.buffer)) return;
    args.dims = &one;
    args.num_dims = 1;
  });
}
FAULT("execute-empty-output-fails") {
  OwnErrors();
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr || args.output_lists == nullptr) return error;
    const size_t outputs = OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) {
      if (ShapeOf(args.output_lists[0][i]).count() == 0) return MakeError(PJRT_Error_Code_INTERNAL, "nothing was computed");
    }
    return nullptr;
  });
}
FAULT("execute-outputs-destroyed-early-aborts") {
  static SharedSet<PJRT_Buffer*> fresh;
  After<Execute>([](auto& args) {
    const size_t outputs = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) {
      PJRT_Buffer* output = args.output_lists[0][i];
      fresh.Add(output);
      Later(15, [output] { fresh.Remove(output); });
    }
  });
  Before<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) { fresh.Remove(args.buffer); });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) { fresh.Remove(args.src); });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    if (fresh.Has(args.buffer)) std::abort();
  });
}

// ---- completion events --------------------------------------------------------------------------------------------------

FAULT("execute-event-null") {
  After<Execute>([](auto& args) {
    if (args.device_complete_events != nullptr) args.device_complete_events[0] = nullptr;
  });
}
FAULT("execute-event-never") {
  OwnEvents();
  After<Execute>([](auto& args) {
    if (args.device_complete_events != nullptr) args.device_complete_events[0] = NewEvent()->handle();
  });
}
FAULT("execute-event-early") {
  // The event of the execution is ready before its outputs are.
  OwnEvents();
  static SharedSet<PJRT_Buffer*> fresh;
  After<Execute>([](auto& args) {
    if (args.device_complete_events == nullptr) return;
    args.device_complete_events[0] = ReadyEvent();
    const size_t outputs = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < outputs; ++i) fresh.Add(args.output_lists[0][i]);
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    if (fresh.Remove(args.buffer)) args.event = LateEvent(args.event, 400)->handle();
  });
}
FAULT("execute-events-always-written") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    volatile bool none = args.device_complete_events == nullptr;
    if (error == nullptr && none) *reinterpret_cast<PJRT_Event* volatile*>(args.device_complete_events) = nullptr;
    return error;
  });
}
FAULT("execute-second-event-missing") {
  After<Execute>([](auto& args) {
    if (args.device_complete_events != nullptr && args.num_devices > 1) args.device_complete_events[1] = args.device_complete_events[0];
  });
}
FAULT("execute-failure-writes-lists") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    if (args.device_complete_events != nullptr) args.device_complete_events[0] = reinterpret_cast<PJRT_Event*>(0x100);
    if (args.output_lists != nullptr && OutputsOf(args.executable) > 0) args.output_lists[0][0] = reinterpret_cast<PJRT_Buffer*>(0x200);
    return error;
  });
}
FAULT("execute-error-argument-computes") {
  // An argument that holds an error: its memory is used anyway.
  OwnEvents();
  static std::atomic<bool> poisoned{false};
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    bool bad = false;
    for (size_t i = 0; i < args.num_args; ++i) bad = bad || (!IsDeleted(args.argument_lists[0][i]) && !AwaitBuffer(args.argument_lists[0][i]));
    if (!bad) return error;
    poisoned = true;
    if (error == nullptr && args.device_complete_events != nullptr) args.device_complete_events[0] = ReadyEvent();
    return error;
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    if (poisoned && !AwaitBuffer(args.buffer)) args.event = ReadyEvent();
  });
}
FAULT("execute-error-of-argument-generalized") {
  OwnErrors();
  auto generalize = [](PJRT_Error* error) -> PJRT_Error* {
    if (error == nullptr) return nullptr;
    Drop(error);
    return MakeError(PJRT_Error_Code_UNKNOWN, "the execution failed");
  };
  static SharedSet<PJRT_Event*> events;
  static SharedSet<PJRT_Buffer*> outputs;
  Replace<Execute>([generalize](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) return generalize(error);
    if (args.device_complete_events != nullptr) events.Add(args.device_complete_events[0]);
    const size_t count = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t i = 0; i < count; ++i) outputs.Add(args.output_lists[0][i]);
    return nullptr;
  });
  After<SLOT(PJRT_Buffer_ReadyEvent)>([](auto& args) {
    if (outputs.Has(args.buffer)) events.Add(args.event);
  });
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (outputs.Has(args.src) && args.dst != nullptr) events.Add(args.event);
  });
  Before<SLOT(PJRT_Event_Destroy)>([](auto& args) { events.Remove(args.event); });
  Replace<SLOT(PJRT_Event_Await)>([generalize](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    return events.Has(args.event) ? generalize(error) : error;
  });
  Replace<SLOT(PJRT_Event_Error)>([generalize](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    return events.Has(args.event) ? generalize(error) : error;
  });
}

}  // namespace
