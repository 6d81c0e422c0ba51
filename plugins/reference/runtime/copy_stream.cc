#include "runtime/copy_stream.h"

#include <cstring>
#include <string>

namespace reference {

size_t CopyStream::current_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return current_;
}

void CopyStream::Add(const void* data, size_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error_) throw *error_;
  if (size > array_.bytes() - current_ || (granule_ > 0 && size % granule_ != 0)) {
    error_ = InvalidArgument("a chunk of " + std::to_string(size) + " bytes for a stream of " +
                             std::to_string(array_.bytes()) + " in granules of " + std::to_string(granule_) + ", " +
                             std::to_string(current_) + " of which are there");
    changed_.notify_all();
    throw *error_;
  }
  if (size > 0) std::memcpy(array_.mutable_data() + current_, data, size);
  current_ += size;
  changed_.notify_all();
}

void CopyStream::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (current_ < array_.bytes() && !error_) {
    error_ = FailedPrecondition("the stream to the device ended after " + std::to_string(current_) + " of " +
                                std::to_string(array_.bytes()) + " bytes");
  }
  changed_.notify_all();
}

Array CopyStream::Await() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return error_.has_value() || current_ == array_.bytes(); });
  if (error_) throw *error_;
  return array_;
}

}  // namespace reference
