#include "ir/sharding.h"

#include <algorithm>
#include <cstring>

namespace reference {
namespace {

constexpr int64_t kMaxDevices = 1 << 16;

// Reads the little languages of shardings.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[noreturn]] void Fail(const std::string& what) const {
    throw InvalidArgument("sharding \"" + std::string(text_.substr(0, 200)) + "\", position " + std::to_string(at_) +
                          ": " + what);
  }
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool At(std::string_view sign) {
    SkipSpace();
    return text_.substr(at_, sign.size()) == sign;
  }
  bool Consume(std::string_view sign) {
    if (!At(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void Expect(std::string_view sign) {
    if (!Consume(sign)) Fail("\"" + std::string(sign) + "\" was expected");
  }
  bool AtDigit() {
    SkipSpace();
    return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9';
  }
  int64_t Number() {
    if (!AtDigit()) Fail("a number was expected");
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (value > (int64_t{1} << 50)) Fail("a number that is too large");
      value = value * 10 + (text_[at_] - '0');
    }
    return value;
  }
  std::string Word() {
    SkipSpace();
    size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == '$' || text_[at_] == '-')) {
      ++at_;
    }
    if (at_ == begin) Fail("a name was expected");
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string Quoted() {
    Expect("\"");
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') out += text_[at_++];
    Expect("\"");
    return out;
  }
  // "1,2,3" between two signs.
  std::vector<int64_t> Numbers(std::string_view open, std::string_view close) {
    std::vector<int64_t> out;
    Expect(open);
    if (Consume(close)) return out;
    do {
      out.push_back(Number());
    } while (Consume(","));
    Expect(close);
    return out;
  }
  // Whatever stands between braces, which may be nested.
  std::string_view Braces() {
    Expect("{");
    size_t begin = at_ - 1;
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ >= text_.size()) Fail("\"}\" was expected");
      if (text_[at_] == '{') ++depth;
      if (text_[at_] == '}') --depth;
    }
    return text_.substr(begin, at_ - begin);
  }
  // A mesh as it stands between angle brackets.
  std::string_view Angles() {
    Expect("<");
    size_t begin = at_ - 1;
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ >= text_.size()) Fail("\">\" was expected");
      if (text_[at_] == '<') ++depth;
      if (text_[at_] == '>') --depth;
    }
    return text_.substr(begin, at_ - begin);
  }
  void ExpectEnd() {
    SkipSpace();
    if (at_ < text_.size()) Fail("nothing more was expected");
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

int64_t DeviceCount(const Scanner& in, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim < 1 || dim > kMaxDevices || count > kMaxDevices / dim) in.Fail("no count of devices");
    count *= dim;
  }
  return count;
}

Dims Unravel(int64_t index, const std::vector<int64_t>& dims) {
  Dims out(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    out[i] = index % dims[i];
    index /= dims[i];
  }
  return out;
}

// A part of an axis: `size` pieces within each of `before` larger ones. All of it: (1, the axis' size).
struct AxisPart {
  size_t axis;
  int64_t before;
  int64_t size;
};

int64_t Digit(const Mesh& mesh, const AxisPart& part, const Dims& place) {
  return place[part.axis] / (mesh.axes[part.axis].size / (part.before * part.size)) % part.size;
}

AxisPart ReadAxis(Scanner& in, const Mesh& mesh) {
  std::string name = in.Quoted();
  auto found = std::find_if(mesh.axes.begin(), mesh.axes.end(), [&](const Mesh::Axis& a) { return a.name == name; });
  if (found == mesh.axes.end()) in.Fail("the mesh has no axis \"" + name + "\"");
  AxisPart part{static_cast<size_t>(found - mesh.axes.begin()), 1, found->size};
  if (in.Consume(":")) {
    in.Expect("(");
    part.before = in.Number();
    in.Expect(")");
    part.size = in.Number();
    if (part.before < 1 || part.size < 1 || part.before > found->size || part.size > found->size ||
        found->size % (part.before * part.size) != 0) {
      in.Fail("the axis \"" + name + "\" has no such part");
    }
  }
  return part;
}

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
  // What follows the tiles: dimensions of the grid that cut nothing.
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
  // Wishes and notes that change nothing.
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

