import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What the processes of a job share: values by key. Keys are texts whose characters are bytes (latin1), as plugins choose
 * any. All functions throw a StoreError.
 */
export interface Store {
  /** Undefined if there is no such key. */
  read(key: string): Promise<Uint8Array | undefined>;
  write(key: string, value: Uint8Array): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** The code of a store's error is one of the C API's. */
export type StoreCode = 'UNAVAILABLE' | 'DEADLINE_EXCEEDED' | 'NOT_FOUND' | 'ALREADY_EXISTS';

/** A store does not do what it was asked to. */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly code: StoreCode;

  constructor(code: StoreCode, message: string) {
    super(message);
    this.code = code;
  }
}

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Waits until a key is there. Asking again is the one way to wait that every store has.
 * @throws StoreError, among them DEADLINE_EXCEEDED after `timeoutMs`
 */
export async function waitFor(
  store: Pick<Store, 'read'>,
  key: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const began = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const value = await store.read(key);
    if (value) return value;
    if (signal?.aborted) throw new StoreError('UNAVAILABLE', 'the store is closed');
    const left = timeoutMs - (performance.now() - began);
    if (left <= 0) throw new StoreError('DEADLINE_EXCEEDED', `the key did not come within ${timeoutMs} ms`);
    await sleep(Math.min(pause, left));
  }
}
