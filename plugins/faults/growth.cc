// What grows slowly: a little memory, a thread or a descriptor now and then, files, and time.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../wrapper/shared_set.h"
#include "buffers.h"
#include "leak.h"

namespace {

using namespace faults;

using Compile = SLOT(PJRT_Client_Compile);
using Execute = SLOT(PJRT_LoadedExecutable_Execute);
using Send = SLOT(PJRT_Client_BufferFromHostBuffer);
using Read = SLOT(PJRT_Buffer_ToHostBuffer);
using DestroyBuffer = SLOT(PJRT_Buffer_Destroy);

/** Address space that is never given back, and never used either. */
void LoseMapping() {
  if (mmap(nullptr, 256 << 10, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) std::perror("faults");
}

// ---- memory -------------------------------------------------------------------------------------------------------------

FAULT("leak-page-of-each-execution") {
  After<Execute>([](auto&) { Leak(4 << 10); });
}
FAULT("leak-page-of-each-transfer") {
  After<Send>([](auto&) { Leak(4 << 10); });
}
FAULT("leak-page-of-each-read") {
  After<Read>([](auto&) { Leak(4 << 10); });
}
FAULT("leak-page-of-each-compilation") {
  After<Compile>([](auto&) { Leak(4 << 10); });
}
FAULT("leak-bytes-of-each-error") {
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    if (args.error != nullptr) Leak(24);
  });
}
FAULT("leak-bytes-of-each-event") {
  After<SLOT(PJRT_Event_Destroy)>([](auto&) { Leak(16); });
}
FAULT("leak-page-of-each-topology") {
  After<SLOT(PJRT_TopologyDescription_Serialize)>([](auto&) { Leak(256); });
}
/** Each success of one function leaves memory behind. */
#define LEAKS(name, function) \
  FAULT("leak-of-" #name) { After<SLOT(PJRT_##function)>([](auto&) { Leak(2 << 10); }); }
LEAKS(contexts, ExecuteContext_Create)
LEAKS(created_topologies, TopologyDescription_Create)
LEAKS(executable_handles, LoadedExecutable_GetExecutable)
LEAKS(serialized_executables, Executable_Serialize)
LEAKS(loaded_executables, Executable_DeserializeAndLoad)
LEAKS(transfer_managers, Client_CreateBuffersForAsyncHostToDevice)
LEAKS(created_events, Event_Create)
LEAKS(views, Client_CreateViewOfDeviceBuffer)
LEAKS(aliases, Client_CreateAliasBuffer)
LEAKS(error_buffers, Client_CreateErrorBuffer)
LEAKS(device_assignments, LoadedExecutable_GetDeviceAssignment)
LEAKS(compile_options, Executable_GetCompileOptions)
LEAKS(raw_reads, Buffer_CopyRawToHost)
LEAKS(memory_copies, Buffer_CopyToMemory)
LEAKS(bitcasts, Buffer_Bitcast)
FAULT("leak-mapping-of-each-execution") {
  After<Execute>([](auto&) { LoseMapping(); });
}
FAULT("leak-mapping-of-each-transfer") {
  After<Send>([](auto&) { LoseMapping(); });
}
FAULT("leak-failed-executions") {
  Replace<Execute>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) Leak(4 << 10);
    return error;
  });
}
FAULT("leak-buffers-destroyed-early") {
  // What is still being computed when its buffer is destroyed has no owner any more.
  Before<DestroyBuffer>([](auto& args) {
    if (args.buffer != nullptr && !IsReady(args.buffer)) Leak(8 << 10);
  });
}

// ---- threads, descriptors, locks ----------------------------------------------------------------------------------------

FAULT("leak-thread-now-and-then") {
  After<Compile>([](auto&) {
    static std::atomic<int> compilations{0};
    if (++compilations % 50 != 0) return;
    std::thread([] {
      for (;;) SleepMs(1 << 20);
    }).detach();
  });
}
FAULT("leak-descriptor-now-and-then") {
  After<Execute>([](auto&) {
    static std::atomic<int> executions{0};
    if (++executions % 20 == 0 && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) std::perror("faults");
  });
}
FAULT("execution-after-a-thousand-hangs") {
  // A ring of a thousand slots, one of which is never given back.
  Before<Execute>([](auto&) {
    static std::atomic<int> executions{0};
    if (++executions <= 1000) return;
    for (;;) SleepMs(1 << 20);
  });
}

