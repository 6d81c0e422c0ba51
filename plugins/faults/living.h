// The arrays that a caller has: for faults that damage one while something else happens.
#ifndef PJRT_FAULTS_LIVING_H_
#define PJRT_FAULTS_LIVING_H_

#include <algorithm>

#include "buffers.h"
#include "execute.h"

namespace faults {

/** Buffers that were not destroyed yet, in the order in which they were made. */
class LivingBuffers {
 public:
  void Add(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    buffers_.push_back(buffer);
  }
  void Remove(PJRT_Buffer* buffer) {
    std::lock_guard<std::mutex> lock(mutex_);
    buffers_.erase(std::remove(buffers_.begin(), buffers_.end(), buffer), buffers_.end());
  }
  /** Calls `body`, first for the oldest, until it returns true. None is destroyed meanwhile. */
  void Each(const std::function<bool(PJRT_Buffer*)>& body) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::find_if(buffers_.begin(), buffers_.end(), body);
  }
  void EachFromNewest(const std::function<bool(PJRT_Buffer*)>& body) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::find_if(buffers_.rbegin(), buffers_.rend(), body);
  }

 private:
  std::mutex mutex_;
  std::vector<PJRT_Buffer*> buffers_;
};
inline LivingBuffers& Living() {
  static LivingBuffers living;
  return living;
}

/** Records what transfers, executions and copies make from here on. */
inline void WatchBuffers() {
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) { Living().Add(args.buffer); });
  After<Execute>([](auto& args) {
    const size_t outputs = args.output_lists == nullptr ? 0 : OutputsOf(args.executable);
    for (size_t d = 0; d < args.num_devices; ++d) {
      for (size_t i = 0; i < outputs; ++i) Living().Add(args.output_lists[d][i]);
    }
  });
  After<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args) { Living().Add(args.dst_buffer); });
  After<SLOT(PJRT_Buffer_CopyToMemory)>([](auto& args) { Living().Add(args.dst_buffer); });
  if (SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)::present())
    After<SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer)>([](auto& args) { Living().Add(args.buffer_out); });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { Living().Remove(args.buffer); });
}

/** Changes the last byte of an array that is complete, to another one each time; whether there was one. */
inline bool SpoilArray(PJRT_Buffer* buffer) {
  if (IsDeleted(buffer) || !IsReady(buffer)) return false;
  const size_t bytes = HostBytes(buffer);
  uint8_t* memory = bytes == 0 ? nullptr : BytesOf(buffer);
  if (memory == nullptr) return false;
  memory[bytes - 1] += 0x11;
  return true;
}

}  // namespace faults

#endif
