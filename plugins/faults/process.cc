// Effects on the process: memory, descriptors, threads, signals, the floating-point mode.
#include <atomic>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <link.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../wrapper/shared_set.h"
#include "faults.h"
#include "leak.h"

namespace {

using namespace faults;

using Create = SLOT(PJRT_Client_Create);
using Execute = SLOT(PJRT_LoadedExecutable_Execute);
using Initialize = SLOT(PJRT_Plugin_Initialize);

// ---- resources ----------------------------------------------------------------------------------------------------------

FAULT("leak-buffers") {
  After<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args) {
    const Shape shape = ShapeOf(args.buffer);
    Leak(shape.count() * ElementBytes(shape.type));
  });
}
FAULT("leak-deleted-buffers") {
  // Delete frees nothing before Destroy.
  static SharedSet<PJRT_Buffer*> deleted;
  After<SLOT(PJRT_Buffer_Delete)>([](auto& args) {
    if (deleted.Add(args.buffer)) Leak(1 << 20);
  });
}
FAULT("leak-reads") {
  After<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto& args) {
    const Shape shape = ShapeOf(args.src);
    if (args.dst != nullptr) Leak(shape.count() * ElementBytes(shape.type) / 2);
  });
}
FAULT("leak-events") { Ignore<SLOT(PJRT_Event_Destroy)>(); }
FAULT("leak-executions") {
  After<Execute>([](auto&) { Leak(512 << 10); });
}
FAULT("leak-executions-without-events") {
  After<Execute>([](auto& args) {
    if (args.device_complete_events == nullptr) Leak(512 << 10);
  });
}
FAULT("leak-compilations") {
  After<SLOT(PJRT_Client_Compile)>([](auto&) { Leak(2 << 20); });
}
FAULT("leak-clients") { Ignore<SLOT(PJRT_Client_Destroy)>(); }
FAULT("leak-memory-of-clients") {
  After<Create>([](auto&) { Leak(1 << 20); });
}
FAULT("leak-failed-creations") {
  Replace<Create>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error != nullptr) Leak(256 << 10);
    return error;
  });
}
FAULT("leak-descriptors-of-clients") {
  After<Create>([](auto&) {
    for (int i = 0; i < 4; ++i) {
      if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) std::perror("faults");
    }
  });
}
FAULT("leak-threads-of-clients") {
  After<Create>([](auto&) {
    for (int i = 0; i < 4; ++i) {
      std::thread([] {
        for (;;) SleepMs(1 << 20);
      }).detach();
    }
  });
}
FAULT("leak-children-of-clients") {
  After<Create>([](auto&) {
    // A helper thread that ends at once and is never joined.
    if (fork() == 0) _exit(0);
  });
}
FAULT("exhaustion-aborts") {
  Before<SLOT(PJRT_Client_CreateUninitializedBuffer)>([](auto& args) {
    double bytes = static_cast<double>(ElementBytes(args.shape_element_type));
    for (size_t i = 0; i < args.shape_num_dims; ++i) bytes *= static_cast<double>(args.shape_dims[i]);
    if (bytes > 1e12) std::abort();
  });
}
FAULT("exhaustion-in-programs-aborts") {
  Replace<SLOT(PJRT_Client_Compile)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    const std::string_view code(args.program->code, args.program->code_size);
    if (code.find("281474976710656") != std::string_view::npos) std::abort();
    return error;
  });
}
FAULT("exhaustion-breaks-the-client") {
  OwnErrors();
  static std::atomic<bool> corrupted{false};
  auto watch = [](auto& args, auto& original) -> PJRT_Error* {
    double bytes = 1;
    for (size_t i = 0; i < args.shape_num_dims; ++i) bytes *= static_cast<double>(args.shape_dims[i]);
    if (bytes > 1e12) {
      corrupted = true;
      return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "out of memory");
    }
    return original(&args);
  };
  Replace<SLOT(PJRT_Client_CreateUninitializedBuffer)>(watch);
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    return corrupted ? MakeError(PJRT_Error_Code_INTERNAL, "the allocator is in a bad state") : original(&args);
  });
}

// ---- threads ------------------------------------------------------------------------------------------------------------

