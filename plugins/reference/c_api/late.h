// Calls whose errors come late, on devices that are far away (Design::late_errors): they are OK, and what they give out fails.
#pragma once

#include <memory>
#include <utility>

#include "base/design.h"
#include "base/error.h"
#include "runtime/transfers.h"

namespace reference {

// Makes a buffer of this type in this memory; where that fails late, one that never gets its contents.
template <typename Make>
std::unique_ptr<Buffer> MakeOrFailLater(MemorySpace& memory, const ArrayType& type, Make&& make) {
  try {
    return std::forward<Make>(make)();
  } catch (const Error& error) {
    if (!ThisDesign().late_errors) throw;
    return FailingBuffer(&memory, type, error);
  }
}

// Begins work that an event tells the end of; where that fails late, the event does.
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
