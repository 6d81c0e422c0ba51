/* What the process uses: its growth in every phase is a leak, in the first ones it may be a cache that fills up. */
#include <dirent.h>
#include <malloc.h>

struct usage {
  long threads, descriptors, allocated, memory, addresses;
};

static UNUSED long entries_of(const char *path) {
  long count = 0;
  DIR *directory = opendir(path);
  while (directory && readdir(directory)) count++;
  if (directory) closedir(directory);
  return count;
}

static UNUSED struct usage usage_now(void) {
  struct usage now = {.threads = entries_of("/proc/self/task"), .descriptors = entries_of("/proc/self/fd")};
#if __GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33)
  struct mallinfo2 heap = mallinfo2();
  now.allocated = (long)(heap.uordblks + heap.hblkhd);
#endif
  long pages[2] = {0};
  FILE *in = fopen("/proc/self/statm", "r");
  if (in && fscanf(in, "%ld %ld", &pages[0], &pages[1]) == 2) now.addresses = pages[0] * PAGE, now.memory = pages[1] * PAGE;
  if (in) fclose(in);
  return now;
}

/* Whether something still grows that did in all phases before: by more than its limit; -1: it may grow. */
static UNUSED bool grows(struct usage *last, struct usage *limit) {
  struct usage now = usage_now();
  long *before = (long *)last, *after = (long *)&now, *most = (long *)limit;
  bool some = false;
  static const char *const names[] = {"threads", "descriptors", "bytes allocated", "bytes of memory", "bytes of addresses"};
  for (size_t i = 0; i < sizeof now / sizeof(long); i++) {
    if (most[i] >= 0 && after[i] - before[i] <= most[i]) most[i] = -1;
    if (most[i] < 0) continue;
    fprintf(stderr, "%s: %ld more\n", names[i], after[i] - before[i]);
    some = true;
  }
  *last = now;
  return some;
}

