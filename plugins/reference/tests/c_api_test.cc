// The plugin through its C API from several threads at once, as a framework uses it: for sanitizers, which can check a
// whole program here, without the Node runtime. c_api_test [ROUNDS]
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "pjrt_c_api.h"
#include "pjrt_c_extensions.h"
#include "base/primitive_type.h"
#include "runtime/ffi_abi.h"
#include "tests/check.h"

extern "C" const PJRT_Api* GetPjrtApi();

namespace {

constexpr int kDevices = 4;
constexpr int64_t kSize = 64;
constexpr size_t kBytes = kSize * sizeof(float);

const PJRT_Api* const api = GetPjrtApi();

#define ARGS(name) \
  PJRT_##name##_Args args = {}; \
  args.struct_size = PJRT_##name##_Args_STRUCT_SIZE
// Calls it. An unexpected error ends the test.
#define CALL(name)                                                              \
  if (CodeOf(api->PJRT_##name(&args)) != 0) {                                   \
    std::fprintf(stderr, "%d: " #name ": %s\n", __LINE__, last_message.c_str()); \
    std::abort();                                                               \
  }

thread_local std::string last_message;

// 0 if there is none. Reads the message and destroys the error.
int CodeOf(PJRT_Error* error) {
  if (error == nullptr) return 0;
  PJRT_Error_GetCode_Args code = {};
  code.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE;
  code.error = error;
  api->PJRT_Error_GetCode(&code);
  PJRT_Error_Message_Args message = {};
  message.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE;
  message.error = error;
  api->PJRT_Error_Message(&message);
  last_message = std::string(message.message, message.message_size);
  PJRT_Error_Destroy_Args destroy = {};
  destroy.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
  destroy.error = error;
  api->PJRT_Error_Destroy(&destroy);
  return code.code;
}

// Waits for an event and destroys it.
int Await(PJRT_Event* event) {
  int code = 0;
  {
    ARGS(Event_Await);
    args.event = event;
    code = CodeOf(api->PJRT_Event_Await(&args));
  }
  ARGS(Event_Destroy);
  args.event = event;
  CALL(Event_Destroy);
  return code;
}

PJRT_Client* MakeClient(int64_t delay_us) {
  PJRT_NamedValue options[2] = {};
  const char* const names[] = {"num_devices", "delay_us"};
  const int64_t values[] = {kDevices, delay_us};
  for (int i = 0; i < 2; i++) {
    options[i].struct_size = PJRT_NamedValue_STRUCT_SIZE;
    options[i].name = names[i];
    options[i].name_size = std::string(names[i]).size();
    options[i].type = PJRT_NamedValue_kInt64;
    options[i].int64_value = values[i];
    options[i].value_size = 1;
  }
  ARGS(Client_Create);
  args.create_options = options;
  args.num_options = 2;
  CALL(Client_Create);
  return args.client;
}

std::vector<PJRT_Device*> Devices(PJRT_Client* client) {
  ARGS(Client_AddressableDevices);
  args.client = client;
  CALL(Client_AddressableDevices);
  return {args.addressable_devices, args.addressable_devices + args.num_addressable_devices};
}

std::vector<PJRT_Memory*> Memories(PJRT_Device* device) {
  ARGS(Device_AddressableMemories);
  args.device = device;
  CALL(Device_AddressableMemories);
  return {args.memories, args.memories + args.num_memories};
}

PJRT_LoadedExecutable* Compile(PJRT_Client* client, const std::string& code, const std::string& options, int expected = 0) {
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(code.data());
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  ARGS(Client_Compile);
  args.client = client;
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  CHECK(CodeOf(api->PJRT_Client_Compile(&args)) == expected);
  return args.executable;
}

PJRT_Buffer* ToDevice(PJRT_Client* client, PJRT_Device* device, const std::vector<float>& values,
                      PJRT_HostBufferSemantics semantics) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  ARGS(Client_BufferFromHostBuffer);
  args.client = client;
  args.data = values.data();
  args.type = PJRT_Buffer_Type_F32;
  args.dims = dims;
  args.num_dims = 1;
  args.host_buffer_semantics = semantics;
  args.device = device;
  CALL(Client_BufferFromHostBuffer);
  CHECK(Await(args.done_with_host_buffer) == 0);
  return args.buffer;
}

PJRT_Event* ReadyEvent(PJRT_Buffer* buffer) {
  ARGS(Buffer_ReadyEvent);
  args.buffer = buffer;
  CALL(Buffer_ReadyEvent);
  return args.event;
}

void Destroy(PJRT_Buffer* buffer) {
  ARGS(Buffer_Destroy);
  args.buffer = buffer;
  CALL(Buffer_Destroy);
}

std::vector<float> ToHost(PJRT_Buffer* buffer) {
  std::vector<float> values(kSize, -1);
  ARGS(Buffer_ToHostBuffer);
  args.src = buffer;
  args.dst = values.data();
  args.dst_size = kBytes;
  CALL(Buffer_ToHostBuffer);
  CHECK(Await(args.event) == 0);
  return values;
}

// Custom options of an execution, with the memory that they point to.
struct CustomOptions {
  std::string text = "fast";
  std::vector<int64_t> list = {3, 1, 2};
  std::vector<std::string> names = {"text", "number", "list", "fraction", "flag"};
  std::vector<PJRT_NamedValue> values;

  CustomOptions() : values(names.size()) {
    for (size_t i = 0; i < names.size(); i++) {
      values[i].struct_size = PJRT_NamedValue_STRUCT_SIZE;
      values[i].name = names[i].data();
      values[i].name_size = names[i].size();
      values[i].type = static_cast<PJRT_NamedValue_Type>(i);
      values[i].value_size = 1;
    }
    values[0].string_value = text.data();
    values[0].value_size = text.size();
    values[1].int64_value = -7;
    values[2].int64_array_value = list.data();
    values[2].value_size = list.size();
    values[3].float_value = 0.5f;
    values[4].bool_value = true;
  }
  void Overwrite() {
    text.assign(text.size(), '?');
    for (std::string& name : names) name.assign(name.size(), '?');
    list.assign(list.size(), -1);
    values.assign(values.size(), {});
  }
};

// One argument and one result per device. The custom options, if any, are overwritten when the call returns.
std::vector<PJRT_Buffer*> Execute(PJRT_LoadedExecutable* executable, const std::vector<PJRT_Buffer*>& arguments,
                                  PJRT_Device* device, CustomOptions* custom = nullptr) {
  PJRT_ExecuteOptions options = {};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  if (custom != nullptr) {
    options.custom_options = custom->values.data();
    options.num_custom_options = custom->values.size();
  }
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer*> outputs(arguments.size());
  std::vector<PJRT_Buffer**> output_lists;
  std::vector<PJRT_Event*> events(arguments.size());
  for (size_t i = 0; i < arguments.size(); i++) {
    argument_lists.push_back(&arguments[i]);
    output_lists.push_back(&outputs[i]);
  }
  ARGS(LoadedExecutable_Execute);
  args.executable = executable;
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = arguments.size();
  args.num_args = 1;
  args.output_lists = output_lists.data();
  args.device_complete_events = events.data();
  args.execute_device = device;
  CALL(LoadedExecutable_Execute);
  if (custom != nullptr) custom->Overwrite();
  for (PJRT_Event* event : events) CHECK(Await(event) == 0);
  return outputs;
}

std::vector<float> Values(float first) {
  std::vector<float> values(kSize);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Counts the pending callbacks.
class Countdown {
 public:
  void Expect() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_++;
  }
  void Done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--open_ == 0) none_.notify_all();
  }
  void Await() {
    std::unique_lock<std::mutex> lock(mutex_);
    none_.wait(lock, [&] { return open_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int open_ = 0;
};

// Its own callback destroys the event, as in frameworks.
void CallBack(PJRT_Event* event, Countdown& countdown) {
  struct Waiting {
    PJRT_Event* event;
    Countdown* countdown;
  };
  countdown.Expect();
  ARGS(Event_OnReady);
  args.event = event;
  args.user_arg = new Waiting{event, &countdown};
  args.callback = [](PJRT_Error* error, void* user_arg) {
    CodeOf(error);
    auto* waiting = static_cast<Waiting*>(user_arg);
    Countdown* const done = waiting->countdown;
    {
      ARGS(Event_Destroy);
      args.event = waiting->event;
      CALL(Event_Destroy);
    }
    delete waiting;
    done->Done();
  };
  CALL(Event_OnReady);
}

struct Session {
  PJRT_Client* client;
  std::vector<PJRT_Device*> devices;
  PJRT_LoadedExecutable* twice;     // x + x, the argument may be donated
  PJRT_LoadedExecutable* together;  // the sum over all devices
};

constexpr const char* kTwice =
    "func.func public @main(%x: tensor<64xf32> {tf.aliasing_output = 0 : i32}) -> tensor<64xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<64xf32>\n  return %0 : tensor<64xf32>\n}\n";
constexpr const char* kTogether = R"(func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
)";
// executable_build_options { device_ordinal: -1 num_replicas: N num_partitions: 1 } compile_portable_executable: N == 1
std::string Options(int replicas) {
  const std::string build = std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20", 12) +
                            static_cast<char>(replicas) + std::string("\x28\x01", 2);
  return std::string("\x1a") + static_cast<char>(build.size()) + build + (replicas == 1 ? "\x20\x01" : "");
}

void RunAndRead(const Session& session, PJRT_Device* device, int round) {
  const std::vector<float> values = Values(static_cast<float>(round));
  PJRT_Buffer* const x = ToDevice(session.client, device, values, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
  PJRT_Buffer* const y = Execute(session.twice, {x}, device)[0];
  CHECK(ToHost(y)[5] == 2 * values[5]);
  Destroy(x);
  Destroy(y);
}

void CopyAround(const Session& session, size_t at, int round) {
  PJRT_Buffer* const x = ToDevice(session.client, session.devices[at], Values(static_cast<float>(round)),
                                  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes);
  PJRT_Buffer* there = nullptr;
  {
    ARGS(Buffer_CopyToDevice);
    args.buffer = x;
    args.dst_device = session.devices[(at + 1) % kDevices];
    CALL(Buffer_CopyToDevice);
    there = args.dst_buffer;
  }
  PJRT_Buffer* back = nullptr;
  {
    ARGS(Buffer_CopyToMemory);
    args.buffer = there;
    args.dst_memory = Memories(session.devices[at]).back();
    CALL(Buffer_CopyToMemory);
    back = args.dst_buffer;
  }
  Destroy(x);  // before the copies need be complete
  Destroy(there);
  CHECK(ToHost(back)[7] == static_cast<float>(round) + 7);
  Destroy(back);
}

void TransferInPieces(const Session& session, size_t at, int round) {
  const std::vector<float> values = Values(static_cast<float>(100 * round));
  const int64_t dims[] = {kSize};
  PJRT_ShapeSpec spec = {};
  spec.struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
  spec.dims = dims;
  spec.num_dims = 1;
  spec.element_type = PJRT_Buffer_Type_F32;
  PJRT_AsyncHostToDeviceTransferManager* manager = nullptr;
  {
    ARGS(Client_CreateBuffersForAsyncHostToDevice);
    args.client = session.client;
    args.shape_specs = &spec;
    args.num_shape_specs = 1;
    args.memory = Memories(session.devices[at])[0];
    CALL(Client_CreateBuffersForAsyncHostToDevice);
    manager = args.transfer_manager;
  }
  PJRT_Buffer* buffer = nullptr;
  {
    ARGS(AsyncHostToDeviceTransferManager_RetrieveBuffer);
    args.transfer_manager = manager;
    CALL(AsyncHostToDeviceTransferManager_RetrieveBuffer);
    buffer = args.buffer_out;
  }
  // One thread waits for the buffer while two others fill it.
  std::thread reader([&] { CHECK(ToHost(buffer) == values); });
  const auto half = [&](int64_t offset, bool last) {
    ARGS(AsyncHostToDeviceTransferManager_TransferData);
    args.transfer_manager = manager;
    args.data = reinterpret_cast<const char*>(values.data()) + offset;
    args.offset = offset;
    args.transfer_size = kBytes / 2;
    args.is_last_transfer = last;
    CALL(AsyncHostToDeviceTransferManager_TransferData);
    CHECK(Await(args.done_with_h2d_transfer) == 0);
  };
  std::thread first([&] { half(kBytes / 2, false); });
  first.join();
  half(0, true);
  reader.join();
  {
    ARGS(AsyncHostToDeviceTransferManager_Destroy);
    args.transfer_manager = manager;
    CALL(AsyncHostToDeviceTransferManager_Destroy);
  }
  Destroy(buffer);
}

// External memory, and a pointer that is kept while the buffer is destroyed.
void ViewAndReference(const Session& session, size_t at, int round) {
  alignas(64) static thread_local float memory[kSize];
  const std::vector<float> values = Values(static_cast<float>(round));
  std::copy(values.begin(), values.end(), memory);
  std::atomic<int> deleted{0};
  PJRT_Buffer* view = nullptr;
  {
    const int64_t dims[] = {kSize};
    ARGS(Client_CreateViewOfDeviceBuffer);
    args.client = session.client;
    args.device_buffer_ptr = memory;
    args.dims = dims;
    args.num_dims = 1;
    args.element_type = PJRT_Buffer_Type_F32;
    args.device = session.devices[at];
    args.on_delete_callback = [](void*, void* count) { ++*static_cast<std::atomic<int>*>(count); };
    args.on_delete_callback_arg = &deleted;
    CALL(Client_CreateViewOfDeviceBuffer);
    view = args.buffer;
  }
  PJRT_Buffer* const y = Execute(session.twice, {view}, session.devices[at])[0];
  CHECK(ToHost(y)[3] == 2 * values[3]);
  const float* pinned = nullptr;
  {
    ARGS(Buffer_IncreaseExternalReferenceCount);
    args.buffer = y;
    CALL(Buffer_IncreaseExternalReferenceCount);
  }
  {
    ARGS(Buffer_OpaqueDeviceMemoryDataPointer);
    args.buffer = y;
    CALL(Buffer_OpaqueDeviceMemoryDataPointer);
    pinned = static_cast<const float*>(args.device_memory_ptr);
  }
  {
    ARGS(Buffer_Delete);
    args.buffer = y;
    CALL(Buffer_Delete);
  }
  CHECK(pinned[9] == 2 * values[9]);
  {
    ARGS(Buffer_DecreaseExternalReferenceCount);
    args.buffer = y;
    CALL(Buffer_DecreaseExternalReferenceCount);
  }
  Destroy(view);
  Destroy(y);
  CHECK(deleted == 1);
}

// An event that others wait for and that this one completes; a buffer with an error.
void EventsAndErrors(const Session& session, size_t at, int round, Countdown& countdown) {
  PJRT_Event* event = nullptr;
  {
    ARGS(Event_Create);
    CALL(Event_Create);
    event = args.event;
  }
  const int code = round % 2 == 0 ? 0 : PJRT_Error_Code_DATA_LOSS;
  std::vector<std::thread> waiting;
  for (int i = 0; i < 2; i++) {
    waiting.emplace_back([&] {
      ARGS(Event_Await);
      args.event = event;
      CHECK(CodeOf(api->PJRT_Event_Await(&args)) == code);
    });
  }
  {
    ARGS(Event_Set);
    args.event = event;
    args.error_code = static_cast<PJRT_Error_Code>(code);
    args.error_message = "lost";
    args.error_message_size = code == 0 ? 0 : 4;
    CALL(Event_Set);
  }
  for (std::thread& thread : waiting) thread.join();
  CHECK(Await(event) == code);

  const int64_t dims[] = {kSize};
  ARGS(Client_CreateErrorBuffer);
  args.client = session.client;
  args.error_code = PJRT_Error_Code_ABORTED;
  args.error_message = "gone";
  args.error_message_size = 4;
  args.shape_dims = dims;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  args.memory = Memories(session.devices[at])[0];
  CALL(Client_CreateErrorBuffer);
  CallBack(ReadyEvent(args.buffer), countdown);
  CHECK(Await(ReadyEvent(args.buffer)) == PJRT_Error_Code_ABORTED);
  Destroy(args.buffer);
  Compile(session.client, "no program", Options(1), PJRT_Error_Code_INVALID_ARGUMENT);
}

void SumOverDevices(const Session& session, int round) {
  std::vector<PJRT_Buffer*> arguments;
  for (int i = 0; i < kDevices; i++) {
    arguments.push_back(ToDevice(session.client, session.devices[static_cast<size_t>(i)],
                                 Values(static_cast<float>(round + i)),
                                 PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes));
  }
  const std::vector<PJRT_Buffer*> sums = Execute(session.together, arguments, nullptr);
  for (PJRT_Buffer* sum : sums) CHECK(ToHost(sum)[0] == static_cast<float>(4 * round + 6));
  for (PJRT_Buffer* buffer : arguments) Destroy(buffer);
  for (PJRT_Buffer* buffer : sums) Destroy(buffer);
}

// Results that are not awaited before everything is destroyed.
void LeaveWorkBehind(const Session& session, size_t at, Countdown& countdown) {
  PJRT_Buffer* const x =
      ToDevice(session.client, session.devices[at], Values(1), PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
  PJRT_Buffer* const y = Execute(session.twice, {x}, session.devices[at])[0];
  CallBack(ReadyEvent(y), countdown);
  Destroy(x);
  Destroy(y);
}

void Destroy(PJRT_LoadedExecutable* executable) {
  ARGS(LoadedExecutable_Destroy);
  args.executable = executable;
  CALL(LoadedExecutable_Destroy);
}

void TestTogether(int rounds, int64_t delay_us) {
  Session session = {};
  session.client = MakeClient(delay_us);
  session.devices = Devices(session.client);
  CHECK(session.devices.size() == kDevices);
  session.twice = Compile(session.client, kTwice, Options(1));
  session.together = Compile(session.client, kTogether, Options(kDevices));
  Countdown countdown;
  std::vector<std::thread> threads;
  for (size_t at = 0; at < kDevices; at++) {
    threads.emplace_back([&, at] {
      for (int round = 0; round < rounds; round++) {
        RunAndRead(session, session.devices[at], round);
        CopyAround(session, at, round);
        TransferInPieces(session, at, round);
        ViewAndReference(session, at, round);
        EventsAndErrors(session, at, round, countdown);
        if (at < 2) SumOverDevices(session, round);
        LeaveWorkBehind(session, at, countdown);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  countdown.Await();
  Destroy(session.twice);
  Destroy(session.together);
  ARGS(Client_Destroy);
  args.client = session.client;
  CALL(Client_Destroy);
}

// Writes what it finds in the custom options of the execution: -1 for each that is not there or of another type.
reference::ffi::Error* ReportOptions(reference::ffi::CallFrame* frame) {
  namespace ffi = reference::ffi;
  for (const ffi::ExtensionBase* e = frame->extension_start; e != nullptr; e = e->next) {
    if (e->type != ffi::kMetadataExtension) continue;
    reinterpret_cast<const ffi::MetadataExtension*>(e)->metadata->api_version = {sizeof(ffi::ApiVersion), nullptr, 0, 5};
    return nullptr;
  }
  ffi::CustomOptionsGetArgs args = {sizeof(args), nullptr, frame->context, nullptr};
  if (ffi::Error* error = frame->api->custom_options_get(&args)) return error;
  const ffi::Attributes& options = *args.attributes;
  float* const results = static_cast<float*>(static_cast<ffi::Buffer*>(frame->results.buffers[0])->data);
  std::fill_n(results, kSize, -1.f);
  results[0] = static_cast<float>(options.size);
  for (int64_t i = 0; i < options.size; i++) {
    const std::string name(options.names[i]->data, options.names[i]->size);
    const auto* scalar = static_cast<const ffi::Scalar*>(options.values[i]);
    const bool is_scalar = options.kinds[i] == ffi::AttributeKind::kScalar;
    if (name == "text" && options.kinds[i] == ffi::AttributeKind::kString) {
      const auto* text = static_cast<const ffi::ByteSpan*>(options.values[i]);
      results[1] = std::string(text->data, text->size) == "fast";
    } else if (name == "number" && is_scalar && scalar->type == reference::PrimitiveType(reference::ElementType::kS64)) {
      results[2] = static_cast<float>(*static_cast<const int64_t*>(scalar->value));
    } else if (name == "list" && options.kinds[i] == ffi::AttributeKind::kArray) {
      const auto* array = static_cast<const ffi::ArrayAttribute*>(options.values[i]);
      results[3] = static_cast<float>(array->size * 10) + static_cast<float>(static_cast<const int64_t*>(array->data)[2]);
    } else if (name == "fraction" && is_scalar && scalar->type == reference::PrimitiveType(reference::ElementType::kF32)) {
      results[4] = *static_cast<const float*>(scalar->value);
    } else if (name == "flag" && is_scalar && scalar->type == reference::PrimitiveType(reference::ElementType::kPred)) {
      results[5] = *static_cast<const bool*>(scalar->value);
    }
  }
  return nullptr;
}

// Handlers of custom calls see the options of their execution, even if they run after the call.
void TestCustomOptions() {
  const PJRT_Extension_Base* extension = api->extension_start;
  while (extension != nullptr && extension->type != PJRT_Extension_Type_FFI) extension = extension->next;
  CHECK(extension != nullptr);
  PJRT_FFI_Register_Handler_Args handler = {};
  handler.struct_size = PJRT_FFI_Register_Handler_Args_STRUCT_SIZE;
  handler.target_name = "report_options";
  handler.target_name_size = 14;
  handler.handler = reinterpret_cast<void*>(&ReportOptions);
  CHECK(CodeOf(reinterpret_cast<const PJRT_FFI_Extension*>(extension)->register_handler(&handler)) == 0);

  PJRT_Client* const client = MakeClient(2000);
  PJRT_Device* const device = Devices(client)[0];
  PJRT_LoadedExecutable* const executable =
      Compile(client,
              "func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {\n"
              "  %0 = stablehlo.custom_call @report_options(%x) {api_version = 4 : i32} : (tensor<64xf32>) -> tensor<64xf32>\n"
              "  return %0 : tensor<64xf32>\n}\n",
              Options(1));
  PJRT_Buffer* const x = ToDevice(client, device, Values(0), PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
  CustomOptions options;
  for (const bool with : {true, false}) {
    PJRT_Buffer* const y = Execute(executable, {x}, device, with ? &options : nullptr)[0];
    const std::vector<float> seen = ToHost(y);
    const std::vector<float> expected =
        with ? std::vector<float>{5, 1, -7, 32, 0.5f, 1, -1} : std::vector<float>{0, -1, -1, -1, -1, -1, -1};
    CHECK(std::equal(expected.begin(), expected.end(), seen.begin()));
    Destroy(y);
  }
  Destroy(x);
  Destroy(executable);
  ARGS(Client_Destroy);
  args.client = client;
  CALL(Client_Destroy);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 12;
  {
    ARGS(Plugin_Initialize);
    CALL(Plugin_Initialize);
  }
  TestTogether(rounds, 0);
  TestTogether(rounds, 200);
  TestCustomOptions();
  return ReportChecks();
}
