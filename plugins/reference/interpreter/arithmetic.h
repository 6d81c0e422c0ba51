// How accurate the device computes: correctly rounded, unless the design of the plugin approximates or flushes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "interpreter/domain.h"
#include "ir/ir.h"

namespace reference {

// What a design may do to the result of an op.
enum class Accuracy : uint8_t {
  kExact,        // it is moved, chosen or compared: nothing
  kRounded,      // a sum or product: flush it
  kClose,        // a quotient, a root: nearly right
  kApproximate,  // a function, a sum of products, rounded once: be inaccurate about it, too
  kFolded,       // a sum of many that was rounded at each step: the same
};

// Of an op whose result is of this type: kExact where the design leaves it alone.
Accuracy AccuracyOf(const std::string& op, ElementType result);
// Of what folding with a region makes: sums of many are approximate, the largest of many is exact.
Accuracy AccuracyOfFold(const Region& region, ElementType result);
// Of sums of products and the like.
Accuracy AccuracyOfSums(ElementType result);

// Makes of correct values of a type what the design's device makes. The same values always become the same ones. Results
// never grow, so that bounds (of a sine, of the type) hold, and what takes few bits, as sums of small integers do, stays
// exact.
void Spoil(Accuracy accuracy, ElementType type, std::byte* values, int64_t count);

}  // namespace reference
