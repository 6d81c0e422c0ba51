// A plugin made from another one that ends the process in one of its calls, in one of many ways:
//
//   PJRT_CRASH="PJRT_Client_LookupDevice refused abort"
//
// The function; when: `always`, `refused` (it would have returned an error), or a number, the how manieth call; how: see kWays. What
// follows is where in memory: offsets of pointers, the first one in the arguments, and the distance from the last of them; `s16` adds
// the size at an offset beside the last pointer.
//
//   PJRT_CRASH_WEDGES="/path/of/a/file hang"
//
// The device does not come back: after the crash there is that file, and while it is there a client of another process hangs, or its
// creation ends in another of the ways, is refused (`refuse`), or takes 15 seconds and is then as before (`slow`).
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "../wrapper/wrapper.h"
#include "../reference/c_api/functions.h"

namespace crashes {
namespace {

struct Crash {
  std::string function, when, how;
  /** Offsets, and the distance. */
  std::vector<long> path;
  /** Of the size. */
  long size = -1;
} crash;
std::atomic<long> calls{0};

volatile char sink;

volatile char* Place(void* args) {
  char *at = static_cast<char*>(args), *beside = at;
  for (size_t i = 0; i + 1 < crash.path.size(); ++i) {
    beside = at;
    at = *reinterpret_cast<char**>(at + crash.path[i]);
  }
  size_t size = crash.size < 0 ? 0 : *reinterpret_cast<size_t*>(beside + crash.size);
  return at + size + (crash.path.empty() ? 0 : crash.path.back());
}

__attribute__((noinline)) int Descend(int depth) {
  volatile char room[4096];
  room[depth % 4096] = static_cast<char>(depth);
  if (depth < 0) return 0;
  return Descend(depth + 1) + room[(depth + 1) % 4096];
}

void OnThread(void (*body)()) { std::thread(body).join(); }

const std::map<std::string, void (*)(void*)> kWays = {
    {"read", [](void* args) { sink = *Place(args); }},
    {"write", [](void* args) { *Place(args) = 1; }},
    // From the beginning of the memory to the place: the far end is often read first.
    {"copy",
     [](void* args) {
       volatile char* end = Place(args);
       crash.path.back() = 0;
       crash.size = -1;
       volatile char* begin = Place(args);
       std::string room(static_cast<size_t>(end - begin), ' ');
       std::memcpy(room.data(), const_cast<char*>(begin), room.size());
       sink = room[room.size() / 2];
     }},
    {"null", [](void*) { sink = *reinterpret_cast<volatile char*>(crash.path.empty() ? 0 : crash.path[0]); }},
    {"null-call", [](void*) { reinterpret_cast<void (*)()>(0)(); }},
    {"wild", [](void*) { sink = *reinterpret_cast<volatile char*>(0x123456789000 + (crash.path.empty() ? 0 : crash.path[0])); }},
    {"no-address", [](void*) { sink = *reinterpret_cast<volatile char*>(0x8899aabbccddeeff); }},
    {"freed",
     [](void*) {
       volatile char* pages = static_cast<char*>(mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
       munmap(const_cast<char*>(pages), 1 << 20);
       sink = pages[100];
     }},
    {"read-only", [](void*) { *const_cast<volatile char*>(reinterpret_cast<const volatile char*>(wrapper::kLibrary)) = 1; }},
    {"stack", [](void*) { sink = static_cast<char>(Descend(0)); }},
    {"abort", [](void*) { std::abort(); }},
    {"exit", [](void*) { std::exit(3); }},
    {"trap", [](void*) { __builtin_trap(); }},
    {"throw", [](void*) { throw std::runtime_error("a check failed"); }},
    {"hang",
     [](void*) {
       for (;;) pause();
     }},
    {"raise", [](void*) { raise(SIGSEGV); }},
    {"thread-abort", [](void*) { OnThread([] { std::abort(); }); }},
    {"thread-wild", [](void*) { OnThread([] { sink = *reinterpret_cast<volatile char*>(0x123456789000); }); }},
};

bool Matches(const char* function) { return crash.function == function; }

void Mark(const std::string& path) {
  std::FILE* mark = std::fopen(path.c_str(), "w");
  if (mark != nullptr) std::fclose(mark);
}

/** Once in all processes together: what does not happen again. */
bool Allowed() {
  const char* once = std::getenv("PJRT_CRASH_ONCE");
  if (once == nullptr) return true;
  if (access(once, F_OK) == 0) return false;
  Mark(once);
  return true;
}

/** Whether the device stays unusable after the crash, and in which way. */
struct Wedge {
  std::string path, how;
} wedge;

void Do(void* args) {
  if (!Allowed()) return;
  if (!wedge.path.empty()) Mark(wedge.path);
  kWays.at(crash.how)(args);
}

void WrapWedge() {
  if (wedge.path.empty()) return;
  wrapper::OwnErrors();
  wrapper::Replace<SLOT(PJRT_Client_Create)>([](auto& args, const auto& original) -> PJRT_Error* {
    if (access(wedge.path.c_str(), F_OK) == 0) {
      if (wedge.how == "slow") {
        sleep(15);
        unlink(wedge.path.c_str());
      } else if (wedge.how == "refuse") {
        return wrapper::MakeError(PJRT_Error_Code_UNAVAILABLE, "the device does not answer");
      } else {
        kWays.at(wedge.how)(&args);
      }
    }
    return original(&args);
  });
}

/** As the handlers of libraries do: it says something, and the process dies of the signal all the same. */
void Handler(int number) {
  static const char kWords[] = "*** the plugin's own handler\n";
  if (write(2, kWords, sizeof kWords - 1) < 0) _exit(1);
  signal(number, SIG_DFL);
  raise(number);
}

template <class S>
void Wrap(const char* function) {
  if (!Matches(function) || !S::present()) return;
  wrapper::Replace<S>([](typename S::Args& args, const wrapper::Original<S>& original) -> typename S::Result {
    bool refused = crash.when == "refused";
    if (!refused && (crash.when == "always" || ++calls == std::atol(crash.when.c_str()))) Do(&args);
    if constexpr (std::is_void_v<typename S::Result>) {
      original(&args);
    } else {
      typename S::Result error = original(&args);
      // Not for a struct that is cut off, which is another thing to refuse.
      if (refused && error != nullptr && args.struct_size + sizeof(void*) > sizeof args) Do(&args);
      return error;
    }
  });
}

}  // namespace
}  // namespace crashes

namespace wrapper {

const char* const kLibrary = "crashes";
const char* const kBaseVariable = "PJRT_CRASHES_BASE";

void Install() {
  const char* text = std::getenv("PJRT_CRASH");
  if (text == nullptr) return;
  std::istringstream words(text);
  auto& crash = crashes::crash;
  words >> crash.function >> crash.when >> crash.how;
  for (std::string word; words >> word;) {
    if (word[0] == 's') crash.size = std::stol(word.substr(1));
    else crash.path.push_back(std::stol(word));
  }
  if (const char* wedges = std::getenv("PJRT_CRASH_WEDGES")) std::istringstream(wedges) >> crashes::wedge.path >> crashes::wedge.how;
  for (const std::string& how : {crash.how, crashes::wedge.how})
    if (!how.empty() && how != "slow" && how != "refuse" && crashes::kWays.count(how) == 0) Die("no crash is called " + how);
  crashes::WrapWedge();
#define WRAP(name) crashes::Wrap<SLOT(PJRT_##name)>("PJRT_" #name);
  REFERENCE_C_API_FUNCTIONS(WRAP)
#undef WRAP
  if (std::getenv("PJRT_CRASH_HANDLER") != nullptr) signal(SIGSEGV, crashes::Handler);
}

void Missing(const char*) {}
void MarkReached() {}

}  // namespace wrapper
