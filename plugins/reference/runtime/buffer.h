// Arrays on devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/array.h"
#include "runtime/client.h"
#include "runtime/event.h"
#include "runtime/layout.h"

namespace reference {

// The bytes of a buffer: present once `ready` is complete without an error. All users, buffers and work in progress,
// share the contents; the memory is freed with the last one.
struct Contents {
  EventPtr ready = Event::Pending();
  // In the layout of the buffer. Null for an error buffer. Written only by the owner of `ready`, before completing it.
  std::shared_ptr<std::byte> storage;
  size_t bytes = 0;
  // The storage is not present from the beginning, but set by the owner of `ready`, before completing it.
  bool late = false;
  // False for memory that the caller declared immutable: donated or not, it cannot hold a result.
  bool writable = true;
  // The actual sizes of dynamic dimensions, set before `ready` is complete; else empty.
  Dims unpadded_dims;

  // Pending contents with memory for `bytes`.
  static std::shared_ptr<Contents> Allocate(MemorySpace* memory, size_t bytes);
  // Failed contents without memory.
  static std::shared_ptr<Contents> Failed(size_t bytes, Error error);
};

// The part of a buffer that work in progress keeps: enough to read it, whatever happens to the buffer meanwhile.
struct BufferValue {
  ArrayType type;
  Layout layout;
  std::shared_ptr<Contents> contents;

  // Only after contents->ready is complete without error. Row-major and dense; shares the bytes if that is the layout.
  Array ToArray() const;
  // Writes an array of this type in this layout; for the owner of contents->ready, before completing it.
  void Store(const Array& array) const;
};

class Buffer {
 public:
  // Throws InvalidArgument if the layout does not match the type; the contents have DeviceBytes bytes.
  Buffer(MemorySpace* memory, ArrayType type, Layout layout, std::shared_ptr<Contents> contents);
  // Zeroed memory of the required size, and a pending `ready` that the caller completes.
  static std::unique_ptr<Buffer> Allocate(MemorySpace* memory, ArrayType type, Layout layout);
  ~Buffer();

  const ArrayType& type() const { return type_; }
  const Layout& layout() const { return layout_; }
  size_t bytes() const { return bytes_; }
  MemorySpace* memory() const { return memory_; }
  Device* device() const { return memory_->device(); }
  Client* client() const { return client_.get(); }

  // The same bytes as another type or shape, in a layout of the same size; `buffer` is donated to it.
  static std::unique_ptr<Buffer> Bitcast(Buffer& buffer, ArrayType type, Layout layout);

  // For work that reads the buffer. Throws InvalidArgument if it is deleted or donated.
  BufferValue Use() const;
  // For a new owner: the buffer is deleted from now on. Throws InvalidArgument if it is deleted or donated already, or
  // has external references. Earlier work may still be reading the value: the storage may be written only by an owner
  // that finds contents.use_count() and storage.use_count() to be its own alone, and `writable`.
  BufferValue Donate();

  // Reverts Donate, for work that could not be started.
  void Restore(const BufferValue& value);

  // Completes with the contents; a failed event if the buffer is deleted or donated.
  EventPtr ready() const;

  // Idempotent. External references keep the memory.
  void Delete();
  bool deleted() const;

  // Dynamic dimensions: type() has their bounds. Set before the buffer is returned.
  const std::vector<size_t>& dynamic_dimensions() const { return dynamic_dimensions_; }
  void set_dynamic_dimensions(std::vector<size_t> dimensions) { dynamic_dimensions_ = std::move(dimensions); }
  // The dimensions, dynamic ones with their actual size, which may have to be awaited.
  const Dims& unpadded_dims() const;

  // The address of the memory, which the host may not be able to touch; waits where the memory is that of another buffer, which is not known before the contents
  // are ready (frameworks share a result's memory right after the launch, as NumPy arrays). Throws InvalidArgument when the
  // buffer is deleted or donated and has no external references, and the error of a buffer that has no memory.
  std::byte* pointer() const;
  void AddExternalReference();
  // Throws InvalidArgument when there is none.
  void DropExternalReference();

 private:
  // The error for users of the contents if there are none.
  Error Gone() const;

  const std::shared_ptr<Client> client_;
  MemorySpace* const memory_;
  const ArrayType type_;
  const Layout layout_;
  const size_t bytes_;
  mutable std::mutex mutex_;
  std::shared_ptr<Contents> contents_;  // null: deleted or donated
  std::shared_ptr<Contents> pinned_;    // kept alive by external references
  int64_t external_references_ = 0;
  bool donated_ = false;
  std::vector<size_t> dynamic_dimensions_;
  mutable Dims unpadded_dims_;
};

}  // namespace reference
