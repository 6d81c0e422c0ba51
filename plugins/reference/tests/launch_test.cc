// Rendezvous of participants, donated memory, streams from a host.
#include <functional>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/collectives.h"
#include "runtime/copy_stream.h"
#include "runtime/loaded_executable.h"
#include "runtime/transfers.h"
#include "tests/check.h"

using namespace reference;

namespace {


Array Number(float value) {
  Array array(ArrayType{ElementType::kF32, {}});
  *array.as<float>() = value;
  return array;
}

bool Throws(const std::function<void()>& run) {
  try {
    run();
    return false;
  } catch (const Error&) {
    return true;
  }
}

void Meetings() {
  Rendezvous place({0, 1, 2}, nullptr);
  std::vector<std::future<float>> sums;
  for (int me = 0; me < 3; me++) {
    sums.push_back(std::async(std::launch::async, [&place, me] {
      float sum = 0;
      for (int round = 0; round < 50; round++) {
        sum = 0;
        for (const Array& array : place.Exchange(me, "round " + std::to_string(round), {2, 0, 1}, Number(me + 1.0f))) {
          sum = 10 * sum + *array.as<float>();
        }
      }
      place.Leave(me, nullptr);
      return sum;
    }));
  }
  // Participants get all contributions, in the order of the group.
  for (auto& sum : sums) CHECK(sum.get() == 312);
}

void OneLeaves() {
  Rendezvous place({0, 1}, nullptr);
  auto waits = std::async(std::launch::async, [&] { return Throws([&] { place.Exchange(0, "k", {0, 1}, Number(1)); }); });
  place.Leave(1, nullptr);
  // Waiting for a participant that has ended is an error.
  CHECK(waits.get());
}

void OneFails() {
  Rendezvous place({0, 1}, nullptr);
  auto waits = std::async(std::launch::async, [&] { return Throws([&] { place.Exchange(0, "k", {0, 1}, Number(1)); }); });
  const Error error = Internal("refused");
  place.Leave(1, &error);
  // Waiting for a participant that has failed is an error.
  CHECK(waits.get() && place.failed());
}

void AllWait() {
  Rendezvous place({0, 1}, nullptr);
  auto other = std::async(std::launch::async, [&] { return Throws([&] { place.Exchange(0, "a", {0, 1}, Number(1)); }); });
  const bool mine = Throws([&] { place.Exchange(1, "b", {0, 1}, Number(1)); });
  // Participants in different collectives do not wait forever.
  CHECK(mine && other.get());
}

void Streams() {
  CopyStream stream(ArrayType{ElementType::kS32, {2}});
  const int32_t values[] = {7, 8};
  std::thread host([&] {
    stream.Add(&values[0], 4);
    stream.Add(&values[1], 4);
    stream.Close();
  });
  const Array array = stream.Await();
  host.join();
  // Chunks arrive in order.
  CHECK(array.as<int32_t>()[0] == 7 && array.as<int32_t>()[1] == 8);
  CopyStream odd(ArrayType{ElementType::kS32, {2}});
  // Chunks are whole granules.
  CHECK(Throws([&] { odd.Add(values, 3); }) && Throws([&] { odd.Await(); }));
  CopyStream shorter(ArrayType{ElementType::kS32, {2}});
  shorter.Add(values, 4);
  shorter.Close();
  // A stream that ends early is an error.
  CHECK(Throws([&] { shorter.Await(); }));
}

// Each takes the memory of the other's argument, and both are returned unchanged.
void SwappedArguments() {
  const auto client = std::make_shared<Client>(ClientOptions{});
  const char* program =
      "func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<2xf32> {tf.aliasing_output "
      "= 1 : i32}) -> (tensor<2xf32>, tensor<2xf32>) {\n  return %b, %a : tensor<2xf32>, tensor<2xf32>\n}\n";
  LoadedExecutable executable(Executable::Compile(program, "mlir", CompileOptions::Parse(""), Topology(1, 4)), client);
  const float a[] = {1, 2}, b[] = {3, 4};
  const ArrayType type{ElementType::kF32, {2}};
  MemorySpace* memory = client->devices()[0]->default_memory();
  const auto put = [&](const float* data) {
    return BufferFromHost({data, type, {}}, HostBufferSemantics::kImmutableOnlyDuringCall, memory, Layout::RowMajor(1))
        .first;
  };
  const auto x = put(a), y = put(b);
  Execution execution = executable.Execute({{x.get(), y.get()}}, {}, nullptr);
  // Donated arguments are deleted.
  CHECK(x->deleted() && y->deleted());
  execution.done[0]->Await();
  const float* first = reinterpret_cast<const float*>(execution.outputs[0][0]->pointer());
  const float* second = reinterpret_cast<const float*>(execution.outputs[0][1]->pointer());
  // Swapped arguments keep their values.
  CHECK(first[0] == 3 && first[1] == 4 && second[0] == 1 && second[1] == 2);
  const auto z = put(a);
  // A rejected launch reverts its donations.
  CHECK(Throws([&] { executable.Execute({{z.get(), x.get()}}, {}, nullptr); }));
  CHECK(!z->deleted());
  execution.outputs.clear();
  client->Shutdown();
}

// The argument's memory is reused for a result with the argument's elements in another order.
void DonatedToAnotherLayout() {
  const auto client = std::make_shared<Client>(ClientOptions{});
  const char* program =
      "func.func public @main(%a: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2x3xf32> {mhlo.layout_mode = "
      "\"{0,1}\"}) {\n  return %a : tensor<2x3xf32>\n}\n";
  LoadedExecutable executable(Executable::Compile(program, "mlir", CompileOptions::Parse(""), Topology(1, 4)), client);
  const float a[] = {0, 1, 2, 3, 4, 5};
  const auto x = BufferFromHost({a, {ElementType::kF32, {2, 3}}, {}}, HostBufferSemantics::kImmutableOnlyDuringCall,
                                client->devices()[0]->default_memory(), Layout::RowMajor(2))
                     .first;
  x->ready()->Await();
  const void* const memory = x->pointer();
  Execution execution = executable.Execute({{x.get()}}, {}, nullptr);
  execution.done[0]->Await();
  const auto* result = reinterpret_cast<const float*>(execution.outputs[0][0]->pointer());
  CHECK(result == memory);
  CHECK((std::vector<float>(result, result + 6) == std::vector<float>{0, 3, 1, 4, 2, 5}));
  execution.outputs.clear();
  client->Shutdown();
}

// The text of a program for several partitions has the shards of a single one, in XLA's syntax.
void PartitionedProgramText() {
  const std::string spread = R"({mhlo.sharding = "{devices=[4,1]<=[4]}"})";
  const std::string body = R"(-> (tensor<8x2xf32> {sdy.sharding = "<mesh<[\"x\"=2, \"y\"=2]>, [{}, {\"y\"}]>"}, tensor<2xi32>) {
    %s = stablehlo.custom_call @Sharding(%a) )" + spread + R"( : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %m = stablehlo.custom_call @SPMDFullToShardShape(%s) : (tensor<8x2xf32>) -> tensor<2x2xf32>
    %t = stablehlo.add %m, %m : tensor<2x2xf32>
    %r = stablehlo.custom_call @SPMDShardToFullShape(%t) )" + spread + R"( : (tensor<2x2xf32>) -> tensor<8x2xf32>
    return %r, %b : tensor<8x2xf32>, tensor<2xi32>
  }
})";
  const std::string program = R"(module @spread {
  func.func public @main(%a: tensor<8x2xf32> )" + spread + ", %b: tensor<2xi32>) " + body;
  CompileOptions options = CompileOptions::Parse("");
  options.num_partitions = 4;
  options.spmd = true;
  const auto executable = Executable::Compile(program, "mlir", options, Topology(1, 4));
  const std::string& printed = executable->optimized_program();
  const Module text = ParseText(printed);
  CHECK(printed.find("sdy.") == std::string::npos);
  CHECK(*text.attributes.at("mhlo.spmd_output_sharding").get<std::string>() ==
        "{{devices=[1,2,2]0,2,1,3 last_tile_dim_replicate}, {replicated}}");
  const Attribute& list = text.attributes.at("mhlo.spmd_parameters_shardings");
  const auto& parameters = **list.get<std::shared_ptr<std::vector<Attribute>>>();
  CHECK(parameters.size() == 2 && *parameters[0].get<std::string>() == "{devices=[4,1]0,1,2,3}" &&
        *parameters[1].get<std::string>() == "{replicated}");
  const Function& main = text.main();
  CHECK((main.argument_types[0].array.dims == Dims{2, 2}) && (main.argument_types[1].array.dims == Dims{2}));
  CHECK((main.result_types[0].array.dims == Dims{8, 1}) && (main.result_types[1].array.dims == Dims{2}));
  // The executed program differs from the printed one.
  CHECK((executable->program().module.main().argument_types[0].array.dims == Dims{8, 2}));
  // Only the plugin can run the custom calls in the text.
  CHECK_THROWS(Code::kInvalidArgument, Executable::Compile(printed, "mlir", options, Topology(1, 4)));
}

}  // namespace

int main() {
  Meetings();
  OneLeaves();
  OneFails();
  AllWait();
  Streams();
  SwappedArguments();
  DonatedToAnotherLayout();
  PartitionedProgramText();
  return ReportChecks();
}
