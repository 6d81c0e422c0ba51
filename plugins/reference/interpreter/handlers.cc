#include "interpreter/handlers.h"

namespace reference {

std::vector<int64_t> Pairs(const Op& op, const std::string& name) {
  const Attribute* attribute = op.Find(name);
  if (attribute == nullptr) return {};
  if (const auto* list = attribute->get<std::vector<int64_t>>()) return *list;
  if (const Array* array = attribute->get<Array>()) {
    std::vector<int64_t> values(static_cast<size_t>(array->size()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = IntegerAt(*array, static_cast<int64_t>(i));
    return values;
  }
  return {};
}

std::vector<bool> Bools(const Op& op, const std::string& name, size_t count) {
  std::vector<bool> values(count, false);
  const Attribute* attribute = op.Find(name);
  if (attribute == nullptr) return values;
  if (const auto* list = attribute->get<std::vector<bool>>()) {
    for (size_t i = 0; i < count && i < list->size(); ++i) values[i] = (*list)[i];
  } else if (const Array* array = attribute->get<Array>()) {
    for (size_t i = 0; i < count && static_cast<int64_t>(i) < array->size(); ++i) {
      values[i] = array->data()[i] != std::byte{0};
    }
  }
  return values;
}

int64_t IntegerAt(const Array& array, int64_t index) {
  const std::byte* at = array.data() + static_cast<size_t>(index) * ByteWidth(array.element_type());
  switch (array.element_type()) {
    case ElementType::kS1:
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8: return *reinterpret_cast<const int8_t*>(at);
    case ElementType::kS16: return *reinterpret_cast<const int16_t*>(at);
    case ElementType::kS32: return *reinterpret_cast<const int32_t*>(at);
    case ElementType::kS64: return *reinterpret_cast<const int64_t*>(at);
    case ElementType::kPred:
    case ElementType::kU1:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8: return *reinterpret_cast<const uint8_t*>(at);
    case ElementType::kU16: return *reinterpret_cast<const uint16_t*>(at);
    case ElementType::kU32: return *reinterpret_cast<const uint32_t*>(at);
    case ElementType::kU64: {
      const uint64_t value = *reinterpret_cast<const uint64_t*>(at);
      return value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value);
    }
    default: throw Internal("an index of type " + Name(array.element_type()));
  }
}

Handler FindHandler(const std::string& name) {
  static const std::unordered_map<std::string, Handler> handlers = {
      {"stablehlo.reshape", Reshape},
      {"stablehlo.bitcast_convert", BitcastConvert},
      {"stablehlo.transpose", Transpose},
      {"stablehlo.broadcast_in_dim", BroadcastInDim},
      {"stablehlo.dynamic_broadcast_in_dim", BroadcastInDim},
      {"stablehlo.broadcast", Broadcast},
      {"stablehlo.slice", Slice},
      {"stablehlo.dynamic_slice", DynamicSlice},
      {"stablehlo.dynamic_update_slice", DynamicUpdateSlice},
      {"stablehlo.pad", Pad},
      {"stablehlo.concatenate", Concatenate},
      {"stablehlo.reverse", Reverse},
      {"stablehlo.iota", Iota},
      {"stablehlo.dynamic_iota", Iota},
      {"stablehlo.dynamic_reshape", Reshape},
      {"stablehlo.real_dynamic_slice", RealDynamicSlice},
      {"stablehlo.dynamic_pad", DynamicPad},
      {"stablehlo.get_dimension_size", GetDimensionSize},
      {"stablehlo.gather", Gather},
      {"stablehlo.dynamic_gather", Gather},
      {"stablehlo.scatter", Scatter},
      {"stablehlo.torch_index_select", TorchIndexSelect},
      {"stablehlo.reduce", Reduce},
      {"stablehlo.map", MapRegion},
      {"stablehlo.reduce_window", ReduceWindow},
      {"stablehlo.select_and_scatter", SelectAndScatter},
      {"stablehlo.sort", Sort},
      {"stablehlo.dot_general", DotGeneral},
      {"stablehlo.dot", Dot},
      {"stablehlo.convolution", Convolution},
      {"stablehlo.dynamic_conv", Convolution},
      {"stablehlo.rng_bit_generator", RngBitGenerator},
      {"stablehlo.rng", Rng},
      {"stablehlo.fft", Fft},
      {"stablehlo.cholesky", Cholesky},
      {"stablehlo.triangular_solve", TriangularSolve},
      {"stablehlo.batch_norm_inference", BatchNormInference},
      {"stablehlo.batch_norm_training", BatchNormTraining},
      {"stablehlo.batch_norm_grad", BatchNormGrad},
      {"stablehlo.all_reduce", AllReduce},
      {"stablehlo.all_gather", AllGather},
      {"stablehlo.reduce_scatter", ReduceScatter},
      {"stablehlo.all_to_all", AllToAll},
      {"stablehlo.collective_permute", CollectivePermute},
      {"stablehlo.collective_broadcast", CollectiveBroadcast},
      {"stablehlo.partition_id", PartitionId},
      {"stablehlo.replica_id", ReplicaId},
      {"stablehlo.after_all", MakeToken},
      {"stablehlo.create_token", MakeToken},
      {"stablehlo.send", Send},
      {"stablehlo.recv", Recv},
      {"stablehlo.custom_call", CustomCallOp},
  };
  const auto found = handlers.find(name);
  return found == handlers.end() ? nullptr : found->second;
}

}  // namespace reference
