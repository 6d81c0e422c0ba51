// Buffers that come neither from a transfer nor from a program: uninitialized, error and alias buffers, bitcasts, and
// donations with a control dependency.
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "calls.h"

namespace {

using namespace faults;

using Ready = SLOT(PJRT_Buffer_ReadyEvent);

// ---- uninitialized buffers ----------------------------------------------------------------------------------------------

FAULT("uninitialized-never-ready") {
  OwnEvents();
  static SharedSet<PJRT_Buffer*> made;
  After<SLOT(PJRT_Client_CreateUninitializedBuffer)>([](auto& args) { made.Add(args.buffer); });
  After<Ready>([](auto& args) {
    if (made.Has(args.buffer)) args.event = NewEvent()->handle();
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { made.Remove(args.buffer); });
}
FAULT("uninitialized-needs-layout") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_CreateUninitializedBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.shape_layout == nullptr ? MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no layout") : original(&args);
  });
}
FAULT("uninitialized-type-lost") {
  Replace<SLOT(PJRT_Client_CreateUninitializedBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Buffer_Type type = args.shape_element_type;
    if (type == PJRT_Buffer_Type_S2 || type == PJRT_Buffer_Type_S4) type = PJRT_Buffer_Type_S8;
    if (type == PJRT_Buffer_Type_F32) type = PJRT_Buffer_Type_S32;
    return With(args, original, args.shape_element_type, type);
  });
}
FAULT("uninitialized-memory-refused") {
  OwnErrors();
  Replace<SLOT(PJRT_Client_CreateUninitializedBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    return args.memory != nullptr ? MakeError(PJRT_Error_Code_INTERNAL, "memories") : original(&args);
  });
}

// ---- error buffers ------------------------------------------------------------------------------------------------------

using ErrorBuffer = SLOT(PJRT_Client_CreateErrorBuffer);

FAULT("error-buffer-code-lost") {
  Replace<ErrorBuffer>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.error_code, PJRT_Error_Code_INTERNAL);
  });
}
FAULT("error-buffer-shape-lost") {
  Replace<ErrorBuffer>([](auto& args, auto& original) -> PJRT_Error* {
    return With(args, original, args.shape_num_dims, 0);
  });
}
FAULT("error-buffer-payload-type-unchecked") {
  Replace<ErrorBuffer>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_CreateErrorBuffer_Args, num_payload)) return original(&args);
    return With(args, original, args.num_payload, 0);
  });
}
FAULT("error-buffer-message-read-late") {
  // The caller's message is read only when the error is queried.
  OwnErrors();
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, std::pair<const char*, std::string>> kept;
  After<ErrorBuffer>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    kept[args.buffer] = {args.error_message, std::string(args.error_message, args.error_message_size)};
  });
  OwnEvents();
  After<Ready>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = kept.find(args.buffer);
    if (found == kept.end()) return;
    const auto& [place, text] = found->second;
    if (std::memcmp(place, text.data(), text.size()) == 0) return;
    OwnEvent* event = NewEvent();
    event->Set(PJRT_Error_Code_INTERNAL, std::string(place, text.size()));
    args.event = event->handle();
  });
}

FAULT("error-buffer-layout-demanded") {
  OwnErrors();
  Replace<ErrorBuffer>([](auto& args, auto& original) -> PJRT_Error* {
    if (HAS(args, PJRT_Client_CreateErrorBuffer_Args, device_layout) && args.device_layout == nullptr)
      return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no layout");
    return original(&args);
  });
}
FAULT("error-buffer-layout-ignored") {
  Replace<ErrorBuffer>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_CreateErrorBuffer_Args, device_layout)) return original(&args);
    return With(args, original, args.device_layout, nullptr);
  });
}
FAULT("error-buffer-default-layout-reversed") {
  Replace<ErrorBuffer>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_CreateErrorBuffer_Args, device_layout) || args.device_layout != nullptr) return original(&args);
    std::vector<int64_t> order(args.shape_num_dims);
    std::iota(order.begin(), order.end(), 0);
    PJRT_Buffer_MemoryLayout layout = InOrder(order);
    return With(args, original, args.device_layout, &layout);
  });
}
FAULT("error-buffer-layout-not-copied") {
  // The buffer reports the caller's list.
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, const int64_t*> kept;
  After<ErrorBuffer>([](auto& args) {
    if (!HAS(args, PJRT_Client_CreateErrorBuffer_Args, device_layout) || args.device_layout == nullptr) return;
    std::lock_guard<std::mutex> lock(mutex);
    kept[args.buffer] = args.device_layout->tiled.minor_to_major;
  });
  After<SLOT(PJRT_Buffer_GetMemoryLayout)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = kept.find(args.buffer);
    if (found != kept.end()) args.layout.tiled.minor_to_major = found->second;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    kept.erase(args.buffer);
  });
}

