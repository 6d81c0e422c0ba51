// PJRT_FAULT=trace: no defect. The first call of each function writes a line
//   {"calls": "Client_Create"}
// to the file named by PJRT_FAULTS_TRACE, which others may write to as well. So does the first call of
// PJRT_Error_Destroy without an error:
//   {"destroysNull": "Error_Destroy"}
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../reference/c_api/functions.h"
#include "faults.h"

namespace faults {
namespace {

int Trace() {
  static const int fd = [] {
    const char* path = std::getenv("PJRT_FAULTS_TRACE");
    const int made = path == nullptr ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (made < 0) {
      std::fprintf(stderr, "faults: PJRT_FAULTS_TRACE must name a file that can be written\n");
      std::_Exit(97);
    }
    return made;
  }();
  return fd;
}

void RecordOnce(std::atomic<bool>& recorded, const std::string& line) {
  if (!recorded.exchange(true) && write(Trace(), line.data(), line.size()) < 0) std::perror("faults");
}

template <class S>
void Watch(const char* name) {
  if (!S::present()) return;
  const std::string line = std::string("{\"calls\": \"") + name + "\"}\n";
  Replace<S>([line](auto& args, auto& original) -> typename S::Result {
    static std::atomic<bool> recorded{false};
    RecordOnce(recorded, line);
    return original(&args);
  });
}

void Install() {
#define WATCH(name) Watch<SLOT(PJRT_##name)>(#name);
  REFERENCE_C_API_FUNCTIONS(WATCH)
#undef WATCH
  Before<SLOT(PJRT_Error_Destroy)>([](auto& args) {
    static std::atomic<bool> recorded{false};
    if (args.error == nullptr) RecordOnce(recorded, "{\"destroysNull\": \"Error_Destroy\"}\n");
  });
}

Registration registration("trace", Install);

}  // namespace
}  // namespace faults
