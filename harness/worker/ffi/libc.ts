import koffi from 'koffi';

// Compilers inside plugins overflow koffi's default stacks of 2 MiB and 128 KiB, which looks like a crash of the plugin.
export const STACK_BYTES = 16 << 20;
koffi.config({ sync_stack_size: STACK_BYTES, async_stack_size: STACK_BYTES });

const libc = koffi.load(process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6');

/** The few C library functions that the harness itself needs. */
export const c = {
  dlopen: libc.func('void* dlopen(const char* file, int mode)') as (file: string, mode: number) => bigint | null,
  dlsym: libc.func('void* dlsym(void* handle, const char* name)') as (handle: bigint, name: string) => bigint | null,
  dlerror: libc.func('const char* dlerror()') as () => string | null,
  mmap: libc.func('void* mmap(void* address, size_t length, int prot, int flags, int fd, int64_t offset)') as (
    address: bigint | null,
    length: number,
    prot: number,
    flags: number,
    fd: number,
    offset: number,
  ) => bigint | null,
  munmap: libc.func('int munmap(void* address, size_t length)') as (address: bigint, length: number) => number,
  mprotect: libc.func('int mprotect(void* address, size_t length, int prot)') as (
    address: bigint,
    length: number,
    prot: number,
  ) => number,
  madvise: libc.func('int madvise(void* address, size_t length, int advice)') as (
    address: bigint,
    length: number,
    advice: number,
  ) => number,
  memcpy: libc.func('void* memcpy(void* to, void* from, size_t n)') as (
    to: Uint8Array | bigint,
    from: Uint8Array | bigint,
    n: number,
  ) => bigint | null,
  dup: libc.func('int dup(int fd)') as (fd: number) => number,
  dup2: libc.func('int dup2(int from, int to)') as (from: number, to: number) => number,
  flock: libc.func('int flock(int fd, int operation)') as (fd: number, operation: number) => number,
  fflush: libc.func('int fflush(void* stream)') as (stream: null) => number,
  getpagesize: libc.func('int getpagesize()') as () => number,
  calloc: libc.func('void* calloc(size_t n, size_t size)') as (n: number, size: number) => bigint | null,
};

/** Address of a function of the C library. */
export function libcAddress(name: string): bigint {
  const address = c.dlsym(0n, name);
  if (address === null) throw new Error(`the C library has no ${name}`);
  return address;
}

export const PROT = { none: 0, read: 1, write: 2 } as const;
export const MAP =
  process.platform === 'darwin'
    ? { shared: 1, private: 2, anonymous: 0x1000 }
    : { shared: 1, private: 2, anonymous: 0x20 };

export const PAGE = c.getpagesize();

/** More than any case takes: only an answer of a plugin can ask for it. */
const IMPOSSIBLE = 2 ** 36;

/** Memory that cannot be had. */
export class OutOfMemory extends Error {
  override name = 'OutOfMemory';
  readonly bytes: number;

  constructor(bytes: number) {
    super(`there are no ${bytes} bytes of memory`);
    this.bytes = bytes;
  }

  get isImpossible(): boolean {
    return !(this.bytes <= IMPOSSIBLE);
  }
}

/** Anonymous readable and writable pages; `bytes` is rounded up to whole pages. */
export function mapPages(bytes: number): { address: bigint; length: number } {
  const length = Math.max(PAGE, Math.ceil(bytes / PAGE) * PAGE);
  if (!(length <= IMPOSSIBLE)) throw new OutOfMemory(bytes);
  const address = c.mmap(null, length, PROT.read | PROT.write, MAP.private | MAP.anonymous, -1, 0);
  if (address === null || address === 0xffffffffffffffffn) throw new OutOfMemory(bytes);
  return { address, length };
}

/** The same between two inaccessible zones; `from` and `to` are the ends of all of it. */
export function mapBetween(bytes: number, zone: number): { address: bigint; length: number; from: bigint; to: bigint } {
  const [length, beside] = [Math.ceil(bytes / PAGE) * PAGE, Math.ceil(zone / PAGE) * PAGE];
  const whole = length + 2 * beside;
  const from = c.mmap(null, whole, PROT.none, MAP.private | MAP.anonymous, -1, 0);
  if (from === null || from === 0xffffffffffffffffn) throw new Error(`out of memory: mmap of ${whole} bytes failed`);
  const address = from + BigInt(beside);
  if (c.mprotect(address, length, PROT.read | PROT.write) !== 0)
    throw new Error(`out of memory: mprotect of ${length} bytes failed`);
  return { address, length, from, to: from + BigInt(whole) };
}

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** Asks the kernel to kill this process when its parent dies, even during a native call (Linux). */
export function dieWithParent(): void {
  if (process.platform !== 'linux') return;
  const prctl = libc.func('int prctl(int option, ulong a, ulong b, ulong c, ulong d)');
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) !== 0) throw new Error('prctl(PR_SET_PDEATHSIG) failed');
}

const F_DUPFD_CLOEXEC = process.platform === 'darwin' ? 67 : 1030;
/** Above what a process opens, and below 64: a larger table would have to be made, for which the kernel waits for all threads. */
const HIGH = 50;

/** A copy of a descriptor with a high number, which no program that this process starts has; the same where none is possible. */
export function raised(fd: number): number {
  const fcntl = libc.func('int fcntl(int fd, int command, ...)');
  const copy: number = fcntl(fd, F_DUPFD_CLOEXEC, 'int', HIGH);
  return copy >= 0 ? copy : fd;
}

const M_PERTURB = -6;
/** No address that anything is mapped at, and no length that anything has, however many of these bytes it is read from. */
const PERTURBED = 0xa5;

/**
 * Makes a call, and has the C library overwrite what is freed during it (glibc; elsewhere the call is only made). Without
 * that, an object which is used after its end often looks as if it were still there. Small blocks keep all but their first
 * two words.
 */
export function overwritingFreed<T>(call: () => T): T {
  if (process.platform !== 'linux') return call();
  const mallopt = libc.func('int mallopt(int what, int value)') as (what: number, value: number) => number;
  mallopt(M_PERTURB, PERTURBED);
  try {
    return call();
  } finally {
    mallopt(M_PERTURB, 0);
  }
}

/** Flushes C stdio, so that captured output is complete. */
export function flushStdio(): void {
  c.fflush(null);
}

/**
 * Address of a C function that ignores its arguments and does nothing: a callback that any thread may call at any time,
 * whereas a JavaScript one would have to wait for the event loop.
 */
export const harmlessFunction = (): bigint => libcAddress('getpid');
