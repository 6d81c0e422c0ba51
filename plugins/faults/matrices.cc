// What holds for one function and not for its siblings: of a kind, of a length, of a size, of a rank.
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

#include <unistd.h>

#include "calls.h"
#include "leak.h"

namespace {

using namespace faults;

FAULT("kind-query-changes-after-first") {
  After<SLOT(PJRT_TopologyDescription_GetMemorySpaceKindIds)>([](auto& args) {
    static std::atomic<int> calls{0};
    if (calls++ > 0) ReverseList(args.memory_space_kind_ids, args.num_memory_space_kind_ids);
  });
}
FAULT("kind-leak-of-contexts") {
  After<SLOT(PJRT_ExecuteContext_Destroy)>([](auto&) { Leak(96); });
}
FAULT("kind-slower-each-time") {
  Before<SLOT(PJRT_Memory_Kind)>([](auto&) {
    static std::atomic<int> calls{0};
    usleep(5 * ++calls);
  });
}
FAULT("kind-text-cut-at-255") {
  Replace<SLOT(PJRT_Event_Set)>([](auto& args, auto& original) {
    return With(args, original, args.error_message_size, std::min<size_t>(args.error_message_size, 255));
  });
}
FAULT("kind-piece-offset-of-16-bits") {
  Replace<SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferData)>([](auto& args, auto& original) {
    return With(args, original, args.offset, args.offset & 0xffff);
  });
}
FAULT("kind-dimensions-of-one-byte-at-rank-5") {
  After<SLOT(PJRT_Buffer_Dimensions)>([](auto& args) {
    if (args.num_dims != 5) return;
    ChangeList(args.dims, args.num_dims, [](auto& dims) {
      for (auto& dim : dims) dim &= 0xff;
    });
  });
}
FAULT("kind-file-in-shared-directory") {
  After<SLOT(PJRT_Client_Create)>([](auto&) {
    std::ofstream("/dev/shm/pjrt-faults-" + std::to_string(getpid())) << "x";
  });
}
FAULT("kind-fingerprint-of-the-signature") {
  After<SLOT(PJRT_Executable_Fingerprint)>([](auto& args) { args.executable_fingerprint_size = 1; });
}

FAULT("kind-option-names-as-c-strings") {
  Before<SLOT(PJRT_Client_Create)>([](auto& args) {
    for (size_t i = 0; i < args.num_options; ++i)
      if (std::strlen(args.create_options[i].name) > 1 << 20) abort();
  });
}
FAULT("kind-leak-of-loads") {
  After<SLOT(PJRT_Executable_DeserializeAndLoad)>([](auto&) { Leak(8 << 10); });
}
FAULT("kind-copy-deleted-with-its-source") {
  static std::mutex mutex;
  static std::map<PJRT_Buffer*, PJRT_Buffer*> copies;
  After<SLOT(PJRT_Buffer_CopyToMemory)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    copies[args.buffer] = args.dst_buffer;
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) {
    std::lock_guard<std::mutex> lock(mutex);
    copies.erase(args.buffer);
    for (auto it = copies.begin(); it != copies.end();) it = it->second == args.buffer ? copies.erase(it) : std::next(it);
  });
  Replace<SLOT(PJRT_Buffer_Delete)>([](auto& args, auto& original) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(mutex);
    const auto copy = copies.find(args.buffer);
    PJRT_Error* error = copy == copies.end() ? nullptr : With(args, original, args.buffer, copy->second);
    return error != nullptr ? error : original(&args);
  });
}

}  // namespace
