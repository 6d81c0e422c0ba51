// A dense array in host memory: row-major; types of less than 8 bits take one byte per element (sign- or zero-extended;
// kPred is 0 or 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/element_type.h"

namespace reference {

using Dims = std::vector<int64_t>;

// Product of the dimensions; 1 for a scalar. Throws InvalidArgument if one is negative or the product overflows.
int64_t ElementCount(const Dims& dims);
// "2,3".
std::string Join(const std::vector<int64_t>& numbers);

struct ArrayType {
  ElementType type = ElementType::kInvalid;
  Dims dims;

  int64_t size() const { return ElementCount(dims); }
  size_t bytes() const { return static_cast<size_t>(size()) * ByteWidth(type); }
  bool operator==(const ArrayType& other) const { return type == other.type && dims == other.dims; }
  bool operator!=(const ArrayType& other) const { return !(*this == other); }
  // In MLIR syntax: tensor<2x3xf32>.
  std::string ToString() const;
};

// Copies share the bytes: an Array is a value that is not modified after it has been passed on.
class Array {
 public:
  Array() = default;
  // Zeros; at least 64-byte aligned. Tokens have no bytes.
  explicit Array(ArrayType type);
  // Shares memory owned by something else.
  Array(ArrayType type, std::shared_ptr<std::byte> bytes);

  const ArrayType& type() const { return type_; }
  ElementType element_type() const { return type_.type; }
  const Dims& dims() const { return type_.dims; }
  int64_t size() const { return size_; }
  size_t bytes() const { return static_cast<size_t>(size_) * ByteWidth(type_.type); }
  const std::byte* data() const { return bytes_.get(); }
  std::byte* mutable_data() { return bytes_.get(); }
  const std::shared_ptr<std::byte>& storage() const { return bytes_; }

  template <typename T>
  const T* as() const { return reinterpret_cast<const T*>(bytes_.get()); }
  template <typename T>
  T* as() { return reinterpret_cast<T*>(bytes_.get()); }

  // The same bytes with other dimensions of the same size.
  Array Reshaped(Dims dims) const;

 private:
  ArrayType type_;
  int64_t size_ = 0;
  std::shared_ptr<std::byte> bytes_;
};

// Zeroed memory of at least one byte, 64-byte aligned, freed with its last owner.
std::shared_ptr<std::byte> AllocateBytes(size_t bytes);

}  // namespace reference
