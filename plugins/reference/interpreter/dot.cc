// dot_general and dot.
#include <algorithm>

#include "base/fault.h"
#include "interpreter/contraction.h"
#include "interpreter/handlers.h"
#include "interpreter/strided.h"

namespace reference {

SumKind SumKindOf(ElementType lhs, ElementType rhs, ElementType result) {
  if (IsComplex(lhs) && IsComplex(rhs) && IsComplex(result)) return SumKind::kComplex;
  if (IsFloat(lhs) && IsFloat(rhs) && IsFloat(result)) return SumKind::kReal;
  if (lhs == ElementType::kPred && rhs == ElementType::kPred && result == ElementType::kPred) {
    return SumKind::kPredicate;
  }
  const auto integer = [](ElementType t) {
    return IsSignedInteger(t) || IsUnsignedInteger(t) || t == ElementType::kPred;
  };
  if (integer(lhs) && integer(rhs) && integer(result)) return SumKind::kInteger;
  throw Unimplemented("products of " + Name(lhs) + " and " + Name(rhs) + " summed as " + Name(result));
}

namespace {

struct Shape {
  int64_t batch = 1, rows = 1, columns = 1, depth = 1;
};

// lhs is [batch, rows, depth], rhs is [batch, depth, columns]. Each sum runs over depth from first to last.
template <typename V>
void Multiply(const Array& lhs, const Array& rhs, const Shape& shape, Array& result, const Evaluator& evaluator) {
  const std::vector<V> a = LoadAs<V>(lhs), b = LoadAs<V>(rhs);
  std::vector<V> sums(static_cast<size_t>(shape.columns));
  for (int64_t batch = 0; batch < shape.batch; ++batch) {
    for (int64_t row = 0; row < shape.rows; ++row) {
      evaluator.Poll();
      std::fill(sums.begin(), sums.end(), V(0));
      const V* from = a.data() + (batch * shape.rows + row) * shape.depth;
      // The remainder of one after whole tiles.
      const bool lost = FAULT("inside-dot-last-term-after-tile-lost") && shape.depth > 128 && shape.depth % 128 == 1;
      for (int64_t k = 0; k < shape.depth - (lost ? 1 : 0); ++k) {
        const V factor = from[k];
        const V* line = b.data() + (batch * shape.depth + k) * shape.columns;
        V* to = sums.data();
        for (int64_t column = 0; column < shape.columns; ++column) {
          to[column] = MultiplyAdd(to[column], factor, line[column]);
        }
      }
      if constexpr (std::is_same_v<V, double>) {
        if (FAULT("inside-double-sums-in-single") && result.element_type() == ElementType::kF64) {
          for (V& sum : sums) sum = static_cast<float>(sum);
        }
      }
      StoreFrom(sums.data(), result, (batch * shape.rows + row) * shape.columns, shape.columns);
    }
  }
}

// The operands as one bf16 each, where that is a defect.
bool LosesBits([[maybe_unused]] const Op& op) {
  if (FAULT("inside-highest-in-bf16")) {
    const Attribute* found = op.Find("precision_config");
    for (const Attribute& precision : *found->get<std::shared_ptr<std::vector<Attribute>>>()[0]) {
      if (*precision.get<std::string>() == "HIGHEST") return true;
    }
  }
  if (FAULT("inside-algorithm-in-one-operation")) {
    const Attribute* found = op.Find("num_primitive_operations");
    return found != nullptr && *found->get<int64_t>() > 1;
  }
  return false;
}

// Each number of type f32 rounded to bf16.
void LoseBits(Array& array) {
  if (array.element_type() != ElementType::kF32) return;
  array = OwnedCopy(array);
  for (int64_t i = 0; i < array.size(); ++i) {
    uint32_t& bits = array.as<uint32_t>()[i];
    bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u;
  }
}

// The sums of integers of 16 bits kept in 16 bits, and then widened.
Array Narrowed(const Array& sums, ElementType through) {
  Array narrow(ArrayType{through, sums.dims()}), wide(sums.type());
  StoreFrom(LoadAs<uint64_t>(sums).data(), narrow, 0, sums.size());
  StoreFrom(LoadAs<uint64_t>(narrow).data(), wide, 0, sums.size());
  return wide;
}

Array Contract(const Array& lhs, const Array& rhs, const Dims& lhs_batch, const Dims& rhs_batch, const Dims& lhs_over,
               const Dims& rhs_over, const ArrayType& type, const Evaluator& evaluator) {
  Array result(type);
  if (result.size() == 0) return result;
  const auto contains = [](const Dims& list, int64_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  if (FAULT("inside-dot-contracted-in-order") && !std::is_sorted(lhs_over.begin(), lhs_over.end())) {
    Dims sorted = lhs_over;
    std::sort(sorted.begin(), sorted.end());
    return Contract(lhs, rhs, lhs_batch, rhs_batch, sorted, rhs_over, type, evaluator);
  }
  if (FAULT("inside-dot-batches-in-order") && !std::is_sorted(rhs_batch.begin(), rhs_batch.end())) {
    Dims sorted = rhs_batch;
    std::sort(sorted.begin(), sorted.end());
    return Contract(lhs, rhs, lhs_batch, sorted, lhs_over, rhs_over, type, evaluator);
  }
  Shape shape;
  Dims lhs_order = lhs_batch, rhs_order = rhs_batch;
  for (const int64_t dim : lhs_batch) shape.batch *= lhs.dims()[static_cast<size_t>(dim)];
  for (const int64_t dim : lhs_over) shape.depth *= lhs.dims()[static_cast<size_t>(dim)];
  for (int64_t i = 0; i < static_cast<int64_t>(lhs.dims().size()); ++i) {
    if (contains(lhs_batch, i) || contains(lhs_over, i)) continue;
    lhs_order.push_back(i);
    shape.rows *= lhs.dims()[static_cast<size_t>(i)];
  }
  lhs_order.insert(lhs_order.end(), lhs_over.begin(), lhs_over.end());
  rhs_order.insert(rhs_order.end(), rhs_over.begin(), rhs_over.end());
  for (int64_t i = 0; i < static_cast<int64_t>(rhs.dims().size()); ++i) {
    if (contains(rhs_batch, i) || contains(rhs_over, i)) continue;
    rhs_order.push_back(i);
    shape.columns *= rhs.dims()[static_cast<size_t>(i)];
  }
  const Array a = Transposed(lhs, lhs_order), b = Transposed(rhs, rhs_order);
  switch (SumKindOf(lhs.element_type(), rhs.element_type(), type.type)) {
    case SumKind::kReal: Multiply<double>(a, b, shape, result, evaluator); break;
    case SumKind::kComplex: Multiply<std::complex<double>>(a, b, shape, result, evaluator); break;
    // Storing a predicate turns every nonzero number into 1: fewer than 2^64 terms cannot wrap to zero.
    case SumKind::kPredicate:
    case SumKind::kInteger: Multiply<uint64_t>(a, b, shape, result, evaluator); break;
  }
  if (FAULT("inside-dot-of-16-bits-not-widened") && type.type != lhs.element_type() && ByteWidth(lhs.element_type()) == 2 &&
      !IsFloat(lhs.element_type())) {
    return Narrowed(result, lhs.element_type());
  }
  return result;
}

}  // namespace

std::vector<Array> DotGeneral(const Op& op, std::vector<Array>& operands, OpContext& context) {
  if (LosesBits(op)) {
    for (Array& operand : operands) LoseBits(operand);
  }
  return One(Contract(operands[0], operands[1], op.Ints("lhs_batching_dimensions"), op.Ints("rhs_batching_dimensions"),
                      op.Ints("lhs_contracting_dimensions"), op.Ints("rhs_contracting_dimensions"), ResultType(op),
                      context.evaluator));
}

std::vector<Array> Dot(const Op& op, std::vector<Array>& operands, OpContext& context) {
  const int64_t last = static_cast<int64_t>(operands[0].dims().size()) - 1;
  return One(Contract(operands[0], operands[1], {}, {}, {last}, {0}, ResultType(op), context.evaluator));
}

}  // namespace reference
