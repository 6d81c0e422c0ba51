import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import koffi from 'koffi';
import { c, PAGE } from './libc.ts'; // which sets the stack sizes before anything is loaded

/** Fields of `struct mallinfo2`, all size_t. */
const FIELDS = ['arena', 'ordblks', 'smblks', 'hblks', 'hblkhd', 'usmblks', 'fsmblks', 'uordblks', 'fordblks', 'keep'];

/**
 * Bytes in use of the allocator of a sanitizer (sanitizer/allocator_interface.h), which keeps what was freed, so that the memory of the process
 * proves nothing; undefined without one.
 */
const ofSanitizer = ((): (() => number) | undefined => {
  const address = process.platform === 'linux' ? c.dlsym(0n, '__sanitizer_get_current_allocated_bytes') : null;
  if (address === null) return undefined;
  const read = koffi.decode(address, koffi.proto('size_t SanitizerBytes()')) as () => number | bigint;
  return () => Number(read());
})();

let reader: (() => Record<string, number | bigint>) | undefined;

/** Bytes that the C allocator has allocated and not freed; undefined if it does not report them (glibc 2.33 and later do). */
export function heapInUse(): number | undefined {
  if (ofSanitizer) return ofSanitizer();
  if (process.platform !== 'linux') return undefined;
  if (!reader) {
    try {
      const type = koffi.struct('PjrtMallinfo2', Object.fromEntries(FIELDS.map((name) => [name, 'size_t'])));
      reader = koffi.load('libc.so.6').func('mallinfo2', type, []) as () => Record<string, number | bigint>;
    } catch {
      return undefined;
    }
  }
  const info = reader();
  return Number(info.uordblks) + Number(info.hblkhd);
}

let collect: (() => void) | undefined;

/** Collects JavaScript garbage, so that the memory of the process shows what the plugin holds. */
export async function collectGarbage(): Promise<void> {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
  // Finalizers of the first collection release native memory; they run in turns of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
}

/** Bytes of the process in memory; undefined if they prove nothing. */
export const residentBytes = (): number | undefined => (ofSanitizer ? undefined : process.memoryUsage.rss());

/** Bytes of address space that the process has mapped; undefined if the system does not say (Linux does). */
export function mappedBytes(): number | undefined {
  if (process.platform !== 'linux' || ofSanitizer) return undefined;
  return Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[0]) * PAGE;
}
