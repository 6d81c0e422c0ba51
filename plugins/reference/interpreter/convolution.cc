// convolution, with any number of spatial dimensions.
#include <algorithm>

#include "base/fault.h"
#include "interpreter/contraction.h"
#include "interpreter/handlers.h"
#include "interpreter/strided.h"

namespace reference {
namespace {

Dims Join(std::initializer_list<int64_t> first, const Dims& rest) {
  Dims joined(first);
  joined.insert(joined.end(), rest.begin(), rest.end());
  return joined;
}

int64_t Product(const Dims& dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

struct Geometry {
  int64_t batch = 0, features = 0, kernel_features = 0, outputs = 0;  // of input, kernel and result
  int64_t feature_groups = 1, batch_groups = 1;
  Dims input, kernel, output;  // spatial sizes
  Dims strides, low, input_dilation, kernel_dilation;
  std::vector<bool> reversed;

  // Offsets into the spatial elements of kernel and input that meet in one element of the result.
  void Meet(const Dims& at, std::vector<std::pair<int64_t, int64_t>>& pairs) const {
    pairs.clear();
    Dims within(kernel.size(), 0);
    if (Product(kernel) == 0) return;
    const Dims input_strides = RowMajorStrides(input);
    do {
      int64_t place = 0;
      bool inside = true;
      for (size_t i = 0; i < kernel.size() && inside; ++i) {
        const int64_t padded = at[i] * strides[i] + within[i] * kernel_dilation[i] - low[i];
        inside = padded >= 0 && padded % input_dilation[i] == 0 && padded / input_dilation[i] < input[i];
        place += inside ? padded / input_dilation[i] * input_strides[i] : 0;
      }
      if (inside) pairs.emplace_back(Tap(within), place);
    } while (Next(within, kernel));
  }

 private:
  int64_t Tap(const Dims& within) const {
    int64_t tap = 0;
    for (size_t i = 0; i < kernel.size(); ++i) {
      tap = tap * kernel[i] + (reversed[i] ? kernel[i] - 1 - within[i] : within[i]);
    }
    return tap;
  }
};

// input is [batch, features, spatial...], kernel [outputs, kernel features, spatial...], the result
// [batch / batch groups, outputs, spatial...].
template <typename V>
void Convolve(const Array& input, const Array& kernel, const Geometry& g, Array& result, const Evaluator& evaluator) {
  const std::vector<V> a = LoadAs<V>(input), b = LoadAs<V>(kernel);
  const int64_t input_size = Product(g.input), kernel_size = Product(g.kernel), output_size = Product(g.output);
  const int64_t batches = g.batch / g.batch_groups;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  Dims at(g.output.size(), 0);
  int64_t place = 0;
  do {
    evaluator.Poll();
    g.Meet(at, pairs);
    for (int64_t batch = 0; batch < batches; ++batch) {
      for (int64_t output = 0; output < g.outputs; ++output) {
        const int64_t feature_group = output / (g.outputs / g.feature_groups);
        const int64_t batch_group =
            FAULT("inside-convolution-batch-groups-ignored") ? 0 : output / (g.outputs / g.batch_groups);
        const bool same = FAULT("inside-convolution-feature-groups-ignored") && g.kernel_features > 1;
        const int64_t first = same ? 0 : feature_group * g.kernel_features;
        const V* x = a.data() + ((batch_group * batches + batch) * g.features + first) * input_size;
        const V* w = b.data() + output * g.kernel_features * kernel_size;
        V sum(0);
        for (int64_t feature = 0; feature < g.kernel_features; ++feature) {
          for (const auto& pair : pairs) sum = MultiplyAdd(sum, x[pair.second], w[pair.first]);
          x += input_size;
          w += kernel_size;
        }
        StoreFrom(&sum, result, (batch * g.outputs + output) * output_size + place, 1);
      }
    }
    ++place;
  } while (Next(at, g.output));
}

Dims ListOr(const Op& op, const char* name, size_t rank) {
  const Attribute* attribute = op.Find(name);
  const auto* list = attribute == nullptr ? nullptr : attribute->get<std::vector<int64_t>>();
  return list != nullptr && list->size() == rank ? *list : Dims(rank, 1);
}

}  // namespace

std::vector<Array> Convolution(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const ArrayType& type = ResultType(op);
  const Array input = Transposed(operands[0], Join({op.Int("input_batch_dimension"), op.Int("input_feature_dimension")},
                                                   op.Ints("input_spatial_dimensions")));
  const Array kernel = Transposed(
      operands[1], Join({op.Int("kernel_output_feature_dimension"), op.Int("kernel_input_feature_dimension")},
                        op.Ints("kernel_spatial_dimensions")));
  // Position of each dimension of the array in the result.
  const Dims order = Join({op.Int("output_batch_dimension"), op.Int("output_feature_dimension")},
                          op.Ints("output_spatial_dimensions"));
  Dims dims(order.size()), back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    dims[i] = type.dims[static_cast<size_t>(order[i])];
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  Array result(ArrayType{type.type, dims});
  if (result.size() == 0) return One(Transposed(result, back));
  const size_t spatial = order.size() - 2;
  Geometry g;
  g.batch = input.dims()[0];
  g.features = input.dims()[1];
  g.outputs = kernel.dims()[0];
  g.kernel_features = kernel.dims()[1];
  g.feature_groups = op.Int("feature_group_count");
  g.batch_groups = op.Int("batch_group_count");
  g.input.assign(input.dims().begin() + 2, input.dims().end());
  g.kernel.assign(kernel.dims().begin() + 2, kernel.dims().end());
  g.output.assign(dims.begin() + 2, dims.end());
  g.strides = ListOr(op, "window_strides", spatial);
  g.input_dilation = FAULT("inside-convolution-base-dilation-ignored") ? Dims(spatial, 1)
                                                                     : ListOr(op, "lhs_dilation", spatial);
  g.kernel_dilation = ListOr(op, "rhs_dilation", spatial);
  g.reversed = FAULT("inside-convolution-reversal-ignored") ? std::vector<bool>(spatial, false)
                                                             : Bools(op, "window_reversal", spatial);
  if (FAULT("inside-convolution-reversed-as-first")) g.reversed.assign(spatial, spatial > 0 && g.reversed[0]);
  g.low.assign(spatial, 0);
  std::vector<int64_t> padding = Pairs(op, "padding");
  if (operands.size() > 2 && !FAULT("inside-dynamic-convolution-not-padded")) {
    padding.clear();
    for (int64_t i = 0; i < operands[2].size(); ++i) padding.push_back(IntegerAt(operands[2], i));
  }
  for (size_t i = 0; i < spatial && 2 * i < padding.size(); ++i) {
    g.low[i] = FAULT("inside-convolution-negative-padding-ignored") ? std::max<int64_t>(padding[2 * i], 0) : padding[2 * i];
  }
  switch (SumKindOf(input.element_type(), kernel.element_type(), type.type)) {
    case SumKind::kReal: Convolve<double>(input, kernel, g, result, context.evaluator); break;
    case SumKind::kComplex: Convolve<std::complex<double>>(input, kernel, g, result, context.evaluator); break;
    case SumKind::kPredicate:
    case SumKind::kInteger: Convolve<uint64_t>(input, kernel, g, result, context.evaluator); break;
  }
  return One(Transposed(result, back));
}

}  // namespace reference
