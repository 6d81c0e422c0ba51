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

// The bytes of a buffer: there from the moment `ready` is complete without an error. Whoever uses them, a buffer or work in
// flight, shares the contents; the memory is free when the last one is gone.
struct Contents {
  EventPtr ready = Event::Pending();
  // In the layout of the buffer. Null where there is none: an error buffer. Written to only by who completes `ready`,
  // before it does.
  std::shared_ptr<std::byte> storage;
  size_t bytes = 0;
  // The storage is not there from the beginning, but set by who completes `ready`, before it does.
  bool late = false;
  // False for memory that the caller said never to write to: donated or not, it is no place for a result.
  bool writable = true;
  // The sizes of this run where dimensions are dynamic, set before `ready` is complete; else empty.
  Dims unpadded_dims;

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
  // Throws InvalidArgument where the layout does not fit the type; the contents have DeviceBytes bytes.
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

  // The same bytes as another type or shape, in a layout of the same size; `buffer` is donated to it.
  static std::unique_ptr<Buffer> Bitcast(Buffer& buffer, ArrayType type, Layout layout);

  // For work that reads the buffer. Throws InvalidArgument when it is deleted or donated.
  BufferValue Use() const;
  // For who takes it over: the buffer is deleted from now on. Throws InvalidArgument when it is deleted or donated
  // already, or has external references. Work that was given the value before may still be reading it: the storage may be
  // written to only by who finds contents.use_count() and storage.use_count() to be its own alone, and `writable`.
  BufferValue Donate();

  // Gives back what Donate gave, for work that could not be started.
  void Restore(const BufferValue& value);

  // Complete with the contents; an event that has failed where the buffer is deleted or donated.
  EventPtr ready() const;

  // Twice is harmless. External references keep the memory.
  void Delete();
  bool deleted() const;

  // Which dimensions are dynamic: type() has their bounds. Set before the buffer is handed out.
  const std::vector<size_t>& dynamic_dimensions() const { return dynamic_dimensions_; }
  void set_dynamic_dimensions(std::vector<size_t> dimensions) { dynamic_dimensions_ = std::move(dimensions); }
  // The dimensions, dynamic ones with their size of this run, for which it waits.
  const Dims& unpadded_dims() const;

  // The address of the memory, which the host may not be able to touch; waits where the memory is that of another buffer, which is not known before the contents
  // are ready (frameworks share a result's memory right after the launch, as NumPy arrays). Throws InvalidArgument when the
  // buffer is deleted or donated and has no external references, and the error of a buffer that has no memory.
  std::byte* pointer() const;
  void AddExternalReference();
  // Throws InvalidArgument when there is none.
  void DropExternalReference();

 private:
  // What whoever asks for the contents is told when there are none.
  Error Gone() const;

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
  std::vector<size_t> dynamic_dimensions_;
  mutable Dims unpadded_dims_;
};

}  // namespace reference
