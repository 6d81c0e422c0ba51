// Fixtures with operations that the reference plugin refuses as not implemented.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

// `program` is the path below programs/ without its extension. What StableHLO's specification no longer has, and sizes
// that are known only at run time.
inline bool IsLeftOut(std::string_view program) {
  static constexpr std::string_view kLeftOut[] = {
      "dynamic/bounded_sum",      "dynamic/open_inside",    "rarer/einsum_batch",          "rarer/einsum_matrices",
      "rarer/einsum_transposed",  "rarer/unary_einsum_sum", "rarer/unary_einsum_transpose",
  };
  return std::find(std::begin(kLeftOut), std::end(kLeftOut), program) != std::end(kLeftOut);
}
