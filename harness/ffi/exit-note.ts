import koffi from 'koffi';
import { libcAddress } from './libc.ts';

const MADV_DONTFORK = 10;

const linux = process.platform === 'linux' ? koffi.load('libc.so.6') : undefined;
const onExit = linux?.func('int on_exit(void* handler, void* argument)');
const cxaAtexit = linux?.func('int __cxa_atexit(void* handler, void* argument, void* library)');
const madvise = linux?.func('int madvise(void* address, size_t length, int advice)');

/**
 * Has the process write down that it calls `exit`, and with which status (glibc). `exit` destroys what other threads of Node
 * still use, and may die or hang in that: nothing else tells then that somebody has called it.
 *
 * No JavaScript can run there, so functions of the C library do the writing: of two handlers, `srand48_r(status, address)`
 * stores the status as its seed, and `uname(mark)` stores the name of the system. A child that the plugin forks runs the
 * handlers too; it does not have the pages of the mark, where the system call then fails without harm.
 * @param mark pages of their own, zeroed; their first byte is not 0 any more after `exit`
 * @param status 24 bytes, aligned to 8; bytes 2 to 5 are the status
 */
export function noteExit(mark: bigint, markBytes: number, status: bigint): void {
  madvise?.(mark, markBytes, MADV_DONTFORK);
  onExit?.(libcAddress('srand48_r'), status);
  cxaAtexit?.(libcAddress('uname'), mark, null);
}
