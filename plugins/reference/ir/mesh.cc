// Meshes of Shardy and their axes.

#include <algorithm>

#include "ir/sharding.h"
#include "ir/sharding_scanner.h"

namespace reference {

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
  // Devices by their position along the other axes.
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
