import { libcAddress } from './libc.ts';

/**
 * Address of a C function that ignores whatever it is given and does nothing: a callback that may be called from any
 * thread at any time, where a JavaScript one would have to wait for the event loop.
 */
export const harmlessFunction = (): bigint => libcAddress('getpid');
