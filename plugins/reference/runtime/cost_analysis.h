// What a program costs, estimated from its ops.
#pragma once

#include <cstdint>

#include "ir/ir.h"

namespace reference {

struct CostAnalysis {
  double flops = 0;
  double transcendentals = 0;
  double bytes_accessed = 0;
  // Most bytes of intermediate values at a time.
  int64_t temp_bytes = 0;
};

// Each op counts once, however often a loop runs it; a called function counts for each call.
CostAnalysis AnalyzeCost(const Module& module);

}  // namespace reference
