// Lets a library linked on a new glibc load on any from 2.25 on (x86-64): symbols with newer versions are bound to
// their old versions, or implemented here. Only in the library that ships with the package; nothing here is visible
// outside of it.
#include <link.h>
#include <pthread.h>
#include <sys/random.h>

#include <cstddef>
#include <cstdint>

#define OLD(result, name, parameters) \
  result old_##name parameters;       \
  __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5")

extern "C" {

OLD(double, exp, (double));
OLD(double, log, (double));
OLD(double, pow, (double, double));
OLD(double, hypot, (double, double));
OLD(int, pthread_create, (pthread_t*, const pthread_attr_t*, void* (*)(void*), void*));
OLD(int, pthread_join, (pthread_t, void**));
OLD(int, pthread_detach, (pthread_t));
OLD(int, __pthread_key_create, (pthread_key_t*, void (*)(void*)));
OLD(int, pthread_once, (pthread_once_t*, void (*)()));

double exp(double x) { return old_exp(x); }
double log(double x) { return old_log(x); }
double pow(double x, double y) { return old_pow(x, y); }
double hypot(double x, double y) { return old_hypot(x, y); }

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  return old_pthread_create(thread, attributes, start, argument);
}
int pthread_join(pthread_t thread, void** result) { return old_pthread_join(thread, result); }
int pthread_detach(pthread_t thread) { return old_pthread_detach(thread); }
int __pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  return old___pthread_key_create(key, destructor);
}
int pthread_once(pthread_once_t* once, void (*routine)()) { return old_pthread_once(once, routine); }

// Whether the process has only one thread; false is always safe.
char __libc_single_threaded = 0;

// Source of std::random_device.
uint32_t arc4random() {
  uint32_t value = 0;
  size_t have = 0;
  while (have < sizeof(value)) {
    const ssize_t got = getrandom(reinterpret_cast<char*>(&value) + have, sizeof(value) - have, 0);
    if (got > 0) have += static_cast<size_t>(got);
  }
  return value;
}

// The unwinder finds the tables of an address with this.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* map;
  void* eh_frame;
  unsigned long long reserved[7];
};

// Under another name: newer headers declare it with a different type.
int FindObject(void* address, FoundObject* result) __asm__("_dl_find_object");
int FindObject(void* address, FoundObject* result) {
  struct Search {
    uintptr_t address;
    FoundObject* result;
  } search = {reinterpret_cast<uintptr_t>(address), result};
  const auto look = [](dl_phdr_info* info, size_t, void* data) {
    Search& wanted = *static_cast<Search*>(data);
    bool inside = false;
    uintptr_t tables = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
      const auto& header = info->dlpi_phdr[i];
      const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
      if (header.p_type == PT_GNU_EH_FRAME) tables = begin;
      if (header.p_type != PT_LOAD || wanted.address < begin || wanted.address >= begin + header.p_memsz) continue;
      inside = true;
      wanted.result->map_start = reinterpret_cast<void*>(begin);
      wanted.result->map_end = reinterpret_cast<void*>(begin + header.p_memsz);
    }
    if (!inside || tables == 0) return 0;
    wanted.result->flags = 0;
    wanted.result->map = nullptr;
    wanted.result->eh_frame = reinterpret_cast<void*>(tables);
    return 1;
  };
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}

}  // extern "C"
