// Makes of a program for several partitions one that every partition can run by itself: it computes on whole arrays, and
// where the program goes over to what each partition has, custom calls of the plugin's own cut and join arrays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interpreter/interpreter.h"
#include "ir/ir.h"
#include "ir/sharding.h"

namespace reference {

// One place where whole arrays become shards, or the other way round.
struct Border {
  bool join = false;
  Sharding sharding;
  std::vector<std::vector<int64_t>> groups;  // of partitions that have one whole array between them
};

struct PartitionedProgram {
  // Without manual computations, and with a @main whose arguments and results are no tuples: their elements instead.
  Module module;
  std::vector<Border> borders;
};

PartitionedProgram Partition(Module module, int64_t num_partitions);

// Throws InvalidArgument for a sharding that is for another number of partitions.
void CheckSharding(const Sharding& sharding, int64_t num_partitions, const std::string& place);

// The targets of the custom calls that Partition puts in, and the attribute with the number of their border.
inline constexpr const char* kCut = "reference.CutShard";
inline constexpr const char* kJoin = "reference.JoinShards";
inline constexpr const char* kBorderAttribute = "reference.border";
bool IsBorder(const std::string& target);
// Does what one of them says, on the device of the environment. `visit` numbers this device's visits to borders.
std::vector<Array> CrossBorder(const PartitionedProgram& program, const Op& op, const std::vector<Array>& operands,
                               const Environment& environment, int64_t visit);

}  // namespace reference
