// Design of this plugin. By default it is like XLA's CPU plugin: dense row-major arrays in memory that the host
// addresses, errors as soon as they are known. PJRT_REFERENCE_DESIGN selects valid differences as in accelerators and
// remote devices: each switch is a freedom that the C API leaves to a plugin.
#pragma once

#include <cstdint>
#include <string_view>

namespace reference {

struct Design {
  // Arrays have the layout of a TPU: permuted, tiled, padded, in multiples of 512 bytes.
  bool tiled_layouts = false;
  // The host cannot address the memory of devices.
  bool device_memory = false;
  // Each device has queues of its own for either direction of transfers, for computing and for completions, and each
  // operation has its own delay.
  bool streams = false;
  // Failures on the device are reported by events, not by the call.
  bool late_errors = false;
  bool no_memories = false;     // no PJRT_Memory at all
  bool no_donation = false;     // donated arguments stay as they are
  bool one_device = false;      // unless options override it
  bool no_collectives = false;  // programs run on one device
  // The client belongs to the second of two processes: the devices of the first are listed, but cannot be used.
  bool two_processes = false;
  // Functions, quotients and sums are less accurate, within JAX's tolerances for accelerators.
  bool approximate = false;
  // Subnormal results of arithmetic are zero.
  bool flush_subnormals = false;

  // Switches, and presets that stand for several, joined by '+'. Throws InvalidArgument with the existing ones.
  static Design Parse(std::string_view text);
};

// The value of PJRT_REFERENCE_DESIGN, read once. Throws what Parse throws.
const Design& ThisDesign();

// PJRT_REFERENCE_SEED: seed of the delays of `streams` (0).
uint64_t DesignSeed();

}  // namespace reference
