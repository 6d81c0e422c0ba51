// A device, or its memory, belongs to one process until that process ends, as libtpu's does.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <mutex>

#include "designs.h"

namespace designs {
namespace {

/** Locks a device for as long as `held` is open. @returns an empty text, or why not */
std::string Hold(const std::string& directory, const std::string& device, std::vector<int>& held) {
  const std::string path = directory + "/pjrt-design-device-" + device + ".lock";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return "cannot open " + path;
  held.push_back(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return "";
  return "device " + device + " is already in use by another process; " + path + " is locked";
}

/** Locks all visible devices, once in a process. Not during the creation of a client: clients may wait for each other. */
std::string HoldAll(const std::string& directory) {
  static std::mutex mutex;
  static std::vector<int> held;
  const std::lock_guard<std::mutex> guard(mutex);
  if (!held.empty()) return "";
  const std::string visible = Setting("PJRT_DESIGN_VISIBLE_DEVICES").value_or("");
  for (const std::string& device : Split(visible.empty() ? "0,1,2,3" : visible)) {
    std::string problem = Hold(directory, device, held);
    if (problem.empty()) continue;
    for (const int fd : held) close(fd);
    held.clear();
    return problem;
  }
  return "";
}

}  // namespace

void OneProcess() {
  const auto directory = Setting("PJRT_DESIGN_ONE_PROCESS");
  if (!directory) return;
  Replace<SLOT(PJRT_Client_Create)>([directory](auto& args, auto& original) -> PJRT_Error* {
    const std::string problem = HoldAll(*directory);
    return problem.empty() ? original(&args) : MakeError(PJRT_Error_Code_ABORTED, problem);
  });
}

void OneMemory() {
  const auto directory = Setting("PJRT_DESIGN_ONE_MEMORY");
  if (!directory) return;
  Replace<SLOT(PJRT_Client_BufferFromHostBuffer)>([directory](auto& args, auto& original) -> PJRT_Error* {
    const std::string problem = HoldAll(*directory);
    return problem.empty() ? original(&args) : MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "out of memory: " + problem);
  });
}

}  // namespace designs
