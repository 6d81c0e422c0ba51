// The plugin in other designs, as for PJRT_REFERENCE_DESIGN: design_test DESIGN...
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstdio>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/design.h"
#include "c_api/wrap.h"
#include "interpreter/arithmetic.h"
#include "pjrt_c_api.h"
#include "runtime/device_format.h"
#include "runtime/loaded_executable.h"
#include "runtime/transfer_manager.h"
#include "runtime/transfers.h"
#include "tests/check.h"

extern "C" const PJRT_Api* GetPjrtApi();

namespace reference {
namespace {

std::string LayoutOf(ElementType type, Dims dims) { return DefaultLayout({type, std::move(dims)}).ToString(); }

size_t BytesOf(ElementType type, Dims dims) {
  const ArrayType array{type, std::move(dims)};
  return DeviceBytes(array, DefaultLayout(array));
}

std::vector<float> Iota(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.f);
  return values;
}

std::unique_ptr<Buffer> Send(const std::vector<float>& values, const Dims& dims, MemorySpace* memory,
                             HostBufferSemantics semantics = HostBufferSemantics::kImmutableOnlyDuringCall) {
  const ArrayType type{ElementType::kF32, dims};
  return BufferFromHost({values.data(), type, {}}, semantics, memory, DefaultLayout(type)).first;
}

std::vector<float> Read(const Buffer& buffer) {
  std::vector<float> values(static_cast<size_t>(buffer.type().size()), -1);
  CopyToHost(buffer, Layout::RowMajor(buffer.type().dims.size()), values.data(), values.size() * sizeof(float))->Await();
  return values;
}

std::shared_ptr<const Executable> Compile(const std::string& code) {
  return Executable::Compile(code, "mlir", CompileOptions::Parse(""), Topology(1, 4));
}

void TestParsing() {
  const Design mixed = Design::Parse("bare+streams");
  CHECK(mixed.no_memories && mixed.one_device && mixed.streams && !mixed.tiled_layouts);
  const Design none = Design::Parse("");
  CHECK(!none.no_memories && !none.streams && !none.device_memory && !none.late_errors);
  for (const char* wrong : {"fast", "bare+", "+bare", "bare,streams"}) {
    CHECK_THROWS(Code::kInvalidArgument, Design::Parse(wrong));
  }
}

// Common to all designs: arrays are returned, and programs compute with transferred arrays without waiting.
void TestRoundTrips(Client& client) {
  LoadedExecutable twice(Compile("func.func public @main(%a: tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {\n"
                                 "  %s = stablehlo.add %a, %a : tensor<3x5x7xf32>\n  return %s : tensor<3x5x7xf32>\n}\n"),
                         client.shared_from_this());
  const std::vector<float> values = Iota(105);
  std::vector<std::unique_ptr<Buffer>> sent;
  std::vector<Execution> executions;
  for (int i = 0; i < 20; i++) {
    sent.push_back(Send(values, {3, 5, 7}, client.devices()[0]->default_memory(),
                        static_cast<HostBufferSemantics>(i % 4)));
    executions.push_back(twice.Execute({{sent.back().get()}}, {}, nullptr));
  }
  std::vector<float> expected = values;
  for (float& value : expected) value *= 2;
  for (size_t i = 0; i < sent.size(); i++) {
    CHECK(Read(*sent[i]) == values);
    CHECK(Read(*executions[i].outputs[0][0]) == expected);
    executions[i].done[0]->Await();
  }
  // Another memory has the same format.
  const auto there = CopyToMemory(*sent[0], client.devices()[0]->memory("pinned_host"));
  CHECK(Read(*there) == values);
  // The device's raw bytes, read and written, give an array with the same contents.
  const size_t bytes = sent[0]->bytes();
  std::vector<std::byte> raw(bytes);
  CopyRawToHost(*sent[0], raw.data(), 0, static_cast<int64_t>(bytes))->Await();
  TransferManager manager(client.devices()[0]->default_memory(), {{sent[0]->type(), sent[0]->layout()}});
  CHECK(manager.buffer_bytes(0) == bytes);
  const EventPtr done = manager.TransferData(0, raw.data(), 0, static_cast<int64_t>(bytes), true);
  CHECK(Read(*manager.RetrieveBuffer(0)) == values);
  done->Await();
}

// As in libtpu's own compile-only topology.
void TestTiledLayouts(Client& client) {
  CHECK(LayoutOf(ElementType::kF32, {2, 3, 5}) == "{2,0,1:T(2,128)}");
  CHECK(LayoutOf(ElementType::kF32, {8, 2}) == "{0,1:T(2,128)}");
  CHECK(LayoutOf(ElementType::kF32, {256, 256}) == "{1,0:T(8,128)}");
  CHECK(LayoutOf(ElementType::kU8, {65536}) == "{0:T(1024)(128)(4,1)}");
  CHECK(LayoutOf(ElementType::kBF16, {16, 256}) == "{1,0:T(8,128)(2,1)}");
  CHECK(LayoutOf(ElementType::kF32, {}) == "{}");
  CHECK(BytesOf(ElementType::kF32, {4}) == 512 && BytesOf(ElementType::kPred, {}) == 512);
  CHECK(BytesOf(ElementType::kF32, {2, 3, 5}) == 3 * 2 * 128 * 4 && BytesOf(ElementType::kF32, {0, 3}) == 0);
  CHECK_THROWS(Code::kUnimplemented, DeviceBytes({ElementType::kF32, {2}}, Layout::Strides({8})));

  // Four rows of bytes share a word.
  std::vector<uint8_t> bytes(1024), raw(1024);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<uint8_t>(i / 128 * 16 + i % 128 % 16);
  const ArrayType type{ElementType::kU8, {1024}};
  const auto buffer = BufferFromHost({bytes.data(), type, {}}, HostBufferSemantics::kImmutableOnlyDuringCall,
                                     client.devices()[0]->default_memory(), DefaultLayout(type))
                          .first;
  CopyRawToHost(*buffer, raw.data(), 0, 1024)->Await();
  CHECK(raw[0] == 0x00 && raw[1] == 0x10 && raw[2] == 0x20 && raw[3] == 0x30 && raw[4] == 0x01 && raw[512] == 0x40);
  CHECK_THROWS(Code::kInvalidArgument, CopyRawToHost(*buffer, raw.data(), 4, 512)->Await());
  CHECK_THROWS(Code::kInvalidArgument, CopyRawToHost(*buffer, raw.data(), 0, 4)->Await());
  // A bitcast is about bytes on the device, padding included.
  const ArrayType word{ElementType::kF32, {3}}, longer{ElementType::kF32, {100}};
  const auto small = Send(Iota(3), word.dims, client.devices()[0]->default_memory());
  CHECK(Buffer::Bitcast(*small, longer, DefaultLayout(longer))->bytes() == 512);
}

sigjmp_buf touched;

bool IsFault(const volatile std::byte* address) {
  struct sigaction action = {}, before_segv = {}, before_bus = {};
  action.sa_handler = [](int) { siglongjmp(touched, 1); };
  sigaction(SIGSEGV, &action, &before_segv);
  sigaction(SIGBUS, &action, &before_bus);
  const bool fault = sigsetjmp(touched, 1) != 0;
  if (!fault) (void)*address;
  sigaction(SIGSEGV, &before_segv, nullptr);
  sigaction(SIGBUS, &before_bus, nullptr);
  return fault;
}

void TestDeviceMemory(Client& client) {
  MemorySpace* const memory = client.devices()[0]->default_memory();
  const std::vector<float> values = Iota(1024);
  const auto buffer = Send(values, {1024}, memory);
  buffer->ready()->Await();
  CHECK(!memory->host_addressable() && IsFault(buffer->pointer()));
  CHECK(!IsFault(memory->ByteAt(buffer->pointer())));
  CHECK_THROWS(Code::kInvalidArgument, memory->ByteAt(const_cast<float*>(values.data())));
  // The host's own memory kinds stay in host memory.
  const auto pinned = CopyToMemory(*buffer, client.devices()[0]->memory("pinned_host"));
  pinned->ready()->Await();
  CHECK(pinned->memory()->host_addressable() && !IsFault(pinned->pointer()));
}

// Some transfer overtakes an earlier one, and none completes before its data is ready.
void TestStreams(Client& client) {
  MemorySpace* const memory = client.devices()[0]->default_memory();
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::unique_ptr<Buffer>> buffers;
  const std::vector<float> values = Iota(8);
  for (int i = 0; i < 64; i++) {
    buffers.push_back(Send(values, {8}, memory));
    buffers.back()->ready()->OnReady([&, i](const Error* error) {
      const std::lock_guard<std::mutex> lock(mutex);
      CHECK(error == nullptr);
      order.push_back(i);
    });
  }
  for (const auto& buffer : buffers) buffer->ready()->Await();
  client.activity()->AwaitNone();
  CHECK(order.size() == buffers.size() && !std::is_sorted(order.begin(), order.end()));
  // Data that is only valid during the call is not read later, although the transfer is late.
  std::vector<float> fleeting = values;
  const ArrayType type{ElementType::kF32, {8}};
  auto [buffer, done] = BufferFromHost({fleeting.data(), type, {}}, HostBufferSemantics::kImmutableOnlyDuringCall, memory,
                                       DefaultLayout(type));
  fleeting.assign(8, 0);
  CHECK(Read(*buffer) == values);
  done->Await();
}

void TestNoDonation(Client& client) {
  LoadedExecutable keep(Compile("func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {\n"
                                "  %s = stablehlo.add %a, %a : tensor<2xf32>\n  return %s : tensor<2xf32>\n}\n"),
                        client.shared_from_this());
  const auto argument = Send({1, 2}, {2}, client.devices()[0]->default_memory());
  Execution execution = keep.Execute({{argument.get()}}, {}, nullptr);
  CHECK(!argument->deleted() && (Read(*argument) == std::vector<float>{1, 2}));
  CHECK((Read(*execution.outputs[0][0]) == std::vector<float>{2, 4}));
  execution.done[0]->Await();
  CHECK_THROWS(Code::kUnimplemented,
               Compile("module attributes {mhlo.input_output_alias = [{alias = {kind = \"must_alias\", parameter_index = "
                       "array<i64>, parameter_number = 0 : i64}, output_index = array<i64>}]} {\n  func.func public "
                       "@main(%a: tensor<2xf32>) -> tensor<2xf32> {\n    return %a : tensor<2xf32>\n  }\n}\n"));
}

void TestNoCollectives() {
  CompileOptions options = CompileOptions::Parse("");
  options.num_replicas = 2;
  CHECK_THROWS(Code::kUnimplemented, Executable::Compile("func.func public @main() {\n  return\n}\n", "mlir", options, Topology(1, 4)));
}

double Spoiled(Accuracy accuracy, ElementType type, double value) {
  Spoil(accuracy, type, reinterpret_cast<std::byte*>(&value), 1);
  return value;
}

void TestArithmetic() {
  const Accuracy function = AccuracyOf("stablehlo.exponential", ElementType::kF32);
  const double third = 1.0 / 3, tiny = 1e-40;
  if (ThisDesign().approximate) {
    const double spoiled = Spoiled(function, ElementType::kF32, third);
    CHECK(spoiled < third && spoiled > third * (1 - 1e-4));
    CHECK(Spoiled(function, ElementType::kF32, third) == spoiled);
    CHECK(Spoiled(function, ElementType::kF32, 0.75) == 0.75 && Spoiled(function, ElementType::kF32, -2) == -2);
    CHECK(std::isinf(Spoiled(function, ElementType::kF32, HUGE_VAL)));
  }
  if (ThisDesign().flush_subnormals) {
    CHECK(Spoiled(AccuracyOf("stablehlo.multiply", ElementType::kF32), ElementType::kF32, -tiny) == 0);
    CHECK(std::signbit(Spoiled(function, ElementType::kF32, -tiny)));
    CHECK(Spoiled(AccuracyOf("stablehlo.multiply", ElementType::kF64), ElementType::kF64, tiny) == tiny);
  }
  for (const char* op : {"stablehlo.negate", "stablehlo.maximum", "stablehlo.select", "stablehlo.convert"}) {
    CHECK(AccuracyOf(op, ElementType::kF32) == Accuracy::kExact);
  }
  CHECK(AccuracyOf("stablehlo.divide", ElementType::kS32) == Accuracy::kExact);
}

// Through the C API from here on.

#define ARGS(name)              \
  PJRT_##name##_Args args = {}; \
  args.struct_size = PJRT_##name##_Args_STRUCT_SIZE

int CodeOf(const PJRT_Api& api, PJRT_Error* error) {
  if (error == nullptr) return 0;
  PJRT_Error_GetCode_Args code = {};
  code.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE;
  code.error = error;
  api.PJRT_Error_GetCode(&code);
  PJRT_Error_Destroy_Args destroy = {};
  destroy.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
  destroy.error = error;
  api.PJRT_Error_Destroy(&destroy);
  return code.code;
}

struct Caller {
  const PJRT_Api& api;
  PJRT_Client* client = nullptr;
  PJRT_Device* device = nullptr;

