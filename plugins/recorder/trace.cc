#include "trace.h"

#include "old_glibc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "checksum.h"
#include "digest.h"
#include "settings.h"

namespace recorder {
namespace {

constexpr uint32_t kMajor = 1, kMinor = 1;
constexpr size_t kUnit = 64 * 1024;
/** A segment begins with this much; then come units. */
constexpr size_t kHead = 64;
constexpr size_t kPieceHead = 32;
constexpr size_t kRecordHead = 48;
/** Less than this in a piece is not given to another thread. */
constexpr size_t kLeastRest = 4096;
/** Memory of more bytes is a file of its own: to make one takes as long as to copy much. Programs are compiled again and again. */
constexpr size_t kInline = 64 * 1024, kInlineProgram = 4096;
/** MADV_POPULATE_WRITE, which headers have from Linux 5.14 on. */
constexpr int kPopulate = 23;
constexpr uint32_t kPieceMark = 0x43454950;  // PIEC
/** Units of the first segments; later ones have as many as the last of these. */
constexpr uint32_t kUnits[] = {16, 64, 256, 1024};

struct Segment {
  uint8_t* base;
  uint32_t units;
  int file;
  std::atomic<uint64_t> next;
  /** Threads may still write there, so it stays mapped; its file is closed. */
  Segment* before;
};

enum State : int { kIdle, kOn, kEnded };

std::atomic<int> state{kIdle};
std::atomic<Segment*> current{nullptr};
/** Changes in a child of a fork, whose threads may not write where the parent writes. */
std::atomic<uint32_t> generation{1};
std::atomic<uint64_t> orders{1};
std::atomic<uint64_t> written{0};
uint32_t segments = 0;
uint64_t start = 0;
char directory[4200];
/** For segments, of which there are few. */
pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;

/** For the first record. */
pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;

/** What is left of pieces of threads that ended, for others. */
struct Rest {
  uint8_t* at;
  uint8_t* end;
  uint32_t generation;
  /** Of the last record before it: those of a piece are in order. */
  uint64_t order;
};
std::atomic<Rest*> rests[64];

}  // namespace

/** Where a thread writes. */
struct Thread {
  uint8_t* at;
  uint8_t* end;
  uint32_t generation;
  uint32_t id;
  uint8_t* record;
  size_t used;
  size_t room;
  /** Addresses of the memory in the record. */
  const void* seen[256];
};

namespace {

pthread_key_t key;
pthread_once_t key_once = PTHREAD_ONCE_INIT;

uint64_t Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

/** The order number of the record that a thread is writing, or has written last. */
uint64_t OrderOf(const Thread* thread) {
  uint64_t order;
  std::memcpy(&order, thread->record + 16, sizeof(order));
  return order;
}

void ThreadEnds(void* ended) {
  auto* thread = static_cast<Thread*>(ended);
  if (thread->end - thread->at > static_cast<ptrdiff_t>(kLeastRest)) {
    auto* rest = static_cast<Rest*>(malloc(sizeof(Rest)));
    if (rest != nullptr) {
      *rest = {thread->at, thread->end, thread->generation, OrderOf(thread)};
      for (auto& place : rests) {
        Rest* none = nullptr;
        if (place.compare_exchange_strong(none, rest)) {
          rest = nullptr;
          break;
        }
      }
      free(rest);
    }
  }
  free(thread->record);
  free(thread);
}

void ChildBegins();
void MakeKey() {
  pthread_key_create(&key, ThreadEnds);
  pthread_atfork(nullptr, nullptr, ChildBegins);
}

/** Ends the recording because of an error of the system. */
void Full(int error) {
  if (state.exchange(kEnded) != kOn) return;
  Say("the recording in %s ends here, the program goes on: %s", directory, strerror(error));
}

/** Null if there is no memory, which ends the recording. */
Thread* Own() {
  static thread_local Thread* own __attribute__((tls_model("initial-exec"))) = nullptr;
  // A destructor of another key may call a plugin after ThreadEnds has run: pthread then has nothing for this key, and runs ThreadEnds again.
  if (__builtin_expect(own != nullptr && pthread_getspecific(key) == own, 1)) return own;
  pthread_once(&key_once, MakeKey);
  auto* made = static_cast<Thread*>(calloc(1, sizeof(Thread)));
  own = made;
  if (made == nullptr) return Full(ENOMEM), nullptr;
  made->room = 16 * 1024;
  made->record = static_cast<uint8_t*>(malloc(made->room));
  if (made->record == nullptr || pthread_setspecific(key, made) != 0) {
    free(made->record);
    free(made);
    own = nullptr;
    return Full(ENOMEM), nullptr;
  }
  return made;
}

Segment* NewSegment(uint32_t least) {
  const size_t most = sizeof(kUnits) / sizeof(*kUnits) - 1;
  uint32_t units = kUnits[segments < most ? segments : most];
  if (units < least) units = least;
  char path[4300];
  std::snprintf(path, sizeof(path), "%s/events-%04u.bin", directory, segments + 1);
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return Full(errno), nullptr;
  const size_t bytes = kHead + units * kUnit;
  // A file system without allocation (EOPNOTSUPP) gets zeros instead, which take the space as well.
  if (fallocate(file, 0, 0, static_cast<off_t>(bytes)) != 0) {
    int error = errno;
    if (error == EOPNOTSUPP || error == ENOSYS) {
      static const uint8_t zeros[kUnit] = {};
      error = 0;
      for (size_t at = 0; at < bytes && error == 0;) {
        const ssize_t put = pwrite(file, zeros, bytes - at < kUnit ? bytes - at : kUnit, static_cast<off_t>(at));
        if (put > 0) at += static_cast<size_t>(put);
        else error = put < 0 ? errno : ENOSPC;
      }
    }
    if (error != 0) {
      close(file);
      unlink(path);
      return Full(error), nullptr;
    }
  }
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    const int error = errno;
    close(file);
    return Full(error), nullptr;
  }
  auto* segment = static_cast<Segment*>(calloc(1, sizeof(Segment)));
  if (segment == nullptr) {
    close(file);
    return Full(ENOMEM), nullptr;
  }
  segments += 1;
  segment->base = static_cast<uint8_t*>(mapped);
  segment->units = units;
  segment->file = file;
  timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  const uint64_t wall_ns = static_cast<uint64_t>(wall.tv_sec) * 1000000000u + static_cast<uint64_t>(wall.tv_nsec);
  const uint32_t numbers[] = {kMajor, kMinor, static_cast<uint32_t>(kUnit), segments, static_cast<uint32_t>(getpid()), 0};
  std::memcpy(segment->base + 8, numbers, sizeof(numbers));
  std::memcpy(segment->base + 32, &wall_ns, 8);
  const uint64_t since = Now() - start;
  std::memcpy(segment->base + 40, &since, 8);
  std::memcpy(segment->base, "PJRTREC\n", 8);
  return segment;
}

/** A piece of so many units for this thread; false if the recording has ended. */
bool Grab(Thread* thread, size_t length) {
  const uint32_t now = generation.load();
  const auto units = static_cast<uint32_t>((length + kPieceHead + kUnit - 1) / kUnit);
  if (length <= kLeastRest) {
    for (auto& place : rests) {
      if (place.load(std::memory_order_relaxed) == nullptr) continue;
      Rest* rest = place.exchange(nullptr);
      if (rest == nullptr) continue;
      const Rest got = *rest;
      // A record may have its number for a while before it is written.
      Rest* none = nullptr;
      if (got.generation == now && got.order > OrderOf(thread) && place.compare_exchange_strong(none, rest)) continue;
      free(rest);
      if (got.generation != now || got.order > OrderOf(thread)) continue;
      thread->at = got.at;
      thread->end = got.end;
      thread->generation = now;
      return true;
    }
  }
  for (;;) {
    Segment* segment = current.load();
    if (state.load() != kOn) return false;
    if (segment != nullptr) {
      const uint64_t unit = segment->next.fetch_add(units);
      if (unit + units <= segment->units) {
        uint8_t* piece = segment->base + kHead + unit * kUnit;
        // One call instead of a fault for each page; where the kernel does not know it, each page has its own.
        madvise(segment->base + unit * kUnit, units * kUnit + kHead, kPopulate);
        const uint32_t head[] = {units, thread->id, 0};
        std::memcpy(piece + 4, head, sizeof(head));
        __atomic_store_n(reinterpret_cast<uint32_t*>(piece), kPieceMark, __ATOMIC_RELEASE);
        thread->at = piece + kPieceHead;
        thread->end = piece + units * kUnit;
        thread->generation = now;
        return true;
      }
    }
    pthread_mutex_lock(&growing);
    if (state.load() == kOn && current.load() == segment) {
      Segment* made = NewSegment(units);
      if (made != nullptr) {
        made->before = segment;
        current.store(made);
        if (segment != nullptr) close(segment->file);
      }
    }
    pthread_mutex_unlock(&growing);
  }
}

/** A record without all that belongs to it is not written: without memory the recording ends. */
bool Room(Thread* thread, size_t more) {
  if (thread->used + more <= thread->room) return true;
  size_t room = thread->room;
  while (room < thread->used + more) room *= 2;
  auto* larger = static_cast<uint8_t*>(realloc(thread->record, room));
  if (larger == nullptr) return Full(ENOMEM), false;
  thread->record = larger;
  thread->room = room;
  return true;
}

void Put(Thread* thread, const void* bytes, size_t size) {
  if (size == 0 || !Room(thread, size)) return;
  std::memcpy(thread->record + thread->used, bytes, size);
  thread->used += size;
}

/** Digests of which this process has written the data: a hint, in which newer ones replace older ones. */
std::atomic<uint64_t> kept[16384];

void KeepData(const Digest& digest, const void* memory, size_t size) {
  uint64_t word;
  std::memcpy(&word, digest.bytes, 8);
  auto& place = kept[word % (sizeof(kept) / sizeof(*kept))];
  if (place.load(std::memory_order_relaxed) == word) return;
  char name[33];
  for (int i = 0; i < 16; ++i) std::snprintf(name + 2 * i, 3, "%02x", digest.bytes[i]);
  const char* root = Asked().directory;
  char below[4200], path[4300], part[4300];
  std::snprintf(below, sizeof(below), "%s/blobs/%.2s", root, name);
  std::snprintf(path, sizeof(path), "%s/%s", below, name);
  std::snprintf(part, sizeof(part), "%s/.%s-%d-%u", below, name, getpid(), Own()->id);
  if (access(path, F_OK) != 0) {
    int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 && errno == ENOENT) {
      mkdir(below, 0700);
      file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    }
    if (file < 0) return Full(errno);
    int error = 0;
    for (size_t at = 0; at < size && error == 0;) {
      const ssize_t put = write(file, static_cast<const uint8_t*>(memory) + at, size - at);
      if (put > 0) at += static_cast<size_t>(put);
      else if (put < 0 && errno == EINTR) continue;
      else error = put < 0 ? errno : ENOSPC;
    }
    if (close(file) != 0 && error == 0) error = errno;
    if (error == 0 && rename(part, path) != 0) error = errno;
    if (error != 0) {
      unlink(part);
      return Full(error);
    }
    written.fetch_add(size, std::memory_order_relaxed);
  }
  place.store(word, std::memory_order_relaxed);
}

