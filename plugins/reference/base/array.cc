#include "base/array.h"

#include <cstdlib>
#include <limits>
#include <new>

#include "base/error.h"

namespace reference {

int64_t ElementCount(const Dims& dims) {
  // A zero makes the product zero wherever it is: the other dimensions may be as large as they like.
  bool empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0) throw InvalidArgument("a dimension is negative: " + std::to_string(dim));
    if (dim == 0) empty = true;
  }
  if (empty) return 0;
  int64_t count = 1;
  for (const int64_t dim : dims) {
    // Leaves room for 16 bytes per element below 2^63.
    if (count > std::numeric_limits<int64_t>::max() / 16 / dim) {
      throw InvalidArgument("the product of the dimensions is too large");
    }
    count *= dim;
  }
  return count;
}

std::string Join(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

std::string ArrayType::ToString() const {
  if (type == ElementType::kToken) return MlirName(type);
  std::string text = "tensor<";
  for (const int64_t dim : dims) text += std::to_string(dim) + "x";
  return text + MlirName(type) + ">";
}

std::shared_ptr<std::byte> AllocateBytes(size_t bytes) {
  constexpr size_t kAlignment = 64;
  const size_t wanted = bytes == 0 ? 1 : bytes;
  if (wanted > static_cast<size_t>(std::numeric_limits<int64_t>::max()) - kAlignment) {
    throw Error(Code::kResourceExhausted, "cannot allocate " + std::to_string(bytes) + " bytes");
  }
  const size_t rounded = (wanted + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = nullptr;
  // Zeroed pages from the system: large arrays cost nothing until they are touched.
  if (rounded >= (size_t{1} << 20)) {
    void* base = std::calloc(1, rounded + kAlignment);
    if (base != nullptr) {
      const uintptr_t at = reinterpret_cast<uintptr_t>(base);
      std::byte* aligned = static_cast<std::byte*>(base) + (kAlignment - at % kAlignment) % kAlignment;
      return std::shared_ptr<std::byte>(aligned, [base](std::byte*) { std::free(base); });
    }
  } else {
    memory = std::aligned_alloc(kAlignment, rounded);
    if (memory != nullptr) {
      std::memset(memory, 0, rounded);
      return std::shared_ptr<std::byte>(static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); });
    }
  }
  throw Error(Code::kResourceExhausted, "cannot allocate " + std::to_string(bytes) + " bytes");
}

Array::Array(ArrayType type)
    : type_(std::move(type)), size_(ElementCount(type_.dims)), bytes_(AllocateBytes(bytes())) {}

Array::Array(ArrayType type, std::shared_ptr<std::byte> bytes)
    : type_(std::move(type)), size_(ElementCount(type_.dims)), bytes_(std::move(bytes)) {}

Array Array::Reshaped(Dims dims) const {
  ArrayType type{type_.type, std::move(dims)};
  if (ElementCount(type.dims) != size_) {
    throw Internal("a reshape of " + type_.ToString() + " to " + type.ToString() + " changes the number of elements");
  }
  return Array(std::move(type), bytes_);
}

}  // namespace reference