FAULT("threads-query-shares-room") {
  // The answer is built in one place for all threads.
  After<SLOT(PJRT_DeviceDescription_ToString)>([](auto& args) {
    static char room[4096];
    std::memset(room, '?', args.to_string_size < sizeof(room) ? args.to_string_size : sizeof(room));
    SleepMs(1);
    if (args.to_string_size < sizeof(room)) {
      std::memcpy(room, args.to_string, args.to_string_size);
      args.to_string = room;
    }
  });
  After<SLOT(PJRT_Client_PlatformName)>([](auto& args) {
    static char room[256];
    std::memset(room, '?', sizeof(room));
    SleepMs(1);
    std::memcpy(room, args.platform_name, args.platform_name_size);
    args.platform_name = room;
  });
}
FAULT("threads-two-locks-in-two-orders") {
  static std::mutex first, second;
  Before<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto&) {
    std::lock_guard<std::mutex> a(first);
    SleepMs(2);
    std::lock_guard<std::mutex> b(second);
  });
  Before<SLOT(PJRT_Buffer_ToHostBuffer)>([](auto&) {
    std::lock_guard<std::mutex> a(second);
    SleepMs(2);
    std::lock_guard<std::mutex> b(first);
  });
}
FAULT("threads-large-transfers-collide") {
  static std::atomic<int> large{0};
  WatchClients();
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([](auto& args, auto& original) -> PJRT_Error* {
    size_t count = 1;
    for (size_t i = 0; i < args.num_dims; ++i) count *= static_cast<size_t>(args.dims[i]);
    if (count < 1 << 20) return original(&args);
    const bool alone = ++large == 1;
    PJRT_Error* error = original(&args);
    SleepMs(3);
    if (error == nullptr && (!alone || large > 1)) {
      Change(args.buffer, [](uint8_t* bytes) { bytes[4096] ^= 1; });
    }
    --large;
    return error;
  });
}
FAULT("threads-error-of-another") {
  // Like errno for the whole process: the last failure is everyone's.
  OwnErrors();
  static std::mutex mutex;
  static std::string last;
  Replace<SLOT(PJRT_Client_LookupDevice)>([](auto& args, auto& original) -> PJRT_Error* {
    PJRT_Error* error = original(&args);
    if (error == nullptr) return nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex);
      last = MessageOf(error);
    }
    Drop(error);
    SleepMs(1);
    std::lock_guard<std::mutex> lock(mutex);
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, last);
  });
}
FAULT("threads-clients-collide") {
  static std::atomic<int> inside{0};
  Before<Create>([](auto&) {
    if (++inside > 1) std::abort();
    SleepMs(20);
    --inside;
  });
}

// ---- hygiene ------------------------------------------------------------------------------------------------------------

FAULT("hygiene-signal-handler") {
  After<Initialize>([](auto&) { std::signal(SIGSEGV, [](int) { _exit(1); }); });
}
FAULT("hygiene-signal-handler-with-client") {
  After<Create>([](auto&) { std::signal(SIGINT, SIG_IGN); });
}
FAULT("hygiene-flushes-subnormals") {
  After<Create>([](auto&) {
#if defined(__x86_64__)
    unsigned mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | 0x8040);
#endif
  });
}
FAULT("hygiene-rounding-mode") {
  After<Execute>([](auto&) { fesetround(FE_UPWARD); });
}
FAULT("hygiene-floating-point-traps") {
  After<Initialize>([](auto&) {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x0200u);
#endif
  });
}
FAULT("hygiene-locale") {
  After<Create>([](auto&) {
    if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) std::setlocale(LC_ALL, "C.utf8");
  });
}
FAULT("hygiene-working-directory") {
  After<Create>([](auto&) {
    if (chdir("/") != 0) std::perror("faults");
  });
}
FAULT("hygiene-prints-when-created") {
  After<Create>([](auto&) { std::puts("device 0 is ready"); });
}
FAULT("hygiene-prints-when-compiling") {
  After<SLOT(PJRT_Client_Compile)>([](auto&) {
    if (write(STDOUT_FILENO, "compiled\n", 9) < 0) std::perror("faults");
  });
}
FAULT("hygiene-prints-when-executing") {
  After<Execute>([](auto&) { std::printf("done "); });
}
FAULT("hygiene-environment") {
  After<Initialize>([](auto&) { setenv("TF_CPP_MIN_LOG_LEVEL", "3", 1); });
}
FAULT("hygiene-environment-unset") {
  After<Create>([](auto&) { unsetenv("TMPDIR"); });
}
FAULT("hygiene-umask") {
  After<Create>([](auto&) { umask(0); });
}
FAULT("hygiene-core-limit") {
  After<Initialize>([](auto&) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_cur > 512 ? 512 : limit.rlim_cur - 1;
    setrlimit(RLIMIT_NOFILE, &limit);
  });
}
FAULT("hygiene-closes-stdin") {
  After<Create>([](auto&) { close(STDIN_FILENO); });
}
FAULT("hygiene-stdin-replaced") {
  After<Initialize>([](auto&) {
    int fd = open("/dev/zero", O_RDONLY);
    dup2(fd, STDIN_FILENO);
    close(fd);
  });
}
FAULT("hygiene-child-left") {
  After<Initialize>([](auto&) {
    if (fork() == 0) {
      for (int i = 0; i < 200; ++i) usleep(50000);
      _exit(0);
    }
  });
}
FAULT("exit-code-changed") {
  After<Create>([](auto&) { std::atexit([] { _exit(9); }); });
}
FAULT("exit-code-changed-after-initialize") {
  After<Initialize>([](auto&) { std::atexit([] { _exit(9); }); });
}
FAULT("exit-hangs") {
  After<Create>([](auto&) {
    std::atexit([] {
      for (;;) pause();
    });
  });
}
FAULT("exit-aborts-in-destructor") {
  After<Initialize>([](auto&) { std::atexit([] { std::abort(); }); });
}
FAULT("exit-in-destroy") {
  Before<SLOT(PJRT_Client_Destroy)>([](auto& args) {
    if (args.client != nullptr) std::exit(0);
  });
}
FAULT("errno-and-noise") {
  After<SLOT(PJRT_Client_Compile)>([](auto&) {
    // 64 KiB of text per compilation.
    std::string text(64 << 10, '#');
    text.back() = '\n';
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) errno = 0;
  });
}

