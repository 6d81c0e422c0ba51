// A plugin that loads the base named by SWAPS_BASE. Once, but not at its first load, it puts the file SWAPS_NEW in the place SWAPS_OLD, as
// a build or a cheat does during a run; without SWAPS_NEW it stops the run. SWAPS_MARK is the file by which it knows.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pjrt_c_api.h"

// Whether the process was started by the command: probes start some themselves.
static int is_worker(void) {
  char path[64];
  char words[4096] = {0};
  snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)getppid());
  int file = open(path, O_RDONLY);
  ssize_t bytes = read(file, words, sizeof(words) - 1);
  close(file);
  for (ssize_t i = 0; i < bytes; i++)
    if (words[i] == 0) words[i] = ' ';
  return strstr(words, "cli/main") != NULL;
}

static void once(const char* mark) {
  int file = open(mark, O_CREAT | O_RDWR | O_APPEND, 0600);
  off_t loads = lseek(file, 0, SEEK_END);
  if (loads <= 1 && write(file, ".", 1) != 1) abort();
  if (loads == 1) {
    if (getenv("SWAPS_NEW")) rename(getenv("SWAPS_NEW"), getenv("SWAPS_OLD"));
    else kill(getppid(), SIGTERM);
  }
  close(file);
}

const PJRT_Api* GetPjrtApi(void) {
  void* base = dlopen(getenv("SWAPS_BASE"), RTLD_NOW);
  if (getenv("SWAPS_MARK") && is_worker()) once(getenv("SWAPS_MARK"));
  return ((const PJRT_Api* (*)(void))dlsym(base, "GetPjrtApi"))();
}
