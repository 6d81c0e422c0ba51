// Copies between hosts, devices and memories. All of them are tasks on a device's thread, unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/buffer.h"

namespace reference {

// The values of PJRT_HostBufferSemantics.
enum class HostBufferSemantics : int {
  kImmutableOnlyDuringCall = 0,
  kImmutableUntilTransferCompletes = 1,
  kImmutableZeroCopy = 2,
  kMutableZeroCopy = 3,
};

struct HostArray {
  const void* data = nullptr;
  ArrayType type;
  std::vector<int64_t> byte_strides;  // empty: dense, row-major
};

// The buffer, and an event after which the host memory is no longer needed. Memory that is dense, aligned and meant for
// zero copies is used until the last user of the buffer's contents is gone; other memory is copied.
std::pair<std::unique_ptr<Buffer>, EventPtr> BufferFromHost(const HostArray& host, HostBufferSemantics semantics,
                                                            MemorySpace* memory, const Layout& layout);

// Size of a buffer on a host in this layout.
size_t HostBytes(const Buffer& buffer, const Layout& host_layout);
// Throws InvalidArgument if `size` is too small.
EventPtr CopyToHost(const Buffer& buffer, const Layout& host_layout, void* destination, size_t size);

// Raw bytes of the device. A range outside the buffer fails the event.
EventPtr CopyRawToHost(const Buffer& buffer, void* destination, int64_t offset, int64_t size);
// After `destination` is called, with a pointer or an error: exactly once.
struct RawCopyPromise {
  EventPtr done;
  std::function<void(void* destination, std::optional<Error> error)> start;
};
RawCopyPromise CopyRawToHostLater(const Buffer& buffer, int64_t offset, int64_t size);

// A new buffer with the same contents elsewhere, in the same layout. Throws InvalidArgument if it is already there.
std::unique_ptr<Buffer> CopyToMemory(const Buffer& buffer, MemorySpace* memory);

// Completes contents with those of others, which are ready, or with an error. Releases both.
void TakeOver(std::shared_ptr<Contents>& from, std::shared_ptr<Contents>& to, const Error* failed);

// Completes an alias with the contents of another buffer.
struct Alias {
  MemorySpace* memory = nullptr;
  ArrayType type;
  Layout layout;
  std::shared_ptr<Contents> contents;
};
std::pair<std::unique_ptr<Buffer>, std::shared_ptr<Alias>> CreateAlias(MemorySpace* memory, ArrayType type,
                                                                       Layout layout);
// To be called once, with a buffer of the same type, layout and memory (else it throws, and the alias fails with that
// error) or with an error.
void FulfillAlias(Alias& alias, const Buffer& buffer);
void FulfillAlias(Alias& alias, Error error);

// A buffer that takes over the contents of another, but becomes ready only after the event is complete too.
std::pair<std::unique_ptr<Buffer>, EventPtr> DonateWithDependency(Buffer& buffer);

// For operations that could not begin: they fail as if the device had reported the error.
EventPtr FailingEvent(const Device& device, Error error);
std::unique_ptr<Buffer> FailingBuffer(MemorySpace* memory, ArrayType type, Error error);

}  // namespace reference
