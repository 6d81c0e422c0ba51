#include "ir/bytecode_ops.h"

#include <algorithm>
#include <map>

namespace reference {
namespace {

// "ops: attributes;" with VHLO's name of an op alone, other dialects' in full. "=op" stands for the attributes of an op
// above, "?" for an optional one. A record has its attributes in the bytewise order of their names.
constexpr const char* kTable = R"(
abs_v1 add_v1 after_all_v1 and_v1 async_done_v1 async_start_v1 atan2_v1 bitcast_convert_v1 case_v1 cbrt_v1 ceil_v1
  clamp_v1 complex_v1 convert_v1 cosine_v1 count_leading_zeros_v1 create_token_v1 divide_v1 dynamic_pad_v1
  dynamic_reshape_v1 dynamic_update_slice_v1 exponential_minus_one_v1 exponential_v1 floor_v1 if_v1 imag_v1 is_finite_v1
  log_plus_one_v1 log_v1 logistic_v1 maximum_v1 minimum_v1 multiply_v1 negate_v1 not_v1 optimization_barrier_v1 or_v1
  partition_id_v1 popcnt_v1 power_v1 real_dynamic_slice_v1 real_v1 remainder_v1 replica_id_v1 reshape_v1 return_v1
  round_nearest_afz_v1 round_nearest_even_v1 rsqrt_v1 select_v1 shift_left_v1 shift_right_arithmetic_v1
  shift_right_logical_v1 sign_v1 sine_v1 sqrt_v1 subtract_v1 tan_v1 tanh_v1 tuple_v1 uniform_dequantize_v1
  uniform_quantize_v1 while_v1 xor_v1: ;
cbrt_v2 cosine_v2 exponential_minus_one_v2 exponential_v2 log_plus_one_v2 log_v2 logistic_v2 rsqrt_v2 sine_v2 sqrt_v2
  tan_v2 tanh_v2: result_accuracy;
all_gather_v1 all_gather_v2: all_gather_dim channel_id replica_groups use_global_device_ids;
all_reduce_v1 all_reduce_v2: channel_id replica_groups use_global_device_ids;
all_to_all_v1 all_to_all_v2: channel_id concat_dimension replica_groups split_count split_dimension;
batch_norm_grad_v1 batch_norm_inference_v1 batch_norm_training_v1: epsilon feature_index;
broadcast_in_dim_v1: broadcast_dimensions;
broadcast_v1: broadcast_sizes;
call_v1: callee;
cholesky_v1: lower;
collective_broadcast_v1: channel_id replica_groups;
collective_broadcast_v2: channel_id has_dynamic_root replica_groups;
collective_permute_v1: channel_id source_target_pairs;
collective_reduce_v1: channel_id has_dynamic_root replica_groups use_global_device_ids;
compare_v1: compare_type comparison_direction;
composite_v1 composite_v2: composite_attributes decomposition name version;
concatenate_v1 get_dimension_size_v1 set_dimension_size_v1: dimension;
constant_v1: value;
cross-replica-sum_v1: replica_groups;
custom_call_v1: api_version backend_config call_target_name called_computations has_side_effect operand_layouts
  output_operand_aliases result_layouts;
custom_call_v2: =custom_call_v1 result_tilings;
dot_v1: precision_config;
dot_general_v1: lhs_batching_dimensions lhs_contracting_dimensions precision_config rhs_batching_dimensions
  rhs_contracting_dimensions;
dot_general_v2: =dot_general_v1 accumulation_type allow_imprecise_accumulation lhs_component_count lhs_precision_type
  num_primitive_operations rhs_component_count rhs_precision_type;
dynamic_broadcast_in_dim_v1: broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions;
dynamic_conv_v2: batch_group_count feature_group_count input_batch_dimension input_feature_dimension
  input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions
  lhs_dilation output_batch_dimension output_feature_dimension output_spatial_dimensions precision_config rhs_dilation
  window_reversal window_strides;
convolution_v1 dynamic_conv_v1: =dynamic_conv_v2 padding;
dynamic_gather_v1: collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map;
dynamic_gather_v2: =dynamic_gather_v1 operand_batching_dims start_indices_batching_dims;
gather_v1: =dynamic_gather_v1 slice_sizes;
gather_v2: =gather_v1 operand_batching_dims start_indices_batching_dims;
dynamic_iota_v1 iota_v1: iota_dimension;
dynamic_slice_v1: slice_sizes;
einsum_v1 unary_einsum_v1: einsum_config;
fft_v1: fft_length fft_type;
func_v1: arg_attrs function_type res_attrs sym_name sym_visibility;
get_tuple_element_v1: index;
infeed_v1: infeed_config layout;
map_v1 reduce_v1 reverse_v1: dimensions;
outfeed_v1: outfeed_config;
pad_v1: edge_padding_high edge_padding_low interior_padding;
recv_v1 send_v1: channel_id channel_type is_host_transfer;
recv_v2 send_v2: channel_id channel_type is_host_transfer source_target_pairs;
reduce_precision_v1: exponent_bits mantissa_bits;
reduce_scatter_v1: channel_id replica_groups scatter_dimension use_global_device_ids;
reduce_window_v1: base_dilations padding window_dilations window_dimensions window_strides;
rng_bit_generator_v1: rng_algorithm;
rng_v1: rng_distribution;
scatter_v1: index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims unique_indices
  update_window_dims;
scatter_v2: =scatter_v1 input_batching_dims scatter_indices_batching_dims;
select_and_scatter_v1: padding window_dimensions window_strides;
slice_v1: limit_indices start_indices strides;
sort_v1: dimension is_stable;
torch_index_select_v1: batch_dims dim;
transpose_v1: permutation;
triangular_solve_v1: left_side lower transpose_a unit_diagonal;
builtin.module: sym_name? sym_visibility?;
builtin.unrealized_conversion_cast sdy.return: ;
sdy.constant: value;
sdy.data_flow_edge: sharding?;
sdy.manual_computation: in_shardings manual_axes out_shardings;
sdy.mesh: mesh sym_name;
sdy.named_computation: in_shardings? name out_shardings?;
sdy.propagation_barrier: allowed_direction;
sdy.reshard sdy.sharding_constraint: sharding;
sdy.sharding_group: group_id;
)";

std::string Canonical(const std::string& name) {
  if (name.find('.') != std::string::npos) return name == "sdy.return" ? "return" : name;
  std::string base = name.substr(0, name.rfind("_v"));
  return base == "return" || base == "call" ? base : "stablehlo." + base;
}

using Table = std::map<std::string, ArtifactOp, std::less<>>;

Table BuildTable() {
  Table table;
  std::vector<std::string> ops;
  std::vector<ArtifactOp::Property> properties;
  bool in_ops = true;
  auto end_word = [&](std::string& word) {
    if (word.empty()) return;
    if (in_ops) {
      ops.push_back(word);
    } else if (word[0] == '=') {
      properties = table.at("vhlo." + word.substr(1)).properties;
    } else {
      bool optional = word.back() == '?';
      if (optional) word.pop_back();
      properties.push_back({word, optional});
    }
    word.clear();
  };
  std::string word;
  for (const char* p = kTable; *p != '\0'; ++p) {
    if (*p == ':') {
      end_word(word);
      in_ops = false;
    } else if (*p == ';') {
      end_word(word);
      std::sort(properties.begin(), properties.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
      for (const std::string& op : ops) {
        std::string full = op.find('.') == std::string::npos ? "vhlo." + op : op;
        table[full] = {Canonical(op), properties};
      }
      ops.clear();
      properties.clear();
      in_ops = true;
    } else if (*p == ' ' || *p == '\n') {
      end_word(word);
    } else {
      word += *p;
    }
  }
  return table;
}

}  // namespace

const ArtifactOp* FindArtifactOp(std::string_view name) {
  static const Table table = BuildTable();
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace reference
