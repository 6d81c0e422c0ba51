// The rule of the op that remains of Shardy in a program.
#include "ir/sharding.h"
#include "ir/verify.h"

namespace reference {
namespace {

std::vector<std::string> Strings(const OpCheck& check, const char* name) {
  std::vector<std::string> out;
  const Attribute* attribute = check.op.Find(name);
  const auto* list = attribute ? attribute->get<std::shared_ptr<std::vector<Attribute>>>() : nullptr;
  if (list == nullptr) check.Fail(std::string("has no list ") + name);
  for (const Attribute& item : **list) {
    if (item.get<std::string>() == nullptr) check.Fail(std::string("has an entry of ") + name + " that is no string");
    out.push_back(*item.get<std::string>());
  }
  return out;
}

// One device's shard of each of the types.
std::vector<Type> LocalTypes(const OpCheck& check, const std::vector<Type>& types, const char* name,
                             const MeshTable& meshes, const std::vector<std::string>& axes) {
  std::vector<std::string> shardings = Strings(check, name);
  if (shardings.size() != types.size()) check.Fail(std::string("has not one of ") + name + " for each value");
  std::vector<Type> out = types;
  for (size_t i = 0; i < types.size(); ++i) {
    check.Require(!types[i].is_tuple, "takes or returns a tuple");
    Sharding sharding = ParseSharding(shardings[i], meshes, &axes);
    const Dims& dims = types[i].array.dims;
    if (sharding.kind != Sharding::kTiled) continue;
    out[i].array.dims = ShardOf(sharding, dims, 0).shape;
    for (size_t k = 0; k < dims.size(); ++k) {
      if (dims[k] % sharding.tiles[k] != 0) check.Fail("cuts a dimension into pieces of different sizes");
    }
  }
  return out;
}

}  // namespace

void CheckManualComputation(const OpCheck& check, const OpInfo&) {
  MeshTable meshes = Meshes(check.module);
  std::vector<std::string> axes = Strings(check, "manual_axes");
  std::vector<Type> arguments = LocalTypes(check, check.OperandTypes(), "in_shardings", meshes, axes);
  std::vector<Type> returns = LocalTypes(check, check.op.result_types, "out_shardings", meshes, axes);
  check.ExpectRegion(0, arguments, returns);
}

}  // namespace reference
