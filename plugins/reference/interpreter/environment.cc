// Ops with effects outside of the program.
#include <cstring>

#include "interpreter/custom_calls.h"
#include "interpreter/handlers.h"

namespace reference {
namespace {

// A copy for others to keep beyond the op: the interpreter writes in arrays that only it holds.
Array Copied(const Array& array) {
  Array copy(array.type());
  if (array.bytes() > 0) std::memcpy(copy.mutable_data(), array.data(), array.bytes());
  return copy;
}

Array Unsigned32(const ArrayType& type, int64_t value) {
  Array array(type);
  *array.as<uint32_t>() = static_cast<uint32_t>(value);
  return array;
}

Array Token() { return Array(ArrayType{ElementType::kToken, {}}); }

}  // namespace

std::vector<Array> PartitionId(const Op& op, std::vector<Array>&, OpContext& context) {
  return One(Unsigned32(ResultType(op), context.evaluator.environment().partition_id));
}

std::vector<Array> ReplicaId(const Op& op, std::vector<Array>&, OpContext& context) {
  return One(Unsigned32(ResultType(op), context.evaluator.environment().replica_id));
}

std::vector<Array> MakeToken(const Op&, std::vector<Array>&, OpContext&) { return One(Token()); }

std::vector<Array> Send(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const Environment& environment = context.evaluator.environment();
  if (!environment.send) {
    throw FailedPrecondition(op.name + " at " + op.location + ": the launch has no send callbacks");
  }
  for (const Array& operand : operands) {
    if (operand.element_type() != ElementType::kToken) environment.send(op.Int("channel_id"), Copied(operand));
  }
  return One(Token());
}

std::vector<Array> Recv(const Op& op, std::vector<Array>&, OpContext& context) {
  const Environment& environment = context.evaluator.environment();
  if (!environment.recv) {
    throw FailedPrecondition(op.name + " at " + op.location + ": the launch has no receive callbacks");
  }
  std::vector<Array> results;
  for (const Type& type : op.result_types) {
    if (type.array.type == ElementType::kToken) {
      results.push_back(Token());
      continue;
    }
    Array received = environment.recv(op.Int("channel_id"), type.array);
    if (received.type() != type.array) {
      throw InvalidArgument(op.name + " at " + op.location + ": received " + received.type().ToString() + " for " +
                            type.ToString());
    }
    results.push_back(Copied(received));
  }
  return results;
}

std::vector<Array> CustomCallOp(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const std::string& target = op.String("call_target_name");
  const Environment& environment = context.evaluator.environment();
  const CustomCall found = environment.find_custom_call ? environment.find_custom_call(target) : CustomCall();
  // CheckSupported has verified that the interpreter implements what is not registered.
  if (!found) return RunOwnCustomCall(op, operands);
  const std::vector<Array> results = found(op, operands);
  if (results.size() != op.result_types.size()) {
    throw Internal("custom call \"" + target + "\" gave " + std::to_string(results.size()) + " results for " +
                   std::to_string(op.result_types.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].type() != op.result_types[i].array) {
      throw Internal("custom call \"" + target + "\" gave " + results[i].type().ToString() + " for " +
                     op.result_types[i].ToString());
    }
  }
  return results;
}

}  // namespace reference
