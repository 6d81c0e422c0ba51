// Distribution of a program's values over its partitions: XLA's sharding strings (mhlo.sharding) and Shardy's.
//
// Programs for several devices in the canonical module:
//   * Attributes of arguments and results of @main: "mhlo.sharding" ("{devices=[2,2]<=[4]}") or "sdy.sharding"
//     ("#sdy.sharding<@mesh, [{"x"}, {}]>"); FindSharding reads whichever is there. What has none is replicated.
//   * Module::attributes[kMeshesAttribute] is a dictionary from the names of the program's meshes to their text,
//     "#sdy.mesh<["x"=2, "y"=2]>"; Meshes reads it.
//   * The types of @main are those of whole arrays; a partition holds the shard that ShardOf says.
//   * "sdy.manual_computation" is the op that is left of Shardy. Its operands and results are whole arrays, the
//     arguments and the "return" of its one region what each partition has of them. Attributes: in_shardings and
//     out_shardings, lists of strings, one for each operand and result; manual_axes, a list of strings: what is cut is
//     cut along these axes alone, so ParseSharding is to be given them. Collectives stand in its region.
//   * sharding_constraint, reshard and the like are gone, their results are their operands; so are the casts between
//     VHLO and builtin types, and sdy.named_computation is replaced by what it holds.
//   * Programs of the older partitioner have custom calls instead: "Sharding" (an identity), "SPMDFullToShardShape" and
//     "SPMDShardToFullShape". The mhlo.sharding of the "Sharding" op whose result goes into the second, and that of the
//     third itself, say how the whole array is cut.
// A program with such attributes means what it says for whole arrays. To run it, every partition can compute all of it
// on whole arrays, exchange shards at the beginning, cut them at the end, and do both at the border of a manual
// computation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"

namespace reference {

constexpr const char* kMeshesAttribute = "sdy.meshes";

// Logical devices in a grid with named axes.
struct Mesh {
  struct Axis {
    std::string name;
    int64_t size;
  };
  std::vector<Axis> axes;
  std::vector<int64_t> devices;  // at each place of the grid, the last axis running fastest
  bool is_maximal = false;       // no axes, and one device that is named
};

using MeshTable = std::map<std::string, Mesh>;

// "#sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>", also without "#sdy.mesh".
Mesh ParseMesh(std::string_view text);
MeshTable Meshes(const Module& module);
// By the text of a mesh or by a name, with or without the "@". Throws InvalidArgument for a name that is not there.
Mesh FindMesh(std::string_view text, const MeshTable& meshes);

struct Sharding {
  enum Kind {
    kReplicated,  // every device has the whole array
    kMaximal,     // one device has the whole array
    kTiled,       // every device has a tile; several devices may have the same one
    kManual,      // every device has an array of its own
    kTuple,
  };
  Kind kind = kReplicated;
  int64_t device = 0;  // of kMaximal
  // Of kTiled: into how many pieces each dimension is cut, and for each device the number of its piece in each one.
  Dims tiles;
  std::vector<Dims> tile_of;
  std::vector<Sharding> elements;  // of kTuple
};

// Either form. If axes are given, a sharding of Shardy splits only along these. Throws InvalidArgument.
Sharding ParseSharding(std::string_view text, const MeshTable& meshes,
                       const std::vector<std::string>* only_axes = nullptr);

// The devices of a kTiled one in XLA's order: tile by tile, the last dimension running fastest, and those with the same
// tile after one another, which is one more dimension of the grid.
struct TileAssignment {
  Dims grid;
  std::vector<int64_t> devices;
  bool has_copies = false;  // the last dimension of the grid splits nothing
};
// Nothing if some tiles are on more devices than others, which XLA cannot express.
std::optional<TileAssignment> TileAssignmentOf(const Sharding& sharding);

// In the syntax of mhlo.sharding: "{devices=[2,2]0,1,2,3}". ParseSharding reads it back.
std::string ToString(const Sharding& sharding);

// Of an argument, a result or an op, from its attributes.
std::optional<Sharding> FindSharding(const Dictionary& attributes, const MeshTable& meshes);

// A device's shard of an array. A dimension that its pieces do not divide is split as if it were longer: `shape` is the
// same on all devices, `size` the part inside the array (0 if a device has nothing).
struct Shard {
  bool present = true;  // false: nothing of a kMaximal one
  Dims start;
  Dims size;
  Dims shape;
};
Shard ShardOf(const Sharding& sharding, const Dims& array, int64_t device);

// A device's piece of a whole array, padded with zeros.
Array CutShard(const Array& whole, const Shard& shard);
// Copies a device's piece to its position in the whole array.
void PasteShard(const Array& piece, const Shard& shard, Array& whole);

// The groups of devices that differ only along the given axes, as replica_groups; an axis is written as in Shardy, in
// quotes: "x" or "x":(1)2. The devices of a group are in the order of the axes as given, the first running slowest.
Array GroupsOfAxes(const Mesh& mesh, const std::vector<std::string>& axes);

}  // namespace reference
