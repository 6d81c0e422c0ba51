// PJRT_Compile, PJRT_Client_Compile, PJRT_Client_Load, PJRT_Client_DefaultDeviceAssignment.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "c_api/call.h"
#include "c_api/executable.h"
#include "c_api/functions.h"
#include "c_api/wrap.h"
#include "runtime/loaded_executable.h"

namespace reference {

namespace {

std::shared_ptr<const Executable> CompileProgram(const PJRT_Program& program, const char* options, size_t options_size,
                                                 const Topology& topology) {
  const std::string format = GivenText(program.format, program.format_size, "program.format");
  const std::string parsed = GivenText(options, options_size, "compile_options");
  // The format first: a caller with an unknown one need not send code.
  const bool known = format == "mlir" || format == "hlo" || format == "hlo_with_config";
  const std::string code = known ? GivenText(program.code, program.code_size, "program.code") : std::string();
  return Executable::Compile(code, format, CompileOptions::Parse(parsed), topology);
}

}  // namespace

namespace c_api {

PJRT_Error* Compile(PJRT_Compile_Args* args) {
  return Call("PJRT_Compile", args, [&] {
    const Topology& topology = *Given(args->topology, "topology").topology;
    args->executable = MakeExecutable(CompileProgram(Given(args->program, "program"), args->compile_options,
                                                     args->compile_options_size, topology))
                           .release();
  });
}

PJRT_Error* Client_Compile(PJRT_Client_Compile_Args* args) {
  return Call("PJRT_Client_Compile", args, [&] {
    const PJRT_Client& client = Given(args->client, "client");
    const PJRT_Program& program = Given(args->program, "program");
    auto executable =
        CompileProgram(program, args->compile_options, args->compile_options_size, *client.topology->topology);
    args->executable = MakeLoadedExecutable(std::move(executable), client.client).release();
  });
}

PJRT_Error* Client_Load(PJRT_Client_Load_Args* args) {
  return Call("PJRT_Client_Load", args, [&] {
    const PJRT_Client& client = Given(args->client, "client");
    auto executable = Given(args->executable, "executable").executable;
    const std::string options = GivenText(args->compile_options, args->compile_options_size, "compile_options");
    if (!options.empty()) executable = executable->WithOptions(CompileOptions::Parse(options));
    args->loaded_executable = MakeLoadedExecutable(std::move(executable), client.client).release();
  });
}

PJRT_Error* Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args* args) {
  return Call("PJRT_Client_DefaultDeviceAssignment", args, [&] {
    const Client& client = ClientOf(args->client);
    const int64_t count = int64_t{args->num_replicas} * args->num_partitions;
    if (args->num_replicas > 0 && args->num_partitions > 0 &&
        static_cast<uint64_t>(count) > args->default_assignment_size) {
      throw FailedPrecondition("default_assignment has room for " + std::to_string(args->default_assignment_size) +
                               " devices, not for " + std::to_string(count));
    }
    const DeviceAssignment assignment = DefaultAssignment(client, args->num_replicas, args->num_partitions);
    int* out = GivenArray(args->default_assignment, assignment.devices.size(), "default_assignment");
    for (size_t i = 0; i < assignment.devices.size(); i++) out[i] = assignment.devices[i];
  });
}

}  // namespace c_api

}  // namespace reference
