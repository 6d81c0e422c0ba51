/*
 * Callbacks that return at once, on whatever thread a plugin calls them: they record the call, and make calls of the API that
 * JavaScript has prepared, from the very thread and moment. native-recorder.ts prepares and reads the slots. No header and no library
 * is needed: what is undefined here stands in the C library of the process.
 */
typedef unsigned long long word;

enum { SLOTS = 512, FIRINGS = 64, ARGUMENTS = 6, MASK_WORDS = 16 };

/** A call of the API, prepared by JavaScript. */
struct call {
  word function, arguments;
  /** Name in the breadcrumb. */
  word name;
  /** Whether it has returned, and what. */
  word done, answer;
};

struct firing {
  /** 1 once everything else is there, 2 when the function returns. */
  word stage;
  word arguments[ARGUMENTS];
  word thread, float_control, signal_mask;
};

struct slot {
  /** How often the function was called, and what it returns. */
  word count, answer;
  /** Name in the breadcrumb of what it was given to. */
  word name;
  /** Calls that the first firing makes, and whether it waits for more of them. */
  word calls, number_of_calls, open;
  /** Where what the arguments point to is copied, room there, and how much of it is taken; 0 for nowhere. */
  word copy_to, copy_bytes, copied;
  struct firing firings[FIRINGS];
};

/** What JavaScript finds first. */
struct recorder {
  word slots, slot_bytes, firing_bytes, call_bytes;
  /** The thread that runs JavaScript, which cannot wait for itself. */
  word own_thread;
  /** Two words of the breadcrumb, of four bytes: the call in progress inside a callback, and the callback. */
  word crumb;
  struct slot *slot;
  word (*functions[SLOTS])(word, word, word, word, word, word);
};

extern word pthread_self(void);
extern int usleep(unsigned);
extern int pthread_sigmask(int, const void *, void *);
extern void *memcpy(void *, const void *, unsigned long);

static struct slot slots[SLOTS];
extern struct recorder pjrt_recorder;

static word float_control(void) {
#if defined(__x86_64__)
  unsigned int control;
  __asm__ volatile("stmxcsr %0" : "=m"(control));
  return control & ~0x3fu; /* without the sticky flags */
#else
  word control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
#endif
}

static void enter_crumb(word call, word callback) {
  volatile unsigned int *crumb = (volatile unsigned int *)pjrt_recorder.crumb;
  if (!crumb) return;
  crumb[1] = (unsigned int)callback;
  __atomic_store_n(&crumb[0], (unsigned int)call, __ATOMIC_RELEASE);
}

static word load(const word *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }

static void make(struct slot *slot, word thread) {
  struct call *calls = (struct call *)slot->calls;
  word made = 0;
  for (;;) {
    for (; made < load(&slot->number_of_calls); made++) {
      struct call *call = &calls[made];
      enter_crumb(call->name, slot->name);
      call->answer = ((word(*)(word))call->function)(call->arguments);
      __atomic_store_n(&call->done, 1, __ATOMIC_RELEASE);
      enter_crumb(0xffffffffu, 0xffffffffu);
    }
    if (thread == pjrt_recorder.own_thread || !load(&slot->open)) return;
    usleep(50);
  }
}

/** Copies what the first two pairs of address and size say; a size for which there is no room becomes 0. */
static void copy(struct slot *slot, word *arguments) {
  for (int pair = 0; pair < 2; pair++) {
    word *size = &arguments[2 * pair + 1];
    if (*size > slot->copy_bytes - slot->copied) *size = 0;
    if (*size) memcpy((char *)slot->copy_to + slot->copied, (const void *)arguments[2 * pair], *size);
    slot->copied += *size;
  }
}

static __attribute__((noinline)) word enter(int number, word a, word b, word c, word d, word e, word f) {
  struct slot *slot = &slots[number];
  const word arguments[ARGUMENTS] = {a, b, c, d, e, f};
  word index = __atomic_fetch_add(&slot->count, 1, __ATOMIC_ACQ_REL);
  if (index < FIRINGS) {
    struct firing *firing = &slot->firings[index];
    word mask[MASK_WORDS] = {0};
    memcpy(firing->arguments, arguments, sizeof arguments);
    firing->thread = pthread_self();
    firing->float_control = float_control();
    pthread_sigmask(0, 0, mask);
    firing->signal_mask = mask[0];
    if (slot->copy_to) copy(slot, firing->arguments);
    __atomic_store_n(&firing->stage, 1, __ATOMIC_RELEASE);
    if (index == 0) make(slot, firing->thread);
    __atomic_store_n(&firing->stage, 2, __ATOMIC_RELEASE);
  }
  return slot->answer;
}

/* A function for each slot, so that its address alone says which slot it is. */
#define HEX(X, n) \
  X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) \
  X(n##8) X(n##9) X(n##a) X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
#define HEX2(X, n) \
  HEX(X, n##0) HEX(X, n##1) HEX(X, n##2) HEX(X, n##3) HEX(X, n##4) HEX(X, n##5) HEX(X, n##6) HEX(X, n##7) \
  HEX(X, n##8) HEX(X, n##9) HEX(X, n##a) HEX(X, n##b) HEX(X, n##c) HEX(X, n##d) HEX(X, n##e) HEX(X, n##f)
#define ALL(X) HEX2(X, 0x0) HEX2(X, 0x1)

#define FUNCTION(n) \
  static word f##n(word a, word b, word c, word d, word e, word f) { return enter(n, a, b, c, d, e, f); }
#define NAME(n) f##n,
ALL(FUNCTION)

__attribute__((visibility("default"))) struct recorder pjrt_recorder = {
    SLOTS, sizeof(struct slot), sizeof(struct firing), sizeof(struct call), 0, 0, slots, {ALL(NAME)}};
