/** A call of the API that a callback makes before it returns. */
export interface InnerCall {
  function: bigint;
  arguments: bigint;
  /** Its name in the breadcrumb. */
  name: number;
}

/** What a callback was called with. */
export interface Firing {
  /** Six words, of which those beyond the function's own parameters mean nothing. */
  arguments: readonly bigint[];
  /** Whether the thread of the harness called it, which was inside a call then. */
  own: boolean;
  /** What of that thread was not as the harness keeps it: how it computes with floating point, which signals it blocks. */
  changed: readonly ('float' | 'signals')[];
}

/** A C function for a plugin. It records what it is called with, and returns at once. */
export interface Recorder {
  address: bigint;
  /** How often it was called; of the calls beyond the first 64 nothing else is known. */
  count(): number;
  /** Calls that have returned, oldest first. */
  firings(): Firing[];
  /** Calls so far, whether or not they have returned. */
  entries(): Firing[];
  /** Gives the first call one more inner call to make; it must be open. @returns its place */
  make(call: InnerCall): number;
  /** The first call returns when it has made all inner calls. */
  close(): void;
  /** What an inner call has returned; undefined until then. */
  answer(call: number): bigint | undefined;
  /** Copies of what the first two pairs of address and size of each call said. */
  copies(): Uint8Array[];
  /** Forgets all calls. */
  reset(): void;
  /** It is not needed any more. Inner calls are made no more; the function itself stays if it was never called: it may still be. */
  release(): void;
}

export interface RecorderOptions {
  /** Calls that the first firing makes, in this order. */
  calls?: readonly InnerCall[];
  /** Whether the first call waits for more of them until `close`. Only on threads other than the harness's. */
  open?: boolean;
  /** Whether it copies what its first two pairs of address and size say. */
  copying?: boolean;
  /** Two words of the breadcrumb for the inner call in progress and the callback, and the callback's own name there. */
  crumb?: { address: bigint; name: number } | undefined;
}
