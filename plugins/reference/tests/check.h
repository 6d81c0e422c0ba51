// Checks for test programs: they print and count failures.
#pragma once

#include <cstdio>
#include <string>

#include "base/error.h"

inline int failed_checks = 0;

#define CHECK(condition)                                                         \
  do {                                                                           \
    if (!(condition)) {                                                          \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);       \
      failed_checks++;                                                           \
    }                                                                            \
  } while (false)

// The statement throws an Error of this code.
#define CHECK_THROWS(error_code, ...)                                                          \
  do {                                                                                         \
    bool thrown = false;                                                                       \
    try {                                                                                      \
      __VA_ARGS__;                                                                             \
    } catch (const ::reference::Error& error) {                                                \
      thrown = error.code == (error_code);                                                     \
    }                                                                                          \
    if (!thrown) {                                                                             \
      std::fprintf(stderr, "%s:%d: no %s: %s\n", __FILE__, __LINE__, #error_code, #__VA_ARGS__); \
      failed_checks++;                                                                         \
    }                                                                                          \
  } while (false)

// For the end of main: the exit status.
inline int ReportChecks() {
  std::printf("%d failed\n", failed_checks);
  return failed_checks > 0 ? 1 : 0;
}
