// What the command `record` asks for.
#ifndef PJRT_RECORDER_SETTINGS_H_
#define PJRT_RECORDER_SETTINGS_H_

#include <cstdint>

namespace recorder {

/** What of host data is kept. */
enum class Keep : uint8_t { kAll, kHashes, kNone };
/** Of which executions the contents of arguments and results are read. */
enum class Contents : uint8_t { kNone, kFirst, kEvery };

struct Settings {
  /** Absolute path of the trace; empty: nothing is recorded. */
  char directory[4096];
  Keep keep;
  Contents contents;
  /** Only what compiles programs is recorded. */
  bool programs_only;
  /** The first and the last of the executions, from 1 on, between which everything is recorded, and only programs elsewhere; 0: everywhere. */
  uint64_t window[2];
  /** Callers do not learn that the host can read a buffer where it is, and read copies. */
  bool no_views;
  /** Bytes of records and data, for each process; 0: no limit. */
  uint64_t most_bytes;
  /** The latest StableHLO that plugins may say they read, if there is such a limit. */
  bool lowers_stablehlo;
  int64_t stablehlo[3];
};

/** The settings of this process, read once. */
const Settings& Asked();

/** A setting as it was given; null if it was not. */
const char* Setting(const char* name);

/** One line on stderr that begins with the name of the command. */
void Say(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace recorder

#endif
