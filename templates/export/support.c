/* Support: loading, memory that ends at inaccessible pages, and what is said of the calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

{{includes}}

#define UNUSED __attribute__((unused))

/* Exit codes: what was recorded happens; the plugin answers otherwise, so that this program no longer fits it. */
enum { AS_IT_SHOULD = 0, FAILS = 1, DIVERGES = 2 };

static const PJRT_Api *api;
static const char *current = "";

/* Ends the program with the failure that the case is about. */
static UNUSED _Noreturn void fail(const char *what) {
  fprintf(stderr, "FAIL: %s\n", what);
  exit(FAILS);
}

static void late(int number UNUSED) {
  static const char text[] = " has not come back\n";
  if (write(2, "FAIL: ", 6) + write(2, current, strlen(current)) + write(2, text, sizeof text - 1) < 0) _exit(FAILS);
  _exit(FAILS);
}

/* Before each call: with TRACE=1 it is printed, and it may take DEADLINE seconds (60). */
static void begin(int number, const char *name) {
  static int trace = -1, deadline;
  if (trace < 0) {
    const char *seconds = getenv("DEADLINE");
    trace = getenv("TRACE") != NULL;
    deadline = seconds ? atoi(seconds) : 60;
    signal(SIGALRM, late);
  }
  current = name;
  if (trace) fprintf(stderr, "%4d %s\n", number, name);
  alarm((unsigned)deadline);
}

#define PAGE 4096u

/* Pages of rooms, the newest first. */
static struct pages {
  struct pages *older;
  size_t length;
} *newest;

/* Zeroed memory at this offset of a page, before an inaccessible page and after 64 bytes that nobody should touch. */
static UNUSED void *room(size_t size, size_t offset) {
  size_t length = (PAGE + offset + size + PAGE - 1) / PAGE * PAGE;
  char *pages = mmap(NULL, length + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + length, PAGE, PROT_NONE)) {
    perror("no memory");
    exit(DIVERGES);
  }
  *(struct pages *)pages = (struct pages){newest, length + PAGE};
  newest = (struct pages *)pages;
  memset(pages + PAGE + offset - 64, 0x5a, 64);
  return pages + PAGE + offset;
}

/* Rooms that are newer than this one are not needed any more. */
static UNUSED void leave_rooms(struct pages *last) {
  while (newest != last) {
    struct pages *pages = newest;
    newest = pages->older;
    munmap(pages, pages->length);
  }
}

#define ARGS(type) room(sizeof(type), PAGE - sizeof(type) % PAGE)

/* Whether the bytes before such memory are untouched. */
static UNUSED bool intact(const void *memory) {
  for (int i = 1; i <= 64; i++)
    if (((const unsigned char *)memory)[-i] != 0x5a) return false;
  return true;
}

/* Any word into a field of eight bytes, whatever its type. */
#define PUT(field, value) put(&(field), (uintptr_t)(value))
static UNUSED void put(void *field, uintptr_t word) { memcpy(field, &word, sizeof word); }

static UNUSED void *word_at(const void *memory, size_t index) {
  void *word;
  memcpy(&word, (const char *)memory + 8 * index, sizeof word);
  return word;
}

