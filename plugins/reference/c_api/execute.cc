// PJRT_LoadedExecutable_Execute.
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/design.h"
#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/named_values.h"
#include "c_api/wrap.h"
#include "runtime/copy_stream.h"
#include "runtime/loaded_executable.h"

namespace reference {

namespace {

// Passes a copy of the data to a callback, in one chunk. The callback owns the copy and frees it through the deleter.
void CallSend(const PJRT_SendCallbackInfo& info, const Array& data) {
  const size_t size = data.bytes();
  PJRT_Chunk chunk = {};
  chunk.data = new char[size];
  chunk.size = size;
  chunk.deleter = [](void* bytes, void*) { delete[] static_cast<char*>(bytes); };
  if (size > 0) std::memcpy(chunk.data, data.data(), size);
  PJRT_Error* error = info.send_callback(&chunk, &kCallbackError, size, true, info.user_arg);
  if (error != nullptr) throw TakeError(error);
}

// Lets a callback fill a stream, which it destroys when done, on this thread or another.
Array CallReceive(const PJRT_RecvCallbackInfo& info, const ArrayType& type) {
  const auto stream = std::make_shared<CopyStream>(type);
  info.recv_callback(new PJRT_CopyToDeviceStream{stream}, info.user_arg);
  return stream->Await();
}

HostChannels ReadChannels(const PJRT_ExecuteOptions& options, size_t device) {
  HostChannels channels;
  if (options.num_send_ops > 0) {
    GivenArray(options.send_callbacks, device + 1, "send_callbacks");
    const PJRT_SendCallbackInfo* infos = GivenArray(options.send_callbacks[device], options.num_send_ops,
                                                    "a list of send_callbacks");
    for (size_t i = 0; i < options.num_send_ops; i++) {
      Given(infos[i].send_callback, "send_callback");
      channels.sends[infos[i].channel_id] = [info = infos[i]](const Array& data) { CallSend(info, data); };
    }
  }
  if (options.num_recv_ops > 0) {
    GivenArray(options.recv_callbacks, device + 1, "recv_callbacks");
    const PJRT_RecvCallbackInfo* infos = GivenArray(options.recv_callbacks[device], options.num_recv_ops,
                                                    "a list of recv_callbacks");
    for (size_t i = 0; i < options.num_recv_ops; i++) {
      Given(infos[i].recv_callback, "recv_callback");
      channels.receives[infos[i].channel_id] = [info = infos[i]](const ArrayType& type) {
        return CallReceive(info, type);
      };
    }
  }
  return channels;
}

// The options of one execution, as attributes for handlers of custom calls. Names are not checked: handlers choose them.
std::shared_ptr<const Dictionary> ReadCustomOptions(const PJRT_NamedValue* values, size_t size) {
  auto options = std::make_shared<Dictionary>();
  for (const auto& [name, value] : ReadNamedValues(values, size, "custom_options")) {
    Attribute& option = (*options)[name];
    std::visit(
        [&](const auto& kept) {
          if constexpr (std::is_same_v<decltype(kept), const float&>) {
            option = {double{kept}, ElementType::kF32};
          } else {
            option.value = kept;
          }
        },
        value);
  }
  return options;
}

// Everything that is kept of the options is copied: they live only during the call. What only other runtimes use (tasks
// and incarnations, call locations, several slices) is ignored.
ExecuteOptions ReadOptions(const PJRT_ExecuteOptions* options, size_t num_devices) {
  ExecuteOptions result;
  if (options == nullptr) return result;
  CheckArgs("PJRT_ExecuteOptions", options);
  result.launch_id = options->launch_id;
  if (HAS(options, num_non_donatable_input_indices)) {
    const int64_t* kept = GivenArray(options->non_donatable_input_indices, options->num_non_donatable_input_indices,
                                     "non_donatable_input_indices");
    for (size_t i = 0; i < options->num_non_donatable_input_indices; i++) result.non_donatable.insert(kept[i]);
  }
  if (HAS(options, context) && options->context != nullptr) result.context = options->context->context;
  if (HAS(options, incarnation_ids)) {
    GivenArray(options->task_ids, options->num_tasks, "task_ids");
    GivenArray(options->incarnation_ids, options->num_tasks, "incarnation_ids");
  }
  if (HAS(options, num_custom_options) && options->num_custom_options > 0) {
    result.custom_options = ReadCustomOptions(options->custom_options, options->num_custom_options);
  }
  if (options->num_send_ops > 0 || options->num_recv_ops > 0) {
    for (size_t device = 0; device < num_devices; device++) result.channels.push_back(ReadChannels(*options, device));
  }
  return result;
}

}  // namespace

namespace c_api {

PJRT_Error* LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args* args) {
  return Call("PJRT_LoadedExecutable_Execute", args, [&] {
    LoadedExecutable& executable = *Given(args->executable, "executable").executable;
    const size_t num_devices = args->num_devices;
    const size_t num_outputs = executable.executable()->outputs().size();
    std::vector<std::vector<Buffer*>> arguments;
    if (num_devices > executable.client()->devices().size()) {
      throw InvalidArgument("there are no " + std::to_string(num_devices) + " devices");
    }
    // A wrong number of arguments is reported before any of them is checked.
    std::optional<Error> wrong;
    const size_t num_parameters = executable.executable()->parameters().size();
    if (args->num_args != num_parameters) {
      wrong = InvalidArgument("the program takes " + std::to_string(num_parameters) + " arguments, there are " +
                              std::to_string(args->num_args));
      if (!ThisDesign().late_errors) throw Error(*wrong);
    }
    if (args->num_args > 0) GivenArray(args->argument_lists, num_devices, "argument_lists");
    for (size_t d = 0; d < num_devices; d++) {
      arguments.emplace_back();
      if (args->num_args > 0) Given(args->argument_lists[d], "a list of argument_lists");
      for (size_t i = 0; i < args->num_args; i++) {
        arguments[d].push_back(&BufferOf(args->argument_lists[d][i], "an argument"));
      }
    }
    if (num_outputs > 0) {
      GivenArray(args->output_lists, num_devices, "output_lists");
      for (size_t d = 0; d < num_devices; d++) Given(args->output_lists[d], "a list of output_lists");
    }
    Device* device = args->execute_device == nullptr ? nullptr : args->execute_device->device;
    const ExecuteOptions options = ReadOptions(args->options, num_devices);
    Execution execution;
    try {
      if (wrong) throw Error(*wrong);
      execution = executable.Execute(arguments, options, device);
    } catch (const Error& error) {
      if (!ThisDesign().late_errors) throw;
      execution = executable.FailingExecution(num_devices, device, error);
    }
    for (size_t d = 0; d < num_devices; d++) {
      for (size_t i = 0; i < num_outputs; i++) {
        args->output_lists[d][i] = MakeBuffer(std::move(execution.outputs[d][i]));
      }
      if (args->device_complete_events != nullptr) args->device_complete_events[d] = MakeEvent(execution.done[d]);
    }
  });
}

}  // namespace c_api

}  // namespace reference
