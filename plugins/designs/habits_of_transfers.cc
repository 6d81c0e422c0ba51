// What becomes of the caller's memory in transfers.
#include <algorithm>
#include <cstring>
#include <thread>

#include "habits.h"

namespace designs {
namespace {

/** Data of the host is given to the base with other semantics than the caller's. */
void ChangeSemantics(std::optional<PJRT_HostBufferSemantics> (*change)(PJRT_HostBufferSemantics)) {
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([change](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics)) return original(&args);
    const auto changed = change(args.host_buffer_semantics);
    return changed ? With(args, original, args.host_buffer_semantics, *changed) : original(&args);
  });
}

}  // namespace

/**
 * What the caller gives for good is copied too. "On non-CPU platforms this acts identically to
 * kImmutableUntilTransferCompletes": for designs whose memory is not the host's.
 */
void DeviceCopies() {
  ChangeSemantics([](PJRT_HostBufferSemantics given) -> std::optional<PJRT_HostBufferSemantics> {
    if (given != PJRT_HostBufferSemantics_kMutableZeroCopy) return std::nullopt;
    return PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
  });
}

/**
 * Data of the host is copied to a staging area before the call returns, whatever the caller would allow.
 * The runtime "may hold onto `data`", the buffer "may alias `data` internally": it need not.
 */
void StagedTransfers() {
  ChangeSemantics([](PJRT_HostBufferSemantics given) -> std::optional<PJRT_HostBufferSemantics> {
    // What is no such value is for the base to refuse.
    if (given < PJRT_HostBufferSemantics_kImmutableOnlyDuringCall || given > PJRT_HostBufferSemantics_kMutableZeroCopy) {
      return std::nullopt;
    }
    return PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  });
}

/**
 * With kImmutableZeroCopy the host buffer is used until PJRT_Buffer_Destroy.
 * "the runtime will call `done_with_host_buffer` when the PjRtBuffer is freed", and Delete drops the memory "without freeing the
 * `buffer` object itself".
 */
void ZeroCopyUntilFreed() {
  struct Held {
    OwnEvent* own;
    PJRT_Event* base;
  };
  OwnEvents();
  static auto& held = *new Notes<PJRT_Buffer, Held>();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableZeroCopy) return;
    if (args.done_with_host_buffer == nullptr || args.buffer == nullptr) return;
    OwnEvent* own = NewEvent();
    held.Set(args.buffer, {own, args.done_with_host_buffer});
    args.done_with_host_buffer = own->handle();
  });
  Replace<SLOT(PJRT_Buffer_Destroy)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Buffer_Destroy_Args, buffer)) return original(&args);
    const auto kept = held.Take(args.buffer);
    PJRT_Error* error = original(&args);
    if (!kept) return error;
    // What still reads it finishes first.
    std::thread([kept = *kept] {
      ARGS(PJRT_Event_Await, await);
      await.event = kept.base;
      AskAny(Table().PJRT_Event_Await, await);
      ARGS(PJRT_Event_Destroy, destroy);
      destroy.event = kept.base;
      AskAny(Table().PJRT_Event_Destroy, destroy);
      kept.own->Set();
    }).detach();
    return error;
  });
}

/**
 * Until its event is ready, a read writes something else to the destination.
 * "Event that signals when the copy has completed": before, the contents of `dst` are not defined. Nothing beyond the size
 * needed is touched.
 */
void ScribblingReads() {
  Replace<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    if (!HAS(args, PJRT_Buffer_ToHostBuffer_Args, event) || args.dst == nullptr || args.src == nullptr) {
      return original(&args);
    }
    ARGS(PJRT_Buffer_ToHostBuffer, query);
    query.struct_size = std::min(args.struct_size, query.struct_size);
    query.src = args.src;
    query.host_layout = args.host_layout;
    PJRT_Error* error = original(&query);
    if (error == nullptr && query.dst_size <= args.dst_size) std::memset(args.dst, 0xa5, query.dst_size);
    DropAny(error);
    return original(&args);
  });
}

}  // namespace designs