/* Where the program began: a plugin may change the working directory. */
static int beginning;
static __attribute__((constructor)) void remember(void) {
  beginning = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static UNUSED FILE *beside(const char *file) {
  int in = openat(beginning, file, O_RDONLY | O_CLOEXEC);
  return in < 0 ? NULL : fdopen(in, "rb");
}

/* The data of a .npy file beside the program. */
static UNUSED void load(void *to, size_t size, const char *file) {
  FILE *in = beside(file);
  unsigned char head[10];
  if (!in || fread(head, 1, 10, in) != 10 || fseek(in, 10 + head[8] + 256 * head[9], SEEK_SET) || fread(to, 1, size, in) != size) {
    perror(file);
    exit(DIVERGES);
  }
  fclose(in);
}

/* A text file beside the program. */
static UNUSED void load_text(void *to, size_t size, const char *file) {
  FILE *in = beside(file);
  if (!in || fread(to, 1, size, in) != size) {
    perror(file);
    exit(DIVERGES);
  }
  fclose(in);
}

static int code_of(PJRT_Error *error) {
  PJRT_Error_GetCode_Args args = {.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE, .error = error};
  if (!api->PJRT_Error_GetCode || api->PJRT_Error_GetCode(&args)) return -1;
  return (int)args.code;
}

static void describe(const char *name, PJRT_Error *error) {
  PJRT_Error_Message_Args args = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
  api->PJRT_Error_Message(&args);
  fprintf(stderr, "%s returned the error %d: %.*s\n", name, code_of(error), (int)args.message_size, args.message);
}

/* A call that must succeed. */
static UNUSED void succeeds(PJRT_Error *error) {
  alarm(0);
  if (!error) return;
  describe(current, error);
  fprintf(stderr, "FAIL: %s should succeed\n", current);
  exit(FAILS);
}

/* A call that must fail: with this code, or, if that is 0, with any. */
static UNUSED PJRT_Error *fails(PJRT_Error *error, int code) {
  alarm(0);
  if (!error) {
    fprintf(stderr, "FAIL: %s succeeded, expected the error %d (0: any)\n", current, code);
    exit(FAILS);
  }
  if (code == 0 || code_of(error) == code) return error;
  describe(current, error);
  fprintf(stderr, "FAIL: expected the error %d\n", code);
  exit(FAILS);
}

/* A call that may fail, but not with this code. */
static UNUSED void fails_otherwise(PJRT_Error *error, int code) {
  alarm(0);
  if (!error || code_of(error) != code) return;
  describe(current, error);
  fprintf(stderr, "FAIL: another code than %d is expected\n", code);
  exit(FAILS);
}

/* A call that failed when it was recorded, which nobody minded. */
static UNUSED PJRT_Error *failed_before(PJRT_Error *error) {
  alarm(0);
  if (error) return error;
  fprintf(stderr, "%s succeeds, other than when this was recorded\n", current);
  exit(DIVERGES);
}

/* A call that succeeded when it was recorded, and may as well fail. */
static UNUSED void succeeded_before(PJRT_Error *error) {
  alarm(0);
  if (!error) return;
  describe(current, error);
  fprintf(stderr, "%s fails, other than when this was recorded\n", current);
  exit(DIVERGES);
}

/* A call on another thread, while others are made on this one. */
struct elsewhere {
  pthread_t thread;
  PJRT_Error *(*function)(void *);
  void *args;
  PJRT_Error *error;
};

static UNUSED void *run_elsewhere(void *call) {
  ((struct elsewhere *)call)->error = ((struct elsewhere *)call)->function(((struct elsewhere *)call)->args);
  return NULL;
}

static UNUSED void start(struct elsewhere *call) {
  if (pthread_create(&call->thread, NULL, run_elsewhere, call)) exit(DIVERGES);
}

static UNUSED PJRT_Error *finish(struct elsewhere *call) {
  pthread_join(call->thread, NULL);
  return call->error;
}

/* A callback: it notes what it is called with, and makes prepared calls when it is called first. */
struct callback {
  uint64_t count, given[64][6];
  size_t calls;
  struct { PJRT_Error *(*function)(void *); void *args; PJRT_Error *error; } call[32];
};

static UNUSED uint64_t called(struct callback *to, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  uint64_t index = to->count;
  if (index < 64) memcpy(to->given[index], (uint64_t[]){a, b, c, d, e, f}, sizeof to->given[index]);
  pthread_mutex_unlock(&mutex);
  if (index == 0)
    for (size_t i = 0; i < to->calls; i++) to->call[i].error = to->call[i].function(to->call[i].args);
  __atomic_store_n(&to->count, index + 1, __ATOMIC_RELEASE);
  return 0;
}

#define CALLBACK(name) \
  static struct callback name; \
  static uint64_t name##_function(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f) { \
    return called(&name, a, b, c, d, e, f); \
  }

