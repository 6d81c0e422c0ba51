// PJRT_Executable_*: properties of a compiled program, and serialization.
#include "c_api/executable.h"

#include <cstring>
#include <string>
#include <utility>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/wrap.h"
#include "runtime/device_format.h"

struct PJRT_SerializedExecutable {
  std::string bytes;
};

struct PJRT_SerializedCompileOptions {
  std::string bytes;
};

namespace reference {

namespace {

const Executable& ExecutableOf(const PJRT_Executable* executable) {
  return *Given(executable, "executable").executable;
}

void AddMemoryKind(const ProgramValue& value, std::vector<const char*>& kinds, std::vector<size_t>& sizes) {
  const std::string& name = MemoryKindName(value.memory_kind);
  kinds.push_back(name.data());
  sizes.push_back(name.size());
}

// Bytes of arguments or outputs, some of which are in host memories.
struct Sizes {
  int64_t device = 0;
  int64_t host = 0;

  void Add(const ProgramValue& value) {
    const auto bytes = static_cast<int64_t>(DeviceBytes(value.local, value.layout));
    (value.memory_kind == MemoryKind::kDevice ? device : host) += bytes;
  }
};

}  // namespace

std::unique_ptr<PJRT_Executable> MakeExecutable(std::shared_ptr<const Executable> executable) {
  auto handle = std::make_unique<PJRT_Executable>();
  for (const ProgramValue& output : executable->outputs()) {
    handle->output_types.push_back(static_cast<PJRT_Buffer_Type>(output.local.type));
    const Dims& dims = output.local.dims;
    handle->output_dims.insert(handle->output_dims.end(), dims.begin(), dims.end());
    handle->output_dim_sizes.push_back(dims.size());
    AddMemoryKind(output, handle->output_memory_kinds, handle->output_memory_kind_sizes);
  }
  for (const ProgramParameter& parameter : executable->parameters()) {
    AddMemoryKind(parameter, handle->parameter_memory_kinds, handle->parameter_memory_kind_sizes);
  }
  const CostAnalysis& cost = executable->cost();
  handle->cost.Add("flops", static_cast<float>(cost.flops));
  handle->cost.Add("transcendentals", static_cast<float>(cost.transcendentals));
  handle->cost.Add("bytes accessed", static_cast<float>(cost.bytes_accessed));
  handle->executable = std::move(executable);
  return handle;
}

namespace c_api {

PJRT_Error* Executable_Destroy(PJRT_Executable_Destroy_Args* args) {
  return Call("PJRT_Executable_Destroy", args, [&] { delete args->executable; });
}

PJRT_Error* Executable_Name(PJRT_Executable_Name_Args* args) {
  return Call("PJRT_Executable_Name", args, [&] {
    const std::string& name = ExecutableOf(args->executable).name();
    args->executable_name = name.data();
    args->executable_name_size = name.size();
  });
}

PJRT_Error* Executable_NumReplicas(PJRT_Executable_NumReplicas_Args* args) {
  return Call("PJRT_Executable_NumReplicas", args, [&] {
    args->num_replicas = static_cast<size_t>(ExecutableOf(args->executable).options().num_replicas);
  });
}

PJRT_Error* Executable_NumPartitions(PJRT_Executable_NumPartitions_Args* args) {
  return Call("PJRT_Executable_NumPartitions", args, [&] {
    args->num_partitions = static_cast<size_t>(ExecutableOf(args->executable).options().num_partitions);
  });
}

PJRT_Error* Executable_NumOutputs(PJRT_Executable_NumOutputs_Args* args) {
  return Call("PJRT_Executable_NumOutputs", args,
              [&] { args->num_outputs = ExecutableOf(args->executable).outputs().size(); });
}

PJRT_Error* Executable_SizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args* args) {
  return Call("PJRT_Executable_SizeOfGeneratedCodeInBytes", args,
              [&] { args->size_in_bytes = ExecutableOf(args->executable).code_bytes(); });
}

PJRT_Error* Executable_Fingerprint(PJRT_Executable_Fingerprint_Args* args) {
  return Call("PJRT_Executable_Fingerprint", args, [&] {
    const std::string& fingerprint = ExecutableOf(args->executable).fingerprint();
    args->executable_fingerprint = fingerprint.data();
    args->executable_fingerprint_size = fingerprint.size();
  });
}

PJRT_Error* Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args* args) {
  return Call("PJRT_Executable_GetCostAnalysis", args, [&] {
    const PJRT_Executable& executable = Given(args->executable, "executable");
    args->num_properties = executable.cost.size();
    args->properties = executable.cost.data();
  });
}

