// The interpreter on programs in text: what the suites and their tables do not cover.
#include "interpreter/interpreter.h"

#include <cmath>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "base/float_formats.h"
#include "tests/check.h"

namespace {

using namespace reference;

template <typename T>
Array Make(ElementType type, Dims dims, const std::vector<T>& values) {
  Array array(ArrayType{type, std::move(dims)});
  for (size_t i = 0; i < values.size(); ++i) array.as<T>()[i] = values[i];
  return array;
}

template <typename T>
std::vector<T> ValuesOf(const Array& array) {
  return std::vector<T>(array.as<T>(), array.as<T>() + array.size());
}

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

Array F32(const Floats& values) {
  return Make(ElementType::kF32, {static_cast<int64_t>(values.size())}, values);
}
Array S32(const Ints& values) { return Make(ElementType::kS32, {static_cast<int64_t>(values.size())}, values); }

std::vector<Array> RunText(const std::string& body, const std::vector<Array>& arguments) {
  const Module module = ParseText("module @test {\n" + body + "\n}\n");
  Environment environment;
  CheckSupported(module, environment);
  return Run(module, module.main(), arguments, environment);
}

void TestFormats() {
  CHECK(EncodeFloat(ElementType::kBF16, 1 + 0x1p-8 + 0x1p-30) == 0x3f81);  // not through f32
  CHECK(EncodeFloat(ElementType::kF8E4M3FN, 464) == 0x7e);
  CHECK(EncodeFloat(ElementType::kF8E4M3FN, 465) == 0x7f);
  CHECK(EncodeFloat(ElementType::kF8E5M2, 1e9) == 0x7c);
  CHECK(EncodeFloat(ElementType::kF8E4M3FNUZ, -0.0) == 0);
  CHECK(EncodeFloat(ElementType::kF4E2M1FN, -100) == 0xf);
  CHECK(EncodeFloat(ElementType::kF16, 0x1p-25) == 0);
  CHECK(EncodeFloat(ElementType::kF16, 0x1.8p-25) == 1);
  for (const ElementType type : {ElementType::kF16, ElementType::kBF16, ElementType::kF8E5M2, ElementType::kF8E4M3FN,
                                 ElementType::kF8E4M3B11FNUZ, ElementType::kF8E8M0FNU, ElementType::kF6E3M2FN}) {
    for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
      const double value = DecodeFloat(type, bits);
      if (!std::isnan(value)) CHECK(EncodeFloat(type, value) == bits);
    }
  }
}

void TestIntegers() {
  const char* const program = R"(func.func public @main(%a: tensor<4xi8>, %b: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
    %0 = stablehlo.divide %a, %b : tensor<4xi8>
    %1 = stablehlo.remainder %a, %b : tensor<4xi8>
    %2 = stablehlo.shift_right_arithmetic %a, %b : tensor<4xi8>
    return %0, %1, %2 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
  })";
  using Bytes = std::vector<int8_t>;
  const std::vector<Array> results = RunText(program, {Make(ElementType::kS8, {4}, Bytes{-128, 7, -7, 100}),
                                                       Make(ElementType::kS8, {4}, Bytes{-1, 0, 2, 9})});
  CHECK((ValuesOf<int8_t>(results[0]) == Bytes{-128, -1, -3, 11}));
  CHECK((ValuesOf<int8_t>(results[1]) == Bytes{0, 7, -1, 1}));
  CHECK((ValuesOf<int8_t>(results[2]) == Bytes{-1, 7, -2, 0}));
}

// A region that is more than elementwise ops, and one that captures a value.
void TestRegions() {
  const char* const program = R"(func.func public @main(%x: tensor<4xf32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare LT, %b, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %s = "stablehlo.if"(%p) ({
        %sum = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }, {
        stablehlo.return %a : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.minimum %b, %limit : tensor<f32>
      %sum = stablehlo.add %a, %m : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %0, %1 : tensor<f32>, tensor<f32>
  })";
  const std::vector<Array> results = RunText(program, {F32({1, 5, 2, 9}), Make(ElementType::kF32, {}, Floats{4})});
  CHECK(*results[0].as<float>() == 3);
  CHECK(*results[1].as<float>() == 11);
}

// A comparator that is not an order must do no harm; arguments are never written.
void TestSortAndUpdate() {
  const char* const program = R"(func.func public @main(%x: tensor<5xi32>, %u: tensor<2xi32>, %i: tensor<i32>) -> (tensor<5xi32>, tensor<5xi32>) {
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1>
    }) : (tensor<5xi32>) -> tensor<5xi32>
    %1 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
    return %0, %1 : tensor<5xi32>, tensor<5xi32>
  })";
  const Array x = S32({3, 1, 2, 5, 4});
  const std::vector<Array> results = RunText(program, {x, S32({8, 9}), Make(ElementType::kS32, {}, Ints{100})});
  int32_t sum = 0;
  for (const int32_t value : ValuesOf<int32_t>(results[0])) sum += value;
  CHECK(sum == 15);
  CHECK((ValuesOf<int32_t>(results[1]) == Ints{3, 1, 2, 8, 9}));
  CHECK((ValuesOf<int32_t>(x) == Ints{3, 1, 2, 5, 4}));
}

