// The artifact reader, and shardings: every artifact of the fixtures is read and compared with the text of the same
// program; some are truncated and damaged, and must then be rejected or read without a crash.
//
//   bytecode_test FIXTURES [MUTATIONS] [SEED]
//
// FIXTURES is the directory with artifacts/ and programs/, MUTATIONS the number of each kind of damage.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ir/bytecode_attributes.h"
#include "ir/ir.h"
#include "ir/sharding.h"
#include "ir/stablehlo_version.h"
#include "left_out.h"

namespace {

using namespace reference;

int checks = 0;
int failures = 0;

void Fail(int line, const std::string& message) {
  if (++failures < 50) std::printf("FAILED line %d: %s\n", line, message.c_str());
}

#define CHECK(condition, what)                                                         \
  do {                                                                                 \
    ++checks;                                                                          \
    if (!(condition)) Fail(__LINE__, std::string(what) + ": " #condition);             \
  } while (false)

// The message of the error, or "" without one; any other exception ends the test.
std::string ErrorOf(std::string_view bytes, Code* code = nullptr) {
  try {
    ReadArtifact(bytes);
  } catch (const Error& error) {
    if (code != nullptr) *code = error.code;
    return error.message.empty() ? "?" : error.message;
  }
  return "";
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> Artifacts(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".mlirbc") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The same program prints the same, whichever form it has.
void TestFixtures(const std::filesystem::path& fixtures) {
  for (const auto& path : Artifacts(fixtures / "artifacts")) {
    auto below = std::filesystem::relative(path, fixtures / "artifacts");
    std::string version = below.begin()->string();
    std::string bytes = ReadFile(path);
    if (version == "bad") {
      Code code = Code::kOk;
      CHECK(!ErrorOf(bytes, &code).empty() && code == Code::kInvalidArgument, below.string());
      continue;
    }
    auto program = std::filesystem::relative(path, fixtures / "artifacts" / version).replace_extension();
    if (IsLeftOut(program.string())) {
      Code code = Code::kOk;
      CHECK(!ErrorOf(bytes, &code).empty() && code == Code::kUnimplemented, below.string());
      continue;
    }
    try {
      Module module = ReadArtifact(bytes);
      CHECK(module.stablehlo_version == version, below.string());
      auto text = (fixtures / "programs" / program).replace_extension(".mlir");
      if (!std::filesystem::exists(text)) continue;
      // Their constants stand in another order.
      if (program == "sharded/two_devices" || program == "mesh/two_meshes") continue;
      const std::string written = ReadFile(text);
      CHECK(Print(module) == Print(ParseText(written)), below.string());
    } catch (const Error& error) {
      Fail(__LINE__, below.string() + ": " + error.message);
    }
  }
}

// func @main(%a: tensor<2xf32>) { %c = constant [1.0, 2.0]; return add(%a, %c) } at 1.0.0, byte for byte.
std::string SmallArtifact() {
  std::string out("ML\xef" "R\x0d" "StableHLO_v1.0.0\0", 22);
  for (const char* hex :
       {"011b0501050b01030b03090f13171b", "03230d07010307030b0b0b0b0b2f0307131707",
        "023d1f030123031d0f1d111f01110000803f0000004029030905110301030109",
        "045705015001010704470301050350010307043303070f03010005420105030107060103010501030904010305", "060301", "0501",
        "009313030b150f19110f0b11"}) {
    for (const char* p = hex; *p != '\0'; p += 2) {
      out += static_cast<char>(std::stoi(std::string(p, 2), nullptr, 16));
    }
  }
  for (const char* name : {"builtin", "vhlo", "module", "func_v1", "constant_v1", "add_v1", "return_v1", "main", ""}) {
    out.append(name).push_back('\0');
  }
  for (uint8_t byte : {0x08, 0x19, 0x07, 0x05, 0x01, 0x01, 0x0b, 0x03, 0x05, 0x03, 0x07, 0x09, 0x03, 0x0b}) {
    out += static_cast<char>(byte);
  }
  return out;
}

void TestSmall() {
  std::string bytes = SmallArtifact();
  CHECK(bytes.size() == 227, "size of the small artifact " + std::to_string(bytes.size()));
  CHECK(IsBytecode(bytes) && !IsBytecode("module {}") && !IsBytecode("ML"), "magic");
  try {
    Module module = ReadArtifact(bytes);
    const Function& main = module.main();
    CHECK(main.value_count == 3 && main.body.ops.size() == 3, "small artifact");
    const Op& constant = main.body.ops[0];
    const Array* value = constant.Find("value")->get<Array>();
    CHECK(constant.name == "stablehlo.constant" && value != nullptr && value->as<float>()[1] == 2.0f, "constant");
    CHECK(main.body.ops[1].operands == (std::vector<ValueId>{0, 1}), "operands");
    CHECK(module.stablehlo_version == "1.0.0", "version");
  } catch (const Error& error) {
    Fail(__LINE__, "small artifact: " + error.message);
  }
  for (const char* version : {"1.20.1", "1.21.0", "2.0.0", "0.8.9", "99.0.0"}) {
    std::string other = bytes;
    other.replace(16, 5, version);
    Code code = Code::kOk;
    std::string message = ErrorOf(other, &code);
    CHECK(code == Code::kInvalidArgument && message.find(version) != std::string::npos &&
              message.find("1.20.0") != std::string::npos,
          "version " + std::string(version) + ": " + message);
  }
  std::string newest = bytes;
  newest.replace(16, 5, "1.20.0");
  CHECK(ErrorOf(newest).empty(), ErrorOf(newest));
  std::string other = bytes;
  other.replace(5, 9, "MLIRabcde");
  CHECK(ErrorOf(other).find("MLIRabcde") != std::string::npos, "another producer");
}

template <typename T>
std::vector<int> Unpacked(ElementType type, Dims dims, std::string_view blob) {
  Array array(ArrayType{type, std::move(dims)});
  if (!UnpackConstant(blob, array)) return {-99};
  return std::vector<int>(array.as<T>(), array.as<T>() + array.size());
}

void TestConstants() {
  using std::string_view_literals::operator""sv;
  using Ints = std::vector<int>;
  CHECK(Unpacked<int8_t>(ElementType::kS4, {3}, "\x08\x0c\x07") == (Ints{-8, -4, 7}), "i4");
  CHECK(Unpacked<uint8_t>(ElementType::kU4, {2}, "\xf8\x0c") == (Ints{8, 12}), "ui4");
  CHECK(Unpacked<int8_t>(ElementType::kS2, {2}, "\x03\x01") == (Ints{-1, 1}), "i2");
  CHECK(Unpacked<int32_t>(ElementType::kS32, {2, 2}, "\xff\xff\xff\xff") == (Ints{-1, -1, -1, -1}), "splat");
  CHECK(Unpacked<int32_t>(ElementType::kS32, {0, 2}, "\x01\0\0\0"sv).empty(), "empty splat");
  CHECK(Unpacked<int32_t>(ElementType::kS32, {3}, "\x01\0\0\0\0\0\0\0"sv) == (Ints{-99}), "two of three");
  CHECK(Unpacked<uint8_t>(ElementType::kPred, {3}, "\xff") == (Ints{1, 1, 1}), "all true");
  CHECK(Unpacked<uint8_t>(ElementType::kPred, {9}, "\0"sv) == (Ints(9, 0)), "all false");
  CHECK(Unpacked<uint8_t>(ElementType::kPred, {3}, "\x05") == (Ints{1, 0, 1}), "packed");
  CHECK(Unpacked<uint8_t>(ElementType::kPred, {9}, "\x01\x01") == (Ints{1, 0, 0, 0, 0, 0, 0, 0, 1}), "packed");
  CHECK(Unpacked<uint8_t>(ElementType::kPred, {3}, "\x01\0\x01"sv) == (Ints{1, 0, 1}), "a byte each");
  CHECK(Unpacked<uint8_t>(ElementType::kPred, {}, "\x01") == (Ints{1}), "one");
  CHECK(Unpacked<uint8_t>(ElementType::kPred, {20}, "\x01") == (Ints(20, 1)), "one byte for all");
  CHECK(Unpacked<uint8_t>(ElementType::kPred, {20}, "\x01\x01") == (Ints{-99}), "two bytes for twenty");
}

// "start-end,..." for each device.
std::string Cuts(const std::string& text, const Dims& dims, int64_t devices, const std::string& mesh = "") {
  std::string out;
  try {
    MeshTable meshes;
    if (!mesh.empty()) meshes["mesh"] = ParseMesh(mesh);
    Sharding sharding = ParseSharding(text, meshes);
    Sharding again = ParseSharding(ToString(sharding), {});
    CHECK(again.kind == sharding.kind && again.device == sharding.device && again.tiles == sharding.tiles &&
              again.tile_of == sharding.tile_of,
          ToString(sharding));
    Array whole(ArrayType{ElementType::kS32, dims}), back(ArrayType{ElementType::kS32, dims});
    for (int64_t i = 0; i < whole.size(); ++i) whole.as<int32_t>()[i] = static_cast<int32_t>(i);
    for (int64_t device = 0; device < devices; ++device) {
      Shard shard = ShardOf(sharding, dims, device);
      if (device > 0) out += " ";
      if (!shard.present) out += "none";
      for (size_t i = 0; shard.present && i < dims.size(); ++i) {
        out += (i > 0 ? "," : "") + std::to_string(shard.start[i]) + "-";
        out += std::to_string(shard.start[i] + shard.size[i]);
      }
      if (shard.present) PasteShard(CutShard(whole, shard), shard, back);
    }
    CHECK(std::equal(whole.as<int32_t>(), whole.as<int32_t>() + whole.size(), back.as<int32_t>()), text);
  } catch (const Error& error) {
    return error.code == Code::kInvalidArgument ? "refused" : error.message;
  }
  return out;
}

void TestShardings() {
  CHECK(Cuts("{replicated}", {3}, 2) == "0-3 0-3", "replicated");
  CHECK(Cuts("{manual}", {3}, 2) == "0-3 0-3", "manual");
  CHECK(Cuts("{maximal device=1}", {3}, 2) == "none 0-3", "maximal");
  CHECK(Cuts("{devices=[2,2]<=[4]}", {4, 2}, 4) == "0-2,0-1 0-2,1-2 2-4,0-1 2-4,1-2", "tiles");
  CHECK(Cuts("{devices=[2,2]<=[2,2]T(1,0)}", {4, 2}, 4) == "0-2,0-1 2-4,0-1 0-2,1-2 2-4,1-2", "turned tiles");
  CHECK(Cuts("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", {4, 2}, 4) == "0-2,0-2 0-2,0-2 2-4,0-2 2-4,0-2",
        "copies");
  CHECK(Cuts("{devices=[2,2]0,2,1,3 last_tile_dims={manual}}", {4}, 4) == "0-2 2-4 0-2 2-4", "manual copies");
  CHECK(Cuts("{devices=[4]<=[4] metadata={op_name=\"a}\"}}", {5}, 4) == "0-2 2-4 4-5 5-5", "unequal tiles");
  CHECK(Cuts("#sdy.sharding<@mesh, [{\"y\"}, {}]>", {4, 2}, 4, "<[\"x\"=2, \"y\"=2]>") ==
            "0-2,0-2 2-4,0-2 0-2,0-2 2-4,0-2",
        "an axis");
  CHECK(Cuts("#sdy.sharding<@mesh, [{\"x\":(2)2, ?}p1], replicated={\"x\":(1)2}>", {4}, 4, "#sdy.mesh<[\"x\"=4]>") ==
            "0-2 2-4 0-2 2-4",
        "a part of an axis");
  CHECK(Cuts("<mesh<[\"x\"=2], device_ids=[1, 0]>, [{\"x\"}]>", {2}, 2) == "1-2 0-1", "a mesh in place");
  CHECK(Cuts("#sdy.sharding<@mesh, []>", {2}, 2, "<[], device_ids=[1]>") == "none 0-2", "a mesh of one device");
  for (const char* bad : {"", "{", "{devices=[2,2]<=[3]}", "{devices=[9999999999999]<=[1]}", "{devices=[2]0,0}",
                          "{devices=[2]<=[2]T(1)}", "{devices=[2]<=[2]} x", "{what}", "#sdy.sharding<@nowhere, []>",
                          "{devices=[0]<=[0]}", "{{{{{{{{{{{{{{replicated}}}}}}}}}}}}}}",
                          "#sdy.sharding<mesh<[\"x\"=3]>, [{\"x\":(2)2}]>", "{devices=[2,1]<=[2]}"}) {
    CHECK(Cuts(bad, {2}, 2) == "refused", bad);
  }
  std::string axis = "#sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>";
  MeshTable meshes{{"mesh", ParseMesh("<[\"x\"=2, \"y\"=3]>")}};
  std::vector<std::string> only = {"y"};
  CHECK((ParseSharding(axis, meshes, &only).tiles == Dims{1, 3}), "one of two axes");
  auto groups = [&](const std::vector<std::string>& axes) {
    Array array = GroupsOfAxes(meshes["mesh"], axes);
    std::string out = std::to_string(array.dims()[0]) + "x" + std::to_string(array.dims()[1]) + ":";
    for (int64_t i = 0; i < array.size(); ++i) out += " " + std::to_string(array.as<int64_t>()[i]);
    return out;
  };
  CHECK(groups({"\"x\""}) == "3x2: 0 3 1 4 2 5", groups({"\"x\""}));
  CHECK(groups({"\"y\"", "\"x\""}) == "1x6: 0 3 1 4 2 5", groups({"\"y\"", "\"x\""}));
  CHECK(groups({}) == "6x1: 0 1 2 3 4 5", groups({}));
}

// For any bytes: a module or an Error.
void TestDamage(const std::filesystem::path& fixtures, int rounds, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> samples = {SmallArtifact()};
  std::set<std::string> kinds;
  for (const auto& path : Artifacts(fixtures / "artifacts")) {
    // Two small ones of each directory.
    std::string kind = path.parent_path().string();
    if (std::filesystem::file_size(path) > 3000 || path.parent_path().filename() == "bad") continue;
    if (!kinds.insert(kind + "/1").second && !kinds.insert(kind + "/2").second) continue;
    samples.push_back(ReadFile(path));
  }
  int refused = 0;
  for (size_t s = 0; s < samples.size(); ++s) {
    const std::string& sample = samples[s];
    size_t step = s < 3 ? 1 : 1 + sample.size() / 16;
    for (size_t size = 0; size < sample.size(); size += step) {
      CHECK(!ErrorOf(std::string_view(sample).substr(0, size)).empty(), "an artifact cut to " + std::to_string(size));
    }
    for (int round = 0; round < rounds; ++round) {
      std::string damaged = sample;
      for (uint64_t n = 1 + random() % 3; n > 0; --n) {
        size_t at = static_cast<size_t>(random() % damaged.size());
        switch (random() % 4) {
          case 0: damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8)); break;
          case 1: damaged[at] = static_cast<char>(random()); break;
          case 2: damaged.erase(at, 1); break;
          default: damaged[at] = static_cast<char>(damaged[at] + (random() % 2 ? 2 : -2)); break;
        }
      }
      ++checks;
      refused += ErrorOf(damaged).empty() ? 0 : 1;
    }
  }
  CHECK(refused > 0, "damaged artifacts");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::printf("usage: bytecode_test FIXTURES [MUTATIONS] [SEED]\n");
    return 2;
  }
  TestSmall();
  TestConstants();
  TestShardings();
  TestFixtures(argv[1]);
  TestDamage(argv[1], argc > 2 ? std::atoi(argv[2]) : 20, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  std::printf("%d checks, %d failed\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
