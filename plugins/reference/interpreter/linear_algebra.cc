// cholesky and triangular_solve, on the last two dimensions.
#include <cmath>
#include <complex>

#include "base/fault.h"
#include "interpreter/contraction.h"
#include "interpreter/handlers.h"

namespace reference {
namespace {

using Complex = std::complex<double>;

double Conjugate(double x) { return x; }
Complex Conjugate(Complex x) { return std::conj(x); }

Complex RootOfDiagonal(Complex x) { return std::sqrt(x.real()); }
double RootOfDiagonal(double x) { return std::sqrt(x); }

// a = l l^H from the lower triangle of a, or a = u^H u from the upper one; zeros elsewhere.
template <typename V>
void Factorize(std::vector<V>& a, int64_t size, bool lower) {
  const auto at = [&](int64_t row, int64_t column) -> V& {
    return a[static_cast<size_t>(lower ? row * size + column : column * size + row)];
  };
  // If the upper triangle is read as the transposed lower one, the factors come out conjugated twice: the same steps.
  for (int64_t j = 0; j < size; ++j) {
    V diagonal = at(j, j);
    for (int64_t k = 0; k < j; ++k) diagonal -= at(j, k) * Conjugate(at(j, k));
    const V root = RootOfDiagonal(diagonal);
    at(j, j) = root;
    for (int64_t i = j + 1; i < size; ++i) {
      V sum = at(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= at(i, k) * Conjugate(at(j, k));
      at(i, j) = sum / root;
      at(j, i) = V(0);
    }
  }
}

template <typename V>
void FactorizeAll(const Array& operand, bool lower, Array& result, const Evaluator& evaluator) {
  const int64_t size = operand.dims().back();
  const std::vector<V> all = LoadAs<V>(operand);
  for (int64_t begin = 0; begin < operand.size(); begin += size * size) {
    evaluator.Poll();
    std::vector<V> a(all.begin() + begin, all.begin() + begin + size * size);
    if (FAULT("inside-cholesky-of-other-triangle")) {
      for (int64_t i = 0; i < size; ++i) {
        for (int64_t j = 0; j < i; ++j) std::swap(a[static_cast<size_t>(i * size + j)], a[static_cast<size_t>(j * size + i)]);
      }
    }
    Factorize(a, size, lower);
    StoreFrom(a.data(), result, begin, size * size);
    if (FAULT("inside-cholesky-of-first-batch")) break;
  }
}

// Solves t x = b for one column, t triangular and dense in `a`, by rows from one end to the other.
template <typename V>
void SolveColumn(const std::vector<V>& a, int64_t size, bool lower, bool unit, V* x, int64_t stride) {
  for (int64_t step = 0; step < size; ++step) {
    const int64_t row = lower ? step : size - 1 - step;
    V sum = x[row * stride];
    const int64_t begin = lower ? 0 : row + 1, end = lower ? row : size;
    for (int64_t k = begin; k < end; ++k) sum -= a[static_cast<size_t>(row * size + k)] * x[k * stride];
    x[row * stride] = unit ? sum : sum / a[static_cast<size_t>(row * size + row)];
  }
}

template <typename V>
void SolveAll(const Op& op, const Array& a_array, const Array& b_array, Array& result, const Evaluator& evaluator) {
  const std::string& how = op.String("transpose_a");
  const bool left = op.Bool("left_side"), unit = op.Bool("unit_diagonal") && !FAULT("inside-solve-reads-unit-diagonal");
  bool lower = op.Bool("lower");
  const bool transposed = (how == "TRANSPOSE" || how == "ADJOINT") && !FAULT("inside-solve-not-transposed");
  const int64_t size = a_array.dims().back();
  const int64_t rows = b_array.dims()[b_array.dims().size() - 2], columns = b_array.dims().back();
  const std::vector<V> all = LoadAs<V>(a_array);
  std::vector<V> b = LoadAs<V>(b_array);
  // x op(a) = b is op(a)^T x^T = b^T.
  const bool swap = transposed == left;
  if (swap) lower = !lower;
  for (int64_t batch = 0; batch * size * size < a_array.size(); ++batch) {
    evaluator.Poll();
    std::vector<V> a(static_cast<size_t>(size * size));
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        const V value = all[static_cast<size_t>(batch * size * size + (swap ? j * size + i : i * size + j))];
        a[static_cast<size_t>(i * size + j)] = how == "ADJOINT" && !FAULT("inside-solve-not-conjugated") ? Conjugate(value) : value;
      }
    }
    V* x = b.data() + batch * rows * columns;
    if (left) {
      for (int64_t column = 0; column < columns; ++column) SolveColumn(a, size, lower, unit, x + column, columns);
    } else {
      for (int64_t row = 0; row < rows; ++row) SolveColumn(a, size, lower, unit, x + row * columns, 1);
    }
  }
  StoreFrom(b.data(), result, 0, result.size());
}

}  // namespace

std::vector<Array> Cholesky(const Op& op, std::vector<Array>& operands, OpContext& context) {
  Array result(ResultType(op));
  if (result.size() == 0) return One(std::move(result));
  const bool lower = op.Bool("lower");
  if (IsComplex(result.element_type())) {
    FactorizeAll<Complex>(operands[0], lower, result, context.evaluator);
  } else {
    FactorizeAll<double>(operands[0], lower, result, context.evaluator);
  }
  return One(std::move(result));
}

std::vector<Array> TriangularSolve(const Op& op, std::vector<Array>& operands, OpContext& context) {
  Array result(ResultType(op));
  if (result.size() == 0) return One(std::move(result));
  if (IsComplex(result.element_type())) {
    SolveAll<Complex>(op, operands[0], operands[1], result, context.evaluator);
  } else {
    SolveAll<double>(op, operands[0], operands[1], result, context.evaluator);
  }
  return One(std::move(result));
}

}  // namespace reference
