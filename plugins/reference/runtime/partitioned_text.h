// The text of a program as each of its partitions runs it.
#pragma once

#include <string>
#include <vector>

#include "runtime/executable.h"

namespace reference {

// @main takes and gives the shards of a partition; custom calls join them into whole arrays, and cut those. Shardings
// are in XLA's spelling alone: at the values, and in mhlo.spmd_parameters_shardings and mhlo.spmd_output_sharding of
// the module, where JAX before 0.9.1 finds those of an executable (its jaxlib refuses Shardy's attributes as strings).
std::string PartitionedText(const PartitionedProgram& program, const std::vector<ProgramParameter>& parameters,
                            const std::vector<ProgramValue>& outputs);

}  // namespace reference
