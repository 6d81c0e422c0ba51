// Turns a program for several partitions into one that every partition can run by itself: it computes on whole arrays,
// and at the borders to per-partition shards, custom calls of the plugin split and join arrays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interpreter/interpreter.h"
#include "ir/ir.h"
#include "ir/sharding.h"

namespace reference {

// One border between whole arrays and shards, in either direction.
struct Border {
  bool join = false;
  Sharding sharding;
  std::vector<std::vector<int64_t>> groups;  // of partitions that share one whole array
};

struct PartitionedProgram {
  // Without manual computations, and with the elements of @main's tuple arguments and results in their place.
  Module module;
  std::vector<Border> borders;
};

PartitionedProgram Partition(Module module, int64_t num_partitions);

// Throws InvalidArgument for a sharding with another number of partitions.
void CheckSharding(const Sharding& sharding, int64_t num_partitions, const std::string& place);

// The targets of the custom calls that Partition inserts, and the attribute with the number of their border.
inline constexpr const char* kCut = "reference.CutShard";
inline constexpr const char* kJoin = "reference.JoinShards";
inline constexpr const char* kBorderAttribute = "reference.border";
bool IsBorder(const std::string& target);
// Runs one of them on the device of the environment. `visit` numbers this device's visits to borders.
std::vector<Array> CrossBorder(const PartitionedProgram& program, const Op& op, const std::vector<Array>& operands,
                               const Environment& environment, int64_t visit);

}  // namespace reference
