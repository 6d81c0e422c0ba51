// A StableHLO module, independent of its source format.
//
// Canonical form: op names are those of StableHLO ("stablehlo.add", "func.call" as "call", "func.return" and
// "stablehlo.return" as "return"). Attributes carry the names and kinds that the newest VHLO version of the op gives
// them, which flattens StableHLO's structured attributes: dot_general has lhs_batching_dimensions,
// lhs_contracting_dimensions, ...; convolution has input_batch_dimension, window_strides, ...; gather has offset_dims,
// index_vector_dim, ... Attributes that a form leaves out are filled in with their defaults by the reader.
//
// Kinds, if a form allows several:
//   * An attribute that is a dense list of one dimension of i64 or index is a vector<int64_t>, of i1 a vector<bool>, also
//     when the list is empty; every other dense attribute is an Array. "value" of a constant is always an Array, and so are
//     padding ([n, 2]), source_target_pairs ([n, 2]; none: [0, 2]) and replica_groups ([groups, size], short groups filled
//     up with -1; none: [0, 0]).
//   * The algorithm of dot_general: lhs_precision_type, rhs_precision_type and accumulation_type are the Type of a scalar,
//     or the string "tf32" for the one that is no element type; the counts are int64_t, allow_imprecise_accumulation is
//     bool. Without an algorithm all seven are absent.
//   * precision_config, called_computations, output_operand_aliases, operand_layouts, result_layouts, result_tilings are
//     lists; a layout is a vector<int64_t>, an alias {output_tuple_indices, operand_index, operand_tuple_indices}.
//   * result_accuracy is {atol, rtol (double), ulps (int64_t), mode (string)}.
//   * channel_id is 0 where the program names no channel, sym_visibility is Function::is_public.
//   * Attributes that VHLO does not know (mhlo.sharding, mhlo.frontend_attributes, mhlo.backend_config, jax.*, tf.*) stay
//     under their names. Attributes of Shardy are strings in Shardy's spelling: "#sdy.sharding<@mesh, [{\"x\"}, {}]>";
//     ir/sharding.h reads them, and describes how the ops of Shardy are converted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/array.h"
#include "base/error.h"

namespace reference {

// Type of a value: an array, a token (element type kToken, no dimensions), or a tuple of types.
struct Type {
  ArrayType array;
  bool is_tuple = false;
  std::vector<Type> elements;  // of a tuple

  bool operator==(const Type& o) const {
    return is_tuple == o.is_tuple && array == o.array && elements == o.elements;
  }
  bool operator!=(const Type& o) const { return !(*this == o); }
  std::string ToString() const;
};

struct Attribute;
using Dictionary = std::map<std::string, Attribute>;

// Value of an attribute. Enumerations ("EQ", "DEFAULT", "THREE_FRY") and symbols ("@body", without the @) are strings.
struct Attribute {
  std::variant<std::monostate,                            // absent, unit
               bool, int64_t, double, std::string,
               std::vector<int64_t>,                      // array<i64: ...>, dense<...> : tensor<Nxi64> that the op reads as a list
               std::vector<bool>,                         // array<i1: ...>
               Array,                                     // dense<...> of a constant, of padding, of replica_groups
               std::shared_ptr<std::vector<Attribute>>,   // [a, b]
               std::shared_ptr<Dictionary>,               // {a = 1}; also structured attributes that are not flattened
               Type>
      value;
  // The type that a number, or the numbers of an array<...>, were written with; kInvalid where none was. Handlers of custom
  // calls see it.
  ElementType number_type = ElementType::kInvalid;

  template <typename T>
  const T* get() const { return std::get_if<T>(&value); }
};

using ValueId = int32_t;  // numbered within a function, over all its regions

struct Block;

struct Region {
  std::vector<Block> blocks;  // exactly one in what StableHLO allows
  const Block& block() const;
};

struct Op {
  std::string name;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<Type> result_types;
  Dictionary attributes;
  std::vector<Region> regions;
  // "line 3:10" of a text, or the location that came with an artifact; for messages.
  std::string location;

  // Attributes that must be there; throw Internal naming the op when they are not or have another kind.
  int64_t Int(const std::string& name) const;
  bool Bool(const std::string& name) const;
  const std::string& String(const std::string& name) const;
  std::vector<int64_t> Ints(const std::string& name) const;
  const Attribute* Find(const std::string& name) const;
};

struct Block {
  std::vector<ValueId> arguments;
  std::vector<Type> argument_types;
  std::vector<Op> ops;  // the last one is the "return"
};

struct Function {
  std::string name;
  bool is_public = true;
  std::vector<Type> argument_types;
  std::vector<Type> result_types;
  std::vector<Dictionary> argument_attributes;  // one an argument: tf.aliasing_output, mhlo.memory_kind, mhlo.sharding, ...
  std::vector<Dictionary> result_attributes;    // one a result
  Dictionary attributes;                        // what else the function carries
  Block body;
  int32_t value_count = 0;  // ValueIds are below it
};

struct Module {
  std::string name;
  Dictionary attributes;  // mhlo.num_partitions, mhlo.num_replicas, mhlo.frontend_attributes, ...
  std::map<std::string, Function> functions;
  // The version of StableHLO that an artifact was written for, "1.13.0"; empty for text.
  std::string stablehlo_version;

  const Function& main() const;  // throws InvalidArgument without a public @main
};

// Readers. Both throw InvalidArgument with the place and what was expected (Unimplemented for an op that StableHLO has
// and this plugin does not), never crash on any bytes, and return a verified module.
Module ParseText(std::string_view text);
Module ReadArtifact(std::string_view bytes);  // a StableHLO portable artifact: VHLO in MLIR bytecode
bool IsBytecode(std::string_view bytes);      // begins with the magic number
// Either, by the first bytes.
Module ReadProgram(std::string_view code);

// Checks operand counts, that values are defined before use, types and shapes against every op's rules (the result types
// written in the program must be the ones inferred), attributes within their ranges, regions' signatures.
// Throws InvalidArgument naming op and place.
void Verify(const Module& module);

// One line an op; for tests and messages, and the text form that PJRT_Executable_OptimizedProgram returns: generic MLIR
// that ParseText reads back to the same module.
std::string Print(const Module& module);

}  // namespace reference