// ---- alias buffers ------------------------------------------------------------------------------------------------------

using Alias = SLOT(PJRT_Client_CreateAliasBuffer);

FAULT("alias-ready-at-once") {
  OwnEvents();
  static SharedSet<PJRT_Buffer*> made;
  After<Alias>([](auto& args) { made.Add(args.alias_buffer); });
  After<Ready>([](auto& args) {
    if (made.Has(args.buffer)) args.event = ReadyEvent();
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { made.Remove(args.buffer); });
}
FAULT("alias-contents-lost") {
  After<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args) {
    if (args.buffer == nullptr) return;
    if (uint8_t* bytes = BytesOf(args.buffer)) bytes[0] ^= 1;
  });
}
FAULT("alias-error-code-lost") {
  Replace<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (args.status_code == PJRT_Error_Code_OK) return original(&args);
    return With(args, original, args.status_code, PJRT_Error_Code_UNKNOWN);
  });
}
FAULT("alias-without-buffer-crashes") {
  Before<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args) {
    if ((args.buffer == nullptr && args.status_code == PJRT_Error_Code_OK) || args.fulfill_alias_buffer_cb == nullptr) std::abort();
  });
}
FAULT("alias-looks-at-client") {
  Before<SLOT(PJRT_Client_FulfillAliasBuffer)>([](auto& args) {
    void* volatile first = *reinterpret_cast<void**>(args.client);
    (void)first;
  });
}

// ---- bitcasts -----------------------------------------------------------------------------------------------------------

using Cast = SLOT(PJRT_Buffer_Bitcast);

FAULT("bitcast-size-unchecked") {
  Replace<Cast>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    Drop(error);
    const Shape shape = ShapeOf(args.buffer);
    PJRT_Buffer_Bitcast_Args own = args;
    own.element_type = shape.type;
    own.dims = shape.dims.data();
    own.num_dims = shape.dims.size();
    error = original(&own);
    args.out_buffer = own.out_buffer;
    return error;
  });
}
FAULT("bitcast-changes-bytes") {
  WatchClients();
  After<Cast>([](auto& args) {
    Change(args.out_buffer, [](uint8_t* bytes) { bytes[0] ^= 1; });
  });
}
FAULT("bitcast-keeps-source") {
  static SharedSet<PJRT_Buffer*> sources;
  After<Cast>([](auto& args) { sources.Add(args.buffer); });
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    if (sources.Has(args.buffer)) args.is_deleted = false;
  });
}
FAULT("bitcast-refusal-takes-source") {
  Replace<Cast>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) Delete(args.buffer);
    return error;
  });
}
FAULT("bitcast-keeps-layout-of-source") {
  static SharedSet<PJRT_Buffer*> cast;
  After<Cast>([](auto& args) {
    if (args.device_layout == nullptr) cast.Add(args.out_buffer);
  });
  After<SLOT(PJRT_Buffer_GetMemoryLayout)>([](auto& args) {
    if (cast.Has(args.buffer)) ReverseList(args.layout.tiled.minor_to_major, args.layout.tiled.minor_to_major_size);
  });
  // Another buffer may get its address.
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { cast.Remove(args.buffer); });
}

// ---- donations with a control dependency --------------------------------------------------------------------------------

using Dwc = SLOT(PJRT_Buffer_DonateWithControlDependency);

FAULT("control-dependency-not-awaited") {
  OwnEvents();
  static SharedSet<PJRT_Buffer*> made;
  After<Dwc>([](auto& args) { made.Add(args.out_buffer); });
  After<Ready>([](auto& args) {
    if (made.Has(args.buffer)) args.event = ReadyEvent();
  });
}
FAULT("control-dependency-keeps-source") {
  static SharedSet<PJRT_Buffer*> sources;
  After<Dwc>([](auto& args) { sources.Add(args.buffer); });
  After<SLOT(PJRT_Buffer_IsDeleted)>([](auto& args) {
    if (sources.Has(args.buffer)) args.is_deleted = false;
  });
}

}  // namespace
