// Converts attributes of an artifact's ops to the form of the op table.
#pragma once

#include "ir/bytecode_attributes.h"
#include "ir/op_table.h"

namespace reference {

// Throws InvalidArgument for an attribute of another kind.
Attribute AdaptAttribute(const AttributeRule& rule, AttributeNode& node, AttributeReader& reader);

// Expands replica_groups given as axes of a mesh; called when all meshes are known.
void ExpandGroups(Module& module, AttributeReader& reader);

}  // namespace reference
