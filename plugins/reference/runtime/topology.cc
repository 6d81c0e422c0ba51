#include "runtime/topology.h"

#include <optional>

#include "base/error.h"
#include "runtime/bytes.h"

namespace reference {

namespace {

constexpr int64_t kMostDevices = 4096;
constexpr std::string_view kMagic = "PJRT reference topology 1\n";

std::optional<int64_t> Decimal(std::string_view text) {
  if (text.empty() || text.size() > 6) return std::nullopt;
  int64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = 10 * value + (digit - '0');
  }
  return value;
}

}  // namespace

Topology::Topology(int64_t num_processes, int64_t devices_per_process) {
  if (num_processes < 1 || devices_per_process < 1 || num_processes > kMostDevices ||
      devices_per_process > kMostDevices || num_processes * devices_per_process > kMostDevices) {
    throw InvalidArgument("there is no topology of " + std::to_string(num_processes) + " processes with " +
                          std::to_string(devices_per_process) + " devices each; all in all 1 to " +
                          std::to_string(kMostDevices) + " devices can be described");
  }
  num_processes_ = static_cast<int>(num_processes);
  devices_per_process_ = static_cast<int>(devices_per_process);
}

Topology Topology::FromName(std::string_view name, int64_t default_devices) {
  constexpr std::string_view kPlatform = "reference";
  if (name.empty() || name == kPlatform) return Topology(1, default_devices);
  if (name.substr(0, kPlatform.size() + 1) == "reference:") {
    const std::string_view shape = name.substr(kPlatform.size() + 1);
    const size_t x = shape.find('x');
    const auto devices = Decimal(x == std::string_view::npos ? shape : shape.substr(x + 1));
    const auto processes = x == std::string_view::npos ? std::optional<int64_t>(1) : Decimal(shape.substr(0, x));
    if (devices && processes) return Topology(*processes, *devices);
  }
  throw InvalidArgument("there is no topology \"" + std::string(name) +
                        "\"; names are reference, reference:<devices> and reference:<processes>x<devices of each>");
}

std::string Topology::Serialize() const {
  ByteWriter writer(kMagic);
  writer.Number(static_cast<uint64_t>(num_processes_));
  writer.Number(static_cast<uint64_t>(devices_per_process_));
  return std::move(writer).Finish();
}

Topology Topology::Deserialize(std::string_view bytes) {
  ByteReader reader(bytes, kMagic, "topology");
  const uint64_t processes = reader.Number();
  const uint64_t devices = reader.Number();
  reader.End();
  return Topology(static_cast<int64_t>(processes), static_cast<int64_t>(devices));
}

uint64_t Topology::Fingerprint() const {
  const uint64_t hash = Hash(Serialize());
  return hash == 0 ? 1 : hash;
}

}  // namespace reference