PJRT_Error* Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args* args) {
  return Call("PJRT_Executable_GetCompiledMemoryStats", args, [&] {
    const Executable& executable = ExecutableOf(args->executable);
    Sizes arguments, outputs, aliases;
    for (const ProgramParameter& parameter : executable.parameters()) {
      arguments.Add(parameter);
      if (parameter.alias_output >= 0) aliases.Add(parameter);
    }
    for (const ProgramValue& output : executable.outputs()) outputs.Add(output);
    const int64_t temp = executable.cost().temp_bytes;
    args->generated_code_size_in_bytes = executable.code_bytes();
    args->argument_size_in_bytes = arguments.device;
    args->output_size_in_bytes = outputs.device;
    args->alias_size_in_bytes = aliases.device;
    args->temp_size_in_bytes = temp;
    if (HAS(args, host_temp_size_in_bytes)) {
      args->host_generated_code_size_in_bytes = 0;
      args->host_argument_size_in_bytes = arguments.host;
      args->host_output_size_in_bytes = outputs.host;
      args->host_alias_size_in_bytes = aliases.host;
      args->host_temp_size_in_bytes = 0;
    }
    const int64_t total = arguments.device + outputs.device - aliases.device + temp;
    if (HAS(args, peak_memory_in_bytes)) args->peak_memory_in_bytes = total;
    if (HAS(args, total_size_in_bytes)) args->total_size_in_bytes = total + executable.code_bytes();
    if (HAS(args, total_allocation_bytes)) args->total_allocation_bytes = total;
    if (HAS(args, indefinite_allocations)) args->indefinite_allocations = 0;
    if (HAS(args, peak_unpadded_heap_bytes)) args->peak_unpadded_heap_bytes = temp;
  });
}

PJRT_Error* Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args* args) {
  return Call("PJRT_Executable_OutputElementTypes", args, [&] {
    PJRT_Executable& executable = Given(args->executable, "executable");
    args->output_types = executable.output_types.data();
    args->num_output_types = executable.output_types.size();
  });
}

PJRT_Error* Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args* args) {
  return Call("PJRT_Executable_OutputDimensions", args, [&] {
    const PJRT_Executable& executable = Given(args->executable, "executable");
    args->num_outputs = executable.output_dim_sizes.size();
    args->dims = executable.output_dims.data();
    args->dim_sizes = executable.output_dim_sizes.data();
  });
}

PJRT_Error* Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args* args) {
  return Call("PJRT_Executable_OutputMemoryKinds", args, [&] {
    RequireMemories();
    const PJRT_Executable& executable = Given(args->executable, "executable");
    args->num_outputs = executable.output_memory_kinds.size();
    args->memory_kinds = executable.output_memory_kinds.data();
    args->memory_kind_sizes = executable.output_memory_kind_sizes.data();
  });
}

PJRT_Error* Executable_ParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args* args) {
  return Call("PJRT_Executable_ParameterMemoryKinds", args, [&] {
    RequireMemories();
    const PJRT_Executable& executable = Given(args->executable, "executable");
    args->num_parameters = executable.parameter_memory_kinds.size();
    args->memory_kinds = executable.parameter_memory_kinds.data();
    args->memory_kind_sizes = executable.parameter_memory_kind_sizes.data();
  });
}

PJRT_Error* Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args* args) {
  return Call("PJRT_Executable_OptimizedProgram", args, [&] {
    const std::string& text = ExecutableOf(args->executable).optimized_program();
    static const std::string kFormat = "mlir";
    PJRT_Program& program = Given(args->program, "program");
    // The first call queries the size; its format may be uninitialised.
    if (program.code != nullptr) {
      if (program.code_size < text.size()) {
        throw InvalidArgument("the program has " + std::to_string(text.size()) + " bytes, there is room for " +
                              std::to_string(program.code_size));
      }
      std::memcpy(program.code, text.data(), text.size());
    }
    program.code_size = text.size();
    program.format = kFormat.data();
    program.format_size = kFormat.size();
  });
}

PJRT_Error* Executable_Serialize(PJRT_Executable_Serialize_Args* args) {
  return Call("PJRT_Executable_Serialize", args, [&] {
    auto* serialized = new PJRT_SerializedExecutable{ExecutableOf(args->executable).Serialize()};
    args->serialized_bytes = serialized->bytes.data();
    args->serialized_bytes_size = serialized->bytes.size();
    args->serialized_executable = serialized;
    args->serialized_executable_deleter = [](PJRT_SerializedExecutable* bytes) { delete bytes; };
  });
}

PJRT_Error* Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args* args) {
  return Call("PJRT_Executable_GetCompileOptions", args, [&] {
    auto* serialized = new PJRT_SerializedCompileOptions{ExecutableOf(args->executable).options().serialized};
    args->serialized_bytes = serialized->bytes.data();
    args->serialized_bytes_size = serialized->bytes.size();
    args->serialized_compile_options = serialized;
    args->serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions* bytes) { delete bytes; };
  });
}

PJRT_Error* Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args* args) {
  return Call("PJRT_Executable_DeserializeAndLoad", args, [&] {
    const PJRT_Client& client = Given(args->client, "client");
    auto executable = Executable::Deserialize(
        GivenText(args->serialized_executable, args->serialized_executable_size, "serialized_executable"));
    if (HAS(args, overridden_serialized_compile_options_size)) {
      const std::string options =
          GivenText(args->overridden_serialized_compile_options, args->overridden_serialized_compile_options_size,
                    "overridden_serialized_compile_options");
      if (!options.empty()) executable = executable->WithOptions(CompileOptions::Parse(options));
    }
    args->loaded_executable = MakeLoadedExecutable(std::move(executable), client.client).release();
  });
}

}  // namespace c_api

}  // namespace reference