// Elements outside of the operand are skipped one by one.
std::vector<Array> RunCall(const std::string& call, const Array& argument) {
  const std::string type = argument.type().ToString();
  const std::string results = call.substr(call.rfind("-> ") + 3);
  const bool two = results.front() == '(';
  return RunText("func.func public @main(%x: " + type + ") -> " + results + " {\n  %0" + (two ? ":2" : "") +
                     " = stablehlo.custom_call " + call + "\n  return " + (two ? "%0#0, %0#1" : "%0") + " : " +
                     (two ? results.substr(1, results.size() - 2) : results) + "\n}",
                 {argument});
}

// Older releases of JAX send these instead of ops of CHLO.
void TestCallsOfChlo() {
  const std::string erf = "@mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>";
  CHECK((ValuesOf<float>(RunCall(erf, F32({0, -0.f, 1, -INFINITY}))[0]) == Floats{0, -0.f, 0.8427007929f, -1}));
  const Array pairs = Make<float>(ElementType::kC64, {1}, {1, 2});
  const Floats cosh = ValuesOf<float>(RunCall("@mhlo.cosh(%x) : (tensor<1xcomplex<f32>>) -> tensor<1xcomplex<f32>>", pairs)[0]);
  CHECK(cosh[0] == -0.6421481247f);
  CHECK_THROWS(Code::kUnimplemented, RunCall("@mhlo.erf(%x) : (tensor<1xi32>) -> tensor<1xi32>", S32({1})));
  CHECK_THROWS(Code::kInvalidArgument, RunCall("@mhlo.erf(%x) : (tensor<1xf32>) -> tensor<1xf16>", F32({1})));
  CHECK_THROWS(Code::kUnimplemented, RunCall("@mhlo.unheard_of(%x) : (tensor<1xf32>) -> tensor<1xf32>", F32({1})));

  const auto top = [](int k, const std::string& largest, const std::string& from, const std::string& to) {
    return "@mhlo.topk(%x) {mhlo.attributes = {k = " + std::to_string(k) + " : i64, largest = " + largest +
           "}, mhlo.version = 1 : i64} : (tensor<" + from + ">) -> (tensor<" + to + ">, tensor<" +
           to.substr(0, to.rfind('x')) + "xi32>)";
  };
  const Array rows = Make<float>(ElementType::kF32, {2, 4}, {1, 3, 3, -2, -0.f, 0, NAN, INFINITY});
  std::vector<Array> found = RunCall(top(2, "true", "2x4xf32", "2x2xf32"), rows);
  // Ties in order; NaN is above infinity, and +0 above -0.
  CHECK((ValuesOf<int32_t>(found[1]) == Ints{1, 2, 2, 3}));
  CHECK(ValuesOf<float>(found[0])[1] == 3 && std::isnan(ValuesOf<float>(found[0])[2]));
  found = RunCall(top(2, "false", "2x4xf32", "2x2xf32"), rows);
  CHECK((ValuesOf<int32_t>(found[1]) == Ints{3, 0, 0, 1}));
  found = RunCall(top(3, "true", "4xi32", "3xi32"), S32({INT32_MIN, 5, -1, 7}));
  CHECK((ValuesOf<int32_t>(found[0]) == Ints{7, 5, -1}));
  const Array large = Make<uint32_t>(ElementType::kU32, {2}, {1, 0xffffffff});
  CHECK((ValuesOf<uint32_t>(RunCall(top(1, "true", "2xui32", "1xui32"), large)[0]) == std::vector<uint32_t>{0xffffffff}));
  CHECK_THROWS(Code::kInvalidArgument, RunCall(top(5, "true", "4xi32", "5xi32"), S32({1, 2, 3, 4})));
  CHECK_THROWS(Code::kInvalidArgument, RunCall(top(2, "true", "4xi32", "3xi32"), S32({1, 2, 3, 4})));
}

void TestScatterOutside() {
  const char* const program = R"(func.func public @main(%x: tensor<4xi32>, %i: tensor<3x1xi32>, %u: tensor<3x2xi32>) -> tensor<4xi32> {
    %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, unique_indices = false,
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<4xi32>, tensor<3x1xi32>, tensor<3x2xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  })";
  const std::vector<Array> results = RunText(program, {S32({1, 1, 1, 1}), Make(ElementType::kS32, {3, 1}, Ints{-1, 3, 1}),
                                                       Make(ElementType::kS32, {3, 2}, Ints{10, 20, 30, 40, 50, 60})});
  CHECK((ValuesOf<int32_t>(results[0]) == Ints{21, 51, 61, 31}));
}