/* Waits until a callback was called so often. */
static UNUSED void wait_for(struct callback *callback, uint64_t count) {
  begin(0, "a callback");
  while (__atomic_load_n(&callback->count, __ATOMIC_ACQUIRE) < count) usleep(100);
  alarm(0);
}

static int64_t in_order(const unsigned char *at, size_t size) {
  int64_t bits = 0;
  memcpy(&bits, at, size);
  int64_t sign = (int64_t)1 << (8 * size - 1);
  if (size == 8) return bits < 0 ? INT64_MIN - bits : bits;
  return bits & sign ? sign - bits : bits;
}

static double number(const unsigned char *at, const char *type) {
  float single;
  double wide;
  uint32_t bits = 0;
  if (!strcmp(type, "f64")) return memcpy(&wide, at, 8), wide;
  if (!strcmp(type, "bf16")) {
    bits = (uint32_t)(at[0] | at[1] << 8) << 16;
    return memcpy(&single, &bits, 4), single;
  }
  if (!strcmp(type, "f16")) {
    uint32_t half = (uint32_t)(at[0] | at[1] << 8), exponent = half >> 10 & 31, mantissa = half & 1023;
    double value = exponent == 31 ? (mantissa ? __builtin_nan("") : __builtin_inf())
                   : exponent ? (1024 + mantissa) * __builtin_ldexp(1, (int)exponent - 25) : mantissa * __builtin_ldexp(1, -24);
    return half & 0x8000 ? -value : value;
  }
  return memcpy(&single, at, 4), single;
}

/*
 * Compares arrays of numbers of `size` bytes: equal bits, a NaN for a NaN, or at most `ulp` steps or `atol` apart; zeros of the
 * two signs are one number unless they are `signed_zeros`.
 * @return how many differ
 */
static UNUSED size_t differences(const char *what, const void *actual, const void *expected, size_t count, size_t size,
                                 const char *type, double ulp, double atol, bool signed_zeros) {
  size_t different = 0;
  for (size_t i = 0; i < count; i++) {
    const unsigned char *a = (const unsigned char *)actual + i * size, *e = (const unsigned char *)expected + i * size;
    if (!memcmp(a, e, size)) continue;
    if (*type == 'f' || *type == 'b') {
      double x = number(a, type), y = number(e, type), apart = x - y;
      if (x != x && y != y) continue;
      bool is_other_zero = x == 0 && y == 0 && signed_zeros;
      if (x == y && !is_other_zero) continue;
      if (!is_other_zero && apart <= atol && -apart <= atol) continue;
      double steps = (double)in_order(a, size) - (double)in_order(e, size);
      if (!is_other_zero && x == x && y == y && steps <= ulp && -steps <= ulp) continue;
      if (different < 10) fprintf(stderr, "%s[%zu]: expected %.17g, actual %.17g\n", what, i, y, x);
    } else if (different < 10) {
      fprintf(stderr, "%s[%zu]: expected 0x", what, i);
      for (size_t b = size; b-- > 0;) fprintf(stderr, "%02x", e[b]);
      fprintf(stderr, ", actual 0x");
      for (size_t b = size; b-- > 0;) fprintf(stderr, "%02x", a[b]);
      fprintf(stderr, "\n");
    }
    different++;
  }
  return different;
}

static void open_plugin(const char *path) {
  if (!path) {
    fprintf(stderr, "usage: ./repro PLUGIN\n");
    exit(DIVERGES);
  }
  begin(0, "dlopen");
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(DIVERGES);
  }
  const PJRT_Api *(*get)(void);
  void *symbol = dlsym(library, "GetPjrtApi");
  memcpy(&get, &symbol, sizeof get);
  api = symbol ? get() : NULL;
  if (!api || api->pjrt_api_version.minor_version < PJRT_API_MINOR) {
    fprintf(stderr, "%s is no plugin of PJRT API 0.%d or newer\n", path, PJRT_API_MINOR);
    exit(DIVERGES);
  }
  alarm(0);
}
