// The readers and the printer of programs: every fixture is read and survives a round trip through its printed form;
// invalid ones are rejected; mutated texts are rejected or read without a crash.
//
//   ir_test FIXTURES [MUTATIONS] [SEED]
//
// FIXTURES is the directory with programs/.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "ir/ir.h"
#include "ir/sharding.h"
#include "left_out.h"

namespace {

using namespace reference;

int failures = 0;
int checks = 0;

void Check(bool condition, const std::string& what) {
  ++checks;
  if (condition) return;
  ++failures;
  std::printf("FAILED %s\n", what.c_str());
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool Same(const Attribute& a, const Attribute& b);

bool Same(const Dictionary& a, const Dictionary& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && Same(x.second, y.second); });
}

bool Same(const Attribute& a, const Attribute& b) {
  if (a.value.index() != b.value.index()) return false;
  if (const double* number = a.get<double>()) return std::memcmp(number, b.get<double>(), sizeof(double)) == 0;
  if (const Array* array = a.get<Array>()) {
    const Array* other = b.get<Array>();
    return array->type() == other->type() && std::memcmp(array->data(), other->data(), array->bytes()) == 0;
  }
  if (const auto* list = a.get<std::shared_ptr<std::vector<Attribute>>>()) {
    const auto& other = *b.get<std::shared_ptr<std::vector<Attribute>>>();
    return std::equal((*list)->begin(), (*list)->end(), other->begin(), other->end(),
                      [](const Attribute& x, const Attribute& y) { return Same(x, y); });
  }
  if (const auto* fields = a.get<std::shared_ptr<Dictionary>>()) {
    return Same(**fields, **b.get<std::shared_ptr<Dictionary>>());
  }
  if (const Type* type = a.get<Type>()) return *type == *b.get<Type>();
  if (const auto* text = a.get<std::string>()) return *text == *b.get<std::string>();
  if (const auto* ints = a.get<std::vector<int64_t>>()) return *ints == *b.get<std::vector<int64_t>>();
  if (const auto* bools = a.get<std::vector<bool>>()) return *bools == *b.get<std::vector<bool>>();
  if (const auto* number = a.get<int64_t>()) return *number == *b.get<int64_t>();
  if (const auto* truth = a.get<bool>()) return *truth == *b.get<bool>();
  return true;
}

// The same except for the numbers of values, which follow the order in which a form defines them.
class Comparison {
 public:
  bool SameBlock(const Block& a, const Block& b) {
    if (a.argument_types != b.argument_types || a.ops.size() != b.ops.size()) return false;
    if (!Define(a.arguments, b.arguments)) return false;
    for (size_t i = 0; i < a.ops.size(); ++i) {
      if (!SameOp(a.ops[i], b.ops[i])) return false;
    }
    return true;
  }

 private:
  bool SameOp(const Op& a, const Op& b) {
    if (a.name != b.name || a.result_types != b.result_types || !Same(a.attributes, b.attributes)) return false;
    if (a.operands.size() != b.operands.size() || a.regions.size() != b.regions.size()) return false;
    for (size_t i = 0; i < a.operands.size(); ++i) {
      if (values_.at(a.operands[i]) != b.operands[i]) return false;
    }
    for (size_t i = 0; i < a.regions.size(); ++i) {
      if (!SameBlock(a.regions[i].block(), b.regions[i].block())) return false;
    }
    return Define(a.results, b.results);
  }

  bool Define(const std::vector<ValueId>& a, const std::vector<ValueId>& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) values_[a[i]] = b[i];
    return true;
  }

  std::map<ValueId, ValueId> values_;
};

bool Same(const Module& a, const Module& b) {
  if (a.name != b.name || !Same(a.attributes, b.attributes) || a.functions.size() != b.functions.size()) return false;
  for (const auto& [name, function] : a.functions) {
    auto found = b.functions.find(name);
    if (found == b.functions.end()) return false;
    const Function& other = found->second;
    auto same = [](const std::vector<Dictionary>& x, const std::vector<Dictionary>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                        [](const Dictionary& p, const Dictionary& q) { return Same(p, q); });
    };
    if (function.is_public != other.is_public || function.argument_types != other.argument_types ||
        function.result_types != other.result_types ||
        !same(function.argument_attributes, other.argument_attributes) ||
        !same(function.result_attributes, other.result_attributes) ||
        !Comparison().SameBlock(function.body, other.body)) {
      return false;
    }
  }
  return true;
}

