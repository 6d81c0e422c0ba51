// Send and receive callbacks of executions, and the streams that receive callbacks fill.
#include <cstring>

#include "calls.h"

namespace {

using namespace faults;

using AddChunk = SLOT(PJRT_CopyToDeviceStream_AddChunk);

PJRT_SendCallback original_send = nullptr;
PJRT_SendCallback replaced_send = nullptr;

/** Executions call `send` instead of the caller's callback, which is `original_send`. */
void ReplaceSend(PJRT_SendCallback send) {
  replaced_send = send;
  Replace<SLOT(PJRT_LoadedExecutable_Execute)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_ExecuteOptions* options = args.options;
    if (options->num_send_ops != 1) return original(&args);
    PJRT_SendCallbackInfo info = options->send_callbacks[0][0];
    original_send = info.send_callback;
    info.send_callback = replaced_send;
    // The base may read the list until the execution ends.
    PJRT_SendCallbackInfo* kept = new PJRT_SendCallbackInfo(info);
    auto** lists = new PJRT_SendCallbackInfo*(kept);
    return With(args, original, options->send_callbacks, lists);
  });
}

FAULT("send-callback-data-damaged") {
  ReplaceSend([](PJRT_Chunk* chunk, PJRT_CallbackError* error, size_t total, bool done, void* user_arg) {
    static_cast<char*>(chunk->data)[chunk->size - 1] ^= 0x40;
    return original_send(chunk, error, total, done, user_arg);
  });
}
FAULT("send-callback-argument-lost") {
  ReplaceSend([](PJRT_Chunk* chunk, PJRT_CallbackError* error, size_t total, bool done, void*) {
    return original_send(chunk, error, total, done, nullptr);
  });
}
FAULT("send-callback-error-dropped") {
  ReplaceSend([](PJRT_Chunk* chunk, PJRT_CallbackError* error, size_t total, bool done, void* user_arg) -> PJRT_Error* {
    Drop(original_send(chunk, error, total, done, user_arg));
    return nullptr;
  });
}
FAULT("send-callback-error-keeps-no-message") {
  static PJRT_CallbackError plain = nullptr;
  ReplaceSend([](PJRT_Chunk* chunk, PJRT_CallbackError* error, size_t total, bool done, void* user_arg) {
    plain = *error;
    static PJRT_CallbackError mute = [](PJRT_Error_Code code, const char*, size_t) {
      return plain(code, "callback failed", 15);
    };
    return original_send(chunk, &mute, total, done, user_arg);
  });
}
FAULT("copy-stream-chunk-freed-twice") {
  Before<AddChunk>([](auto& args) { args.chunk->deleter(args.chunk->data, args.chunk->deleter_arg); });
}
FAULT("copy-stream-chunk-never-freed") {
  Before<AddChunk>([](auto& args) { args.chunk->deleter = nullptr; });
}
FAULT("copy-stream-refused-chunk-never-freed") {
  Before<AddChunk>([](auto& args) {
    ARGS(PJRT_CopyToDeviceStream_TotalBytes, total);
    total.stream = args.stream;
    if (!Ask(Base().PJRT_CopyToDeviceStream_TotalBytes, total)) return;
    if (static_cast<int64_t>(args.chunk->size) > total.total_bytes) args.chunk->deleter = nullptr;
  });
}
FAULT("copy-stream-too-much-accepted") {
  Before<AddChunk>([](auto& args) {
    ARGS(PJRT_CopyToDeviceStream_TotalBytes, total);
    total.stream = args.stream;
    if (!Ask(Base().PJRT_CopyToDeviceStream_TotalBytes, total)) return;
    if (static_cast<int64_t>(args.chunk->size) > total.total_bytes) {
      args.chunk->size = static_cast<size_t>(total.total_bytes);
    }
  });
}
FAULT("copy-stream-current-bytes-stuck") {
  After<SLOT(PJRT_CopyToDeviceStream_CurrentBytes)>([](auto& args) { args.current_bytes = 0; });
}
FAULT("copy-stream-chunk-replaced") {
  // Every chunk is written at the beginning of the stream's own copy.
  Before<AddChunk>([](auto& args) { std::memset(args.chunk->data, 0, args.chunk->size); });
}

}  // namespace
