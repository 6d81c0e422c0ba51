#include "programs.h"

#include <deque>
#include <unordered_map>

namespace faults {
namespace {

std::mutex programs_mutex;
std::unordered_map<PJRT_LoadedExecutable*, Program> programs;

bool IsNameByte(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

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
    body(run);
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
