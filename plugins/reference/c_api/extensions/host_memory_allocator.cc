// HostMemoryAllocator: host memory for fast transfers. Any works; this one is aligned for zero-copy.
#include <cstdlib>

#include "c_api/extensions/extension.h"

namespace reference {
namespace {

constexpr size_t kAlignment = 4096;

PJRT_Error* Allocate(PJRT_HostMemoryAllocator_Allocate_Args* args) {
  return CALL_EXTENSION(PJRT_HostMemoryAllocator_Allocate, args, [&] {
    Given(args->client, "client");
    if (args->numa_node < -1) throw InvalidArgument("there is no NUMA node " + std::to_string(args->numa_node));
    void* memory = nullptr;
    // Out of memory is null, not an error.
    if (posix_memalign(&memory, kAlignment, args->size == 0 ? 1 : args->size) != 0) memory = nullptr;
    args->ptr = static_cast<uint8_t*>(memory);
    args->deleter = nullptr;
    if (memory != nullptr) args->deleter = [](void* pointer, void*) { std::free(pointer); };
    args->deleter_arg = nullptr;
  });
}

}  // namespace

PJRT_Extension_Base* HostMemoryAllocatorExtension() {
  static PJRT_HostMemoryAllocator_Extension extension = {BaseOf(PJRT_Extension_Type_HostMemoryAllocator), Allocate};
  return &extension.base;
}

}  // namespace reference
