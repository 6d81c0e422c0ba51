// Rules of convolution.
#include "ir/verify.h"

namespace reference {
namespace {

// The three roles of the dimensions of one array; each dimension has exactly one.
struct Roles {
  size_t first, second;
  std::vector<int64_t> spatial;
};

Roles ReadRoles(const OpCheck& check, size_t rank, const char* first, const char* second, const char* spatial) {
  Roles roles;
  roles.first = static_cast<size_t>(check.Dimension(first, rank));
  roles.second = static_cast<size_t>(check.Dimension(second, rank));
  roles.spatial = check.Dimensions(spatial, rank);
  check.IntsOf(spatial, rank - 2);
  check.Require(roles.first != roles.second && !HasDimension(roles.spatial, static_cast<int64_t>(roles.first)) &&
                    !HasDimension(roles.spatial, static_cast<int64_t>(roles.second)),
                "a dimension has two roles");
  return roles;
}

// Everything except the sizes of the spatial dimensions; those as well if the padding is known.
void CheckWithPadding(const OpCheck& check, const int64_t* padding) {
  const ArrayType& lhs = check.Operand(0);
  const ArrayType& rhs = check.Operand(1);
  const ArrayType& result = check.Result(0);
  size_t rank = lhs.dims.size();
  check.Require(rank >= 2, "the operands have no batch and feature dimensions");
  check.Require(rhs.dims.size() == rank && result.dims.size() == rank, "operands and result have different ranks");
  check.Require(lhs.type == rhs.type && IsComplex(result.type) == IsComplex(lhs.type), "the element types do not fit");
  Roles input = ReadRoles(check, rank, "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions");
  Roles kernel = ReadRoles(check, rank, "kernel_input_feature_dimension", "kernel_output_feature_dimension",
                           "kernel_spatial_dimensions");
  Roles output =
      ReadRoles(check, rank, "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions");
  size_t count = rank - 2;
  int64_t batch_groups = check.Int("batch_group_count");
  int64_t feature_groups = check.Int("feature_group_count");
  check.Require(batch_groups > 0 && feature_groups > 0, "a group count is not positive");
  check.Require(batch_groups == 1 || feature_groups == 1, "groups both batches and features");
  int64_t batch = lhs.dims[input.first];
  int64_t features = lhs.dims[input.second];
  int64_t out_features = rhs.dims[kernel.second];
  check.Require(batch % batch_groups == 0, "the batch is no multiple of batch_group_count");
  check.Require(features % feature_groups == 0, "the features are no multiple of feature_group_count");
  check.Require(rhs.dims[kernel.first] == features / feature_groups, "the kernel has another number of input features");
  check.Require(out_features % batch_groups == 0 && out_features % feature_groups == 0,
                "the output features are no multiple of the group count");
  check.Require(check.op.Find("window_reversal")->get<std::vector<bool>>()->size() == count,
                "window_reversal has not one entry a spatial dimension");
  const auto& precisions = *check.op.Find("precision_config")->get<std::shared_ptr<std::vector<Attribute>>>();
  check.Require(precisions->size() <= 2, "precision_config has more than two entries");
  std::vector<int64_t> base;
  Window window = {{},
                   check.IntsOf("window_strides", count),
                   check.IntsOf("lhs_dilation", count),
                   check.IntsOf("rhs_dilation", count),
                   padding};
  for (size_t i = 0; i < count; ++i) {
    base.push_back(lhs.dims[static_cast<size_t>(input.spatial[i])]);
    window.sizes.push_back(rhs.dims[static_cast<size_t>(kernel.spatial[i])]);
  }
  std::vector<Wide> spatial = WindowedDims(check, base, window);
  std::vector<Wide> dims = WideDims(result.dims);
  dims[output.first] = batch / batch_groups;
  dims[output.second] = out_features;
  for (size_t i = 0; padding && i < count; ++i) dims[static_cast<size_t>(output.spatial[i])] = spatial[i];
  check.ExpectResultDims(0, dims);
}

}  // namespace

void CheckConvolution(const OpCheck& check, const OpInfo&) {
  size_t rank = check.Operand(0).dims.size();
  CheckWithPadding(check, check.Pairs("padding", rank < 2 ? 0 : rank - 2));
}

void CheckDynamicConv(const OpCheck& check, const OpInfo&) {
  const ArrayType& padding = check.Operand(2);
  int64_t rank = static_cast<int64_t>(check.Operand(0).dims.size());
  check.Require(IsInteger(padding.type) && padding.dims == Dims{rank - 2, 2}, "the padding is no pair a dimension");
  CheckWithPadding(check, nullptr);
}

}  // namespace reference
