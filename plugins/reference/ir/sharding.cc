#include "ir/sharding.h"

#include <algorithm>

#include "ir/sharding_scanner.h"

namespace reference {
namespace {

// {"x", "y":(1)2, ?}p1
std::vector<AxisPart> ReadAxes(Scanner& in, const Mesh& mesh) {
  std::vector<AxisPart> out;
  in.Expect("{");
  if (!in.Consume("}")) {
    do {
      if (in.Consume("?")) continue;
      out.push_back(ReadAxis(in, mesh));
    } while (in.Consume(","));
    in.Expect("}");
  }
  if (in.Consume("p")) in.Number();
  return out;
}

Sharding ReadShardy(Scanner& in, const MeshTable& meshes, const std::vector<std::string>* only_axes) {
  in.Expect("<");
  Mesh mesh;
  if (in.Consume("@")) {
    mesh = FindMesh(in.At("\"") ? in.Quoted() : in.Word(), meshes);
  } else {
    in.Expect("mesh");
    mesh = ParseMesh(in.Angles());
  }
  in.Expect(",");
  std::vector<std::vector<AxisPart>> dims;
  in.Expect("[");
  if (!in.Consume("]")) {
    do {
      dims.push_back(ReadAxes(in, mesh));
    } while (in.Consume(","));
    in.Expect("]");
  }
  while (in.Consume(",")) {
    std::string name = in.Word();
    in.Expect("=");
    if (name == "reduction") {
      in.Word();
    } else {
      ReadAxes(in, mesh);
    }
  }
  in.Expect(">");
  Sharding sharding;
  if (mesh.is_maximal) {
    sharding.kind = Sharding::kMaximal;
    sharding.device = mesh.devices[0];
    return sharding;
  }
  bool cut = false;
  for (auto& parts : dims) {
    if (only_axes != nullptr) {
      parts.erase(std::remove_if(parts.begin(), parts.end(),
                                 [&](const AxisPart& part) {
                                   return std::find(only_axes->begin(), only_axes->end(), mesh.axes[part.axis].name) ==
                                          only_axes->end();
                                 }),
                  parts.end());
    }
    int64_t tiles = 1;
    for (const AxisPart& part : parts) {
      if (tiles > kMaxDevices / part.size) in.Fail("more tiles than devices");
      tiles *= part.size;
    }
    sharding.tiles.push_back(tiles);
    cut = cut || tiles > 1;
  }
  if (!cut) {
    sharding.tiles.clear();
    return sharding;
  }
  sharding.kind = Sharding::kTiled;
  if (static_cast<int64_t>(mesh.devices.size() * dims.size()) > 16 * kMaxDevices) in.Fail("too many devices");
  std::vector<int64_t> sizes;
  for (const Mesh::Axis& axis : mesh.axes) sizes.push_back(axis.size);
  sharding.tile_of.resize(mesh.devices.size());
  for (size_t p = 0; p < mesh.devices.size(); ++p) {
    Dims place = Unravel(static_cast<int64_t>(p), sizes);
    Dims tile;
    for (const auto& parts : dims) {
      int64_t index = 0;
      for (const AxisPart& part : parts) index = index * part.size + Digit(mesh, part, place);
      tile.push_back(index);
    }
    sharding.tile_of[static_cast<size_t>(mesh.devices[p])] = std::move(tile);
  }
  return sharding;
}

Sharding ReadTiles(Scanner& in) {
  Sharding sharding;
  sharding.kind = Sharding::kTiled;
  std::vector<int64_t> grid = in.Numbers("[", "]");
  int64_t count = DeviceCount(in, grid);
  std::vector<int64_t> devices;
  if (in.Consume("<=")) {
    std::vector<int64_t> dims = in.Numbers("[", "]");
    if (DeviceCount(in, dims) != count) in.Fail("the counts of devices differ");
    std::vector<int64_t> order;
    if (in.Consume("T")) {
      order = in.Numbers("(", ")");
    } else {
      for (size_t i = 0; i < dims.size(); ++i) order.push_back(static_cast<int64_t>(i));
    }
    std::vector<int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    bool permutation = sorted.size() == dims.size();
    for (size_t i = 0; permutation && i < sorted.size(); ++i) permutation = sorted[i] == static_cast<int64_t>(i);
    if (!permutation) in.Fail("no order of the dimensions");
    std::vector<int64_t> turned;
    for (int64_t i : order) turned.push_back(dims[static_cast<size_t>(i)]);
    for (int64_t p = 0; p < count; ++p) {
      Dims place = Unravel(p, turned);
      Dims source(dims.size());
      for (size_t i = 0; i < order.size(); ++i) source[static_cast<size_t>(order[i])] = place[i];
      int64_t device = 0;
      for (size_t i = 0; i < dims.size(); ++i) device = device * dims[i] + source[i];
      devices.push_back(device);
    }
  } else {
    do {
      devices.push_back(in.Number());
    } while (in.AtDigit() || (in.Consume(",") && in.AtDigit()));
  }
  if (static_cast<int64_t>(devices.size()) != count) in.Fail("the counts of devices differ");
  // After the tiles: dimensions of the grid that split nothing.
  size_t copies = 0;
  bool manual = false;
  in.Consume(",");
  if (in.Consume("last_tile_dims=")) {
    Scanner kinds(in.Braces());
    kinds.Expect("{");
    while (!kinds.Consume("}")) {
      manual = kinds.Word() == "manual" || manual;
      ++copies;
      kinds.Consume(",");
    }
  } else if (in.Consume("last_tile_dim_replicate")) {
    copies = 1;
  }
  if (copies > grid.size()) in.Fail("more kinds of dimensions than dimensions");
  sharding.tiles.assign(grid.begin(), grid.end() - static_cast<std::ptrdiff_t>(copies));
  sharding.tile_of.resize(devices.size());
  std::vector<bool> seen(devices.size());
  for (size_t p = 0; p < devices.size(); ++p) {
    int64_t device = devices[p];
    if (device >= count || seen[static_cast<size_t>(device)]) in.Fail("a device that is not there or is there twice");
    seen[static_cast<size_t>(device)] = true;
    Dims place = Unravel(static_cast<int64_t>(p), grid);
    place.resize(sharding.tiles.size());
    sharding.tile_of[static_cast<size_t>(device)] = std::move(place);
  }
  bool cut = std::any_of(sharding.tiles.begin(), sharding.tiles.end(), [](int64_t n) { return n > 1; });
  if (!cut) {
    sharding = Sharding();
    if (manual) sharding.kind = Sharding::kManual;
  }
  return sharding;
}

Sharding ReadHlo(Scanner& in, int depth) {
  Sharding sharding;
  in.Expect("{");
  if (in.At("{") || in.At("}")) {
    if (depth > 8) in.Fail("nested too deeply");
    sharding.kind = Sharding::kTuple;
    while (!in.Consume("}")) {
      sharding.elements.push_back(ReadHlo(in, depth + 1));
      if (!in.At("}")) in.Expect(",");
    }
    return sharding;
  }
  if (in.Consume("devices=")) {
    sharding = ReadTiles(in);
  } else {
    std::string word = in.Word();
    if (word == "maximal") {
      in.Expect("device=");
      sharding.kind = Sharding::kMaximal;
      sharding.device = in.Number();
    } else if (word == "manual") {
      sharding.kind = Sharding::kManual;
    } else if (word != "replicated" && word != "unknown" && word != "unreduced") {
      in.Fail("\"" + word + "\" is no kind of sharding");
    }
  }
  // Hints and annotations without effect.
  while (!in.Consume("}")) {
    in.Consume(",");
    if (in.Consume("metadata=")) {
      in.Braces();
    } else if (in.Consume("shard_as") || in.Consume("shard_like")) {
      in.Number();
    } else {
      in.Expect("}");
      break;
    }
  }
  return sharding;
}

}  // namespace

Sharding ParseSharding(std::string_view text, const MeshTable& meshes, const std::vector<std::string>* only_axes) {
  Scanner in(text);
  Sharding sharding;
  if (in.Consume("#sdy.sharding") || in.At("<")) {
    sharding = ReadShardy(in, meshes, only_axes);
  } else {
    sharding = ReadHlo(in, 0);
  }
  in.ExpectEnd();
  return sharding;
}

std::optional<TileAssignment> TileAssignmentOf(const Sharding& sharding) {
  // In row-major order of the tiles.
  std::map<Dims, std::vector<int64_t>> holders_of;
  for (size_t device = 0; device < sharding.tile_of.size(); device++) {
    holders_of[sharding.tile_of[device]].push_back(static_cast<int64_t>(device));
  }
  if (holders_of.empty() || holders_of.size() != static_cast<size_t>(ElementCount(sharding.tiles))) return std::nullopt;
  const size_t copies = holders_of.begin()->second.size();
  TileAssignment assignment;
  for (const auto& [tile, holders] : holders_of) {
    if (holders.size() != copies) return std::nullopt;
    assignment.devices.insert(assignment.devices.end(), holders.begin(), holders.end());
  }
  assignment.grid = sharding.tiles;
  assignment.has_copies = copies > 1;
  if (assignment.has_copies) assignment.grid.push_back(static_cast<int64_t>(copies));
  return assignment;
}

std::string ToString(const Sharding& sharding) {
  switch (sharding.kind) {
    case Sharding::kReplicated:
      return "{replicated}";
    case Sharding::kMaximal:
      return "{maximal device=" + std::to_string(sharding.device) + "}";
    case Sharding::kManual:
      return "{manual}";
    case Sharding::kTiled: {
      const std::optional<TileAssignment> assignment = TileAssignmentOf(sharding);
      if (!assignment) return "{unknown}";
      return "{devices=[" + Join(assignment->grid) + "]" + Join(assignment->devices) +
             (assignment->has_copies ? " last_tile_dim_replicate}" : "}");
    }
    case Sharding::kTuple: {
      std::string text = "{";
      for (const Sharding& element : sharding.elements) {
        if (text.size() > 1) text += ", ";
        text += ToString(element);
      }
      return text + "}";
    }
  }
  return "{unknown}";
}

std::optional<Sharding> FindSharding(const Dictionary& attributes, const MeshTable& meshes) {
  auto text_of = [](const Dictionary& items, const char* name) -> const std::string* {
    auto found = items.find(name);
    return found == items.end() ? nullptr : found->second.get<std::string>();
  };
  if (const std::string* text = text_of(attributes, "sdy.sharding")) return ParseSharding(*text, meshes);
  if (auto frontend = attributes.find("mhlo.frontend_attributes"); frontend != attributes.end()) {
    if (const auto* items = frontend->second.get<std::shared_ptr<Dictionary>>()) {
      if (const std::string* text = text_of(**items, "xla.sdy.sharding")) return ParseSharding(*text, meshes);
    }
  }
  if (const std::string* text = text_of(attributes, "mhlo.sharding")) return ParseSharding(*text, meshes);
  return std::nullopt;
}

}  // namespace reference
