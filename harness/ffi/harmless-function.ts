import { libcAddress } from './libc.ts';

/**
 * Address of a C function that ignores its arguments and does nothing: a callback that any thread may call at any time,
 * whereas a JavaScript one would have to wait for the event loop.
 */
export const harmlessFunction = (): bigint => libcAddress('getpid');
