// A plugin whose calls are those of another one, recorded: where the program cannot be started with a library in LD_PRELOAD.
#include "old_glibc.h"
#include <dlfcn.h>
#include <pthread.h>

#include "plugins.h"
#include "settings.h"

OLD(dlerror);
OLD(dlopen);
OLD(dlsym);

namespace recorder {
namespace {

pthread_once_t once = PTHREAD_ONCE_INIT;
Getter getter = nullptr;

void Load() {
  const char* path = Setting("PJRT_CONFORMANCE_RECORD_PLUGIN");
  if (path == nullptr) return;
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    Say("%s", dlerror());
    return;
  }
  auto get = reinterpret_cast<Getter>(dlsym(library, "GetPjrtApi"));
  if (get == nullptr) Say("%s has no GetPjrtApi", path);
  else getter = Wrapped(get);
}

}  // namespace
}  // namespace recorder

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  pthread_once(&recorder::once, recorder::Load);
  return recorder::getter == nullptr ? nullptr : recorder::getter();
}