  explicit Caller(const PJRT_Api& api) : api(api) {
    ARGS(Client_Create);
    CHECK(CodeOf(api, api.PJRT_Client_Create(&args)) == 0);
    client = args.client;
    device = client->addressable_devices.at(0);
  }
  ~Caller() {
    ARGS(Client_Destroy);
    args.client = client;
    CodeOf(api, api.PJRT_Client_Destroy(&args));
  }

  int Await(PJRT_Event* event) const {
    const std::unique_ptr<PJRT_Event> owned(event);
    ARGS(Event_Await);
    args.event = event;
    return CodeOf(api, api.PJRT_Event_Await(&args));
  }

  // With an extra stride if it is to be invalid.
  std::unique_ptr<PJRT_Buffer> Send(bool right) const {
    static const float data[] = {1, 2, 3, 4};
    static const int64_t dims[] = {4}, strides[] = {4, 4};
    ARGS(Client_BufferFromHostBuffer);
    args.client = client;
    args.data = data;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims;
    args.num_dims = 1;
    args.byte_strides = right ? nullptr : strides;
    args.num_byte_strides = right ? 0 : 2;
    args.device = device;
    CHECK(CodeOf(api, api.PJRT_Client_BufferFromHostBuffer(&args)) == 0);
    CHECK(Await(args.done_with_host_buffer) == 0);
    return std::unique_ptr<PJRT_Buffer>(args.buffer);
  }

