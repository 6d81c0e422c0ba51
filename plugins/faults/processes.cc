// Several processes with a client at once, on one node.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "../wrapper/shared_set.h"
#include "damage.h"
#include "execute.h"
#include "buffers.h"

namespace {

using namespace faults;

/** A name that one process can hold, until it ends. Those of other directories for temporary files are others. */
int Take(int number) {
  const char* directory = std::getenv("TMPDIR");
  const std::string name = "pjrt-faults-" + std::to_string(std::hash<std::string>()(directory == nullptr ? "" : directory)) + "-" + std::to_string(number);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (descriptor >= 0 && bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0) return descriptor;
  close(descriptor);
  return -1;
}
std::mutex mutex;
/** The place of this process among those with a client, the descriptor that holds it, and the number of its clients. */
int place = -1, held = -1, clients = 0;
constexpr int kMost = 4;

void Enter() {
  std::lock_guard<std::mutex> lock(mutex);
  if (clients++ > 0) return;
  for (place = 0; place < kMost && (held = Take(place)) < 0; ++place) {
  }
}
void Leave() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--clients > 0 || held < 0) return;
  close(held);
  place = held = -1;
}
bool IsSecond() { return place > 0; }
bool HasCompany() {
  std::lock_guard<std::mutex> lock(mutex);
  for (int other = 0; other < 2; ++other) {
    if (other == place) continue;
    const int descriptor = Take(other);
    if (descriptor < 0) return true;
    close(descriptor);
  }
  return false;
}
void WatchProcesses() {
  ReadDamage();
  After<SLOT(PJRT_Client_Create)>([](auto&) { Enter(); });
  Before<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (args.client != nullptr) Leave();
  });
}

FAULT("processes-second-lacks-devices") {
  WatchProcesses();
  After<SLOT(PJRT_Client_AddressableDevices)>([](auto& args) {
    if (IsSecond()) args.num_addressable_devices = 1;
  });
}
FAULT("processes-second-computes-otherwise") {
  WatchProcesses();
  After<Execute>([](auto& args) {
    if (IsSecond() && args.output_lists != nullptr && OutputsOf(args.executable) > 0) Damaged().Add(args.output_lists[0][0]);
  });
}
FAULT("processes-collide-on-last-device") {
  WatchProcesses();
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (IdOf(DeviceOf(args.buffer)) == 3 && HasCompany()) Damaged().Add(args.buffer);
  });
}
FAULT("processes-collide-when-copying") {
  WatchProcesses();
  After<SLOT(PJRT_Buffer_CopyToDevice)>([](auto& args) {
    if (HasCompany()) Damaged().Add(args.dst_buffer);
  });
}
FAULT("processes-second-resets-memory-of-first") {
  // What the first had in memory before the second came.
  WatchProcesses();
  static SharedSet<PJRT_Buffer*> alone;
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    if (place == 0 && !HasCompany()) alone.Add(args.buffer);
  });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (alone.Has(args.src) && HasCompany()) Damaged().Add(args.src);
  });
  Before<SLOT(PJRT_Buffer_Destroy)>([](auto& args) { alone.Remove(args.buffer); });
}
FAULT("processes-end-of-one-ends-other") {
  OwnErrors();
  WatchProcesses();
  static std::atomic<bool> had_company{false};
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    const bool company = HasCompany();
    if (!company && had_company) return MakeError(PJRT_Error_Code_UNAVAILABLE, "the driver was shut down");
    had_company = company;
    return original(&args);
  });
}
FAULT("processes-mix-up-programs") {
  // What is compiled while another process compiles too is put into one file.
  WatchProcesses();
  static SharedSet<PJRT_LoadedExecutable*> mixed;
  After<SLOT(PJRT_Client_Compile)>([](auto& args) {
    if (HasCompany()) mixed.Add(args.executable);
  });
  After<Execute>([](auto& args) {
    if (mixed.Has(args.executable) && args.output_lists != nullptr && OutputsOf(args.executable) > 0)
      Damaged().Add(args.output_lists[0][0]);
  });
  Before<SLOT(PJRT_LoadedExecutable_Destroy)>([](auto& args) { mixed.Remove(args.executable); });
}
FAULT("processes-second-waits-for-first") {
  // No client is made as long as another process has one.
  WatchProcesses();
  Before<SLOT(PJRT_Client_Create)>([](auto&) {
    while (clients == 0 && HasCompany()) SleepMs(20);
  });
}
FAULT("processes-second-reads-nothing") {
  OwnEvents();
  WatchProcesses();
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    if (IsSecond() && args.event != nullptr) args.event = NewEvent()->handle();
  });
}

}  // namespace
