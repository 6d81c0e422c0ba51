// Late errors, as on remote devices (Design::late_errors): calls return OK, and their results fail.
#pragma once

#include <memory>
#include <utility>

#include "base/design.h"
#include "base/error.h"
#include "runtime/transfers.h"

namespace reference {

// Creates a buffer of this type in this memory; on a late failure, one that never gets its contents.
template <typename Make>
std::unique_ptr<Buffer> MakeOrFailLater(MemorySpace& memory, const ArrayType& type, Make&& make) {
  try {
    return std::forward<Make>(make)();
  } catch (const Error& error) {
    if (!ThisDesign().late_errors) throw;
    return FailingBuffer(&memory, type, error);
  }
}

// Begins work whose completion is an event; on a late failure, the event fails.
template <typename Begin>
EventPtr BeginOrFailLater(const Device& device, Begin&& begin) {
  try {
    return std::forward<Begin>(begin)();
  } catch (const Error& error) {
    if (!ThisDesign().late_errors) throw;
    return FailingEvent(device, error);
  }
}

}  // namespace reference