// Copies a box of elements between arrays of the same rank.
void CopyBox(const Array& from, const Dims& from_start, Array& to, const Dims& to_start, const Dims& size) {
  size_t rank = size.size();
  if (std::any_of(size.begin(), size.end(), [](int64_t n) { return n == 0; })) return;
  size_t width = ByteWidth(from.element_type());
  Dims at(rank, 0);
  size_t run = width * static_cast<size_t>(rank == 0 ? 1 : size[rank - 1]);
  while (true) {
    int64_t source = 0, target = 0;
    for (size_t i = 0; i < rank; ++i) {
      source = source * from.dims()[i] + from_start[i] + at[i];
      target = target * to.dims()[i] + to_start[i] + at[i];
    }
    std::memcpy(to.mutable_data() + static_cast<size_t>(target) * width,
                from.data() + static_cast<size_t>(source) * width, run);
    size_t i = rank < 2 ? 0 : rank - 1;
    while (i > 0 && ++at[i - 1] == size[i - 1]) at[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace

Mesh ParseMesh(std::string_view text) {
  Scanner in(text);
  Mesh mesh;
  in.Consume("#sdy.mesh");
  in.Expect("<");
  in.Expect("[");
  std::vector<int64_t> sizes;
  if (!in.Consume("]")) {
    do {
      std::string name = in.Quoted();
      in.Expect("=");
      mesh.axes.push_back({name, in.Number()});
      sizes.push_back(mesh.axes.back().size);
    } while (in.Consume(","));
    in.Expect("]");
  }
  int64_t count = DeviceCount(in, sizes);
  if (in.Consume(",")) {
    in.Expect("device_ids=");
    mesh.devices = in.Numbers("[", "]");
  }
  in.Expect(">");
  in.ExpectEnd();
  mesh.is_maximal = mesh.axes.empty() && mesh.devices.size() == 1;
  if (mesh.is_maximal) return mesh;
  if (mesh.devices.empty()) {
    for (int64_t i = 0; i < count; ++i) mesh.devices.push_back(i);
  }
  std::vector<int64_t> sorted = mesh.devices;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t i = 0; i < count; ++i) {
    if (static_cast<int64_t>(sorted.size()) != count || sorted[static_cast<size_t>(i)] != i) {
      in.Fail("the devices are not all of those up to " + std::to_string(count));
    }
  }
  return mesh;
}

MeshTable Meshes(const Module& module) {
  MeshTable out;
  auto read = [&](const Attribute& form) {
    if (const auto* items = form.get<std::shared_ptr<Dictionary>>()) {
      for (const auto& [name, mesh] : **items) {
        if (const std::string* text = mesh.get<std::string>()) out[name] = ParseMesh(*text);
      }
    } else if (const std::string* text = form.get<std::string>()) {
      // {mesh = #sdy.mesh<["x"=2]>, other = #sdy.mesh<...>}
      Scanner in(*text);
      in.Expect("{");
      while (!in.Consume("}")) {
        std::string name = in.Word();
        in.Expect("=");
        in.Expect("#sdy.mesh");
        out[name] = ParseMesh(in.Angles());
        if (!in.At("}")) in.Expect(",");
      }
    }
  };
  if (auto own = module.attributes.find(kMeshesAttribute); own != module.attributes.end()) read(own->second);
  if (auto frontend = module.attributes.find("mhlo.frontend_attributes"); frontend != module.attributes.end()) {
    if (const auto* items = frontend->second.get<std::shared_ptr<Dictionary>>()) {
      if (auto meshes = (*items)->find("xla.sdy.meshes"); meshes != (*items)->end()) read(meshes->second);
    }
  }
  return out;
}

Mesh FindMesh(std::string_view text, const MeshTable& meshes) {
  if (text.substr(0, 9) == "#sdy.mesh") return ParseMesh(text);
  if (text.substr(0, 1) == "@") text.remove_prefix(1);
  auto found = meshes.find(std::string(text));
  if (found == meshes.end()) throw InvalidArgument("there is no mesh @" + std::string(text.substr(0, 100)));
  return found->second;
}

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

Shard ShardOf(const Sharding& sharding, const Dims& array, int64_t device) {
  Shard shard{true, Dims(array.size(), 0), array, array};
  switch (sharding.kind) {
    case Sharding::kReplicated:
    case Sharding::kManual:
      return shard;
    case Sharding::kMaximal:
      shard.present = device == sharding.device;
      return shard;
    case Sharding::kTuple:
      throw InvalidArgument("the sharding of a tuple for an array");
    case Sharding::kTiled:
      break;
  }
  if (sharding.tiles.size() != array.size()) {
    throw InvalidArgument("a sharding of " + std::to_string(sharding.tiles.size()) + " dimensions for an array of " +
                          std::to_string(array.size()));
  }
  if (device < 0 || device >= static_cast<int64_t>(sharding.tile_of.size())) {
    throw InvalidArgument("the device " + std::to_string(device) + " for a sharding over " +
                          std::to_string(sharding.tile_of.size()));
  }
  for (size_t i = 0; i < array.size(); ++i) {
    int64_t tile = sharding.tile_of[static_cast<size_t>(device)][i];
    int64_t length = array[i] / sharding.tiles[i] + (array[i] % sharding.tiles[i] != 0 ? 1 : 0);
    shard.shape[i] = length;
    shard.start[i] = std::min(array[i], tile * length);
    shard.size[i] = std::min(length, array[i] - shard.start[i]);
  }
  return shard;
}

Array CutShard(const Array& whole, const Shard& shard) {
  Array piece(ArrayType{whole.element_type(), shard.shape});
  CopyBox(whole, shard.start, piece, Dims(shard.size.size(), 0), shard.size);
  return piece;
}

void PasteShard(const Array& piece, const Shard& shard, Array& whole) {
  CopyBox(piece, Dims(shard.size.size(), 0), whole, shard.start, shard.size);
}

Array GroupsOfAxes(const Mesh& mesh, const std::vector<std::string>& axes) {
  std::vector<AxisPart> parts;
  int64_t size = 1;
  for (const std::string& axis : axes) {
    Scanner in(axis);
    parts.push_back(ReadAxis(in, mesh));
    in.ExpectEnd();
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      if (parts[i].axis == parts.back().axis && parts[i].before == parts.back().before) in.Fail("an axis twice");
    }
    if (size > static_cast<int64_t>(mesh.devices.size()) / parts.back().size) in.Fail("more than the mesh has");
    size *= parts.back().size;
  }
  std::vector<int64_t> sizes;
  for (const Mesh::Axis& axis : mesh.axes) sizes.push_back(axis.size);
  // Devices by their place along what is not given.
  std::map<Dims, std::vector<std::pair<int64_t, int64_t>>> groups;
  for (size_t p = 0; p < mesh.devices.size(); ++p) {
    Dims place = Unravel(static_cast<int64_t>(p), sizes);
    Dims rest = place;
    int64_t index = 0;
    for (const AxisPart& part : parts) {
      int64_t digit = Digit(mesh, part, place);
      index = index * part.size + digit;
      rest[part.axis] -= digit * (mesh.axes[part.axis].size / (part.before * part.size));
    }
    groups[rest].emplace_back(index, mesh.devices[p]);
  }
  Array out(ArrayType{ElementType::kS64, {static_cast<int64_t>(groups.size()), size}});
  int64_t* next = out.as<int64_t>();
  for (auto& [rest, members] : groups) {
    if (static_cast<int64_t>(members.size()) != size) throw InvalidArgument("axes of a mesh that overlap");
    std::sort(members.begin(), members.end());
    for (const auto& [index, device] : members) *next++ = device;
  }
  return out;
}

}  // namespace reference
