#include "programs.h"

#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <unordered_map>

namespace faults {
namespace {

std::mutex programs_mutex;
std::unordered_map<PJRT_LoadedExecutable*, Program> programs;

bool IsNameByte(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/** A program within another one. */
struct Part {
  Program program;
  size_t inputs = 0, outputs = 0;
};

/** By name of the module, from a list of lines: module, file of the part's artifact, number of inputs and outputs. */
std::map<std::string, std::vector<Part>> ReadParts() {
  std::map<std::string, std::vector<Part>> parts;
  const char* list = std::getenv("PJRT_FAULTS_TOGETHER");
  std::ifstream lines(list == nullptr ? "" : list);
  std::string module, file;
  Part part;
  while (lines >> module >> file >> part.inputs >> part.outputs) {
    std::ifstream artifact(file, std::ios::binary);
    part.program.code.assign(std::istreambuf_iterator<char>(artifact), {});
    parts[module].push_back(part);
  }
  return parts;
}

/** What a program consists of; nothing, if it is none of those. */
const std::vector<Part>* PartsOf(const Program& program) {
  static const auto& parts = *new auto(ReadParts());
  for (const auto& [module, list] : parts) {
    if (program.code.find(module) != std::string::npos) return &list;
  }
  return nullptr;
}

}  // namespace

bool Program::Has(std::string_view op) const {
  const std::string text = "stablehlo." + std::string(op);
  for (size_t at = code.find(text); at != std::string::npos; at = code.find(text, at + 1)) {
    if (at + text.size() == code.size() || !IsNameByte(code[at + text.size()])) return true;
  }
  // In bytecode names are in a string heap; those of operations end in the version of the operation.
  const std::string name = std::string(op) + "_v";
  for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    const char after = at + name.size() < code.size() ? code[at + name.size()] : '\0';
    if ((at == 0 || !IsNameByte(code[at - 1])) && after >= '1' && after <= '9') return true;
  }
  return false;
}

void WatchPrograms() {
  After<SLOT(PJRT_Client_Compile)>([](auto& args) {
    std::lock_guard<std::mutex> lock(programs_mutex);
    programs[args.executable] = {std::string(args.program->code, args.program->code_size)};
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(programs_mutex);
    programs.erase(args.executable);
  });
}

Program* ProgramOf(PJRT_LoadedExecutable* executable) {
  std::lock_guard<std::mutex> lock(programs_mutex);
  auto found = programs.find(executable);
  return found == programs.end() ? nullptr : &found->second;
}

Array Run::Argument(size_t i) const {
  if (i >= args.num_args) return {};
  PJRT_Buffer* buffer = args.argument_lists[0][i];
  arguments.push_back(ReadBack(buffer));
  std::vector<uint8_t>& bytes = arguments.back();
  return {ShapeOf(buffer), bytes.empty() ? nullptr : bytes.data(), i, 0};
}

void AfterRun(std::function<void(Run&)> body) {
  WatchClients();
  WatchPrograms();
  After<SLOT(PJRT_LoadedExecutable_Execute)>([body](auto& args) {
    Program* program = ProgramOf(args.executable);
    if (program == nullptr || args.output_lists == nullptr) return;
    const int runs = [program] {
      std::lock_guard<std::mutex> lock(programs_mutex);
      return ++program->runs;
    }();
    Run run{*program, runs, args, {}, {}};
    std::deque<Contents> contents;
    const size_t outputs = OutputsOf(args.executable);
    for (size_t list = 0; list < args.num_devices; ++list) {
      for (size_t i = 0; i < outputs; ++i) {
        PJRT_Buffer*& buffer = args.output_lists[list][i];
        run.outputs.push_back({ShapeOf(buffer), contents.emplace_back(buffer).bytes(), i, list});
      }
    }
    const std::vector<Part>* parts = PartsOf(*program);
    if (parts == nullptr) return body(run);
    size_t argument = 0, output = 0;
    for (const Part& part : *parts) {
      PJRT_LoadedExecutable_Execute_Args own = args;
      std::vector<PJRT_Buffer* const*> given;
      std::vector<PJRT_Buffer**> results;
      for (size_t list = 0; list < args.num_devices; ++list) {
        given.push_back(args.argument_lists[list] + argument);
        results.push_back(args.output_lists[list] + output);
      }
      own.argument_lists = given.data();
      own.output_lists = results.data();
      own.num_args = part.inputs;
      Run one{part.program, runs, own, {}, {}};
      for (const Array& array : run.outputs) {
        if (array.index < output || array.index >= output + part.outputs) continue;
        one.outputs.push_back(array);
        one.outputs.back().index = array.index - output;
      }
      body(one);
      argument += part.inputs;
      output += part.outputs;
    }
  });
}

void AfterOp(const char* op, std::function<void(Array&)> body) {
  AfterRun([name = std::string(op), body](Run& run) {
    if (!name.empty() && !run.program.Has(name)) return;
    for (Array& output : run.outputs) {
      if (output.count() > 0) body(output);
    }
  });
}

FloatBits FloatBitsOf(PJRT_Buffer_Type type) {
  switch (type) {
    case PJRT_Buffer_Type_F16:
      return {0x8000, 0x7c00, 0x03ff};
    case PJRT_Buffer_Type_BF16:
      return {0x8000, 0x7f80, 0x007f};
    case PJRT_Buffer_Type_F32:
      return {0x80000000, 0x7f800000, 0x007fffff};
    case PJRT_Buffer_Type_F64:
      return {0x8000000000000000, 0x7ff0000000000000, 0x000fffffffffffff};
    default:
      return {};
  }
}

void EachFloat(const Array& array, const std::function<uint64_t(uint64_t, const FloatBits&)>& change) {
  const FloatBits type = FloatBitsOf(array.shape.type);
  if (type.sign == 0) return;
  for (size_t i = 0; i < array.count(); ++i) array.SetBits(i, change(array.Bits(i), type));
}

}  // namespace faults
