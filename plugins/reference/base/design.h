// Which design of plugin this one is. By itself it is like XLA's CPU plugin: dense row-major arrays in memory that the host
// addresses, errors as soon as they are known. PJRT_REFERENCE_DESIGN makes it one that differs, as accelerators and remote
// devices do, and that is right all the same: each switch is a freedom that the C API leaves to a plugin.
#pragma once

#include <cstdint>
#include <string_view>

namespace reference {

struct Design {
  // Arrays lie on devices as a TPU lays them out: permuted, in tiles, padded, in steps of 512 bytes.
  bool tiled_layouts = false;
  // The host cannot address the memory of devices.
  bool device_memory = false;
  // Each device has queues of its own for either direction of transfers, for computing and for telling of ends, and each
  // piece of work is late by a time of its own.
  bool streams = false;
  // What fails on the device's side is told by events, not by the call.
  bool late_errors = false;
  bool no_memories = false;     // no PJRT_Memory at all
  bool no_donation = false;     // donated arguments stay as they are
  bool one_device = false;      // unless options say otherwise
  bool no_collectives = false;  // programs run on one device
  // Functions, quotients and sums are less accurate, as JAX allows accelerators to be.
  bool approximate = false;
  // Subnormal results of arithmetic are zero.
  bool flush_subnormals = false;

  // Switches, and presets that stand for several, joined by '+'. Throws InvalidArgument naming those that there are.
  static Design Parse(std::string_view text);
};

// What PJRT_REFERENCE_DESIGN asks for, read once. Throws what Parse throws.
const Design& ThisDesign();

// PJRT_REFERENCE_SEED: where the delays of `streams` begin (0).
uint64_t DesignSeed();

}  // namespace reference
