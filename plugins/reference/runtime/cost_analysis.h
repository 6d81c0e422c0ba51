// Cost of a program, estimated from its ops.
#pragma once

#include <cstdint>

#include "ir/ir.h"

namespace reference {

struct CostAnalysis {
  double flops = 0;
  double transcendentals = 0;
  double bytes_accessed = 0;
  // Peak size of intermediate values.
  int64_t temp_bytes = 0;
};

// Each op counts once, however often a loop runs it; a called function counts for each call.
CostAnalysis AnalyzeCost(const Module& module);

}  // namespace reference