/** In the child of a fork there is one thread, and the trace of the parent must not be written to. */
void ChildBegins() {
  generation.fetch_add(1);
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  growing = fresh;
  beginning = fresh;
  if (Segment* parents = current.exchange(nullptr)) close(parents->file);
  segments = 0;
  written.store(0);
  if (Thread* thread = static_cast<Thread*>(pthread_getspecific(key))) {
    thread->id = 0;
    thread->used = 0;
  }
  // A trace of the child's own begins with its first record.
  if (state.load() == kOn) state.store(kIdle);
}

}  // namespace

bool Recording() {
  const int now = state.load(std::memory_order_acquire);
  if (__builtin_expect(now == kOn, 1)) return true;
  if (now == kEnded || Asked().directory[0] == 0) return false;
  BeginTrace();
  return state.load() == kOn;
}

void BeginTrace() {
  pthread_once(&key_once, MakeKey);
  pthread_mutex_lock(&beginning);
  if (state.load() != kIdle) {
    pthread_mutex_unlock(&beginning);
    return;
  }
  // The number of a process may have been used before, in another name space or after a long time.
  for (int again = 0;; ++again) {
    if (again == 0) std::snprintf(directory, sizeof(directory), "%s/pid-%d", Asked().directory, getpid());
    else std::snprintf(directory, sizeof(directory), "%s/pid-%d.%d", Asked().directory, getpid(), again + 1);
    if (mkdir(directory, 0700) == 0) break;
    if (errno == EEXIST && again < 1000) continue;
    Say("nothing is recorded: %s cannot be made: %s", directory, strerror(errno));
    state.store(kEnded);
    pthread_mutex_unlock(&beginning);
    return;
  }
  start = Now();
  state.store(kOn, std::memory_order_release);
  pthread_mutex_unlock(&beginning);
  DescribeFunctions();
  DescribePlugins();
}

