#include "runtime/transfers.h"

#include <atomic>
#include <cstring>
#include <string>

#include "base/design.h"
#include "base/fault.h"
#include "runtime/device_format.h"

namespace reference {
namespace {

// Releases contents before completing the event: waiters find nothing held.
void Finish(std::shared_ptr<Contents>& contents, const EventPtr& event, const Error* error) {
  contents.reset();
  if (error != nullptr) {
    event->SetError(*error);
  } else {
    event->SetDone();
  }
}

// Completes the contents themselves.
void Complete(std::shared_ptr<Contents>& contents, const Error* error) {
  const EventPtr ready = contents->ready;
  Finish(contents, ready, error);
}

// Checked strides of a host array: all its offsets are in range.
std::vector<int64_t> HostStrides(const HostArray& host) {
  const Dims& dims = host.type.dims;
  const size_t rank = dims.size();
  if (!host.byte_strides.empty() && host.byte_strides.size() != rank) {
    throw InvalidArgument("an array of " + std::to_string(rank) + " dimensions has " +
                          std::to_string(host.byte_strides.size()) + " strides");
  }
  std::vector<int64_t> strides = host.byte_strides;
  if (host.type.size() == 0) return strides;
  if (strides.empty()) {
    strides.resize(rank);
    int64_t stride = static_cast<int64_t>(ByteWidth(host.type.type));
    for (size_t d = rank; d-- > 0; stride *= dims[d]) strides[d] = stride;
  }
  int64_t reach = 0;
  for (size_t d = 0; d < rank; d++) {
    // Unused, whatever its value.
    if (dims[d] == 1) strides[d] = 0;
    int64_t span = 0;
    if (__builtin_mul_overflow(strides[d], dims[d] - 1, &span) || span == INT64_MIN ||
        __builtin_add_overflow(reach, span < 0 ? -span : span, &reach)) {
      throw InvalidArgument("stride " + std::to_string(strides[d]) + " reaches beyond the address space");
    }
  }
  return strides;
}

// Whether the host's memory can be used directly.
bool IsUsable(const HostArray& host, const std::vector<int64_t>& strides, const Layout& layout) {
  const size_t width = ByteWidth(host.type.type);
  if (host.type.size() == 0 || width == 0 || !layout.IsRowMajor()) return false;
  if (DeviceBytes(host.type, layout) != host.type.bytes()) return false;
  if (reinterpret_cast<uintptr_t>(host.data) % width != 0) return false;
  int64_t dense = static_cast<int64_t>(width);
  for (size_t d = strides.size(); d-- > 0;) {
    if (host.type.dims[d] != 1 && strides[d] != dense) return false;
    dense *= host.type.dims[d];
  }
  return true;
}

}  // namespace

std::pair<std::unique_ptr<Buffer>, EventPtr> BufferFromHost(const HostArray& host, HostBufferSemantics semantics,
                                                            MemorySpace* memory, const Layout& layout) {
  CheckLayout(layout, host.type);
  std::vector<int64_t> strides = HostStrides(host);
  if (host.data == nullptr && host.type.bytes() > 0) throw InvalidArgument("there are no data for the array");
  const Device* const device = memory->device();
  WorkQueue& queue = device->queue(Work::kToDevice);
  const auto* data = static_cast<const std::byte*>(host.data);

  const bool zero_copy = semantics == HostBufferSemantics::kImmutableZeroCopy ||
                         semantics == HostBufferSemantics::kMutableZeroCopy;
  if (zero_copy && memory->host_addressable() && IsUsable(host, strides, layout)) {
    EventPtr done = Event::Pending();
    auto contents = std::make_shared<Contents>();
    contents->bytes = host.type.bytes();
    contents->writable = semantics == HostBufferSemantics::kMutableZeroCopy || FAULT("inside-lent-memory-written");
    contents->storage = std::shared_ptr<std::byte>(const_cast<std::byte*>(data), [done](std::byte*) { done->SetDone(); });
    auto buffer = std::make_unique<Buffer>(memory, host.type, layout, contents);
    queue.Schedule({}, [contents = std::move(contents)](const Error* failed) mutable { Complete(contents, failed); });
    return {std::move(buffer), std::move(done)};
  }

  Array staged;
  std::unique_ptr<Buffer> buffer = Buffer::Allocate(memory, host.type, layout);
  std::shared_ptr<Contents> contents = buffer->Use().contents;
  if (semantics == HostBufferSemantics::kImmutableOnlyDuringCall && !FAULT("inside-during-call-copied-later")) {
    if (!ThisDesign().streams) {
      CopyFromStrides(host.type, data, strides, contents->storage.get(), layout);
      queue.Schedule({}, [contents = std::move(contents)](const Error* failed) mutable { Complete(contents, failed); });
      return {std::move(buffer), Event::Ready()};
    }
    // The stream gets a copy.
    staged = Array(host.type);
    CopyFromStrides(host.type, data, strides, staged.mutable_data(), Layout::RowMajor(host.type.dims.size()));
    data = staged.data();
    strides = HostStrides({data, host.type, {}});
  }
  EventPtr done = Event::Pending();
  queue.Schedule({}, [contents = std::move(contents), done, data, type = host.type, strides, layout, device,
                      client = device->client()->shared_from_this(), staged = std::move(staged)](const Error* failed) mutable {
    if (failed == nullptr) CopyFromStrides(type, data, strides, contents->storage.get(), layout);
    Complete(contents, failed);
    device->Complete(done, nullptr);
  });
  return {std::move(buffer), std::move(done)};
}

size_t HostBytes(const Buffer& buffer, const Layout& host_layout) { return BytesInLayout(buffer.type(), host_layout); }

EventPtr CopyToHost(const Buffer& buffer, const Layout& host_layout, void* destination, size_t size) {
  BufferValue value = buffer.Use();
  const size_t needed = BytesInLayout(value.type, host_layout);
  if (size < needed) {
    throw InvalidArgument("the destination has " + std::to_string(size) + " bytes, the array takes " +
                          std::to_string(needed));
  }
  EventPtr done = Event::Pending();
  const EventPtr ready = FAULT("inside-read-does-not-wait") ? Event::Ready() : value.contents->ready;
  buffer.device()->queue(Work::kToHost).Schedule({ready}, [value = std::move(value), host_layout, destination,
                                              done](const Error* failed) mutable {
    if (failed == nullptr) {
      CopyBetweenLayouts(value.type, value.contents->storage.get(), value.layout, static_cast<std::byte*>(destination),
                         host_layout);
    }
    Finish(value.contents, done, failed);
  });
  return done;
}

RawCopyPromise CopyRawToHostLater(const Buffer& buffer, int64_t offset, int64_t size) {
  struct Pending {
    BufferValue value;
    std::shared_ptr<Client> client;  // captured by the queue
    WorkQueue* queue = nullptr;
    EventPtr done = Event::Pending();
    std::atomic<bool> started{false};
  };
  const auto pending = std::make_shared<Pending>();
  pending->value = buffer.Use();
  pending->client = buffer.client()->shared_from_this();
  pending->queue = &buffer.device()->queue(Work::kToHost);
  const EventPtr done = pending->done;
  const auto start = [pending, offset, size](void* destination, std::optional<Error> error) {
    if (pending->started.exchange(true)) return;
    std::shared_ptr<Contents> contents = std::move(pending->value.contents);
    try {
      if (!error) CheckRawRange(offset, size, static_cast<int64_t>(contents->bytes));
      if (!error && destination == nullptr && size > 0) error = InvalidArgument("there is no destination for the copy");
    } catch (const Error& refused) {
      error = refused;
    }
    if (error) {
      Finish(contents, pending->done, &*error);
      return;
    }
    const EventPtr ready = contents->ready;
    pending->queue->Schedule({ready}, [contents = std::move(contents), done = pending->done, destination, offset,
                                       size](const Error* failed) mutable {
      if (failed == nullptr && size > 0) {
        std::memcpy(destination, contents->storage.get() + offset, static_cast<size_t>(size));
      }
      Finish(contents, done, failed);
    });
  };
  return {done, start};
}

EventPtr CopyRawToHost(const Buffer& buffer, void* destination, int64_t offset, int64_t size) {
  const RawCopyPromise copy = CopyRawToHostLater(buffer, offset, size);
  copy.start(destination, std::nullopt);
  return copy.done;
}

std::unique_ptr<Buffer> CopyToMemory(const Buffer& buffer, MemorySpace* memory) {
  BufferValue value = buffer.Use();
  if (buffer.memory() == memory) throw InvalidArgument("the buffer is in " + memory->debug_string() + " already");
  std::unique_ptr<Buffer> copy = Buffer::Allocate(memory, value.type, value.layout);
  copy->set_dynamic_dimensions(buffer.dynamic_dimensions());
  std::shared_ptr<Contents> to = copy->Use().contents;
  const EventPtr ready = value.contents->ready;
  memory->device()->queue(Work::kToDevice).Schedule({ready}, [from = std::move(value.contents),
                                               to = std::move(to)](const Error* failed) mutable {
    if (failed == nullptr) {
      std::memcpy(to->storage.get(), from->storage.get(), to->bytes);
      to->unpadded_dims = from->unpadded_dims;
    }
    from.reset();
    Complete(to, failed);
  });
  return copy;
}

std::pair<std::unique_ptr<Buffer>, std::shared_ptr<Alias>> CreateAlias(MemorySpace* memory, ArrayType type,
                                                                       Layout layout) {
  auto alias = std::make_shared<Alias>();
  alias->type = type;
  alias->layout = layout;
  alias->contents = std::make_shared<Contents>();
  alias->contents->late = true;
  alias->contents->bytes = DeviceBytes(type, layout);
  alias->memory = memory;
  return {std::make_unique<Buffer>(memory, std::move(type), std::move(layout), alias->contents), alias};
}

void FulfillAlias(Alias& alias, const Buffer& buffer) {
  std::shared_ptr<Contents> to = std::move(alias.contents);
  try {
    BufferValue value = buffer.Use();
    if (value.type != alias.type || value.layout != alias.layout) {
      throw InvalidArgument("a buffer of type " + value.type.ToString() + " and layout " + value.layout.ToString() +
                            " cannot stand for one of type " + alias.type.ToString() + " and layout " +
                            alias.layout.ToString());
    }
    if (buffer.memory() != alias.memory) {
      throw InvalidArgument("the buffer is in " + buffer.memory()->debug_string() + ", its alias in " +
                            alias.memory->debug_string());
    }
    const EventPtr ready = value.contents->ready;
    WhenAll({ready}, [from = std::move(value.contents), to](const Error* failed) mutable {
      TakeOver(from, to, failed);
    });
  } catch (const Error& error) {
    to->ready->SetError(error);
    throw;
  }
}

void FulfillAlias(Alias& alias, Error error) {
  // Empty if the alias has already failed.
  const std::shared_ptr<Contents> to = std::move(alias.contents);
  if (to) to->ready->SetError(std::move(error));
}

std::pair<std::unique_ptr<Buffer>, EventPtr> DonateWithDependency(Buffer& buffer) {
  const BufferValue value = buffer.Donate();
  EventPtr dependency = Event::Pending();
  auto to = std::make_shared<Contents>();
  to->late = true;
  to->bytes = value.contents->bytes;
  auto donated = std::make_unique<Buffer>(buffer.memory(), value.type, value.layout, to);
  donated->set_dynamic_dimensions(buffer.dynamic_dimensions());
  WhenAll({value.contents->ready, dependency}, [from = value.contents, to](const Error* failed) mutable {
    TakeOver(from, to, failed);
  });
  return {std::move(donated), std::move(dependency)};
}

EventPtr FailingEvent(const Device& device, Error error) {
  EventPtr event = Event::Pending();
  device.queue(Work::kToDevice).Schedule({}, [event, error = std::move(error)](const Error*) { event->SetError(error); });
  return event;
}

std::unique_ptr<Buffer> FailingBuffer(MemorySpace* memory, ArrayType type, Error error) {
  auto contents = std::make_shared<Contents>();
  contents->ready = FailingEvent(*memory->device(), std::move(error));
  Layout layout = DefaultLayout(type);
  contents->bytes = DeviceBytes(type, layout);
  // There will be no memory.
  contents->late = true;
  return std::make_unique<Buffer>(memory, std::move(type), std::move(layout), std::move(contents));
}

void TakeOver(std::shared_ptr<Contents>& from, std::shared_ptr<Contents>& to, const Error* failed) {
  if (failed == nullptr) {
    to->storage = from->storage;
    to->writable = from->writable;
    to->unpadded_dims = from->unpadded_dims;
  }
  from.reset();
  Complete(to, failed);
}

}  // namespace reference
