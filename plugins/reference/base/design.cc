#include "base/design.h"

#include <cstdlib>
#include <string>

#include "base/error.h"

namespace reference {
namespace {

struct Switch {
  std::string_view name;
  bool Design::*field;
};

constexpr Switch kSwitches[] = {
    {"tiled-layouts", &Design::tiled_layouts},   {"device-memory", &Design::device_memory},
    {"streams", &Design::streams},               {"late-errors", &Design::late_errors},
    {"no-memories", &Design::no_memories},       {"no-donation", &Design::no_donation},
    {"one-device", &Design::one_device},         {"no-collectives", &Design::no_collectives},
    {"approximate", &Design::approximate},       {"flush-subnormals", &Design::flush_subnormals},
    {"two-processes", &Design::two_processes},
};

struct Preset {
  std::string_view name;
  std::string_view switches;
};

constexpr Preset kPresets[] = {
    {"tpu-like", "tiled-layouts+device-memory+streams"},
    {"gpu-like", "device-memory+streams"},
    {"proxy-like", "late-errors+device-memory+streams"},
    {"npu-like", "device-memory+no-donation+one-device+no-collectives"},
    {"bare", "no-memories+no-donation+one-device+no-collectives"},
    {"fast-math", "approximate+flush-subnormals"},
};

void Add(Design& design, std::string_view name) {
  for (const Switch& known : kSwitches) {
    if (known.name != name) continue;
    design.*known.field = true;
    return;
  }
  std::string names;
  for (const Preset& known : kPresets) names += " " + std::string(known.name);
  for (const Switch& known : kSwitches) names += " " + std::string(known.name);
  throw InvalidArgument("PJRT_REFERENCE_DESIGN: there is no design '" + std::string(name) +
                        "'; what can be joined by '+' is" + names);
}

// Calls `use` with each part between '+'.
template <typename Use>
void Split(std::string_view text, const Use& use) {
  while (true) {
    const size_t end = text.find('+');
    use(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string_view Variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

}  // namespace

Design Design::Parse(std::string_view text) {
  Design design;
  if (text.empty()) return design;
  Split(text, [&](std::string_view name) {
    std::string_view switches = name;
    for (const Preset& preset : kPresets) {
      if (preset.name == name) switches = preset.switches;
    }
    Split(switches, [&](std::string_view part) { Add(design, part); });
  });
  return design;
}

const Design& ThisDesign() {
  static const Design design = Design::Parse(Variable("PJRT_REFERENCE_DESIGN"));
  return design;
}

uint64_t DesignSeed() {
  static const uint64_t seed = std::strtoull(std::string(Variable("PJRT_REFERENCE_SEED")).c_str(), nullptr, 10);
  return seed;
}

}  // namespace reference
