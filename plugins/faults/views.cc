// Views of memory of the device.
#include <cstdlib>
#include <cstring>
#include <map>

#include "../wrapper/shared_set.h"
#include "callbacks.h"
#include "calls.h"

namespace {

using namespace faults;

using View = SLOT(PJRT_Client_CreateViewOfDeviceBuffer);
FAULT("view-callback-never") {
  ChangeDeleter([](const Kept&, void*) {});
}
FAULT("view-callback-twice") {
  ChangeDeleter([](const Kept& kept, void* pointer) {
    kept.call(pointer, kept.user_arg);
    kept.call(pointer, kept.user_arg);
  });
}
FAULT("view-callback-arguments-swapped") {
  ChangeDeleter([](const Kept& kept, void* pointer) { kept.call(kept.user_arg, pointer); });
}
FAULT("view-callback-pointer-null") {
  ChangeDeleter([](const Kept& kept, void*) { kept.call(nullptr, kept.user_arg); });
}
FAULT("view-callback-at-creation") {
  After<View>([](auto& args) {
    if (args.on_delete_callback != nullptr) args.on_delete_callback(args.device_buffer_ptr, args.on_delete_callback_arg);
  });
}
FAULT("view-without-callback-crashes") {
  Before<View>([](auto& args) {
    if (args.on_delete_callback == nullptr) std::abort();
  });
}
FAULT("view-is-a-copy") {
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    Shape shape{args.element_type, std::vector<int64_t>(args.dims, args.dims + args.num_dims)};
    const size_t bytes = shape.count() * ElementBytes(shape.type);
    auto* copy = static_cast<uint8_t*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64));
    std::memcpy(copy, args.device_buffer_ptr, bytes);
    return With(args, original, args.device_buffer_ptr, copy);
  });
}
FAULT("view-type-of-owner") {
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    const bool wide = args.element_type == PJRT_Buffer_Type_F32 || args.element_type == PJRT_Buffer_Type_U32;
    return With(args, original, args.element_type, wide ? PJRT_Buffer_Type_S32 : args.element_type);
  });
}
FAULT("view-nowhere-accepted") {
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    const bool memory = HAS(args, PJRT_Client_CreateViewOfDeviceBuffer_Args, memory) && args.memory != nullptr;
    if (args.device != nullptr || memory) return original(&args);
    ARGS(PJRT_Client_AddressableDevices, list);
    list.client = args.client;
    Ask(Base().PJRT_Client_AddressableDevices, list);
    return With(args, original, args.device, list.addressable_devices[0]);
  });
}
FAULT("view-memory-ignored") {
  OwnErrors();
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_CreateViewOfDeviceBuffer_Args, memory) || args.memory == nullptr) return original(&args);
    if (args.device == nullptr) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no device");
    return With(args, original, args.memory, nullptr);
  });
}
FAULT("view-frees-memory") {
  // Destroying a view frees the memory behind it.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::pair<void*, size_t>> views;
  After<View>([](auto& args) {
    Shape shape{args.element_type, std::vector<int64_t>(args.dims, args.dims + args.num_dims)};
    std::lock_guard<std::mutex> lock(mutex);
    views[args.buffer] = {args.device_buffer_ptr, shape.count() * ElementBytes(shape.type)};
  });
  auto end = [](PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = views.find(buffer);
    if (found == views.end()) return;
    std::memset(found->second.first, 0xdd, found->second.second);
    views.erase(found);
  };
  Before<SLOT(PJRT_Buffer_Delete)>([end](auto& args) { end(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([end](auto& args) { end(args.buffer); });
}
FAULT("view-not-executable") {
  OwnErrors();
  static SharedSet<PJRT_Buffer*> views;
  After<View>([](auto& args) { views.Add(args.buffer); });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { views.Remove(args.buffer); });
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    for (size_t i = 0; i < args.num_args; ++i) {
      if (views.Has(args.argument_lists[0][i])) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "a view");
    }
    return original(&args);
  });
}
/** Whether memory is aligned as XLA's CPU client demands. */
bool IsAligned(const PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  return reinterpret_cast<uintptr_t>(args.device_buffer_ptr) % 64 == 0;
}
FAULT("view-unaligned-other-error") {
  OwnErrors();
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    return IsAligned(args) ? original(&args) : MakeError(PJRT_Error_Code_INTERNAL, "check failed: aligned");
  });
}
FAULT("view-refused-releases") {
  OwnErrors();
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    if (IsAligned(args)) return original(&args);
    if (args.on_delete_callback != nullptr) args.on_delete_callback(args.device_buffer_ptr, args.on_delete_callback_arg);
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "unaligned");
  });
}
FAULT("view-unaligned-from-aligned-address") {
  // The address is rounded down to what loads want.
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    const auto address = reinterpret_cast<uintptr_t>(args.device_buffer_ptr);
    return With(args, original, args.device_buffer_ptr, reinterpret_cast<void*>(address / 64 * 64));
  });
}
FAULT("view-layout-ignored") {
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* { return With(args, original, args.layout, nullptr); });
}
FAULT("view-stream-demanded") {
  OwnErrors();
  Replace<View>([](auto& args, auto& original) -> PJRT_Error* {
    return args.stream == 0 ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no stream") : original(&args);
  });
}

}  // namespace
