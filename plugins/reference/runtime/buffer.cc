#include "runtime/buffer.h"

#include <utility>

#include "runtime/device_format.h"

namespace reference {

std::shared_ptr<Contents> Contents::Allocate(MemorySpace* memory, size_t bytes) {
  auto contents = std::make_shared<Contents>();
  contents->storage = memory->Allocate(bytes);
  contents->bytes = bytes;
  return contents;
}

std::shared_ptr<Contents> Contents::Failed(size_t bytes, Error error) {
  auto contents = std::make_shared<Contents>();
  contents->ready = Event::Failed(std::move(error));
  contents->bytes = bytes;
  return contents;
}

Array BufferValue::ToArray() const {
  const size_t width = ByteWidth(type.type);
  const bool aligned = width == 0 || reinterpret_cast<uintptr_t>(contents->storage.get()) % width == 0;
  if (layout.IsRowMajor() && aligned) return Array(type, contents->storage);
  Array array(type);
  CopyBetweenLayouts(type, contents->storage.get(), layout, array.mutable_data(), Layout::RowMajor(type.dims.size()));
  return array;
}

void BufferValue::Store(const Array& array) const {
  if (array.type() != type) {
    throw Internal("an array of type " + array.type().ToString() + " is no contents of a buffer of type " +
                   type.ToString());
  }
  const Layout dense = Layout::RowMajor(type.dims.size());
  const std::byte* from = array.data();
  std::vector<std::byte> copy;
  if (from == contents->storage.get()) {
    if (layout.IsRowMajor()) return;
    // A donated argument that is returned unchanged, in another layout: its elements move within its memory.
    copy.assign(from, from + array.bytes());
    from = copy.data();
  }
  CopyBetweenLayouts(type, from, dense, contents->storage.get(), layout);
}

Buffer::Buffer(MemorySpace* memory, ArrayType type, Layout layout, std::shared_ptr<Contents> contents)
    : client_(memory->device()->client()->shared_from_this()),
      memory_(memory),
      type_(std::move(type)),
      layout_(std::move(layout)),
      bytes_(DeviceBytes(type_, layout_)),
      contents_(std::move(contents)) {}

std::unique_ptr<Buffer> Buffer::Allocate(MemorySpace* memory, ArrayType type, Layout layout) {
  auto contents = Contents::Allocate(memory, DeviceBytes(type, layout));
  return std::make_unique<Buffer>(memory, std::move(type), std::move(layout), std::move(contents));
}

Buffer::~Buffer() = default;

std::unique_ptr<Buffer> Buffer::Bitcast(Buffer& buffer, ArrayType type, Layout layout) {
  const size_t bytes = DeviceBytes(type, layout);
  if (bytes != buffer.bytes()) {
    throw InvalidArgument("a bitcast of " + buffer.type().ToString() + " to " + type.ToString() +
                          " changes the size on the device from " + std::to_string(buffer.bytes()) + " to " +
                          std::to_string(bytes) + " bytes");
  }
  BufferValue value = buffer.Donate();
  return std::make_unique<Buffer>(buffer.memory(), std::move(type), std::move(layout), std::move(value.contents));
}

BufferValue Buffer::Use() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (contents_ == nullptr) throw Gone();
  return {type_, layout_, contents_};
}

BufferValue Buffer::Donate() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (contents_ == nullptr) throw Gone();
  if (external_references_ > 0) throw InvalidArgument("a buffer with external references cannot be donated");
  donated_ = true;
  return {type_, layout_, std::move(contents_)};
}

void Buffer::Restore(const BufferValue& value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  donated_ = false;
  contents_ = value.contents;
}

EventPtr Buffer::ready() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return contents_ == nullptr ? Event::Failed(Gone()) : contents_->ready;
}

void Buffer::Delete() {
  std::shared_ptr<Contents> contents;  // released without the lock: callers may be notified
  const std::lock_guard<std::mutex> lock(mutex_);
  if (external_references_ > 0 && contents_ != nullptr) pinned_ = contents_;
  contents.swap(contents_);
}

bool Buffer::deleted() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return contents_ == nullptr;
}

const Dims& Buffer::unpadded_dims() const {
  if (dynamic_dimensions_.empty()) return type_.dims;
  const std::shared_ptr<Contents> contents = Use().contents;
  contents->ready->Await();
  const std::lock_guard<std::mutex> lock(mutex_);
  // Written once: callers keep a pointer to it.
  if (unpadded_dims_.empty()) unpadded_dims_ = contents->unpadded_dims.empty() ? type_.dims : contents->unpadded_dims;
  return unpadded_dims_;
}

std::byte* Buffer::pointer() const {
  std::shared_ptr<Contents> contents;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    contents = contents_ != nullptr ? contents_ : pinned_;
    if (contents == nullptr) throw Gone();
  }
  // Without the lock: completing the contents may use the buffer.
  if (contents->late) contents->ready->Await();
  if (contents->storage == nullptr) {
    if (const Error* error = contents->ready->error()) throw Error(*error);
  }
  return memory_->AddressOf(contents->storage.get());
}

void Buffer::AddExternalReference() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (contents_ == nullptr) throw Gone();
  external_references_++;
}

void Buffer::DropExternalReference() {
  std::shared_ptr<Contents> contents;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (external_references_ == 0) throw InvalidArgument("the buffer has no external references");
  if (--external_references_ == 0) contents.swap(pinned_);
}

Error Buffer::Gone() const {
  return InvalidArgument(donated_ ? "the buffer has been donated" : "the buffer has been deleted");
}

}  // namespace reference
