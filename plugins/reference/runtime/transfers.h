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

// The buffer, and when the host memory is no longer needed. Memory that is dense, aligned and meant for zero copies is
// used as it is until the last user of the buffer's contents is gone; of other memory a copy is made.
std::pair<std::unique_ptr<Buffer>, EventPtr> BufferFromHost(const HostArray& host, HostBufferSemantics semantics,
                                                            MemorySpace* memory, const Layout& layout);

// Bytes that a buffer takes on a host in this layout.
size_t HostBytes(const Buffer& buffer, const Layout& host_layout);
// Throws InvalidArgument when `size` is too small.
EventPtr CopyToHost(const Buffer& buffer, const Layout& host_layout, void* destination, size_t size);

// Bytes as they lie on the device. A range outside of the buffer fails the event.
EventPtr CopyRawToHost(const Buffer& buffer, void* destination, int64_t offset, int64_t size);
// As soon as `destination` is called, with a pointer or an error: exactly once.
struct RawCopyPromise {
  EventPtr done;
  std::function<void(void* destination, std::optional<Error> error)> start;
};
RawCopyPromise CopyRawToHostLater(const Buffer& buffer, int64_t offset, int64_t size);

// A new buffer with the same contents elsewhere, in the same layout. Throws InvalidArgument where it lies there already.
std::unique_ptr<Buffer> CopyToMemory(const Buffer& buffer, MemorySpace* memory);

// Makes contents ready with those of others, which are, or with an error. Lets go of both.
void TakeOver(std::shared_ptr<Contents>& from, std::shared_ptr<Contents>& to, const Error* failed);

// What completes an alias: a buffer that will have the contents of another.
struct Alias {
  MemorySpace* memory = nullptr;
  ArrayType type;
  Layout layout;
  std::shared_ptr<Contents> contents;
};
std::pair<std::unique_ptr<Buffer>, std::shared_ptr<Alias>> CreateAlias(MemorySpace* memory, ArrayType type,
                                                                       Layout layout);
// To be called once, with a buffer of the same type, layout and memory (else the alias fails with the error that is
// thrown) or with an error.
void FulfillAlias(Alias& alias, const Buffer& buffer);
void FulfillAlias(Alias& alias, Error error);

// A buffer that takes over the contents of another, but is ready only when the event is complete too.
std::pair<std::unique_ptr<Buffer>, EventPtr> DonateWithDependency(Buffer& buffer);

// For what could not be begun: they fail as if the device had found out.
EventPtr FailingEvent(const Device& device, Error error);
std::unique_ptr<Buffer> FailingBuffer(MemorySpace* memory, ArrayType type, Error error);

}  // namespace reference