void CheckRoundTrip(const std::string& name, const std::string& code) {
  std::string printed;
  try {
    Module module = ReadProgram(code);
    printed = Print(module);
    Module again = ParseText(printed);
    Check(Same(module, again), name + " is another program once it was printed:\n" + printed);
    Check(Print(again) == printed, name + " is printed differently the second time");
  } catch (const Error& error) {
    Check(false, name + ": " + error.message + (printed.empty() ? "" : "\n" + printed));
  }
}

void CheckRefused(const std::string& name, const std::string& code, Code expected = Code::kInvalidArgument) {
  try {
    ReadProgram(code);
    Check(false, name + " is read although it is to be refused");
  } catch (const Error& error) {
    Check(error.code == expected && !error.message.empty(), name + ": " + error.message);
  }
}

// Mutates a text in ways that keep most of it readable.
std::string Mutate(std::string text, const std::vector<std::string>& texts, std::mt19937_64& random) {
  auto below = [&](size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(random() % limit); };
  static const char* kPieces[] = {"%0",    "%arg0", "(", ")",  "{",     "}",  "[",    "]",    "<",  ">",    "-1", "0",
                                  "->",    ":",     ",", "\"", "dense", "-",  "true", "unit", "x",  "#",    "@",  "!",
                                  "tuple", "i1",    "?", "=",  "array", "//", "\\",   "0x",   "1.",
                                  "9223372036854775807",
                                  "-9223372036854775808", "complex<f32>", "tensor<4xf32>", "^bb0", "loc(", "f8E4M3FN"};
  for (size_t times = 1 + below(3); times > 0; --times) {
    size_t at = below(text.size() + 1);
    size_t length = std::min(text.size() - at, 1 + below(below(4) == 0 ? 60 : 6));
    switch (below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        text.replace(at, length, kPieces[below(std::size(kPieces))]);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size() + 1), length));
        break;
      case 4: {
        const std::string& other = texts[below(texts.size())];
        text.replace(at, length, other.substr(below(other.size() + 1), 1 + below(40)));
        break;
      }
      case 5: {
        // A digit for a digit: most results are well-formed.
        size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
        break;
      }
    }
  }
  return text;
}

void Fuzz(const std::vector<std::string>& texts, int mutations, uint64_t seed) {
  std::mt19937_64 random(seed);
  int read = 0;
  for (int i = 0; i < mutations; ++i) {
    std::string text = Mutate(texts[static_cast<size_t>(random() % texts.size())], texts, random);
    try {
      Module module = ParseText(text);
      ++read;
      std::string printed = Print(module);
      Check(Same(module, ParseText(printed)), "a mutated program is another once it was printed:\n" + text);
    } catch (const Error& error) {
      bool good = error.code == Code::kInvalidArgument || error.code == Code::kUnimplemented;
      Check(good && !error.message.empty(), "a mutated program: " + error.message + "\n" + text);
    }
  }
  std::printf("%d mutations, %d of them read\n", mutations, read);
}

// A program with the given body of @main, which takes and returns what the signature says.
std::string Main(const std::string& signature, const std::string& body) {
  return "func.func @main" + signature + " {\n" + body + "\n}\n";
}

