// Options of a compilation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reference {

// Assignment of replicas and partitions to devices.
struct DeviceAssignment {
  int num_replicas = 0;
  int num_partitions = 0;
  std::vector<int> devices;  // replica * num_partitions + partition

  // A DeviceAssignmentProto.
  std::string Serialize() const;
};

struct CompileOptions {
  int num_replicas = 1;
  int num_partitions = 1;
  bool spmd = false;      // num_partitions and use_spmd_partitioning: the program is about whole arrays
  bool portable = false;  // for no device in particular
  int device_ordinal = -1;
  std::optional<DeviceAssignment> assignment;
  std::string serialized;  // an equivalent CompileOptionsProto, never empty

  // Reads a CompileOptionsProto; no bytes are the defaults. Throws InvalidArgument for other bytes, for invalid
  // numbers, and for an assignment that contradicts them.
  static CompileOptions Parse(std::string_view bytes);
};

}  // namespace reference