void EndTrace(End why) {
  if (state.load() != kOn) return;
  {
    Record last(Kind::kEnd, 0, 0, 0);
    last.U32(static_cast<uint32_t>(why));
    last.Pad();
  }
  state.store(kEnded);
  // With the lock nothing closes the file meanwhile.
  pthread_mutex_lock(&growing);
  if (Segment* segment = current.load()) {
    // Nothing is given out after this, so the rest of the file is empty.
    const uint64_t used = segment->next.fetch_add(uint64_t{1} << 40);
    if (used < segment->units && ftruncate(segment->file, static_cast<off_t>(kHead + used * kUnit)) != 0) {
      // It keeps the space, which readers pass over.
    }
  }
  pthread_mutex_unlock(&growing);
}

Record::Record(Kind kind, uint16_t function, uint32_t plugin, uint64_t of)
    : thread_(Own()), order_(orders.fetch_add(1, std::memory_order_relaxed)) {
  Thread* thread = thread_;
  if (thread == nullptr) return;
  if (thread->id == 0) thread->id = static_cast<uint32_t>(syscall(SYS_gettid));
  thread->used = kRecordHead;
  uint8_t* head = thread->record;
  const uint16_t what[] = {static_cast<uint16_t>(kind), function};
  const uint64_t numbers[] = {order_, Now() - start, of};
  std::memset(head, 0, 8);
  std::memcpy(head + 8, what, 4);
  std::memcpy(head + 12, &thread->id, 4);
  std::memcpy(head + 16, numbers, 24);
  std::memcpy(head + 40, &plugin, 4);
}

