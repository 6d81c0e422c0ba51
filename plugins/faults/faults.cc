#include "faults.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace faults {
namespace {

Registration* first = nullptr;

/** Appends a line to the file named in PJRT_FAULTS_REPORT: what the runner must know about the fault. */
void Report(const std::string& line) {
  const char* path = std::getenv("PJRT_FAULTS_REPORT");
  if (path == nullptr) return;
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return;
  std::string text = line + "\n";
  if (write(fd, text.data(), text.size()) < 0) std::perror("faults");
  close(fd);
}

}  // namespace

Registration::Registration(const char* name, InstallFault install) : name(name), install(install), next(first) {
  first = this;
}

}  // namespace faults

namespace wrapper {

const char* const kLibrary = "faults";
const char* const kBaseVariable = "PJRT_FAULTS_BASE";

void Install() {
  const char* name = std::getenv("PJRT_FAULT");
  if (name == nullptr || *name == '\0') return;
  for (faults::Registration* fault = faults::first; fault != nullptr; fault = fault->next) {
    if (std::strcmp(fault->name, name) != 0) continue;
    fault->install();
    if (marks_itself) faults::Report("marks");
    return;
  }
  Die(std::string("no fault is called ") + name);
}

void Missing(const char* what) { faults::Report(std::string("missing ") + what); }

void MarkReached() {
  static std::atomic<bool> reported{false};
  if (!reported.exchange(true)) faults::Report("reached");
}

}  // namespace wrapper

// Two variants of the library are faults themselves: one exports symbols that other libraries also have, one needs an
// undefined function.
#ifdef FAULTS_EXPORTING
namespace llvm {
__attribute__((visibility("default"))) int InitializeAllTargets() { return 1; }
}  // namespace llvm
namespace google::protobuf {
__attribute__((visibility("default"))) int ShutdownProtobufLibrary() { return 1; }
}  // namespace google::protobuf
#endif
#ifdef FAULTS_UNRESOLVED
extern "C" void pjrt_faults_function_that_nobody_defines();
__attribute__((used)) static void CallsIt() { pjrt_faults_function_that_nobody_defines(); }
#endif