class Hall {
 public:
  std::vector<Array> Exchange(const std::string& key, const std::vector<int64_t>& group, int64_t device, Array mine) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::map<int64_t, Array>& brought = tables_[key];
    CHECK(brought.count(device) == 0);  // a key is used once
    brought[device] = std::move(mine);
    changed_.notify_all();
    changed_.wait(lock, [&] { return brought.size() == group.size(); });
    std::vector<Array> all;
    for (const int64_t id : group) all.push_back(brought.at(id));
    return all;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::map<int64_t, Array>> tables_;
};

struct Participant : Collectives {
  Hall* hall = nullptr;
  int64_t device = 0;
  std::vector<Array> Exchange(const std::string& key, const std::vector<int64_t>& group, Array mine) override {
    return hall->Exchange(key, group, device, std::move(mine));
  }
};

std::vector<std::vector<Array>> RunOnAll(const std::string& body, int64_t replicas, int64_t partitions) {
  const Module module = ParseText("module @test {\n" + body + "\n}\n");
  Hall hall;
  std::vector<std::vector<Array>> results(static_cast<size_t>(replicas * partitions));
  std::vector<std::thread> threads;
  for (size_t device = 0; device < results.size(); ++device) {
    threads.emplace_back([&, device] {
      Participant participant;
      participant.hall = &hall;
      participant.device = static_cast<int64_t>(device);
      Environment environment;
      environment.num_replicas = replicas;
      environment.num_partitions = partitions;
      environment.replica_id = participant.device / partitions;
      environment.partition_id = participant.device % partitions;
      environment.collectives = &participant;
      const float first = static_cast<float>(10 * device);
      results[device] = Run(module, module.main(), {F32({first, first + 1})}, environment);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

void TestCollectives() {
  // A loop reaches the same op three times.
  const std::vector<std::vector<Array>> sums = RunOnAll(R"(func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = "stablehlo.while"(%zero, %x) ({
    ^bb0(%i: tensor<i32>, %v: tensor<2xf32>):
      %three = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%i: tensor<i32>, %v: tensor<2xf32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.add %i, %one : tensor<i32>
      %s = "stablehlo.all_reduce"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb1(%a: tensor<f32>, %b: tensor<f32>):
        %t = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %n, %s : tensor<i32>, tensor<2xf32>
    }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
    return %0#1 : tensor<2xf32>
  })", 2, 1);
  for (const std::vector<Array>& own : sums) CHECK((ValuesOf<float>(own[0]) == Floats{40, 48}));

  const std::vector<std::vector<Array>> moved = RunOnAll(R"(func.func public @main(%x: tensor<2xf32>) -> (tensor<4xf32>, tensor<1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<8xf32>) {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
    %1 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<1xf32>
    %2 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %3 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<2xf32>) -> tensor<2xf32>
    %4 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %5 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}> : (tensor<2xf32>) -> tensor<8xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<8xf32>
  })", 2, 2);
  // Devices 0 and 1 are the partitions of replica 0, devices 2 and 3 those of replica 1.
  CHECK((ValuesOf<float>(moved[0][0]) == Floats{20, 21, 0, 1}));
  CHECK((ValuesOf<float>(moved[1][0]) == Floats{30, 31, 10, 11}));
  CHECK((ValuesOf<float>(moved[1][1]) == Floats{12}));
  CHECK((ValuesOf<float>(moved[2][1]) == Floats{50}));
  CHECK((ValuesOf<float>(moved[3][2]) == Floats{11, 31}));
  CHECK((ValuesOf<float>(moved[2][3]) == Floats{0, 0}));
  CHECK((ValuesOf<float>(moved[3][3]) == Floats{20, 21}));
  CHECK((ValuesOf<float>(moved[0][4]) == Floats{20, 21}));
  CHECK((ValuesOf<float>(moved[3][5]) == Floats{0, 1, 20, 21, 10, 11, 30, 31}));
}

void TestCancelled() {
  const Module module = ParseText(R"(module @test {
  func.func public @main(%x: tensor<i1>) -> tensor<i1> {
    %0 = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<i1>):
      stablehlo.return %a : tensor<i1>
    }, {
    ^bb0(%a: tensor<i1>):
      stablehlo.return %a : tensor<i1>
    }) : (tensor<i1>) -> tensor<i1>
    return %0 : tensor<i1>
  }
})");
  Environment environment;
  int polls = 0;
  environment.cancelled = [&polls] { return ++polls > 1000; };
  CHECK_THROWS(Code::kCancelled,
               Run(module, module.main(), {Make(ElementType::kPred, {}, std::vector<uint8_t>{1})}, environment));
}

}  // namespace

int main() {
  TestFormats();
  TestIntegers();
  TestRegions();
  TestSortAndUpdate();
  TestCallsOfChlo();
  TestScatterOutside();
  TestCollectives();
  TestCancelled();
  return ReportChecks();
}
