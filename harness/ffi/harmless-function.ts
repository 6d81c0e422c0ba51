import { c } from './libc.ts';

/**
 * Address of a C function that ignores whatever it is given and does nothing: a callback that may be called from any
 * thread at any time, where a JavaScript one would have to wait for the event loop.
 */
export function harmlessFunction(): bigint {
  const address = c.dlsym(0n, 'getpid');
  if (address === null) throw new Error('the C library has no getpid');
  return address;
}
