// The devices that programs are compiled for, by number, whether they exist or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reference {

class Topology {
 public:
  // Throws InvalidArgument unless both numbers are positive and not too large.
  Topology(int64_t num_processes, int64_t devices_per_process);

  // "reference", "reference:4" (devices) or "reference:2x4" (processes x devices of each); empty means "reference".
  // Defaults: one process with the default number of devices.
  static Topology FromName(std::string_view name, int64_t default_devices);

  int num_processes() const { return num_processes_; }
  int devices_per_process() const { return devices_per_process_; }
  // Devices have the ids 0 to num_devices - 1.
  int num_devices() const { return num_processes_ * devices_per_process_; }
  int process_of(int device) const { return device / devices_per_process_; }

  std::string Serialize() const;
  static Topology Deserialize(std::string_view bytes);
  // Never 0.
  uint64_t Fingerprint() const;

  bool operator==(const Topology& other) const {
    return num_processes_ == other.num_processes_ && devices_per_process_ == other.devices_per_process_;
  }

 private:
  int num_processes_;
  int devices_per_process_;
};

}  // namespace reference
