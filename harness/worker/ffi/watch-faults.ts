import { functionAt } from './function.ts';
import { c } from './libc.ts';
import { recorderLibrary } from './recorder-library.ts';

let watch: ((...args: unknown[]) => unknown) | null | undefined;

/**
 * Records signals that end the process (faults.c), in front of whatever handles them now; where the package has no native code
 * for the system, nothing does.
 * @param record where the parent reads it @param calls the number of calls so far, of four bytes
 */
export function watchFaults(record: bigint, calls: bigint): void {
  watch ??= find();
  watch?.(record, calls);
}

function find(): typeof watch {
  const library = recorderLibrary();
  const at = library === null ? null : c.dlsym(library, 'pjrt_watch_faults');
  return at === null ? null : functionAt(at, 'void pjrt_watch_faults(uint64_t record, uint64_t calls)');
}
