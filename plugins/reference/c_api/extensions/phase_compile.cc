// PhaseCompile: the compiler in two phases. "parse" reads and verifies StableHLO and gives canonical text, "compile"
// turns that into input of PJRT_Executable_DeserializeAndLoad. Programs are PjRtPartialProgramProto messages.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "c_api/extensions/extension.h"
#include "runtime/compile_options.h"
#include "runtime/executable.h"
#include "base/protobuf.h"

struct PJRT_PhaseCompiler {
  char unused = 0;
};

namespace reference {
namespace {

constexpr const char* kPhases[] = {"parse", "compile"};
constexpr const char* kVersion = "1";

struct PartialProgram {
  std::string program;
  std::string format;
  std::string generating_phase;
  std::vector<std::string> next_phases;
  std::string version;

  static PartialProgram Parse(std::string_view bytes) {
    PartialProgram result;
    ProtoReader reader(bytes, "PjRtPartialProgramProto");
    while (reader.Next()) {
      const std::string text(reader.Bytes().value_or(std::string_view()));
      switch (reader.field()) {
        case 1: result.program = text; break;
        case 2: result.format = text; break;
        case 3: result.generating_phase = text; break;
        case 4: result.next_phases.push_back(text); break;
        case 5: result.version = text; break;
      }
    }
    return result;
  }
  std::string Serialize() const {
    ProtoWriter proto;
    proto.Bytes(1, program);
    proto.Bytes(2, format);
    proto.Bytes(3, generating_phase);
    for (const std::string& phase : next_phases) proto.Bytes(4, phase);
    proto.Bytes(5, version);
    return proto.bytes();
  }
};

PartialProgram RunPhase(const std::string& phase, const PartialProgram& input, const CompileOptions& options,
                        const Topology& topology) {
  const auto& next = input.next_phases;
  // An external program has no phases.
  if (!next.empty() && std::find(next.begin(), next.end(), phase) == next.end()) {
    throw InvalidArgument("the phase '" + phase + "' does not take what the phase '" + input.generating_phase + "' made");
  }
  if (phase == kPhases[0]) return {Print(ReadProgram(input.program)), "mlir", phase, {kPhases[1]}, kVersion};
  if (phase == kPhases[1]) {
    const auto executable = Executable::Compile(input.program, "mlir", options, topology);
    return {executable->Serialize(), "reference", phase, {}, kVersion};
  }
  throw NotFound("there is no phase '" + phase + "'; there are parse and compile");
}

// Lists of texts that the caller returns to BuffersDestroy. Each ends with a zero byte that is not counted.
void WriteTexts(const std::vector<std::string>& texts, const char**& buffers, const size_t*& sizes, size_t& count) {
  auto pointers = std::make_unique<const char*[]>(texts.size());
  auto lengths = std::make_unique<size_t[]>(texts.size());
  std::vector<std::unique_ptr<char[]>> copies;
  for (size_t i = 0; i < texts.size(); i++) {
    copies.push_back(std::make_unique<char[]>(texts[i].size() + 1));
    std::memcpy(copies[i].get(), texts[i].c_str(), texts[i].size() + 1);
    lengths[i] = texts[i].size();
  }
  for (size_t i = 0; i < texts.size(); i++) pointers[i] = copies[i].release();
  buffers = pointers.release();
  sizes = lengths.release();
  count = texts.size();
}

std::vector<std::string> ReadTexts(const char** texts, const size_t* sizes, size_t count, const char* field) {
  GivenArray(texts, count, field);
  GivenArray(sizes, count, field);
  std::vector<std::string> result;
  for (size_t i = 0; i < count; i++) result.push_back(GivenText(texts[i], sizes[i], field));
  return result;
}

PJRT_Error* GetCompiler(PJRT_PhaseCompile_Get_Compiler_Args* args) {
  return CALL_EXTENSION(PJRT_PhaseCompile_Get_Compiler, args,
                        [&] { args->phase_compiler = std::make_unique<PJRT_PhaseCompiler>().release(); });
}

void DestroyCompiler(PJRT_PhaseCompile_Destroy_Compiler_Args* args) {
  if (args != nullptr) delete args->phase_compiler;
}

PJRT_Error* RunPhases(PJRT_PhaseCompile_Run_Phase_Args* args) {
  return CALL_EXTENSION(PJRT_PhaseCompile_Run_Phase, args, [&] {
    Given(args->phase_compiler, "phase_compiler");
    const auto phases = ReadTexts(args->phases_to_run, args->phases_to_run_sizes, args->num_phases_to_run, "phases_to_run");
    auto programs =
        ReadTexts(args->input_programs, args->input_programs_sizes, args->num_input_programs, "input_programs");
    if (phases.empty() || programs.empty()) throw InvalidArgument("there is no phase or no program to run");
    const auto options =
        CompileOptions::Parse({GivenArray(args->compile_options, args->compile_options_size, "compile_options"),
                               args->compile_options_size});
    const Topology& topology = *Given(args->topology, "topology").topology;
    for (std::string& program : programs) {
      PartialProgram current = PartialProgram::Parse(program);
      for (const std::string& phase : phases) current = RunPhase(phase, current, options, topology);
      program = current.Serialize();
    }
    WriteTexts(programs, args->output_programs, args->output_programs_sizes, args->num_output_programs);
  });
}

PJRT_Error* GetPhaseNames(PJRT_PhaseCompile_Get_PhaseNames_Args* args) {
  return CALL_EXTENSION(PJRT_PhaseCompile_Get_PhaseNames, args, [&] {
    Given(args->phase_compiler, "phase_compiler");
    WriteTexts({std::begin(kPhases), std::end(kPhases)}, args->phase_names, args->phase_names_sizes,
               args->num_phase_names);
  });
}

void BuffersDestroy(PJRT_PhaseCompile_C_Buffers_Destroy_Args* args) {
  if (args == nullptr || args->char_buffers == nullptr) return;
  for (size_t i = 0; i < args->num_char_buffers; i++) delete[] args->char_buffers[i];
  delete[] args->char_buffers;
  delete[] args->char_buffer_sizes;
}

}  // namespace

PJRT_Extension_Base* PhaseCompileExtension() {
  static PJRT_PhaseCompile_Extension extension = {BaseOf(PJRT_Extension_Type_PhaseCompile),
                                                  GetCompiler,
                                                  DestroyCompiler,
                                                  RunPhases,
                                                  GetPhaseNames,
                                                  BuffersDestroy};
  return &extension.base;
}

}  // namespace reference