// ---- what is changed late, or of another thread --------------------------------------------------------------------------

/** Counts calls: true at the tenth, the twentieth ... */
bool EveryTenth() {
  static std::atomic<int> calls{0};
  return ++calls % 10 == 0;
}
FAULT("hygiene-signals-blocked") {
  After<SLOT(PJRT_Client_Compile)>([](auto&) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
  });
}
FAULT("hygiene-affinity-narrowed") {
  After<Create>([](auto&) {
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (!CPU_ISSET(i, &allowed)) continue;
      CPU_SET(i, &one);
      break;
    }
    sched_setaffinity(0, sizeof(one), &one);
  });
}
FAULT("hygiene-priority-lowered") {
  After<SLOT(PJRT_Client_Compile)>([](auto&) {
    errno = 0;
    if (nice(5) == -1 && errno != 0) std::perror("faults");
  });
}
FAULT("hygiene-timer-armed") {
  After<Execute>([](auto&) {
    const itimerval timer{{0, 0}, {100000, 0}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  });
}
FAULT("hygiene-thread-renamed") {
  After<Create>([](auto&) { prctl(PR_SET_NAME, "pjrt_main", 0, 0, 0); });
}
FAULT("hygiene-environment-late") {
  After<Execute>([](auto&) {
    if (EveryTenth()) setenv("PJRT_FAULTS_EXECUTIONS", "10", 1);
  });
}
FAULT("hygiene-environment-at-fifteenth-compilation") {
  After<SLOT(PJRT_Client_Compile)>([](auto&) {
    static std::atomic<int> calls{0};
    if (++calls == 15) setenv("PJRT_FAULTS_COMPILATIONS", "15", 1);
  });
}
FAULT("hygiene-flushes-subnormals-after-doubles") {
#if defined(__x86_64__)
  After<Execute>([](auto& args) {
    if (args.num_devices == 0 || args.num_args == 0) return;
    if (ShapeOf(args.argument_lists[0][0]).type != PJRT_Buffer_Type_F64) return;
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
  });
#endif
}
/** The thread that loaded the plugin. */
std::thread::id first_thread;
FAULT("hygiene-rounding-mode-of-other-threads") {
  // The mode is restored on the thread that initialized the plugin only.
  first_thread = std::this_thread::get_id();
  After<Execute>([](auto&) {
    if (std::this_thread::get_id() != first_thread) fesetround(FE_DOWNWARD);
  });
}
FAULT("hygiene-writes-to-standard-output") {
  After<Execute>([](auto&) {
    if (EveryTenth()) std::puts("10 executions");
  });
}
FAULT("hygiene-prints-at-tenth-compilation") {
  After<SLOT(PJRT_Client_Compile)>([](auto&) {
    if (EveryTenth()) std::puts("10 compilations");
  });
}
FAULT("leak-children-of-executions") {
  After<Execute>([](auto&) {
    // A helper that ends at once, for which nobody waits.
    if (fork() == 0) _exit(0);
  });
}
FAULT("leak-descriptors-of-executions") {
  After<Execute>([](auto&) {
    static std::atomic<int> calls{0};
    if (++calls % 20 == 0 && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) std::perror("faults");
  });
}
FAULT("hygiene-child-at-exit") {
  After<Initialize>([](auto&) {
    static std::once_flag once;
    std::call_once(once, [] {
      std::atexit([] {
        if (fork() != 0) return;
        for (int i = 0; i < 200; ++i) usleep(50000);
        _exit(0);
      });
    });
  });
}

FAULT("exports-symbols-of-libraries") {}
FAULT("undefined-symbol-when-bound-now") {}

}  // namespace
