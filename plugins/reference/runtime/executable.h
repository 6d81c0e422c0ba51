// A compiled program, not loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "ir/sharding.h"
#include "runtime/compile_options.h"
#include "runtime/cost_analysis.h"
#include "runtime/layout.h"
#include "runtime/memory_space.h"
#include "runtime/partition.h"
#include "runtime/topology.h"

namespace reference {

// An argument or a result of @main.
struct ProgramValue {
  ArrayType whole;  // in the program
  ArrayType local;  // on each device
  std::optional<Sharding> sharding;
  MemoryKind memory_kind = MemoryKind::kDevice;
  Layout layout;
};

struct ProgramParameter : ProgramValue {
  // The output that reuses the memory of the argument, which is donated to the execution; -1: none.
  int alias_output = -1;
  // Donation is mandatory.
  bool must_alias = false;
};

class Executable {
 public:
  // Throws InvalidArgument for an invalid program, an unknown format, or devices that are not in the topology;
  // Unimplemented for unsupported ops.
  static std::shared_ptr<const Executable> Compile(std::string_view code, std::string_view format,
                                                   CompileOptions options, const Topology& topology);

  const std::string& name() const { return name_; }
  const CompileOptions& options() const { return options_; }
  const Topology& topology() const { return topology_; }
  const PartitionedProgram& program() const { return program_; }
  const std::vector<ProgramParameter>& parameters() const { return parameters_; }
  const std::vector<ProgramValue>& outputs() const { return outputs_; }
  const std::string& fingerprint() const { return fingerprint_; }
  const CostAnalysis& cost() const { return cost_; }
  // The program as text, as each partition runs it if there are several; "mlir".
  const std::string& optimized_program() const { return text_; }
  int64_t code_bytes() const { return static_cast<int64_t>(code_.size()); }

  // The same program with other options. Throws as Compile does.
  std::shared_ptr<const Executable> WithOptions(CompileOptions options) const;

  std::string Serialize() const;
  // Compiles the output of Serialize. Throws InvalidArgument for other bytes.
  static std::shared_ptr<const Executable> Deserialize(std::string_view bytes);

 private:
  Executable(std::string_view code, CompileOptions options, const Topology& topology);
  void ReadValues(const Function& main, const MeshTable& meshes);
  void ReadAliases(const Module& module, const Function& main);

  const std::string code_;
  const CompileOptions options_;
  const Topology topology_;
  std::string name_;
  PartitionedProgram program_;
  std::string text_;
  std::vector<ProgramParameter> parameters_;
  std::vector<ProgramValue> outputs_;
  std::string fingerprint_;
  CostAnalysis cost_;
};

}  // namespace reference
