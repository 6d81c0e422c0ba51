// Binds functions that moved to another library in glibc 2.34 to their first versions, so that a library linked on a new glibc
// loads on an older one too. A compiler that is given the glibc to build for needs none of it.
#ifndef PJRT_RECORDER_OLD_GLIBC_H_
#define PJRT_RECORDER_OLD_GLIBC_H_

#ifdef RECORDER_OLD_GLIBC

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_VERSION "GLIBC_2.17"
#endif

#define OLD(name) __asm__(".symver " #name "," #name "@" FIRST_VERSION)
#else
#define OLD(name) static_assert(true, "")
#endif

OLD(dladdr);
OLD(dlvsym);
OLD(pthread_getspecific);
OLD(pthread_key_create);
OLD(pthread_once);
OLD(pthread_setspecific);

#endif
