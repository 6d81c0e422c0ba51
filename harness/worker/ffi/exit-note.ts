import koffi from 'koffi';
import { libcAddress } from './libc.ts';

const MADV_DONTFORK = 10;

const linux = process.platform === 'linux' ? koffi.load('libc.so.6') : undefined;
const onExit = linux?.func('int on_exit(void* handler, void* argument)');
const cxaAtexit = linux?.func('int __cxa_atexit(void* handler, void* argument, void* library)');
const madvise = linux?.func('int madvise(void* address, size_t length, int advice)');

/**
 * Records that the process calls `exit`, and its status (glibc). `exit` destroys what other threads of Node still use, and
 * may crash or hang in that: nothing else shows then that `exit` was called.
 *
 * No JavaScript can run there, so C library functions do the writing: of two handlers, `srand48_r(status, address)` stores
 * the status as its seed, and `uname(mark)` stores the name of the system. A child that the plugin forks runs the handlers
 * too, but does not have the pages of the mark, so that the system call fails without harm.
 * @param mark pages of their own, zeroed; the first byte becomes nonzero on `exit`
 * @param status 24 bytes, aligned to 8; bytes 2 to 5 are the status
 */
export function noteExit(mark: bigint, markBytes: number, status: bigint): void {
  madvise?.(mark, markBytes, MADV_DONTFORK);
  onExit?.(libcAddress('srand48_r'), status);
  cxaAtexit?.(libcAddress('uname'), mark, null);
}
