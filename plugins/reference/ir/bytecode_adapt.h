// Attributes of an artifact's ops in the form that the table of ops wants.
#pragma once

#include "ir/bytecode_attributes.h"
#include "ir/op_table.h"

namespace reference {

// Throws InvalidArgument for an attribute of another kind.
Attribute AdaptAttribute(const AttributeRule& rule, AttributeNode& node, AttributeReader& reader);

// Writes out replica_groups that are given as axes of a mesh; when all meshes are known.
void ExpandGroups(Module& module, AttributeReader& reader);

}  // namespace reference
