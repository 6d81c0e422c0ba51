// In LD_PRELOAD: dlsym, which answers for GetPjrtApi with a function that gives the recorded table. All else is asked of the dlsym behind
// this one, by a jump: the caller stays the caller, which RTLD_NEXT depends on.
#include "old_glibc.h"
#include <dlfcn.h>

#include <cstring>

#include "plugins.h"

namespace recorder {
namespace {

using Dlsym = void* (*)(void* handle, const char* name);

#if defined(__x86_64__)
constexpr char kFirst[] = "GLIBC_2.2.5";
#elif defined(__aarch64__)
constexpr char kFirst[] = "GLIBC_2.17";
#else
#error "the recorder is for x86-64 and arm64"
#endif

/** That of the C library. */
Dlsym Last() {
  static Dlsym last = nullptr;
  Dlsym known = __atomic_load_n(&last, __ATOMIC_RELAXED);
  if (known != nullptr) return known;
  known = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", kFirst));
  if (known == nullptr) known = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  if (known == nullptr) __builtin_trap();
  __atomic_store_n(&last, known, __ATOMIC_RELAXED);
  return known;
}

/** The next one after this library: that of the C library, or of another library that is in front of it, without a version. */
Dlsym Next() {
  static Dlsym next = nullptr;
  Dlsym known = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (known != nullptr) return known;
  known = reinterpret_cast<Dlsym>(Last()(RTLD_NEXT, "dlsym"));
  if (known == nullptr) known = Last();
  __atomic_store_n(&next, known, __ATOMIC_RELAXED);
  return known;
}

void* AnswerGetPjrtApi(void* handle, const char* name) {
  auto get = reinterpret_cast<Getter>(Next()(handle, name));
  return get == nullptr ? nullptr : reinterpret_cast<void*>(Wrapped(get));
}

/** Who asks the C library for its dlsym, to look names up with it, gets this one. */
void* AnswerDlsym(void* handle, const char* name) {
  void* found = Next()(handle, name);
  const bool known = found == reinterpret_cast<void*>(Next()) || found == reinterpret_cast<void*>(Last());
  return known ? reinterpret_cast<void*>(::dlsym) : found;
}

}  // namespace
}  // namespace recorder

/** What a call of dlsym goes on to. */
extern "C" __attribute__((visibility("hidden"), used)) void* recorder_choose(void* handle, const char* name, const void* caller) {
  using namespace recorder;
  // What is next depends on who asks.
  if (name == nullptr || handle == RTLD_NEXT) return reinterpret_cast<void*>(Next());
  if (std::strcmp(name, "GetPjrtApi") == 0 && !IsPluginsOwn(caller)) return reinterpret_cast<void*>(AnswerGetPjrtApi);
  if (std::strcmp(name, "dlsym") == 0) return reinterpret_cast<void*>(AnswerDlsym);
  return reinterpret_cast<void*>(Next());
}

#if defined(__x86_64__)
__asm__(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq 24(%rsp), %rdx
  call recorder_choose
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#else
__asm__(R"(
  .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-32]!
  .cfi_adjust_cfa_offset 32
  stp x0, x1, [sp, #16]
  mov x2, x30
  bl recorder_choose
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_adjust_cfa_offset -32
  br x16
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#endif