void CheckBounds() {
  auto nested = [](const std::string& open, const std::string& middle, const std::string& close, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += open;
    text += middle;
    for (int i = 0; i < times; ++i) text += close;
    return text;
  };
  CheckRefused("deep attributes", "module attributes {a = " + nested("[", "1", "]", 100000) + "} {}");
  CheckRefused("deep dictionaries", "module attributes {a = " + nested("{a = ", "1", "}", 100000) + "} {}");
  CheckRefused("deep types", Main("(%a: " + nested("tuple<", "tensor<f32>", ">", 100000) + ")", "return"));
  CheckRefused("deep regions", Main("(%p: tensor<i1>)", nested("\"stablehlo.if\"(%p) ({ ", "", " })", 100000)));
  std::string bomb = "!t0 = tensor<f32>\n";
  for (int i = 1; i < 60; ++i) {
    std::string last = "!t" + std::to_string(i - 1);
    bomb += "!t" + std::to_string(i) + " = tuple<" + last + ", " + last + ">\n";
  }
  CheckRefused("types that double", bomb + Main("(%a: !t59)", "return"));
  CheckRefused("a huge constant",
               Main("()", "%0 = stablehlo.constant dense<1.0> : tensor<9000000000x9xf32>\nreturn"));
  CheckRefused("a huge type", Main("(%a: tensor<99999999999x99999999999xf32>)", "return"));
  CheckRefused("recursion", Main("()", "call @main() : () -> ()\nreturn"));
  CheckRefused("a private main", "func.func private @main() { return }");
  CheckRefused("an op after the return", Main("()", "return\nreturn"));
  CheckRefused("a value of another branch",
               Main("(%p: tensor<i1>)",
                    "%0 = \"stablehlo.if\"(%p) ({ %1 = stablehlo.not %p : tensor<i1> stablehlo.return %1 : tensor<i1> "
                    "}, { stablehlo.return %1 : tensor<i1> }) : (tensor<i1>) -> tensor<i1>\nreturn"));
}

void CheckShardy() {
  const std::string mesh = R"(sdy.mesh @a = <["x"=2], device_ids=[1, 0]> {k = 1}
  )";
  const std::string rest = R"("sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "b"}> : () -> ()
  func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = sdy.sharding_constraint %0 <@a, [{"x"}]> : tensor<4xf32>
    %2 = "sdy.reshard"(%1) <{sharding = #sdy.sharding<@b, [{}]>}> : (tensor<4xf32>) -> tensor<4xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@a, [{"x"}]>] out_shardings=[<@b, [{"x"}]>] manual_axes={"x"} (%4: tensor<2xf32>) {
      %5 = stablehlo.add %4, %4 : tensor<2xf32>
      sdy.return %5 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
})";
  const Module module = ParseText("module {\n  " + mesh + rest);
  const MeshTable meshes = Meshes(module);
  Check(meshes.size() == 2 && meshes.at("a").devices == std::vector<int64_t>{1, 0} &&
            meshes.at("b").devices == std::vector<int64_t>{0, 1},
        "two meshes");
  Check(module.main().body.ops.size() == 2, "annotations are no ops");
  Check(Same(module, ParseText(Print(module))), "a program with meshes is another once it was printed");
  CheckRefused("a mesh that is there twice", "module {\n  " + mesh + mesh + rest);
  CheckRefused("a mesh that is none", "module {\n  sdy.mesh @c = <[\"x\"=2], device_ids=[0, 0]>\n" + mesh + rest);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::printf("usage: ir_test FIXTURES [MUTATIONS] [SEED]\n");
    return 2;
  }
  std::filesystem::path programs = std::filesystem::path(argv[1]) / "programs";
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(programs)) {
    if (entry.path().extension() == ".mlir") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  Check(!paths.empty(), "there are no fixtures in " + programs.string());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::string name = std::filesystem::relative(path, programs).string();
    std::string text = ReadFile(path);
    if (name.rfind("bad/", 0) == 0) {
      CheckRefused(name, text);
    } else if (IsLeftOut(std::filesystem::path(name).replace_extension().string())) {
      CheckRefused(name, text, Code::kUnimplemented);
    } else {
      CheckRoundTrip(name, text);
      if (text.size() < 8000) texts.push_back(text);
    }
  }
  CheckBounds();
  CheckShardy();
  if (!texts.empty()) {
    Fuzz(texts, argc > 2 ? std::atoi(argv[2]) : 2000, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  }
  std::printf("%d checks, %d failed\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
