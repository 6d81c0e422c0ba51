#include "settings.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace recorder {
namespace {

bool Is(const char* name, const char* value) {
  const char* given = Setting(name);
  return given != nullptr && std::strcmp(given, value) == 0;
}

Settings Read() {
  Settings read{};
  const char* directory = Setting("PJRT_CONFORMANCE_RECORD");
  if (directory == nullptr || std::strlen(directory) >= sizeof(read.directory) - 64) return read;
  std::strcpy(read.directory, directory);
  read.keep = Is("PJRT_CONFORMANCE_RECORD_KEEP", "none")     ? Keep::kNone
              : Is("PJRT_CONFORMANCE_RECORD_KEEP", "hashes") ? Keep::kHashes
                                                             : Keep::kAll;
  read.contents = Is("PJRT_CONFORMANCE_RECORD_CONTENTS", "none")    ? Contents::kNone
                  : Is("PJRT_CONFORMANCE_RECORD_CONTENTS", "every") ? Contents::kEvery
                                                                    : Contents::kFirst;
  read.programs_only = Is("PJRT_CONFORMANCE_RECORD_PROGRAMS_ONLY", "1");
  if (const char* window = Setting("PJRT_CONFORMANCE_RECORD_WINDOW")) {
    char* end = nullptr;
    read.window[0] = std::strtoull(window, &end, 10);
    read.window[1] = std::strtoull(*end == '-' ? end + 1 : window, nullptr, 10);
  }
  read.no_views = Is("PJRT_CONFORMANCE_RECORD_NO_VIEWS", "1");
  if (const char* most = Setting("PJRT_CONFORMANCE_RECORD_MAX_SIZE")) read.most_bytes = std::strtoull(most, nullptr, 10);
  if (const char* version = Setting("PJRT_CONFORMANCE_RECORD_STABLEHLO")) {
    read.lowers_stablehlo = true;
    for (int part = 0; *version != 0; ++version) {
      if (*version == '.') part += part < 2;
      else read.stablehlo[part] = 10 * read.stablehlo[part] + (*version - '0');
    }
  }
  return read;
}

/** They are read before the program can change them. */
__attribute__((constructor)) void Start() { Asked(); }

}  // namespace

const Settings& Asked() {
  static const Settings settings = Read();
  return settings;
}

void Say(const char* format, ...) {
  char line[2048];
  int used = std::snprintf(line, sizeof(line), "pjrt-conformance record: ");
  va_list arguments;
  va_start(arguments, format);
  const int more = std::vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
  va_end(arguments);
  used = more < 0 ? used : used + more < static_cast<int>(sizeof(line)) - 1 ? used + more : sizeof(line) - 2;
  line[used] = '\n';
  // One call, so that lines of several threads stay whole. There is nobody to say to that it failed.
  if (write(2, line, used + 1) < 0) return;
}

}  // namespace recorder
