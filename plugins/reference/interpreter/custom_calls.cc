#include "interpreter/custom_calls.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "interpreter/elementwise.h"

namespace reference {
namespace {

bool IsAnnotation(const std::string& target) {
  return target == "Sharding" || target == "LayoutConstraint" || target == "annotate_device_placement";
}

const std::string& Target(const Op& op) { return op.String("call_target_name"); }

Error Unfit(const Op& op, const std::string& expected) {
  return InvalidArgument("custom_call of \"" + Target(op) + "\" at " + op.location + ": expected " + expected);
}

// Elementwise functions are in the table of unary kernels under the name of their target.
std::optional<Elementwise> FindFunction(const Op& op, const ArrayType& operand) {
  Op function;
  function.name = Target(op);
  return FindElementwise(function, {operand.type}, op.result_types[0].array.type);
}

bool IsFunction(const std::string& target) {
  for (int domain = 0; domain < kDomains; ++domain) {
    if (UnaryKernel(target, static_cast<Domain>(domain)) != nullptr) return target.compare(0, 5, "mhlo.") == 0;
  }
  return false;
}

void CheckFunction(const Op& op, const std::vector<ArrayType>& operands) {
  if (operands.size() != 1 || op.result_types.size() != 1 || op.result_types[0].array != operands[0]) {
    throw Unfit(op, "one operand and one result of the same type");
  }
  if (!FindFunction(op, operands[0])) {
    throw Unimplemented("custom_call of \"" + Target(op) + "\" on " + operands[0].ToString() + " at " + op.location +
                        " is not implemented");
  }
}

// The k largest elements of each line, or the smallest if `largest` is false, and their indices.
constexpr const char* kTopK = "mhlo.topk";

const Dictionary* CallAttributes(const Op& op) {
  const Attribute* attributes = op.Find("mhlo.attributes");
  const auto* dictionary = attributes == nullptr ? nullptr : attributes->get<std::shared_ptr<Dictionary>>();
  return dictionary == nullptr ? nullptr : dictionary->get();
}

template <typename T>
const T* CallAttribute(const Op& op, const std::string& name) {
  const Dictionary* attributes = CallAttributes(op);
  if (attributes == nullptr) return nullptr;
  const auto found = attributes->find(name);
  return found == attributes->end() ? nullptr : found->second.get<T>();
}

void CheckTopK(const Op& op, const std::vector<ArrayType>& operands) {
  const auto* k = CallAttribute<int64_t>(op, "k");
  if (k == nullptr || *k < 0) throw Unfit(op, "mhlo.attributes with k, an integer that is not negative");
  if (operands.size() != 1 || operands[0].dims.empty() || operands[0].dims.back() < *k) {
    throw Unfit(op, "one operand whose last dimension has k elements at least");
  }
  Dims dims = operands[0].dims;
  dims.back() = *k;
  if (op.result_types.size() != 2 || op.result_types[0].array != ArrayType{operands[0].type, dims} ||
      op.result_types[1].array != ArrayType{ElementType::kS32, dims}) {
    throw Unfit(op, "results of " + ArrayType{operands[0].type, dims}.ToString() + " and " +
                        ArrayType{ElementType::kS32, dims}.ToString());
  }
  if (DomainOf(operands[0].type) == Domain::kComplex) throw Unfit(op, "elements that have an order");
}

// An integer for each value of a domain, in the order of the values: for reals the total order of IEEE 754.
int64_t OrderOf(Domain domain, const std::byte* value) {
  int64_t bits = 0;
  std::memcpy(&bits, value, sizeof bits);
  if (domain == Domain::kReal) return bits < 0 ? bits ^ INT64_MAX : bits;
  return domain == Domain::kUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(bits) ^ (uint64_t{1} << 63)) : bits;
}

std::vector<Array> TopK(const Op& op, const Array& operand) {
  const bool* const least = CallAttribute<bool>(op, "largest");
  const bool ascending = least != nullptr && !*least;
  Array values(op.result_types[0].array), places(op.result_types[1].array);
  const int64_t size = operand.dims().back(), k = values.dims().back();
  const Codec& codec = CodecOf(operand.element_type());
  std::vector<std::byte> line(static_cast<size_t>(size) * codec.value_width);
  std::vector<int64_t> orders(static_cast<size_t>(size)), chosen(static_cast<size_t>(size));
  for (int64_t begin = 0, out = 0; begin < operand.size() && k > 0; begin += size) {
    const std::byte* const elements = operand.data() + static_cast<size_t>(begin) * codec.width;
    codec.load(elements, line.data(), size);
    for (size_t i = 0; i < orders.size(); ++i) orders[i] = OrderOf(codec.domain, line.data() + i * codec.value_width);
    std::iota(chosen.begin(), chosen.end(), 0);
    // Ties in the order of indices.
    std::partial_sort(chosen.begin(), chosen.begin() + k, chosen.end(), [&](int64_t a, int64_t b) {
      const int64_t x = orders[static_cast<size_t>(a)], y = orders[static_cast<size_t>(b)];
      return x == y ? a < b : ascending ? x < y : x > y;
    });
    for (int64_t i = 0; i < k; ++i, ++out) {
      const int64_t place = chosen[static_cast<size_t>(i)];
      std::memcpy(values.mutable_data() + static_cast<size_t>(out) * codec.width,
                  elements + static_cast<size_t>(place) * codec.width, codec.width);
      places.as<int32_t>()[out] = static_cast<int32_t>(place);
    }
  }
  return {values, places};
}

}  // namespace

bool IsOwnCustomCall(const Op& op, const std::vector<ArrayType>& operands) {
  const std::string& target = Target(op);
  if (IsAnnotation(target)) return true;
  if (target == kTopK) {
    CheckTopK(op, operands);
    return true;
  }
  if (!IsFunction(target)) return false;
  CheckFunction(op, operands);
  return true;
}

std::vector<Array> RunOwnCustomCall(const Op& op, const std::vector<Array>& operands) {
  if (IsAnnotation(Target(op))) return operands;
  if (Target(op) == kTopK) return TopK(op, operands[0]);
  return {RunElementwise(*FindFunction(op, operands[0].type()), operands, op.result_types[0].array)};
}

}  // namespace reference