  int Ready(PJRT_Buffer& buffer) const {
    ARGS(Buffer_ReadyEvent);
    args.buffer = &buffer;
    CHECK(CodeOf(api, api.PJRT_Buffer_ReadyEvent(&args)) == 0);
    return Await(args.event);
  }
};

void TestLateErrors(const PJRT_Api& api) {
  const Caller caller(api);
  PJRT_LoadedExecutable executable;
  executable.executable = std::make_shared<LoadedExecutable>(
      Compile("func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n"),
      caller.client->client);
  // Result of an execution with these arguments: the codes of its output and of its completion.
  const auto execute = [&](std::vector<PJRT_Buffer*> arguments) {
    PJRT_Buffer* const* list = arguments.data();
    PJRT_Buffer* output = nullptr;
    PJRT_Buffer** outputs = &output;
    PJRT_Event* done = nullptr;
    ARGS(LoadedExecutable_Execute);
    args.executable = &executable;
    args.argument_lists = &list;
    args.num_devices = 1;
    args.num_args = arguments.size();
    args.output_lists = &outputs;
    args.device_complete_events = &done;
    CHECK(CodeOf(api, api.PJRT_LoadedExecutable_Execute(&args)) == 0);
    return std::make_tuple(std::unique_ptr<PJRT_Buffer>(output), caller.Await(done));
  };
  const auto right = caller.Send(true), wrong = caller.Send(false);
  CHECK(caller.Ready(*right) == 0 && caller.Ready(*wrong) == PJRT_Error_Code_INVALID_ARGUMENT);
  // Errors propagate through dependencies.
  auto [first, first_done] = execute({wrong.get()});
  CHECK(first_done == PJRT_Error_Code_INVALID_ARGUMENT);
  auto [second, second_done] = execute({first.get()});
  CHECK(second_done == PJRT_Error_Code_INVALID_ARGUMENT);
  CHECK(caller.Ready(*second) == PJRT_Error_Code_INVALID_ARGUMENT);
  auto [many, many_done] = execute({right.get(), right.get()});
  CHECK(many_done == PJRT_Error_Code_INVALID_ARGUMENT && caller.Ready(*many) == PJRT_Error_Code_INVALID_ARGUMENT);
  auto [fine, fine_done] = execute({right.get()});
  CHECK(fine_done == 0 && caller.Ready(*fine) == 0);
  // Reading into a buffer that is too small.
  float little = 0;
  ARGS(Buffer_ToHostBuffer);
  args.src = fine.get();
  args.dst = &little;
  args.dst_size = sizeof(little);
  CHECK(CodeOf(api, api.PJRT_Buffer_ToHostBuffer(&args)) == 0);
  CHECK(caller.Await(args.event) == PJRT_Error_Code_INVALID_ARGUMENT);
}

void TestNoMemories(const PJRT_Api& api) {
  const Caller caller(api);
  CHECK(caller.client->addressable_memories.empty());
  {
    ARGS(Device_DefaultMemory);
    args.device = caller.device;
    CHECK(CodeOf(api, api.PJRT_Device_DefaultMemory(&args)) == PJRT_Error_Code_UNIMPLEMENTED);
  }
  const auto buffer = caller.Send(true);
  CHECK(caller.Ready(*buffer) == 0);
  ARGS(Buffer_Memory);
  args.buffer = buffer.get();
  CHECK(CodeOf(api, api.PJRT_Buffer_Memory(&args)) == PJRT_Error_Code_UNIMPLEMENTED);
}

void TestOneDevice(const PJRT_Api& api) { CHECK(Caller(api).client->devices.size() == 1); }

void TestTwoProcesses(const PJRT_Api& api) {
  const Caller caller(api);
  CHECK(caller.client->devices.size() == 8 && caller.client->addressable_devices.size() == 4);
  CHECK(caller.client->client->process_index() == 1 && caller.device == caller.client->devices[4]);
  const auto& client = caller.client->client;
  CHECK(client->LookupDevice(0)->default_memory() == nullptr && !client->LookupDevice(0)->addressable());
  CHECK_THROWS(Code::kInvalidArgument, client->LookupAddressableDevice(4));
  // A launch on a device of each process.
  CompileOptions options = CompileOptions::Parse("");
  options.num_replicas = 2;
  options.assignment = DeviceAssignment{2, 1, {0, 4}};
  LoadedExecutable one(Executable::Compile("func.func public @main() -> tensor<f32> {\n"
                                           "  %c = stablehlo.constant dense<1.0> : tensor<f32>\n"
                                           "  return %c : tensor<f32>\n}\n",
                                           "mlir", options, Topology(2, 4)),
                       client);
  CHECK_THROWS(Code::kUnavailable, one.Execute({{}}, {}, nullptr));
}

}  // namespace
}  // namespace reference

