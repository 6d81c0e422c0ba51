// A library in LD_PRELOAD that is in front of dlsym itself, and one of whose functions needs what is next after it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void* dlsym(void* handle, const char* name) {
  static void* (*next)(void*, const char*);
#if defined(__x86_64__)
  if (next == NULL) next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
#else
  if (next == NULL) next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
#endif
  if (name != NULL && strcmp(name, "GetPjrtApi") == 0) fputs("the interposer was asked\n", stderr);
  return next(handle, name);
}
