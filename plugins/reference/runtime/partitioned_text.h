// The text of a program for a single partition.
#pragma once

#include <string>
#include <vector>

#include "runtime/executable.h"

namespace reference {

// @main takes and returns the shards of a partition; custom calls join them into whole arrays, and split those.
// Shardings are only in XLA's syntax: at the values, and in mhlo.spmd_parameters_shardings and
// mhlo.spmd_output_sharding of the module, where JAX before 0.9.1 finds those of an executable (its jaxlib refuses
// Shardy's attributes as strings).
std::string PartitionedText(const PartitionedProgram& program, const std::vector<ProgramParameter>& parameters,
                            const std::vector<ProgramValue>& outputs);

}  // namespace reference
