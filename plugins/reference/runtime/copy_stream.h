// Data that a host sends to a running program, in chunks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/array.h"
#include "base/error.h"

namespace reference {

class CopyStream {
 public:
  explicit CopyStream(const ArrayType& type) : array_(type), granule_(ByteWidth(type.type)) {}

  size_t total_bytes() const { return array_.bytes(); }
  // Chunks are multiples of this.
  size_t granule_bytes() const { return granule_; }
  size_t current_bytes() const;

  // Copies the chunk. Throws InvalidArgument for one that is not a multiple of granules or too large, and fails the
  // stream with it.
  void Add(const void* data, size_t size);
  // No more data; fails the stream unless it is complete.
  void Close();

  // Waits for all data; throws the stream's error.
  Array Await();

 private:
  Array array_;
  const size_t granule_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  size_t current_ = 0;
  std::optional<Error> error_;
};

}  // namespace reference
