#include "c_api/extensions.h"

#include <map>

#include "base/design.h"
#include "c_api/extensions/extension.h"

namespace reference {
namespace {

// struct_size by type, of the extensions in the version of this process.
std::map<int, size_t> Sizes() {
  std::map<int, size_t> sizes;
#define REFERENCE_EXTENSION(suffix, minor, size) \
  if (minor <= ApiMinor()) sizes[PJRT_Extension_Type_##suffix] = size;
#include "struct_sizes.inc"
  return sizes;
}

PJRT_Extension_Base* MakeChain() {
  const auto sizes = Sizes();
  PJRT_Extension_Base* first = nullptr;
  PJRT_Extension_Base** last = &first;
  for (PJRT_Extension_Base* node :
       {ProfilerExtension(), StreamExtension(), LayoutsExtension(), FfiExtension(), MemoryDescriptionsExtension(),
        RawBufferExtension(), PhaseCompileExtension(), ExampleExtension(), CrossHostTransfersExtension(),
        ExecutableMetadataExtension(), CallbackExtension(), ShardingsExtension(), AbiVersionExtension(),
        HostMemoryAllocatorExtension()}) {
    const auto size = sizes.find(node->type);
    if (size == sizes.end()) continue;
    if (node->type == PJRT_Extension_Type_MemoryDescriptions && ThisDesign().no_memories) continue;
    node->struct_size = size->second;
    node->next = nullptr;
    *last = node;
    last = &node->next;
  }
  return first;
}

}  // namespace

PJRT_Extension_Base* ExtensionChain() {
  static PJRT_Extension_Base* const chain = MakeChain();
  return chain;
}

}  // namespace reference
