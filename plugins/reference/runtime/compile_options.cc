#include "runtime/compile_options.h"

#include <map>

#include "base/error.h"
#include "base/protobuf.h"

namespace reference {

namespace {

constexpr int64_t kMostParticipants = 1 << 16;

// Fields of CompileOptionsProto, ExecutableBuildOptionsProto, DeviceAssignmentProto and its ComputationDevice.
enum { kBuildOptions = 3, kPortable = 4, kOverrides = 7 };
// An entry of the map, and the fields of its OptionOverrideProto.
enum { kName = 1, kValue = 2 };
enum { kString = 1, kBool = 2, kInt = 3, kDouble = 4 };
enum { kDeviceOrdinal = 1, kNumReplicas = 4, kNumPartitions = 5, kUseSpmd = 6, kDeviceAssignment = 9 };
enum { kReplicaCount = 1, kComputationCount = 2, kComputationDevices = 3 };
enum { kReplicaDeviceIds = 1 };

// An absent number is 0, which leaves the choice to the plugin: one.
int Count(int64_t value, const char* what) {
  if (value < 0 || value > kMostParticipants) {
    throw InvalidArgument("compile options with " + std::to_string(value) + " " + what);
  }
  return value == 0 ? 1 : static_cast<int>(value);
}

// Options for XLA's compiler are accepted and change nothing here; of some the type is known.
void CheckOverride(std::string_view entry) {
  std::string name;
  int type = 0;
  for (ProtoReader reader(entry, "CompileOptionsProto"); reader.Next();) {
    if (reader.field() == kName && reader.Bytes()) name = *reader.Bytes();
    if (reader.field() != kValue || !reader.Bytes()) continue;
    for (ProtoReader value(*reader.Bytes(), "OptionOverrideProto"); value.Next();) type = value.field();
  }
  static const std::map<std::string, int> kTypes = {{"xla_embed_ir_in_executable", kBool},
                                                    {"xla_dump_max_hlo_modules", kInt}};
  const auto known = kTypes.find(name);
  if (name.rfind("xla_", 0) != 0) throw InvalidArgument("there is no compile option \"" + name + "\"");
  if (known != kTypes.end() && known->second != type) {
    throw InvalidArgument("the compile option \"" + name + "\" has a value of another type");
  }
}

DeviceAssignment ParseAssignment(std::string_view bytes) {
  DeviceAssignment assignment;
  std::vector<std::vector<int64_t>> computations;
  int64_t replicas = 0, partitions = 0;
  for (ProtoReader reader(bytes, "DeviceAssignmentProto"); reader.Next();) {
    if (reader.field() == kReplicaCount) replicas = reader.Varint().value_or(replicas);
    if (reader.field() == kComputationCount) partitions = reader.Varint().value_or(partitions);
    if (reader.field() == kComputationDevices && reader.Bytes()) {
      computations.emplace_back();
      for (ProtoReader inner(*reader.Bytes(), "DeviceAssignmentProto"); inner.Next();) {
        if (inner.field() == kReplicaDeviceIds) inner.AppendInts(computations.back());
      }
    }
  }
  bool consistent = replicas > 0 && partitions > 0 && static_cast<int64_t>(computations.size()) == partitions;
  for (const auto& ids : computations) consistent = consistent && static_cast<int64_t>(ids.size()) == replicas;
  if (!consistent) {
    throw InvalidArgument("a device assignment of " + std::to_string(replicas) + " replicas and " +
                          std::to_string(partitions) + " partitions contradicts its lists of devices");
  }
  assignment.num_replicas = Count(replicas, "replicas");
  assignment.num_partitions = Count(partitions, "partitions");
  for (int64_t replica = 0; replica < replicas; replica++) {
    for (const auto& ids : computations) {
      const int64_t id = ids[static_cast<size_t>(replica)];
      if (id < 0 || id > INT32_MAX) throw InvalidArgument("there is no device " + std::to_string(id));
      assignment.devices.push_back(static_cast<int>(id));
    }
  }
  return assignment;
}

std::string Defaults() {
  ProtoWriter build;
  build.Varint(kDeviceOrdinal, -1);
  build.Varint(kNumReplicas, 1);
  build.Varint(kNumPartitions, 1);
  ProtoWriter options;
  options.Bytes(kBuildOptions, build.bytes());
  return options.bytes();
}

}  // namespace

std::string DeviceAssignment::Serialize() const {
  ProtoWriter writer;
  writer.Varint(kReplicaCount, num_replicas);
  writer.Varint(kComputationCount, num_partitions);
  for (int partition = 0; partition < num_partitions; partition++) {
    std::vector<int64_t> ids;
    for (int replica = 0; replica < num_replicas; replica++) {
      ids.push_back(devices[static_cast<size_t>(replica * num_partitions + partition)]);
    }
    ProtoWriter computation;
    computation.Packed(kReplicaDeviceIds, ids);
    writer.Bytes(kComputationDevices, computation.bytes());
  }
  return writer.bytes();
}

CompileOptions CompileOptions::Parse(std::string_view bytes) {
  CompileOptions options;
  options.serialized = bytes.empty() ? Defaults() : std::string(bytes);
  int64_t replicas = 0, partitions = 0, ordinal = bytes.empty() ? -1 : 0;
  bool spmd = false;
  for (ProtoReader reader(bytes, "CompileOptionsProto"); reader.Next();) {
    if (reader.field() == kPortable) options.portable = reader.Varint().value_or(0) != 0;
    if (reader.field() == kOverrides && reader.Bytes()) CheckOverride(*reader.Bytes());
    if (reader.field() != kBuildOptions || !reader.Bytes()) continue;
    for (ProtoReader build(*reader.Bytes(), "ExecutableBuildOptionsProto"); build.Next();) {
      if (build.field() == kDeviceOrdinal) ordinal = build.Varint().value_or(ordinal);
      if (build.field() == kNumReplicas) replicas = build.Varint().value_or(replicas);
      if (build.field() == kNumPartitions) partitions = build.Varint().value_or(partitions);
      if (build.field() == kUseSpmd) spmd = build.Varint().value_or(0) != 0;
      if (build.field() == kDeviceAssignment && build.Bytes()) options.assignment = ParseAssignment(*build.Bytes());
    }
  }
  options.num_replicas = Count(replicas, "replicas");
  options.num_partitions = Count(partitions, "partitions");
  if (int64_t{options.num_replicas} * options.num_partitions > kMostParticipants) {
    throw InvalidArgument("compile options with " + std::to_string(replicas) + " replicas of " +
                          std::to_string(partitions) + " partitions");
  }
  if (ordinal < -1 || ordinal > INT32_MAX) {
    throw InvalidArgument("compile options with the device ordinal " + std::to_string(ordinal));
  }
  options.device_ordinal = static_cast<int>(ordinal);
  options.spmd = spmd && options.num_partitions > 1;
  if (const auto& assignment = options.assignment;
      assignment && (assignment->num_replicas != options.num_replicas ||
                     assignment->num_partitions != options.num_partitions)) {
    throw InvalidArgument("compile options for " + std::to_string(options.num_replicas) + " replicas and " +
                          std::to_string(options.num_partitions) + " partitions with a device assignment of " +
                          std::to_string(assignment->num_replicas) + " and " +
                          std::to_string(assignment->num_partitions));
  }
  if (options.portable) {
    if (options.num_replicas * options.num_partitions != 1) {
      throw InvalidArgument("a portable executable is for one device, not for " +
                            std::to_string(options.num_replicas * options.num_partitions));
    }
    // A portable executable is bound to no device, whatever else the options say.
    options.assignment.reset();
  }
  return options;
}

}  // namespace reference
