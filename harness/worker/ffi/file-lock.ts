import koffi from 'koffi';
import { c } from './libc.ts';

const LOCK = { shared: 1, exclusive: 2, atOnce: 4 } as const;
const { EINTR, EWOULDBLOCK } = koffi.os.errno as Record<'EINTR' | 'EWOULDBLOCK', number>;

/**
 * Locks an open file with flock(2).
 * @param wait whether to wait while another process has it
 * @returns false if another process has it
 * @throws Error of the system
 */
export function lockDescriptor(fd: number, mode: 'shared' | 'exclusive', wait: boolean): boolean {
  for (;;) {
    if (c.flock(fd, LOCK[mode] | (wait ? 0 : LOCK.atOnce)) === 0) return true;
    const errno = koffi.errno();
    if (errno === EWOULDBLOCK && !wait) return false;
    if (errno !== EINTR) throw new Error(`flock failed with error ${errno}`);
  }
}
