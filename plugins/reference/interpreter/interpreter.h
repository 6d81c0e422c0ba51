// Runs a verified module on arrays. Pure, except for the environment.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/array.h"
#include "ir/ir.h"

namespace reference {

// Rendezvous of the participants of a collective. One object for each logical device of a launch, all of one launch
// connected; implemented by the runtime.
class Collectives {
 public:
  virtual ~Collectives() = default;
  // Blocks until every member of `group` (flat logical ids, replica * num_partitions + partition; this device is one of
  // them) has arrived with the same `key`, and returns the contribution of each, in the order of the group.
  virtual std::vector<Array> Exchange(const std::string& key, const std::vector<int64_t>& group, Array mine) = 0;
};

// A call out of the program: custom_call with a registered target.
using CustomCall = std::function<std::vector<Array>(const Op& op, const std::vector<Array>& operands)>;

struct Environment {
  int64_t replica_id = 0;
  int64_t partition_id = 0;
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  Collectives* collectives = nullptr;  // null: one logical device, every group is this one
  // Empty result: unknown target.
  std::function<CustomCall(const std::string& target)> find_custom_call;
  // send and recv of StableHLO, by channel id; null if the launch has no callbacks.
  std::function<void(int64_t channel, const Array& data)> send;
  std::function<Array(int64_t channel, const ArrayType& type)> recv;
  // Polled between ops: true ends the run with a Cancelled error.
  std::function<bool()> cancelled;
};

// Evaluates a function of a module. Arguments and results are arrays; tokens are arrays of element type kToken. Throws
// Unimplemented with an op's name, or the error of the program itself (InvalidArgument, OutOfRange).
std::vector<Array> Run(const Module& module, const Function& function, const std::vector<Array>& arguments,
                       Environment& environment);

// Throws Unimplemented naming the first op that Run could not evaluate; called at compile time.
void CheckSupported(const Module& module, const Environment& environment);

}  // namespace reference
