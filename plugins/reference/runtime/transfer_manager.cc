#include "runtime/transfer_manager.h"

#include <cstring>
#include <utility>

#include "runtime/device_format.h"
#include "runtime/transfers.h"

namespace reference {

TransferManager::TransferManager(MemorySpace* memory, const std::vector<std::pair<ArrayType, Layout>>& shapes)
    : client_(memory->device()->client()->shared_from_this()), memory_(memory) {
  for (const auto& [type, layout] : shapes) {
    Entry entry;
    entry.buffer = Buffer::Allocate(memory, type, layout);
    entry.value = entry.buffer->Use();
    entry.size = entry.buffer->bytes();
    entries_.push_back(std::move(entry));
  }
}

TransferManager::~TransferManager() {
  for (Entry& entry : entries_) {
    if (entry.complete) continue;
    const EventPtr ready = entry.value.contents->ready;
    entry.value.contents.reset();
    ready->SetError(Internal("the transfer manager was destroyed before the buffer had all its data"));
  }
}

void TransferManager::Entry::Close() {
  complete = true;
  value.contents.reset();
}

TransferManager::Entry& TransferManager::At(int index) {
  if (index < 0 || static_cast<size_t>(index) >= entries_.size()) {
    throw InvalidArgument("there is no buffer " + std::to_string(index) + " of " + std::to_string(entries_.size()));
  }
  return entries_[static_cast<size_t>(index)];
}

TransferManager::Entry& TransferManager::Open(int index) {
  Entry& entry = At(index);
  if (entry.complete) {
    throw InvalidArgument("buffer " + std::to_string(index) + " has had its last transfer, or an error, already");
  }
  return entry;
}

size_t TransferManager::buffer_bytes(int index) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return At(index).size;
}

std::unique_ptr<Buffer> TransferManager::RetrieveBuffer(int index) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = At(index);
  if (entry.buffer == nullptr) {
    throw FailedPrecondition("buffer " + std::to_string(index) + " has been retrieved already");
  }
  return std::move(entry.buffer);
}

EventPtr TransferManager::TransferData(int index, const void* data, int64_t offset, int64_t size, bool last) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = Open(index);
  CheckRawRange(offset, size, static_cast<int64_t>(entry.size));
  if (data == nullptr && size > 0) throw InvalidArgument("there are no data to transfer");
  return Send(entry, last, [data, offset, size](const BufferValue& value) {
    if (size > 0) std::memcpy(value.contents->storage.get() + offset, data, static_cast<size_t>(size));
  });
}

EventPtr TransferManager::TransferLiteral(int index, const void* data, const ArrayType& type,
                                          const Layout& host_layout) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = Open(index);
  if (type != entry.value.type) {
    throw InvalidArgument("an array of type " + type.ToString() + " does not go into a buffer of type " +
                          entry.value.type.ToString());
  }
  CheckLayout(host_layout, type);
  if (data == nullptr && type.bytes() > 0) throw InvalidArgument("there are no data to transfer");
  return Send(entry, true, [data, host_layout](const BufferValue& value) {
    CopyBetweenLayouts(value.type, static_cast<const std::byte*>(data), host_layout, value.contents->storage.get(),
                       value.layout);
  });
}

EventPtr TransferManager::Send(Entry& entry, bool last, std::function<void(const BufferValue&)> copy) {
  EventPtr done = Event::Pending();
  BufferValue value = entry.value;
  if (last) entry.Close();
  // Transfers of one buffer are sequential: after the last one all of them are done.
  const EventPtr before = std::exchange(entry.last_transfer, done);
  memory_->device()->queue(Work::kToDevice).Schedule({before}, [value = std::move(value), copy = std::move(copy), last,
                                           done](const Error* failed) mutable {
    if (failed == nullptr) copy(value);
    const EventPtr ready = last ? value.contents->ready : nullptr;
    value.contents.reset();
    if (failed != nullptr) {
      done->SetError(*failed);
      if (ready != nullptr) ready->SetError(*failed);
    } else {
      done->SetDone();
      if (ready != nullptr) ready->SetDone();
    }
  });
  return done;
}

void TransferManager::SetError(int index, Error error) {
  EventPtr ready;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Entry& entry = Open(index);
    ready = entry.value.contents->ready;
    entry.Close();
  }
  ready->SetError(std::move(error));
}

}  // namespace reference
