import { functionAt } from './function.ts';
import { c } from './libc.ts';
import { recorderLibrary } from './recorder-library.ts';

/**
 * Has a debugger set a breakpoint at a function, of which it may know no symbol: it has one in the native code of the harness (faults.c),
 * and finds the address there. Where the package has none for the system, nothing does.
 */
export function debuggerStop(): (address: bigint) => void {
  const library = recorderLibrary();
  const at = library === null ? null : c.dlsym(library, 'pjrt_debugger_approach');
  return at === null ? () => {} : functionAt(at, 'void pjrt_debugger_approach(uint64_t function)');
}
