// Arrays on devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/array.h"
#include "runtime/client.h"
#include "runtime/event.h"
#include "runtime/layout.h"

namespace reference {

// The bytes of a buffer: there from the moment `ready` is complete without an error. Whoever uses them, a buffer or work in
// flight, shares the contents; the memory is free when the last one is gone.
struct Contents {
  EventPtr ready = Event::Pending();
  // In the layout of the buffer. Null where nothing was allocated: an error buffer, an alias not yet fulfilled. Written to
  // or set only by who completes `ready`, before it does.
  std::shared_ptr<std::byte> storage;
  size_t bytes = 0;
  // False for memory that the caller said never to write to: donated or not, it is no place for a result.
  bool writable = true;

  // Pending contents with memory for `bytes`.
  static std::shared_ptr<Contents> Allocate(MemorySpace* memory, size_t bytes);
  // Contents without memory that have failed.
  static std::shared_ptr<Contents> Failed(size_t bytes, Error error);
};

// What work in flight keeps of a buffer: enough to read it, however the buffer fares meanwhile.
struct BufferValue {
  ArrayType type;
  Layout layout;
  std::shared_ptr<Contents> contents;

  // Only when contents->ready is complete without error. Row-major and dense; shares the bytes where the layout is that.
  Array ToArray() const;
  // Writes an array of this type in this layout; for who completes contents->ready, before it does.
  void Store(const Array& array) const;
};

class Buffer {
 public:
  // Throws InvalidArgument where the layout does not fit the type; the contents have BytesInLayout bytes.
  Buffer(MemorySpace* memory, ArrayType type, Layout layout, std::shared_ptr<Contents> contents);
  // Memory of the right size with zeros, and a pending `ready` that the caller completes.
  static std::unique_ptr<Buffer> Allocate(MemorySpace* memory, ArrayType type, Layout layout);
  ~Buffer();

  const ArrayType& type() const { return type_; }
  const Layout& layout() const { return layout_; }
  size_t bytes() const { return bytes_; }
  MemorySpace* memory() const { return memory_; }
  Device* device() const { return memory_->device(); }
  Client* client() const { return client_.get(); }

  // For work that reads the buffer. Throws InvalidArgument when it is deleted or donated.
  BufferValue Use() const;
  // For who takes it over: the buffer is deleted from now on. Throws InvalidArgument when it is deleted or donated
  // already, or has external references. Work that was given the value before may still be reading it: the storage may be
  // written to only by who finds contents.use_count() and storage.use_count() to be its own alone, and `writable`.
  BufferValue Donate();

  // Complete with the contents; an event that has failed where the buffer is deleted or donated.
  EventPtr ready() const;

  // Twice is harmless. External references keep the memory.
  void Delete();
  bool deleted() const;

  // The first byte of the memory; null for a buffer without. Throws InvalidArgument when it is deleted or donated and has
  // no external references; waits for contents that have no memory yet.
  std::byte* pointer() const;
  void AddExternalReference();
  // Throws InvalidArgument when there is none.
  void DropExternalReference();

 private:
  const std::shared_ptr<Client> client_;
  MemorySpace* const memory_;
  const ArrayType type_;
  const Layout layout_;
  const size_t bytes_;
  mutable std::mutex mutex_;
  std::shared_ptr<Contents> contents_;  // null: deleted or donated
  std::shared_ptr<Contents> pinned_;    // what external references keep
  int64_t external_references_ = 0;
  bool donated_ = false;
};

}  // namespace reference
