// Accuracy of the device: correctly rounded, unless the design of the plugin approximates or flushes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "interpreter/domain.h"
#include "ir/ir.h"

namespace reference {

// Effect of a design on the result of an op.
enum class Accuracy : uint8_t {
  kExact,        // moved, selected or compared: none
  kRounded,      // a sum or product: flush it
  kClose,        // a quotient or a root: nearly correct
  kApproximate,  // a function or a sum of products, rounded once: inaccurate as well
  kFolded,       // a sum rounded at each step: the same
};

// Of an op with this result type: kExact if the design does not affect it.
Accuracy AccuracyOf(const std::string& op, ElementType result);
// Of folding with a region: sums are approximate, maxima are exact.
Accuracy AccuracyOfFold(const Region& region, ElementType result);
// Of sums of products and the like.
Accuracy AccuracyOfSums(ElementType result);

// Approximates correct values of a type as the design's device does. Deterministic. Results never grow, so that bounds
// (of a sine, of the type) hold, and results with few bits, such as sums of small integers, stay exact.
void Spoil(Accuracy accuracy, ElementType type, std::byte* values, int64_t count);

}  // namespace reference