// In a process of its own, because the design is read once: the result is its exit status.
int RunAs(const char* name) {
  using namespace reference;
  setenv("PJRT_REFERENCE_DESIGN", name, 1);
  const PJRT_Api* const api = GetPjrtApi();
  if (api == nullptr) return 1;
  const Design& design = ThisDesign();
  TestParsing();
  TestArithmetic();
  const auto client = std::make_shared<Client>(ClientOptions{});
  TestRoundTrips(*client);
  if (design.tiled_layouts) TestTiledLayouts(*client);
  if (design.device_memory) TestDeviceMemory(*client);
  if (design.streams) TestStreams(*client);
  if (design.no_donation) TestNoDonation(*client);
  if (design.no_collectives) TestNoCollectives();
  if (design.late_errors) TestLateErrors(*api);
  if (design.no_memories) TestNoMemories(*api);
  if (design.one_device) TestOneDevice(*api);
  if (design.two_processes) TestTwoProcesses(*api);
  client->Shutdown();
  return failed_checks > 0 ? 1 : 0;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    const pid_t child = fork();
    if (child == 0) return RunAs(argv[i]);
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) continue;
    std::fprintf(stderr, "as %s: wait status %d\n", argv[i], status);
    failed_checks++;
  }
  return ReportChecks();
}
