// The table of ops.
#include "ir/op_table.h"

#include <map>

#include "ir/verify.h"

namespace reference {
namespace {

// Attributes are written "name:kind", "name:kind=default" or "name:enum(enumeration)"; "?" after the kind makes one
// optional, "=ones" and "=zeros" stand for a list as long as the window has dimensions.
struct Row {
  const char* name;
  int operands;
  int results;
  int regions;
  const char* attributes;
  const char* syntax;
  CheckFunction check;
  const char* classes = "";
};

constexpr const char* kSame = "%* {} :same";
constexpr const char* kFunction = "%* {} :function";
constexpr const char* kAccuracyOnly = "result_accuracy:accuracy=default";
#define CONVOLUTION_DIMENSIONS                                                                                       \
  "batch_group_count:int=1 feature_group_count:int=1 input_batch_dimension:int input_feature_dimension:int "         \
  "input_spatial_dimensions:ints kernel_input_feature_dimension:int kernel_output_feature_dimension:int "            \
  "kernel_spatial_dimensions:ints output_batch_dimension:int output_feature_dimension:int "                          \
  "output_spatial_dimensions:ints lhs_dilation:ints=ones rhs_dilation:ints=ones window_reversal:bools=zeros "        \
  "window_strides:ints=ones precision_config:enums(precision)=default "
#define GATHER_DIMENSIONS                                                                                            \
  "offset_dims:ints collapsed_slice_dims:ints operand_batching_dims:ints=[] start_indices_batching_dims:ints=[] "    \
  "start_index_map:ints index_vector_dim:int indices_are_sorted:bool=false "
#define GROUPS "channel_id:int=0 replica_groups:tensor "

const Row kRows[] = {
    {"return", kAny, 0, 0, "", "@return", CheckReturn},
    {"call", kAny, kAny, 0, "callee:symbol", "$callee ( %* ) {} :function", CheckCall},
    // Elementwise.
    {"stablehlo.abs", 1, 1, 0, "", kSame, CheckAbs},
    {"stablehlo.add", 2, 1, 0, "", kSame, CheckElementwise, "bifc"},
    {"stablehlo.and", 2, 1, 0, "", kSame, CheckElementwise, "bi"},
    {"stablehlo.atan2", 2, 1, 0, "", kSame, CheckElementwise, "fc"},
    {"stablehlo.bitcast_convert", 1, 1, 0, "", kFunction, CheckBitcastConvert},
    {"stablehlo.cbrt", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.ceil", 1, 1, 0, "", kSame, CheckElementwise, "f"},
    {"stablehlo.clamp", 3, 1, 0, "", kSame, CheckClamp},
    {"stablehlo.compare", 2, 1, 0,
     "comparison_direction:enum(comparison_direction) compare_type:enum(comparison_type)=NOTYPE",
     "$comparison_direction , %* (? , $compare_type )? {} :function", CheckCompare},
    {"stablehlo.complex", 2, 1, 0, "", kSame, CheckComplex},
    {"stablehlo.convert", 1, 1, 0, "", kSame, CheckConvert},
    {"stablehlo.cosine", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.count_leading_zeros", 1, 1, 0, "", kSame, CheckElementwise, "i"},
    {"stablehlo.divide", 2, 1, 0, "", kSame, CheckElementwise, "ifc"},
    {"stablehlo.exponential", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.exponential_minus_one", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.floor", 1, 1, 0, "", kSame, CheckElementwise, "f"},
    {"stablehlo.imag", 1, 1, 0, "", kSame, CheckComplexPart},
    {"stablehlo.is_finite", 1, 1, 0, "", kFunction, CheckIsFinite},
    {"stablehlo.log", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.log_plus_one", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.logistic", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.maximum", 2, 1, 0, "", kSame, CheckElementwise, "bifc"},
    {"stablehlo.minimum", 2, 1, 0, "", kSame, CheckElementwise, "bifc"},
    {"stablehlo.multiply", 2, 1, 0, "", kSame, CheckElementwise, "bifc"},
    {"stablehlo.negate", 1, 1, 0, "", kSame, CheckElementwise, "ifc"},
    {"stablehlo.not", 1, 1, 0, "", kSame, CheckElementwise, "bi"},
    {"stablehlo.or", 2, 1, 0, "", kSame, CheckElementwise, "bi"},
    {"stablehlo.popcnt", 1, 1, 0, "", kSame, CheckElementwise, "i"},
    {"stablehlo.power", 2, 1, 0, "", kSame, CheckElementwise, "ifc"},
    {"stablehlo.real", 1, 1, 0, "", kSame, CheckComplexPart},
    {"stablehlo.reduce_precision", 1, 1, 0, "exponent_bits:int32 mantissa_bits:int32",
     "%* , format = @format {} :same", CheckReducePrecision},
    {"stablehlo.remainder", 2, 1, 0, "", kSame, CheckElementwise, "ifc"},
    {"stablehlo.round_nearest_afz", 1, 1, 0, "", kSame, CheckElementwise, "f"},
    {"stablehlo.round_nearest_even", 1, 1, 0, "", kSame, CheckElementwise, "f"},
    {"stablehlo.rsqrt", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.select", 3, 1, 0, "", "%* {} :select", CheckSelect},
    {"stablehlo.shift_left", 2, 1, 0, "", kSame, CheckElementwise, "i"},
    {"stablehlo.shift_right_arithmetic", 2, 1, 0, "", kSame, CheckElementwise, "i"},
    {"stablehlo.shift_right_logical", 2, 1, 0, "", kSame, CheckElementwise, "i"},
    {"stablehlo.sign", 1, 1, 0, "", kSame, CheckElementwise, "sfc"},
    {"stablehlo.sine", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.sqrt", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.subtract", 2, 1, 0, "", kSame, CheckElementwise, "ifc"},
    {"stablehlo.tan", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.tanh", 1, 1, 0, kAccuracyOnly, kSame, CheckElementwise, "fc"},
    {"stablehlo.xor", 2, 1, 0, "", kSame, CheckElementwise, "bi"},
    {"stablehlo.map", kAny, 1, 1, "dimensions:ints", "", CheckMap},
    // Shapes.
    {"stablehlo.broadcast", 1, 1, 0, "broadcast_sizes:ints", "%* , sizes = $broadcast_sizes {} :function",
     CheckBroadcast},
    {"stablehlo.broadcast_in_dim", 1, 1, 0, "broadcast_dimensions:ints",
     "%* , dims = $broadcast_dimensions {} :function", CheckBroadcastInDim},
    {"stablehlo.concatenate", kAny, 1, 0, "dimension:int", "%* , dim = $dimension {} :function", CheckConcatenate},
    {"stablehlo.constant", 0, 1, 0, "value:value", "@constant", CheckConstant},
    {"stablehlo.dynamic_broadcast_in_dim", 2, 1, 0,
     "broadcast_dimensions:ints known_expanding_dimensions:ints=[] known_nonexpanding_dimensions:ints=[]",
     "%* , dims = $broadcast_dimensions {} :function", CheckDynamicBroadcastInDim},
    {"stablehlo.dynamic_iota", 1, 1, 0, "iota_dimension:int", "%* , dim = $iota_dimension {} :function",
     CheckDynamicIota},
    {"stablehlo.dynamic_pad", 5, 1, 0, "", kFunction, CheckDynamicPad},
    {"stablehlo.dynamic_reshape", 2, 1, 0, "", kFunction, CheckDynamicReshape},
    {"stablehlo.dynamic_slice", kAny, 1, 0, "slice_sizes:ints", "%* , sizes = $slice_sizes {} :function",
     CheckDynamicSlice},
    {"stablehlo.dynamic_update_slice", kAny, 1, 0, "", kFunction, CheckDynamicUpdateSlice},
    {"stablehlo.get_dimension_size", 1, 1, 0, "dimension:int", "%* , dim = $dimension {} :function",
     CheckGetDimensionSize},
    {"stablehlo.iota", 0, 1, 0, "iota_dimension:int", "dim = $iota_dimension {} :same", CheckIota},
    {"stablehlo.pad", 2, 1, 0, "edge_padding_low:ints edge_padding_high:ints interior_padding:ints",
     "%* , low = $edge_padding_low , high = $edge_padding_high , interior = $interior_padding {} :function", CheckPad},
    {"stablehlo.real_dynamic_slice", 4, 1, 0, "", kFunction, CheckRealDynamicSlice},
    {"stablehlo.reshape", 1, 1, 0, "", kFunction, CheckReshape},
    {"stablehlo.reverse", 1, 1, 0, "dimensions:ints", "%* , dims = $dimensions {} :same", CheckReverse},
    {"stablehlo.set_dimension_size", 2, 1, 0, "dimension:int", "%* , dim = $dimension {} :function", nullptr},
    {"stablehlo.slice", 1, 1, 0, "start_indices:ints limit_indices:ints strides:ints", "%* @slice {} :function",
     CheckSlice},
    {"stablehlo.torch_index_select", 2, 1, 0, "dim:int batch_dims:int",
     "%* , dim = $dim , batch_dims = $batch_dims {} :function", CheckTorchIndexSelect},
    {"stablehlo.transpose", 1, 1, 0, "permutation:ints", "%* , dims = $permutation {} :function", CheckTranspose},
    // Gather and scatter.
    {"stablehlo.gather", 2, 1, 0, GATHER_DIMENSIONS "slice_sizes:ints", "", CheckGather},
    {"stablehlo.dynamic_gather", 3, 1, 0, GATHER_DIMENSIONS, "", CheckDynamicGather},
    {"stablehlo.scatter", kAny, kAny, 1,
     "update_window_dims:ints inserted_window_dims:ints input_batching_dims:ints=[] "
     "scatter_indices_batching_dims:ints=[] scatter_dims_to_operand_dims:ints index_vector_dim:int "
     "indices_are_sorted:bool=false unique_indices:bool=false",
     "", CheckScatter},
    // Reductions and windows.
    {"stablehlo.reduce", kAny, kAny, 1, "dimensions:ints", "@reduce", CheckReduce},
    {"stablehlo.reduce_window", kAny, kAny, 1,
     "window_dimensions:ints window_strides:ints=ones base_dilations:ints=ones window_dilations:ints=ones "
     "padding:tensor=zeros",
     "", CheckReduceWindow},
    {"stablehlo.select_and_scatter", 3, 1, 2,
     "window_dimensions:ints window_strides:ints=ones padding:tensor=zeros", "", CheckSelectAndScatter},
    {"stablehlo.sort", kAny, kAny, 1, "dimension:int=-1 is_stable:bool=false", "", CheckSort},
    // Linear algebra.
    {"stablehlo.batch_norm_grad", 5, 3, 0, "epsilon:float feature_index:int", "", CheckBatchNormGrad},
    {"stablehlo.batch_norm_inference", 5, 1, 0, "epsilon:float feature_index:int", "", CheckBatchNormInference},
    {"stablehlo.batch_norm_training", 3, 3, 0, "epsilon:float feature_index:int", "", CheckBatchNormTraining},
    {"stablehlo.cholesky", 1, 1, 0, "lower:bool=false", "%* (? , lower = $lower )? {} :same", CheckCholesky},
    {"stablehlo.convolution", 2, 1, 0, CONVOLUTION_DIMENSIONS "padding:tensor=zeros", "@convolution",
     CheckConvolution},
    {"stablehlo.dynamic_conv", 3, 1, 0, CONVOLUTION_DIMENSIONS, "@convolution", CheckDynamicConv},
    {"stablehlo.dot", 2, 1, 0, "precision_config:enums(precision)=default",
     "%* (? , precision = $precision_config )? {} :function", CheckDot},
    {"stablehlo.dot_general", 2, 1, 0,
     "lhs_batching_dimensions:ints=[] rhs_batching_dimensions:ints=[] lhs_contracting_dimensions:ints=[] "
     "rhs_contracting_dimensions:ints=[] precision_config:enums(precision)=default lhs_precision_type:type? "
     "rhs_precision_type:type? accumulation_type:type? lhs_component_count:int? rhs_component_count:int? "
     "num_primitive_operations:int? allow_imprecise_accumulation:bool?",
     "@dot_general", CheckDotGeneral},
    {"stablehlo.einsum", 2, 1, 0, "einsum_config:string", "%* , config = $einsum_config {} :function", nullptr},
    {"stablehlo.unary_einsum", 1, 1, 0, "einsum_config:string", "%* , config = $einsum_config {} :function", nullptr},
    {"stablehlo.fft", 1, 1, 0, "fft_type:enum(fft_type) fft_length:ints",
     "%* , type = $fft_type , length = $fft_length {} :function", CheckFft},
    {"stablehlo.triangular_solve", 2, 1, 0,
     "left_side:bool lower:bool unit_diagonal:bool transpose_a:enum(transpose)", "", CheckTriangularSolve},
    // Control.
    {"stablehlo.after_all", kAny, 1, 0, "", kSame, CheckAfterAll},
    {"stablehlo.case", 1, kAny, kAny, "", "", CheckCase},
    {"stablehlo.composite", kAny, kAny, kAny,
     "name:string decomposition:symbol composite_attributes:dictionary={} version:int32=0", "$name %* {} :function",
     CheckComposite},
    {"stablehlo.create_token", 0, 1, 0, "", "{} :same", CheckAfterAll},
    {"stablehlo.custom_call", kAny, kAny, 0,
     "call_target_name:string has_side_effect:bool=false backend_config:text='' "
     "api_version:intenum(custom_call_api_version)=API_VERSION_ORIGINAL called_computations:symbols=[] "
     "operand_layouts:layouts=[] result_layouts:layouts=[] output_operand_aliases:aliases=[] result_tilings:list=[]",
     "$call_target_name ( %* ) {} :function", CheckCustomCall},
    {"stablehlo.get_tuple_element", 1, 1, 0, "index:int32", "%* [ $index ] {} :function", CheckGetTupleElement},
    {"stablehlo.if", 1, kAny, 2, "", "", CheckIf},
    {"stablehlo.infeed", 1, kAny, 0, "infeed_config:string='' layout:list=[]", "", CheckInfeed},
    {"stablehlo.optimization_barrier", kAny, kAny, 0, "", "@barrier", CheckOptimizationBarrier},
    {"stablehlo.outfeed", kAny, 1, 0, "outfeed_config:string=''", "", CheckOutfeed},
    {"stablehlo.recv", 1, kAny, 0,
     "channel_id:int=0 channel_type:int=0 is_host_transfer:bool=false source_target_pairs:tensor=zeros", "", CheckRecv},
    {"stablehlo.send", kAny, 1, 0,
     "channel_id:int=0 channel_type:int=0 is_host_transfer:bool=false source_target_pairs:tensor=zeros", "", CheckSend},
    {"stablehlo.rng", 3, 1, 0, "rng_distribution:enum(rng_distribution)",
     "%* , distribution = $rng_distribution {} :function", CheckRng},
    {"stablehlo.rng_bit_generator", 1, 2, 0, "rng_algorithm:enum(rng_algorithm)",
     "%* , algorithm = $rng_algorithm {} :function", CheckRngBitGenerator},
    {"stablehlo.tuple", kAny, 1, 0, "", "%* {} :same", CheckTuple},
    {"stablehlo.while", kAny, kAny, 2, "", "@while", CheckWhile},
    // Collectives.
    {"stablehlo.all_gather", kAny, kAny, 0, GROUPS "all_gather_dim:int use_global_device_ids:unit=false", "",
     CheckAllGather},
    {"stablehlo.all_reduce", kAny, kAny, 1, GROUPS "use_global_device_ids:unit=false", "", CheckAllReduce},
    {"stablehlo.all_to_all", kAny, kAny, 0, GROUPS "concat_dimension:int split_count:int split_dimension:int", "",
     CheckAllToAll},
    {"stablehlo.collective_broadcast", kAny, kAny, 0, GROUPS "has_dynamic_root:unit=false", "",
     CheckCollectiveBroadcast},
    {"stablehlo.collective_permute", 1, 1, 0, "channel_id:int=0 source_target_pairs:tensor", "",
     CheckCollectivePermute},
    {"stablehlo.cross-replica-sum", 1, 1, 0, "replica_groups:tensor", "", CheckCrossReplicaSum},
    {"stablehlo.partition_id", 0, 1, 0, "", "{} :same", CheckDeviceId},
    {"stablehlo.reduce_scatter", 1, 1, 1, GROUPS "scatter_dimension:int use_global_device_ids:unit=false", "",
     CheckReduceScatter},
    {"stablehlo.replica_id", 0, 1, 0, "", "{} :same", CheckDeviceId},
    // Shardy: see ir/sharding.h.
    {"sdy.manual_computation", kAny, kAny, 1, "in_shardings:list out_shardings:list manual_axes:list", "@manual",
     CheckManualComputation},
    // Ops of StableHLO that this plugin does not implement.
    {"stablehlo.async_done", kAny, kAny, kAny, "", "", nullptr},
    {"stablehlo.async_start", kAny, kAny, kAny, "", "", nullptr},
    {"stablehlo.collective_reduce", kAny, kAny, kAny, "", "", nullptr},
    {"stablehlo.uniform_dequantize", 1, 1, 0, "", kSame, nullptr},
    {"stablehlo.uniform_quantize", 1, 1, 0, "", kFunction, nullptr},
};

const std::map<std::string_view, AttributeKind> kKinds = {
    {"int", AttributeKind::kInt},           {"int32", AttributeKind::kInt32},     {"bool", AttributeKind::kBool},
    {"unit", AttributeKind::kUnit},         {"float", AttributeKind::kFloat},     {"string", AttributeKind::kString},
    {"symbol", AttributeKind::kSymbol},     {"symbols", AttributeKind::kSymbols}, {"enum", AttributeKind::kEnum},
    {"enums", AttributeKind::kEnums},       {"intenum", AttributeKind::kIntEnum}, {"ints", AttributeKind::kInts},
    {"bools", AttributeKind::kBools},       {"tensor", AttributeKind::kTensor},   {"value", AttributeKind::kValue},
    {"type", AttributeKind::kType},         {"text", AttributeKind::kText},       {"layouts", AttributeKind::kLayouts},
    {"list", AttributeKind::kList},         {"aliases", AttributeKind::kAliases}, {"accuracy", AttributeKind::kAccuracy},
    {"dictionary", AttributeKind::kDictionary},
};

Attribute DefaultValue(AttributeKind kind, std::string_view text) {
  switch (kind) {
    case AttributeKind::kInt:
    case AttributeKind::kInt32:
      return {static_cast<int64_t>(std::stoll(std::string(text)))};
    case AttributeKind::kBool:
    case AttributeKind::kUnit:
      return {text == "true"};
    case AttributeKind::kString:
    case AttributeKind::kText:
      return {std::string()};
    case AttributeKind::kEnum:
    case AttributeKind::kIntEnum:
      return {std::string(text)};
    case AttributeKind::kEnums:
      return {std::make_shared<std::vector<Attribute>>(2, Attribute{std::string("DEFAULT")})};
    case AttributeKind::kInts:
      return {std::vector<int64_t>()};
    case AttributeKind::kDictionary:
      return {std::make_shared<Dictionary>()};
    case AttributeKind::kAccuracy:
      return {std::make_shared<Dictionary>(Dictionary{{"atol", {0.0}},
                                                      {"rtol", {0.0}},
                                                      {"ulps", {int64_t{0}}},
                                                      {"mode", {std::string("DEFAULT")}}})};
    default:
      return {std::make_shared<std::vector<Attribute>>()};
  }
}

AttributeRule ParseRule(std::string_view text) {
  AttributeRule rule;
  size_t colon = text.find(':');
  rule.name = text.substr(0, colon);
  std::string_view kind = text.substr(colon + 1);
  std::string_view absent;
  if (size_t equal = kind.find('='); equal != std::string_view::npos) {
    absent = kind.substr(equal + 1);
    kind = kind.substr(0, equal);
    rule.absent = absent == "ones"    ? AttributeDefault::kOnes
                  : absent == "zeros" ? AttributeDefault::kZeros
                                      : AttributeDefault::kValue;
  } else if (kind.back() == '?') {
    kind.remove_suffix(1);
    rule.absent = AttributeDefault::kOptional;
  }
  if (size_t open = kind.find('('); open != std::string_view::npos) {
    rule.enumeration = kind.substr(open + 1, kind.size() - open - 2);
    kind = kind.substr(0, open);
  }
  rule.kind = kKinds.at(kind);
  if (rule.absent == AttributeDefault::kValue) rule.value = DefaultValue(rule.kind, absent);
  return rule;
}

std::map<std::string, OpInfo, std::less<>> BuildTable() {
  std::map<std::string, OpInfo, std::less<>> table;
  for (const Row& row : kRows) {
    OpInfo info{row.name, row.operands, row.results, row.regions, {}, row.syntax, row.classes, row.check};
    std::string_view rest = row.attributes;
    while (!rest.empty()) {
      size_t space = rest.find(' ');
      if (space != 0) info.attributes.push_back(ParseRule(rest.substr(0, space)));
      rest = space == std::string_view::npos ? "" : rest.substr(space + 1);
    }
    table.emplace(row.name, std::move(info));
  }
  return table;
}

// Number of dimensions of an op's window.
size_t WindowRank(const Op& op, const std::vector<Type>& operand_types) {
  for (const char* name : {"input_spatial_dimensions", "window_dimensions"}) {
    const Attribute* attribute = op.Find(name);
    if (const auto* ints = attribute ? attribute->get<std::vector<int64_t>>() : nullptr) return ints->size();
  }
  return operand_types.empty() || op.name == "stablehlo.send" || op.name == "stablehlo.recv"
             ? 0
             : operand_types[0].array.dims.size();
}

Attribute WindowDefault(const AttributeRule& rule, size_t rank) {
  int64_t value = rule.absent == AttributeDefault::kOnes ? 1 : 0;
  if (rule.kind == AttributeKind::kBools) return {std::vector<bool>(rank, value != 0)};
  if (rule.kind == AttributeKind::kInts) return {std::vector<int64_t>(rank, value)};
  return {Array(ArrayType{ElementType::kS64, {static_cast<int64_t>(rank), 2}})};
}

}  // namespace

const AttributeRule* OpInfo::Find(std::string_view attribute) const {
  for (const AttributeRule& rule : attributes) {
    if (rule.name == attribute) return &rule;
  }
  return nullptr;
}

const OpInfo* FindOp(std::string_view name) {
  static const std::map<std::string, OpInfo, std::less<>> table = BuildTable();
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

const std::vector<std::string>* EnumValues(std::string_view enumeration) {
  static const std::map<std::string_view, std::vector<std::string>> enumerations = {
      {"comparison_direction", {"EQ", "NE", "GE", "GT", "LE", "LT"}},
      {"comparison_type", {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
      {"custom_call_api_version",
       {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
        "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"}},
      {"fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}},
      {"precision", {"DEFAULT", "HIGH", "HIGHEST"}},
      {"result_accuracy_mode", {"DEFAULT", "HIGHEST", "TOLERANCE"}},
      {"rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}},
      {"rng_distribution", {"", "UNIFORM", "NORMAL"}},
      {"transpose", {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
  };
  auto found = enumerations.find(enumeration);
  return found == enumerations.end() ? nullptr : &found->second;
}

void FillDefaults(Op& op, const std::vector<Type>& operand_types) {
  const OpInfo* info = FindOp(op.name);
  if (!info) throw InvalidArgument(op.location + ": StableHLO has no op " + op.name);
  if (!info->check) throw Unimplemented(op.location + ": the op " + op.name + " is not implemented");
  for (const AttributeRule& rule : info->attributes) {
    auto found = op.attributes.find(rule.name);
    if (found != op.attributes.end()) {
      bool none = found->second.get<std::monostate>() != nullptr;
      if (!none) continue;
      if (rule.absent == AttributeDefault::kOptional) {
        op.attributes.erase(found);
        continue;
      }
    }
    switch (rule.absent) {
      case AttributeDefault::kRequired:
        throw InvalidArgument(op.location + ": " + op.name + " has no attribute " + rule.name);
      case AttributeDefault::kOptional:
        break;
      case AttributeDefault::kValue:
        op.attributes[rule.name] = rule.value;
        break;
      case AttributeDefault::kOnes:
      case AttributeDefault::kZeros:
        op.attributes[rule.name] = WindowDefault(rule, WindowRank(op, operand_types));
        break;
    }
  }
}

}  // namespace reference
