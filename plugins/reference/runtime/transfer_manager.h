// Buffers that a host fills piece by piece while they are already in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/buffer.h"

namespace reference {

class TransferManager {
 public:
  TransferManager(MemorySpace* memory, const std::vector<std::pair<ArrayType, Layout>>& shapes);
  // Buffers without their last transfer fail; transfers in progress continue.
  ~TransferManager();

  MemorySpace* memory() const { return memory_; }
  size_t size() const { return entries_.size(); }
  size_t buffer_bytes(int index);
  // At most once for each index; then FailedPrecondition.
  std::unique_ptr<Buffer> RetrieveBuffer(int index);

  // Bytes in the device's layout. The event completes when the host memory is no longer needed.
  EventPtr TransferData(int index, const void* data, int64_t offset, int64_t size, bool last);
  // A whole array in a host layout, which is also the last transfer.
  EventPtr TransferLiteral(int index, const void* data, const ArrayType& type, const Layout& host_layout);
  void SetError(int index, Error error);

 private:
  struct Entry {
    std::unique_ptr<Buffer> buffer;  // until it is retrieved
    BufferValue value;               // the contents until they are complete, or certain to be
    size_t size = 0;
    bool complete = false;
    EventPtr last_transfer;  // null: none yet

    void Close();
  };
  Entry& At(int index);
  // A buffer with pending contents.
  Entry& Open(int index);
  EventPtr Send(Entry& entry, bool last, std::function<void(const BufferValue&)> copy);

  const std::shared_ptr<Client> client_;
  MemorySpace* const memory_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace reference
