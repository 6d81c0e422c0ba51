// fft over the last dimensions.
#include <cmath>
#include <complex>

#include "base/fault.h"
#include "interpreter/domain.h"
#include "interpreter/handlers.h"
#include "interpreter/strided.h"

namespace reference {
namespace {

using Complex = std::complex<double>;

// One length and direction. Cooley-Tukey recursion over the prime factors.
class Transform {
 public:
  Transform(int64_t size, bool inverse) : size_(size), inverse_(inverse), roots_(static_cast<size_t>(size)) {
    for (int64_t k = 0; k < size; ++k) {
      const double angle = 2 * 3.14159265358979323846 * static_cast<double>(k) / static_cast<double>(size);
      roots_[static_cast<size_t>(k)] = {std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle)};
    }
  }

  // From values `stride` apart to adjacent values. Inverse transforms are divided by the size.
  std::vector<Complex> operator()(const Complex* from, int64_t stride) const {
    std::vector<Complex> out(static_cast<size_t>(size_));
    Step(from, stride, out.data(), size_);
    if (inverse_ && !FAULT("inside-fft-inverse-not-scaled")) {
      for (Complex& value : out) value /= static_cast<double>(size_);
    }
    return out;
  }

 private:
  static int64_t SmallestFactor(int64_t n) {
    for (int64_t p = 2; p * p <= n; ++p) {
      if (n % p == 0) return p;
    }
    return n;
  }

  static Complex Times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  void Step(const Complex* from, int64_t stride, Complex* out, int64_t n) const {
    if (n <= 1) {
      if (n == 1) out[0] = from[0];
      return;
    }
    const int64_t p = SmallestFactor(n), m = n / p;
    for (int64_t r = 0; r < p; ++r) Step(from + r * stride, stride * p, out + r * m, m);
    std::vector<Complex> turned(static_cast<size_t>(p));
    const int64_t step = size_ / n;
    for (int64_t k = 0; k < m; ++k) {
      for (int64_t r = 0; r < p; ++r) turned[static_cast<size_t>(r)] = Times(out[r * m + k], Root(r * k * step));
      for (int64_t q = 0; q < p; ++q) {
        Complex sum = turned[0];
        const int64_t end = p > 5 && FAULT("inside-fft-of-primes-cut") ? p - 1 : p;
        for (int64_t r = 1; r < end; ++r) sum += Times(turned[static_cast<size_t>(r)], Root(r * q % p * m * step));
        out[k + q * m] = sum;
      }
    }
  }

  const Complex& Root(int64_t power) const { return roots_[static_cast<size_t>(power % size_)]; }

  int64_t size_;
  bool inverse_;
  std::vector<Complex> roots_;
};

struct Spectrum {
  Dims dims;
  std::vector<Complex> values;
};

// Transforms one dimension in place.
void TransformDimension(Spectrum& array, size_t dimension, bool inverse, const Evaluator& evaluator) {
  const int64_t size = array.dims[dimension];
  const Dims strides = RowMajorStrides(array.dims);
  if (array.values.empty()) return;
  const Transform transform(size, inverse);
  Dims lines = array.dims;
  lines[dimension] = 1;
  Dims at(lines.size(), 0);
  do {
    evaluator.Poll();
    int64_t begin = 0;
    for (size_t i = 0; i < at.size(); ++i) begin += at[i] * strides[i];
    Complex* line = array.values.data() + begin;
    const std::vector<Complex> out = transform(line, strides[dimension]);
    for (int64_t k = 0; k < size; ++k) line[k * strides[dimension]] = out[static_cast<size_t>(k)];
  } while (Next(at, lines));
}

// Changes the length of the last dimension: truncated, or extended by the symmetry of a real signal's spectrum.
Spectrum WithLast(const Spectrum& array, int64_t size, bool hermitian) {
  Spectrum result;
  result.dims = array.dims;
  const int64_t old = array.dims.back();
  result.dims.back() = size;
  result.values.resize(static_cast<size_t>(ElementCount(result.dims)));
  const int64_t lines = old == 0 ? 0 : static_cast<int64_t>(array.values.size()) / old;
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t k = 0; k < size; ++k) {
      const bool mirrored = k >= old || (hermitian && k > size / 2);
      const int64_t source = mirrored ? size - k : k;
      Complex value = source < old ? array.values[static_cast<size_t>(line * old + source)] : Complex(0, 0);
      if (mirrored) value = hermitian ? (FAULT("inside-fft-half-not-conjugated") ? value : std::conj(value)) : Complex(0, 0);
      // A real signal's spectrum is real at zero and in the middle.
      if (hermitian && (k == 0 || 2 * k == size)) value = value.real();
      result.values[static_cast<size_t>(line * size + k)] = value;
    }
  }
  return result;
}

}  // namespace

std::vector<Array> Fft(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const Array& operand = operands[0];
  const std::string& type = op.String("fft_type");
  const Dims lengths = op.Ints("fft_length");
  const size_t rank = operand.dims().size();
  const size_t first = rank - lengths.size();
  Array result(ResultType(op));
  if (result.size() == 0) return One(std::move(result));
  Spectrum array;
  array.dims = operand.dims();
  array.values.resize(static_cast<size_t>(operand.size()));
  const Codec& from = CodecOf(operand.element_type());
  if (from.domain == Domain::kComplex) {
    from.load(operand.data(), reinterpret_cast<std::byte*>(array.values.data()), operand.size());
  } else {
    std::vector<double> real(array.values.size());
    from.load(operand.data(), reinterpret_cast<std::byte*>(real.data()), operand.size());
    for (size_t i = 0; i < real.size(); ++i) array.values[i] = real[i];
  }
  const bool inverse = type == "IFFT" || type == "IRFFT";
  if (type == "RFFT") {
    TransformDimension(array, rank - 1, false, context.evaluator);
    array = WithLast(array, lengths.back() / 2 + 1, false);
  }
  const size_t past = type == "FFT" || type == "IFFT" ? rank : rank - 1;
  for (size_t i = past; i-- > first;) TransformDimension(array, i, inverse, context.evaluator);
  if (type == "IRFFT") {
    array = WithLast(array, lengths.back(), true);
    TransformDimension(array, rank - 1, true, context.evaluator);
  }
  const Codec& to = CodecOf(result.element_type());
  if (to.domain == Domain::kComplex) {
    to.store(reinterpret_cast<const std::byte*>(array.values.data()), result.mutable_data(), result.size());
  } else {
    std::vector<double> real(array.values.size());
    for (size_t i = 0; i < real.size(); ++i) real[i] = array.values[i].real();
    to.store(reinterpret_cast<const std::byte*>(real.data()), result.mutable_data(), result.size());
  }
  return One(std::move(result));
}

}  // namespace reference
