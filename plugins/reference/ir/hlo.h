// Programs in the format "hlo": a serialized HloModuleProto.
#pragma once

#include <string>
#include <string_view>

namespace reference {

// The same program as StableHLO text. Calls are inlined, tuples are flattened. Throws InvalidArgument if the bytes are no
// HLO module, and Unimplemented, naming the instruction, for what this plugin reads in StableHLO only.
std::string TextOfHlo(std::string_view module);
// The module in a HloModuleProtoWithConfig, the format "hlo_with_config".
std::string_view ModuleWithoutConfig(std::string_view module_with_config);

}  // namespace reference
