// The options that clients are created with.
#pragma once

#include <cstddef>

#include "pjrt_c_api.h"
#include "runtime/client.h"

namespace reference {

// num_devices, delay_us, memory_limit_bytes, num_nodes and node_id, all int64; the first two default to
// PJRT_REFERENCE_NUM_DEVICES and PJRT_REFERENCE_DELAY_US of the environment, for callers that cannot pass options.
// Throws InvalidArgument naming an option that is unknown, repeated, or of a wrong type or range.
ClientOptions ClientOptionsFrom(const PJRT_NamedValue* options, size_t num_options);

}  // namespace reference
