// CrossHostTransfers: buffers that other processes of this machine fill. Receivers create descriptors, which the caller
// passes to the sender. The calls with device ids and keys work between the processes of a job.
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "c_api/extensions/extension.h"
#include "c_api/shapes.h"
#include "c_api/wrap.h"
#include "runtime/buffer.h"
#include "runtime/remote_transfer.h"

// The device ids and the keys of these arguments are 64-bit integers with C++ type names; so the table of layouts omits
// the structs.
struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_shapes;
  size_t* shape_num_dims;
  const int64_t** num_dims;
  PJRT_Buffer_Type* element_types;
  PJRT_Buffer_MemoryLayout** layouts;
  PJRT_Device* device;
  const int64_t* src_global_device_ids;
  const int64_t* transfer_keys;
  PJRT_Buffer** buffers;
  size_t num_tasks;
  const int* task_ids;
  const int64_t* incarnation_ids;
};
struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_buffers;
  PJRT_Buffer** buffers;
  const int64_t* dst_global_device_ids;
  const int64_t* transfer_keys;
  PJRT_Event** send_events;
  size_t num_tasks;
  const int* task_ids;
  const int64_t* incarnation_ids;
};

namespace reference {
namespace {

// Bytes of the arguments before version 7 of the extension, which added whether sends can be cancelled, and before
// version 8, which added the tasks that are alive. Callers that do not know these omit them.
constexpr size_t kMakeReceiveBuffersSize = offsetof(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
                                                    allow_cancel_notifier);
template <typename Args>
constexpr size_t kSizeWithoutTasks = offsetof(Args, num_tasks);

// Tasks that have ended are found without the list of those that are alive: their sockets are closed.
template <typename Args>
void CheckTasks(const Args& args) {
  if (args.struct_size < sizeof(Args)) return;
  GivenArray(args.task_ids, args.num_tasks, "task_ids");
  GivenArray(args.incarnation_ids, args.num_tasks, "incarnation_ids");
}

// Buffers without contents on the device, as the arguments describe them.
template <typename Args>
std::vector<std::unique_ptr<Buffer>> MakeBuffers(const Args& args) {
  Given(args.client, "client");
  MemorySpace& memory = DefaultMemoryOf(DeviceOf(args.device));
  GivenArray(args.shape_num_dims, args.num_shapes, "shape_num_dims");
  GivenArray(args.num_dims, args.num_shapes, "num_dims");
  GivenArray(args.element_types, args.num_shapes, "element_types");
  GivenArray(args.buffers, args.num_shapes, "buffers");
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (size_t i = 0; i < args.num_shapes; i++) {
    const ArrayType type = StorableTypeFrom(args.element_types[i], args.num_dims[i], args.shape_num_dims[i]);
    const Layout layout = LayoutFrom(args.layouts == nullptr ? nullptr : args.layouts[i], type);
    buffers.push_back(Buffer::Allocate(&memory, type, layout));
  }
  return buffers;
}

// Writes the received data into the contents and completes them.
void Complete(const std::shared_ptr<Contents>& contents, const Error* error, std::string_view bytes) {
  if (error == nullptr && bytes.size() == contents->bytes) {
    if (!bytes.empty()) std::memcpy(contents->storage.get(), bytes.data(), bytes.size());
    contents->ready->SetDone();
  } else if (error != nullptr) {
    contents->ready->SetError(*error);
  } else {
    contents->ready->SetError(InvalidArgument("a buffer of " + std::to_string(contents->bytes) + " bytes was sent " +
                                              std::to_string(bytes.size())));
  }
}

// Runs `send` with a buffer's bytes, on the device's thread once they are ready, or with an error. `done` follows.
EventPtr WithBytes(const Buffer& buffer, std::function<void(std::string_view bytes)> send) {
  EventPtr done = Event::Pending();
  auto contents = buffer.Use().contents;
  const EventPtr ready = contents->ready;
  buffer.device()->queue(Work::kToHost).Schedule({ready}, [contents = std::move(contents), send = std::move(send),
                                              done](const Error* failed) mutable {
    std::optional<Error> error;
    if (failed != nullptr) error = *failed;
    try {
      if (!error) send({reinterpret_cast<const char*>(contents->storage.get()), contents->bytes});
    } catch (const Error& thrown) {
      error = thrown;
    } catch (const std::exception& thrown) {
      error = Internal(thrown.what());
    }
    contents.reset();
    if (error) {
      done->SetError(*error);
    } else {
      done->SetDone();
    }
  });
  return done;
}

// `allowed` is null if the receiver did not allow it.
void CancelSend(const char* descriptor, size_t size, PJRT_Error_Code reason, const char* message, size_t message_size,
                PJRT_Transfers_CrossHostOnCanceledCallback on_canceled, void* on_canceled_arg, void* allowed) {
  PJRT_Error* answer = nullptr;
  try {
    if (allowed == nullptr) throw FailedPrecondition("the receiver did not allow that sends are cancelled");
    const Error error = CallersError(reason, message, message_size);
    if (!CancelReceiver(GivenText(descriptor, size, "serialized_descriptor"), error)) {
      throw FailedPrecondition("the transfer has begun or is over");
    }
  } catch (...) {
    answer = MakeCaughtError();
  }
  if (on_canceled != nullptr) on_canceled(answer, on_canceled_arg);
}

PJRT_Error* MakeReceiveBuffers(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args* args) {
  return CallExtension("PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers", args, kMakeReceiveBuffersSize, [&] {
    if (args->notifier.notifier == nullptr) throw InvalidArgument("notifier is null");
    auto buffers = MakeBuffers(*args);
    std::vector<std::string> descriptors;
    for (const auto& buffer : buffers) {
      descriptors.push_back(OpenReceiver([contents = buffer->Use().contents](const Error* error, const std::string& bytes) {
        Complete(contents, error, bytes);
      }));
    }
    std::vector<const char*> pointers;
    std::vector<size_t> sizes;
    for (const std::string& descriptor : descriptors) {
      pointers.push_back(descriptor.data());
      sizes.push_back(descriptor.size());
    }
    for (size_t i = 0; i < buffers.size(); i++) args->buffers[i] = MakeBuffer(std::move(buffers[i]));
    args->num_buffers = buffers.size();
    static char allowed;
    const bool cancellable = args->struct_size == kMakeReceiveBuffersSize || args->allow_cancel_notifier;
    args->notifier.notifier(nullptr, pointers.data(), sizes.data(), pointers.size(), args->notifier.user_arg, CancelSend,
                            cancellable ? &allowed : nullptr);
  });
}

// Takes ownership of the descriptor. `event`, which may be null, completes when the descriptor is ready.
void CopyToRemoteDevice(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args* args) {
  const auto on_done = args->on_done;
  const auto finish = [on_done](const Error* error, bool enqueued) {
    if (on_done.on_done != nullptr) on_done.on_done(MakeError(error), enqueued, on_done.user_arg);
  };
  struct Descriptor {
    char** data;
    size_t* size;
    PJRT_Transfers_DescriptorDestructor destructor;
    ~Descriptor() {
      if (destructor != nullptr) destructor(data, size);
    }
  };
  const auto descriptor = std::make_shared<Descriptor>(
      Descriptor{args->serialized_descriptor, args->serialized_descriptor_size, args->descriptor_destructor});
  try {
    const EventPtr known = args->event == nullptr ? Event::Ready() : args->event->event;
    const Buffer& buffer = BufferOf(args->buffer);
    // The buffer may be destroyed before the descriptor arrives.
    auto contents = buffer.Use().contents;
    Device* const device = buffer.device();
    const std::vector<EventPtr> needed = {known, contents->ready};
    const auto client = buffer.client()->shared_from_this();
    device->queue(Work::kToHost).Schedule(needed, [client, contents = std::move(contents), descriptor,
                                      finish](const Error* failed) mutable {
      std::optional<Error> error;
      if (failed != nullptr) error = *failed;
      try {
        if (!error) {
          SendToReceiver(GivenText(Given(descriptor->data, "serialized_descriptor"),
                                   Given(descriptor->size, "serialized_descriptor_size"), "serialized_descriptor"),
                         {reinterpret_cast<const char*>(contents->storage.get()), contents->bytes});
        }
      } catch (const Error& thrown) {
        error = thrown;
      } catch (const std::exception& thrown) {
        error = Internal(thrown.what());
      }
      contents.reset();
      finish(error ? &*error : nullptr, !error);
    });
  } catch (const Error& error) {
    finish(&error, false);
  }
}

ProcessGroup& ProcessesOf(PJRT_Client* client) {
  const auto& processes = ClientOf(client).options().processes;
  if (processes == nullptr) throw FailedPrecondition("the client's process is the only one of its job");
  return *processes;
}

std::string KeyOf(int64_t source, int64_t destination, int64_t key) {
  return "transfer/" + std::to_string(key) + "/" + std::to_string(source) + ">" + std::to_string(destination);
}

PJRT_Error* ReceiveBuffers(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args) {
  constexpr size_t size = kSizeWithoutTasks<std::remove_pointer_t<decltype(args)>>;
  return CallExtension("PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers", args, size, [&] {
    CheckTasks(*args);
    ProcessGroup& processes = ProcessesOf(args->client);
    GivenArray(args->src_global_device_ids, args->num_shapes, "src_global_device_ids");
    GivenArray(args->transfer_keys, args->num_shapes, "transfer_keys");
    auto buffers = MakeBuffers(*args);
    const int64_t destination = DeviceOf(args->device).id();
    std::vector<int> sources;
    for (size_t i = 0; i < args->num_shapes; i++) {
      sources.push_back(ClientOf(args->client).LookupDevice(static_cast<int>(args->src_global_device_ids[i]))->process_index());
    }
    for (size_t i = 0; i < buffers.size(); i++) {
      processes.ReceiveLater(sources[i], KeyOf(args->src_global_device_ids[i], destination, args->transfer_keys[i]),
                             [contents = buffers[i]->Use().contents](const Error* error, const std::string& bytes) {
                               Complete(contents, error, bytes);
                             });
      args->buffers[i] = MakeBuffer(std::move(buffers[i]));
    }
  });
}

PJRT_Error* SendBuffers(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args) {
  constexpr size_t size = kSizeWithoutTasks<std::remove_pointer_t<decltype(args)>>;
  return CallExtension("PJRT_Transfers_PJRT_Client_CrossHostSendBuffers", args, size, [&] {
    CheckTasks(*args);
    ProcessesOf(args->client);
    const auto processes = ClientOf(args->client).options().processes;
    GivenArray(args->buffers, args->num_buffers, "buffers");
    GivenArray(args->dst_global_device_ids, args->num_buffers, "dst_global_device_ids");
    GivenArray(args->transfer_keys, args->num_buffers, "transfer_keys");
    GivenArray(args->send_events, args->num_buffers, "send_events");
    std::vector<EventPtr> events;
    for (size_t i = 0; i < args->num_buffers; i++) {
      const Buffer& buffer = BufferOf(args->buffers[i]);
      const int64_t destination = args->dst_global_device_ids[i];
      const int process = ClientOf(args->client).LookupDevice(static_cast<int>(destination))->process_index();
      const std::string key = KeyOf(buffer.device()->id(), destination, args->transfer_keys[i]);
      events.push_back(WithBytes(buffer, [processes, process, key](std::string_view bytes) {
        processes->Send(process, key, std::string(bytes));
      }));
    }
    for (size_t i = 0; i < events.size(); i++) args->send_events[i] = MakeEvent(std::move(events[i]));
  });
}

}  // namespace

PJRT_Extension_Base* CrossHostTransfersExtension() {
  static PJRT_CrossHostTransfers_Extension extension = {BaseOf(PJRT_Extension_Type_CrossHostTransfers),
                                                        MakeReceiveBuffers, CopyToRemoteDevice, ReceiveBuffers,
                                                        SendBuffers};
  return &extension.base;
}

}  // namespace reference
