// As a plugin: settings are the lines `NAME=value` of a file beside this library, because whoever loads it knows nothing of them.
#include "old_glibc.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "settings.h"

namespace recorder {
namespace {

/** The lines, each ended by a NUL; an empty one is the end. */
char lines[32768];

bool Read() {
  Dl_info own;
  char path[4096 + 16];
  if (dladdr(reinterpret_cast<void*>(&Setting), &own) == 0 || own.dli_fname == nullptr) return false;
  std::snprintf(path, sizeof(path), "%s.record", own.dli_fname);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? -1 : read(file, lines, sizeof(lines) - 2);
  if (file >= 0) close(file);
  if (size <= 0) {
    Say("%s is not there; `record --as-plugin` makes it with the library", path);
    return false;
  }
  for (char* at = lines; (at = std::strchr(at, '\n')) != nullptr;) *at++ = 0;
  return true;
}

}  // namespace

const char* Setting(const char* name) {
  static const bool there = Read();
  if (!there) return nullptr;
  const size_t length = std::strlen(name);
  for (const char* line = lines; *line != 0; line += std::strlen(line) + 1) {
    if (std::strncmp(line, name, length) == 0 && line[length] == '=') return line + length + 1;
  }
  return nullptr;
}

}  // namespace recorder
