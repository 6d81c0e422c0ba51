// What a host sends to a running program, in chunks.
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
  // Chunks are multiples of it.
  size_t granule_bytes() const { return granule_; }
  size_t current_bytes() const;

  // Copies the chunk. Throws InvalidArgument for one that is no multiple of granules or more than is missing, and fails
  // the stream with it.
  void Add(const void* data, size_t size);
  // Nothing comes any more; fails the stream unless all is there.
  void Close();

  // Waits for all of it; throws what went wrong.
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
