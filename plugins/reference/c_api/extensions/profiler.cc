// Profiler: records what was started and stopped in this process, as an XSpace with one line of events.
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "c_api/extensions/extension.h"
#include "base/protobuf.h"
#include "runtime/trace.h"

struct PLUGIN_Profiler_Error {
  reference::Error error;
};

struct PLUGIN_Profiler {
  std::mutex mutex;
  bool running = false;
  bool collected = false;
  std::shared_ptr<reference::Trace> trace;
  std::string bytes;  // returned by CollectData and Serialize
};

struct PLUGIN_Profiler_ConsumeResult {
  std::string bytes;
};

namespace reference {
namespace {

// struct_size is not looked at: XLA's client does not set it in most calls of its profiler.
template <typename Body>
PLUGIN_Profiler_Error* CallProfiler(Body&& body) {
  try {
    std::forward<Body>(body)();
    return nullptr;
  } catch (const Error& error) {
    return new PLUGIN_Profiler_Error{error};
  } catch (const std::exception& error) {
    return new PLUGIN_Profiler_Error{Internal(error.what())};
  }
}

void ErrorDestroy(PLUGIN_Profiler_Error_Destroy_Args* args) { delete args->error; }

void ErrorMessage(PLUGIN_Profiler_Error_Message_Args* args) {
  args->message = args->error->error.message.data();
  args->message_size = args->error->error.message.size();
}

PLUGIN_Profiler_Error* ErrorGetCode(PLUGIN_Profiler_Error_GetCode_Args* args) {
  return CallProfiler([&] { args->code = static_cast<int>(Given(args->error, "error").error.code); });
}

// This profiler ignores the options, a ProfileOptions message.
PLUGIN_Profiler_Error* Create(PLUGIN_Profiler_Create_Args* args) {
  return CallProfiler([&] {
    GivenArray(args->options, args->options_size, "options");
    ProtoReader reader({args->options, args->options_size}, "ProfileOptions");
    while (reader.Next()) {
    }
    args->profiler = std::make_unique<PLUGIN_Profiler>().release();
  });
}

PLUGIN_Profiler_Error* Destroy(PLUGIN_Profiler_Destroy_Args* args) {
  return CallProfiler([&] {
    if (args->profiler != nullptr && args->profiler->running) Trace::End(args->profiler->trace);
    delete args->profiler;
  });
}

PLUGIN_Profiler_Error* Start(PLUGIN_Profiler_Start_Args* args) {
  return CallProfiler([&] {
    PLUGIN_Profiler& profiler = Given(args->profiler, "profiler");
    const std::lock_guard<std::mutex> lock(profiler.mutex);
    if (profiler.running) throw FailedPrecondition("the profiler is running already");
    profiler.trace = Trace::Begin();
    profiler.running = true;
    profiler.bytes.clear();
    profiler.collected = false;
  });
}

PLUGIN_Profiler_Error* Stop(PLUGIN_Profiler_Stop_Args* args) {
  return CallProfiler([&] {
    PLUGIN_Profiler& profiler = Given(args->profiler, "profiler");
    const std::lock_guard<std::mutex> lock(profiler.mutex);
    if (!profiler.running) throw FailedPrecondition("the profiler is not running");
    Trace::End(profiler.trace);
    profiler.running = false;
  });
}

std::string Collect(PLUGIN_Profiler& profiler) {
  if (profiler.running) throw FailedPrecondition("the profiler is running: stop it first");
  return profiler.trace == nullptr ? std::string() : profiler.trace->ToXSpace();
}

// Without a buffer it returns the size, and its own buffer, from which XLA's client reads; with one of that size it fills it,
// as the header says.
PLUGIN_Profiler_Error* CollectData(PLUGIN_Profiler_CollectData_Args* args) {
  return CallProfiler([&] {
    PLUGIN_Profiler& profiler = Given(args->profiler, "profiler");
    const std::lock_guard<std::mutex> lock(profiler.mutex);
    if (!profiler.collected) {
      profiler.bytes = Collect(profiler);
      profiler.collected = true;
    }
    args->buffer_size_in_bytes = profiler.bytes.size();
    if (args->buffer == nullptr) {
      args->buffer = reinterpret_cast<uint8_t*>(profiler.bytes.data());
    } else {
      profiler.bytes.copy(reinterpret_cast<char*>(args->buffer), profiler.bytes.size());
    }
  });
}

PLUGIN_Profiler_Error* Consume(PLUGIN_Profiler_Consume_Args* args) {
  return CallProfiler([&] {
    PLUGIN_Profiler& profiler = Given(args->profiler, "profiler");
    const std::lock_guard<std::mutex> lock(profiler.mutex);
    auto result = std::make_unique<PLUGIN_Profiler_ConsumeResult>();
    result->bytes = Collect(profiler);
    profiler.trace = nullptr;
    profiler.collected = false;
    args->result = result.release();
  });
}

void ConsumeResultDestroy(PLUGIN_Profiler_ConsumeResult_Destroy_Args* args) { delete args->consume_result; }

PLUGIN_Profiler_Error* Serialize(PLUGIN_Profiler_Serialize_Args* args) {
  return CallProfiler([&] {
    const PLUGIN_Profiler_ConsumeResult& result = Given(args->consume_result, "consume_result");
    args->serialized_bytes = reinterpret_cast<const uint8_t*>(result.bytes.data());
    args->serialized_size = result.bytes.size();
  });
}

PLUGIN_Profiler_Api table = {
    sizeof(PLUGIN_Profiler_Api), nullptr, ErrorDestroy, ErrorMessage, ErrorGetCode,         Create,    Destroy,
    Start,                       Stop,    CollectData,  Consume,      ConsumeResultDestroy, Serialize,
};

}  // namespace

PJRT_Extension_Base* ProfilerExtension() {
  static PJRT_Profiler_Extension extension = {BaseOf(PJRT_Extension_Type_Profiler), &table, 0};
  return &extension.base;
}

}  // namespace reference
