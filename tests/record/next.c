// A library in LD_PRELOAD that asks for what is next after it, as wrappers of malloc do.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

int puts(const char* text) {
  int (*next)(const char*) = dlsym(RTLD_NEXT, "puts");
  if (next == puts) return -1;
  fputs("the next one was found\n", stderr);
  return next(text);
}
