/*
 * Records the signal that is about to end the process: the parent reads it in the breadcrumb. Part of the library of recorder.c, and
 * like that without headers: what the system lays out is given here as offsets, which its binary interface fixes.
 */
typedef unsigned long long word;

#if defined(__APPLE__)
struct action {
  void *handler;
  unsigned mask;
  int flags;
};
struct stack {
  void *at;
  unsigned long bytes;
  int flags;
};
enum { SIGINFO = 0x40, ON_STACK = 1, DISABLED = 4, BUS = 10, ADDRESS_AT = 24, CONTEXT_AT = 48 };
#define IS_SENT(code) ((code) <= 0 || (code) > 0x10000)
#else
struct action {
  void *handler;
  unsigned char mask[128];
  int flags;
  void *restorer;
};
struct stack {
  void *at;
  int flags;
  unsigned long bytes;
};
enum { SIGINFO = 4, ON_STACK = 0x08000000, DISABLED = 2, BUS = 7, ADDRESS_AT = 16 };
#define IS_SENT(code) ((code) <= 0)
#endif
enum { ILL = 4, ABRT = 6, FPE = 8, SEGV = 11 };

/** What the parent finds, as in breadcrumb-layout.ts; `debugger` is what the parent has written. */
struct fault {
  word number, code, address, access, stack_pointer, own_thread, calls, debugger;
};

/** A debugger may attach; at the end the process waits until the parent has written another value. */
enum { MAY_ATTACH = 1, WAITS = 2 };
/** The parent gives a debugger less than that. */
enum { NAP_NS = 10 * 1000 * 1000, NAPS = 9000 };

enum { READS = 1, WRITES = 2, RUNS = 3 };
enum { STACK_BYTES = 64 * 1024 };

extern int sigaction(int, const struct action *, struct action *);
extern int sigaltstack(const struct stack *, struct stack *);
extern int raise(int);
extern int getpid(void);
extern int nanosleep(const long *, long *);
extern word pthread_self(void);

static const int watched[] = {SEGV, BUS, ILL, FPE, ABRT};
enum { WATCHED = sizeof watched / sizeof watched[0] };

/** Who handled these signals before. */
static struct action before[WATCHED];
static struct fault *record;
/** How many calls the worker has begun, of the breadcrumb. */
static const volatile unsigned *calls;
/** A child that the plugin forks has the handlers too, and dies for itself. */
static int process;
static word thread;
/** For a thread whose own stack has no room left. */
static char stack[STACK_BYTES];

static word at(const void *base, unsigned long offset) { return *(const word *)((const char *)base + offset); }

#if defined(__x86_64__)
/** The error code of a page fault. */
static word access_of(word error) { return error & 16 ? RUNS : error & 2 ? WRITES : READS; }
#else
/** The syndrome of an abort; other exceptions say nothing. */
static word access_of(word syndrome) {
  word kind = syndrome >> 26 & 0x3f;
  if (kind == 0x20 || kind == 0x21) return RUNS;
  return kind != 0x24 && kind != 0x25 ? 0 : syndrome & 64 ? WRITES : READS;
}
#endif

#if defined(__APPLE__) && defined(__x86_64__)
static word error_of(const void *context) { return at((void *)at(context, CONTEXT_AT), 0) >> 32; }
static word stack_pointer(const void *context) { return at((void *)at(context, CONTEXT_AT), 16 + 7 * 8); }
#elif defined(__APPLE__)
static word error_of(const void *context) { return at((void *)at(context, CONTEXT_AT), 8) & 0xffffffff; }
static word stack_pointer(const void *context) { return at((void *)at(context, CONTEXT_AT), 16 + 31 * 8); }
#elif defined(__x86_64__)
static word error_of(const void *context) { return at(context, 40 + 19 * 8); }
static word stack_pointer(const void *context) { return at(context, 40 + 15 * 8); }
#else
enum { ESR = 0x45535201, RECORDS_AT = 464 };
/** Among records that each begin with their kind and size. */
static word error_of(const void *context) {
  for (unsigned long offset = RECORDS_AT;;) {
    word head = at(context, offset);
    if ((head & 0xffffffff) == ESR) return at(context, offset + 8);
    if (head >> 32 == 0) return 0;
    offset += head >> 32;
  }
}
static word stack_pointer(const void *context) { return at(context, 184 + 31 * 8); }
#endif

/** The process is as it died, so that the parent can look at it. */
static void wait_for_debugger(void) {
  const long nap[] = {0, NAP_NS};
  for (int i = 0; i < NAPS && __atomic_load_n(&record->debugger, __ATOMIC_ACQUIRE) == WAITS; i++) nanosleep(nap, 0);
}

static void died(int number, const int *info, void *context) {
  int code = info[2];
  if (getpid() == process) {
    record->code = (word)(long long)code;
    record->address = at(info, ADDRESS_AT);
    record->access = access_of(error_of(context));
    record->stack_pointer = stack_pointer(context);
    record->own_thread = pthread_self() == thread;
    record->calls = *calls;
    __atomic_store_n(&record->number, (word)number, __ATOMIC_RELEASE);
    wait_for_debugger();
  }
  int index = 0;
  while (watched[index] != number) index++;
  const struct action *old = &before[index];
  if ((word)old->handler > 1) {
    if (old->flags & SIGINFO)
      ((void (*)(int, const int *, void *))old->handler)(number, info, context);
    else
      ((void (*)(int))old->handler)(number);
    return;
  }
  /* By default the process ends: what the processor raised happens again on return, what was sent does not. */
  sigaction(number, old, 0);
  if (IS_SENT(code)) raise(number);
}

#if defined(__APPLE__)
static void let_debuggers_attach(void) {}
#else
extern int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long);
enum { SET_PTRACER = 0x59616d61 };
/** Where only the parent of a process may trace it (Yama), any process of the user may then. */
static void let_debuggers_attach(void) { prctl(SET_PTRACER, -1ul, 0, 0, 0); }
#endif

/** Puts this in front of whatever handles these signals now. */
__attribute__((visibility("default"))) void pjrt_watch_faults(void *to, const void *number_of_calls) {
  struct stack own = {0}, has;
  own.at = stack;
  own.bytes = sizeof stack;
  record = to;
  calls = number_of_calls;
  process = getpid();
  thread = pthread_self();
  if (record->debugger >= MAY_ATTACH) let_debuggers_attach();
  if (sigaltstack(0, &has) == 0 && (has.flags & DISABLED)) sigaltstack(&own, 0);
  for (int index = 0; index < WATCHED; index++) {
    struct action now, ours = {0};
    if (sigaction(watched[index], 0, &now) != 0 || now.handler == (void *)died) continue;
    before[index] = now;
    ours.handler = (void *)died;
    ours.flags = SIGINFO | ON_STACK;
    sigaction(watched[index], &ours, 0);
  }
}

/** The function that a debugger is to stop at, of which nothing but its address may be known. */
__attribute__((visibility("default"))) void *volatile pjrt_debugger_function;

/** A debugger has a breakpoint here, and sets one at the function. */
__attribute__((visibility("default"), noinline)) void pjrt_debugger_stop(void *function) {
  __asm__ volatile("" : : "r"(function) : "memory");
}

/** The harness is about to call the function. */
__attribute__((visibility("default"))) void pjrt_debugger_approach(void *function) {
  pjrt_debugger_function = function;
  pjrt_debugger_stop(function);
}
