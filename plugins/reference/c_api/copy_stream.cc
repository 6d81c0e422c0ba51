// PJRT_CopyToDeviceStream_*.
#include "runtime/copy_stream.h"

#include <memory>

#include "c_api/call.h"
#include "c_api/functions.h"
#include "c_api/wrap.h"

namespace reference::c_api {

namespace {

CopyStream& StreamOf(PJRT_CopyToDeviceStream* stream) { return *Given(stream, "stream").stream; }

// The callee owns a chunk, even if the call fails.
struct ChunkOwner {
  PJRT_Chunk* chunk;
  ~ChunkOwner() {
    if (chunk != nullptr && chunk->deleter != nullptr) chunk->deleter(chunk->data, chunk->deleter_arg);
  }
};

}  // namespace

PJRT_Error* CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args* args) {
  return Call("PJRT_CopyToDeviceStream_Destroy", args, [&] {
    if (args->stream == nullptr) return;
    args->stream->stream->Close();
    delete args->stream;
  });
}

PJRT_Error* CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args* args) {
  return Call("PJRT_CopyToDeviceStream_AddChunk", args, [&] {
    const ChunkOwner owner{&Given(args->chunk, "chunk")};
    CopyStream& stream = StreamOf(args->stream);
    try {
      stream.Add(GivenArray(owner.chunk->data, owner.chunk->size, "chunk.data"), owner.chunk->size);
      args->transfer_complete = MakeEvent(Event::Ready());
    } catch (const Error& error) {
      args->transfer_complete = MakeEvent(Event::Failed(error));
    }
  });
}

PJRT_Error* CopyToDeviceStream_TotalBytes(PJRT_CopyToDeviceStream_TotalBytes_Args* args) {
  return Call("PJRT_CopyToDeviceStream_TotalBytes", args,
              [&] { args->total_bytes = static_cast<int64_t>(StreamOf(args->stream).total_bytes()); });
}

PJRT_Error* CopyToDeviceStream_GranuleSize(PJRT_CopyToDeviceStream_GranuleSize_Args* args) {
  return Call("PJRT_CopyToDeviceStream_GranuleSize", args,
              [&] { args->granule_size_in_bytes = static_cast<int64_t>(StreamOf(args->stream).granule_bytes()); });
}

PJRT_Error* CopyToDeviceStream_CurrentBytes(PJRT_CopyToDeviceStream_CurrentBytes_Args* args) {
  return Call("PJRT_CopyToDeviceStream_CurrentBytes", args,
              [&] { args->current_bytes = static_cast<int64_t>(StreamOf(args->stream).current_bytes()); });
}

}  // namespace reference::c_api