void Record::Bytes(const void* bytes, size_t size) {
  if (thread_ != nullptr) Put(thread_, bytes, size);
}

void Record::Pad() {
  static const uint8_t zeros[8] = {};
  if (thread_ != nullptr) Put(thread_, zeros, -thread_->used & 7);
}

void Record::Arguments(const void* args, size_t size) {
  arguments_ = static_cast<uint32_t>(size);
  Bytes(args, size);
  Pad();
}

bool Record::Has(const void* memory) const {
  const Thread* thread = thread_;
  if (thread == nullptr) return true;
  for (size_t i = 0; i < entries_; ++i) {
    if (thread->seen[i] == memory) return true;
  }
  return false;
}

void Record::Entry(const void* memory, size_t size, What what, int form, const void* stored, size_t bytes) {
  Thread* thread = thread_;
  if (thread == nullptr) return;
  const uint64_t place[] = {reinterpret_cast<uint64_t>(memory), size};
  const uint8_t kinds[] = {static_cast<uint8_t>(form), static_cast<uint8_t>(what), 0, 0};
  const uint32_t length = static_cast<uint32_t>(bytes);
  Put(thread, place, sizeof(place));
  Put(thread, kinds, sizeof(kinds));
  Put(thread, &length, sizeof(length));
  Put(thread, stored, bytes);
  Pad();
  if (entries_ < sizeof(thread->seen) / sizeof(*thread->seen)) thread->seen[entries_++] = memory;
}

void Record::Memory(const void* memory, size_t size, What what) {
  if (memory == nullptr) return;
  const enum Keep keep = Asked().keep;
  if (what == What::kHostData && keep == Keep::kNone) return Missing(memory, size, what);
  if (what == What::kHostData && keep == Keep::kHashes) {
    const Digest digest = DigestOf(static_cast<const uint8_t*>(memory), size);
    return Entry(memory, size, what, 2, digest.bytes, sizeof(digest.bytes));
  }
  if (size <= (what == What::kProgram ? kInlineProgram : kInline)) return Entry(memory, size, what, 0, memory, size);
  const Digest digest = DigestOf(static_cast<const uint8_t*>(memory), size);
  KeepData(digest, memory, size);
  Entry(memory, size, what, 1, digest.bytes, sizeof(digest.bytes));
}

void Record::Missing(const void* memory, size_t size, What what) { Entry(memory, size, what, 3, nullptr, 0); }

void Record::Commit() {
  Thread* thread = thread_;
  if (thread == nullptr || state.load(std::memory_order_relaxed) != kOn) return;
  Pad();
  const uint32_t length = static_cast<uint32_t>(thread->used);
  std::memcpy(thread->record + 44, &arguments_, 4);
  const uint32_t sum = Crc32(thread->record + 8, length - 8);
  std::memcpy(thread->record + 4, &sum, 4);
  const uint64_t most = Asked().most_bytes;
  if (most != 0 && written.load(std::memory_order_relaxed) + length > most) {
    static std::atomic<bool> said{false};
    uint16_t kind;
    std::memcpy(&kind, thread->record + 8, 2);
    if (kind != static_cast<uint16_t>(Kind::kEnd)) {
      if (said.exchange(true)) return;
      EndTrace(End::kMaxSize);
      Say("the recording in %s ends here, the program goes on: --max-size is reached", directory);
      return;
    }
  }
  // Behind the last record of a piece there are zeros, or its end.
  const bool same = thread->generation == generation.load(std::memory_order_relaxed);
  if (!same || thread->end - thread->at < static_cast<ptrdiff_t>(length)) {
    if (!Grab(thread, length)) return;
  }
  std::memcpy(thread->at + 4, thread->record + 4, length - 4);
  __atomic_store_n(reinterpret_cast<uint32_t*>(thread->at), length, __ATOMIC_RELEASE);
  thread->at += length;
  // All threads write to it, which is not for nothing.
  if (most != 0) written.fetch_add(length, std::memory_order_relaxed);
}

namespace {

__attribute__((destructor)) void Exit() { EndTrace(End::kExit); }

}  // namespace
}  // namespace recorder
