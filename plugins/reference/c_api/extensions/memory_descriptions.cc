// MemoryDescriptions: the memories of devices, also of device descriptions.
#include "c_api/extensions/extension.h"
#include "runtime/memory_space.h"

struct PJRT_MemoryDescription {
  reference::MemoryKind kind;
};

namespace reference {
namespace {

// The same for every device.
constexpr PJRT_MemoryDescription kDescriptions[] = {
    {MemoryKind::kDevice}, {MemoryKind::kPinnedHost}, {MemoryKind::kUnpinnedHost}};
const PJRT_MemoryDescription* const kPointers[] = {&kDescriptions[0], &kDescriptions[1], &kDescriptions[2]};
static_assert(sizeof(kPointers) / sizeof(kPointers[0]) == kNumMemoryKinds, "a description for each kind");

PJRT_Error* Descriptions(PJRT_DeviceDescription_MemoryDescriptions_Args* args) {
  return CALL_EXTENSION(PJRT_DeviceDescription_MemoryDescriptions, args, [&] {
    Given(args->device_description, "device_description");
    args->memory_descriptions = kPointers;
    args->num_memory_descriptions = kNumMemoryKinds;
    args->default_memory_index = static_cast<size_t>(MemoryKind::kDevice);
  });
}

PJRT_Error* Kind(PJRT_MemoryDescription_Kind_Args* args) {
  return CALL_EXTENSION(PJRT_MemoryDescription_Kind, args, [&] {
    const MemoryKind kind = Given(args->memory_description, "memory_description").kind;
    args->kind = MemoryKindName(kind).data();
    args->kind_size = MemoryKindName(kind).size();
    args->kind_id = static_cast<int>(kind);
  });
}

}  // namespace

PJRT_Extension_Base* MemoryDescriptionsExtension() {
  static PJRT_MemoryDescriptions_Extension extension = {BaseOf(PJRT_Extension_Type_MemoryDescriptions), Descriptions,
                                                        Kind};
  return &extension.base;
}

}  // namespace reference