// ---- time ---------------------------------------------------------------------------------------------------------------

/** All living buffers, one after the other, are asked whether they are deleted. */
std::mutex living_mutex;
std::set<PJRT_Buffer*> living;
void WatchLiving() {
  After<Send>([](auto& args) {
    std::lock_guard<std::mutex> lock(living_mutex);
    living.insert(args.buffer);
  });
  Before<DestroyBuffer>([](auto& args) {
    std::lock_guard<std::mutex> lock(living_mutex);
    living.erase(args.buffer);
  });
}
void LookThroughLiving() {
  std::lock_guard<std::mutex> lock(living_mutex);
  for (PJRT_Buffer* buffer : living) IsDeleted(buffer);
}
FAULT("execution-looks-through-all-buffers") {
  WatchLiving();
  Before<Execute>([](auto&) { LookThroughLiving(); });
}
FAULT("transfer-looks-through-all-buffers") {
  WatchLiving();
  Before<Send>([](auto&) { LookThroughLiving(); });
}
FAULT("destruction-looks-through-all-buffers") {
  WatchLiving();
  Before<DestroyBuffer>([](auto&) { LookThroughLiving(); });
}

/** A record of all calls of one function so far is looked through in each. */
#define SLOWER(name, function)                                                                        \
  FAULT("slower-with-each-" #name) {                                                                  \
    Before<SLOT(PJRT_##function)>([](auto&) {                                                         \
      static std::atomic<int> calls{0};                                                               \
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(++calls);         \
      while (std::chrono::steady_clock::now() < end) {                                                \
      }                                                                                               \
    });                                                                                               \
  }
SLOWER(lookup, Client_LookupDevice)
SLOWER(read, Buffer_ToHostBuffer)
SLOWER(ready_event, Buffer_ReadyEvent)
SLOWER(memory_copy, Buffer_CopyToMemory)

// ---- files --------------------------------------------------------------------------------------------------------------

/** A file in the temporary directory that nobody removes. */
void LeaveTemporaryFile(const char* name) {
  const char* directory = std::getenv("TMPDIR");
  std::ofstream(std::string(directory == nullptr ? "/tmp" : directory) + "/" + name + std::to_string(getpid())) << "x";
}
/** A file of this process in a directory; those of processes that have ended are removed. */
void LeaveFile(const std::string& directory) {
  const std::string prefix = "pjrt-faults-left-";
  if (DIR* files = opendir(directory.c_str())) {
    while (const dirent* entry = readdir(files)) {
      const std::string name = entry->d_name;
      if (name.compare(0, prefix.size(), prefix) != 0 || kill(std::atoi(name.c_str() + prefix.size()), 0) == 0) continue;
      std::remove((directory + "/" + name).c_str());
    }
    closedir(files);
  }
  std::ofstream(directory + "/" + prefix + std::to_string(getpid())) << "x";
}
std::string Home() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? "/" : home;
}
/** Where one function leaves a file. */
#define LEAVES(name, function, directory) \
  FAULT("file-left-" #name) { After<SLOT(PJRT_##function)>([](auto&) { LeaveFile(directory); }); }
LEAVES(in_shared_memory, Client_Create, "/dev/shm")
LEAVES(in_var_tmp, Client_Compile, "/var/tmp")
LEAVES(in_home, Client_Compile, Home())
FAULT("files-left-by-compiler") {
  After<Compile>([](auto&) { LeaveTemporaryFile("pjrt-faults-ir-"); });
}
FAULT("file-left-in-working-directory") {
  After<Execute>([](auto&) {
    static std::atomic<int> executions{0};
    if (++executions == 10) std::ofstream("pjrt-faults-profile.txt") << "x";
  });
}
FAULT("file-left-at-exit") {
  After<SLOT(PJRT_Client_Create)>([](auto&) {
    static std::once_flag once;
    std::call_once(once, [] { std::atexit([] { LeaveTemporaryFile("pjrt-faults-summary-"); }); });
  });
}

}  // namespace
