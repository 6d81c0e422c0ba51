// batch_norm_inference, batch_norm_training and batch_norm_grad, computed in double and rounded at the end.
#include <cmath>

#include "base/fault.h"
#include "interpreter/contraction.h"
#include "interpreter/handlers.h"
#include "interpreter/strided.h"

namespace reference {
namespace {

// Feature of each element of the operand.
class Features {
 public:
  Features(const Op& op, const Array& operand) {
    const size_t index = static_cast<size_t>(op.Int("feature_index"));
    count_ = operand.dims()[index];
    stride_ = RowMajorStrides(operand.dims())[index];
    per_feature_ = count_ == 0 ? 0 : operand.size() / count_;
  }
  size_t count() const { return static_cast<size_t>(count_); }
  double per_feature() const { return static_cast<double>(per_feature_); }
  size_t Of(size_t element) const { return element / static_cast<size_t>(stride_) % count(); }

 private:
  int64_t count_ = 0, stride_ = 1, per_feature_ = 0;
};

double Epsilon(const Op& op) {
  const Attribute* attribute = op.Find("epsilon");
  if (attribute != nullptr) {
    if (const double* value = attribute->get<double>()) return *value;
  }
  throw Internal(op.name + " at " + op.location + ": no epsilon");
}

Array Stored(const std::vector<double>& values, const ArrayType& type) {
  Array array(type);
  StoreFrom(values.data(), array, 0, array.size());
  return array;
}

}  // namespace

std::vector<Array> BatchNormInference(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Features features(op, operands[0]);
  std::vector<double> x = LoadAs<double>(operands[0]);
  const std::vector<double> scale = LoadAs<double>(operands[1]), offset = LoadAs<double>(operands[2]),
                            mean = LoadAs<double>(operands[3]), variance = LoadAs<double>(operands[4]);
  const double epsilon = Epsilon(op);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = features.Of(i);
    x[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] + offset[f];
  }
  return One(Stored(x, ResultType(op)));
}

std::vector<Array> BatchNormTraining(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Features features(op, operands[0]);
  std::vector<double> x = LoadAs<double>(operands[0]);
  const std::vector<double> scale = LoadAs<double>(operands[1]), offset = LoadAs<double>(operands[2]);
  const double epsilon = Epsilon(op);
  std::vector<double> mean(features.count(), 0), variance(features.count(), 0);
  for (size_t i = 0; i < x.size(); ++i) mean[features.Of(i)] += x[i];
  for (double& value : mean) value /= features.per_feature();
  for (size_t i = 0; i < x.size(); ++i) {
    const double centered = x[i] - mean[features.Of(i)];
    variance[features.Of(i)] += centered * centered;
  }
  const double counted = features.per_feature() - (FAULT("inside-batch-norm-sample-variance") ? 1 : 0);
  for (double& value : variance) value /= counted;
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = features.Of(i);
    x[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] + offset[f];
  }
  std::vector<Array> results = One(Stored(x, ResultType(op, 0)));
  results.push_back(Stored(mean, ResultType(op, 1)));
  results.push_back(Stored(variance, ResultType(op, 2)));
  return results;
}

std::vector<Array> BatchNormGrad(const Op& op, std::vector<Array>& operands, OpContext&) {
  const Features features(op, operands[0]);
  const std::vector<double> x = LoadAs<double>(operands[0]), scale = LoadAs<double>(operands[1]),
                            mean = LoadAs<double>(operands[2]), variance = LoadAs<double>(operands[3]);
  std::vector<double> gradient = LoadAs<double>(operands[4]);
  const double epsilon = Epsilon(op), n = features.per_feature();
  std::vector<double> sum(features.count(), 0), product(features.count(), 0), scale_gradient(features.count());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = features.Of(i);
    sum[f] += gradient[i];
    product[f] += gradient[i] * (x[i] - mean[f]);
  }
  for (size_t f = 0; f < features.count(); ++f) scale_gradient[f] = product[f] / std::sqrt(variance[f] + epsilon);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = features.Of(i);
    const double spread = FAULT("inside-batch-norm-gradient-of-fixed-variance") ? 0 : product[f] * (x[i] - mean[f]) / (variance[f] + epsilon);
    gradient[i] = scale[f] / std::sqrt(variance[f] + epsilon) / n * (n * gradient[i] - sum[f] - spread);
  }
  std::vector<Array> results = One(Stored(gradient, ResultType(op, 0)));
  results.push_back(Stored(scale_gradient, ResultType(op, 1)));
  results.push_back(Stored(sum, ResultType(op, 2)));
  return results;
}

}  // namespace reference
