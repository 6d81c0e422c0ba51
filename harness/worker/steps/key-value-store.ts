import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { StructLayout } from '../../knowledge/abi/index.ts';
import { callback, functionAt } from '../ffi/function.ts';
import { c } from '../ffi/libc.ts';
import { readBytes } from '../ffi/memory.ts';
import type { Call } from '../pjrt/call.ts';
import { BLOCKING_STORE } from './blocking-store-thread.ts';
import type { CaseContext } from './context.ts';

const LOG_BYTES = 16 << 20;
/** Counters that all threads share. */
const SLOTS = {
  ...{ VERSION: 0, END: 1, GETS: 2, TRIES: 3, MISSES: 4, VALUES: 5, MISUSES: 6, ERRORS: 7 },
  /** Whether a node has failed, so that no key is put any more. */
  ABANDONED: 8,
  /** Whether a node has read from the store; from here on one for each node. */
  READERS: 9,
} as const;
const TOKENS = { get: 0x6e01n, put: 0x6e02n, tryGet: 0x6e03n };

/** What the store does besides what it should. */
export interface StoreBehaviour {
  /** The first try for each key finds nothing. */
  late?: boolean;
  /** Every question is answered with UNAVAILABLE. */
  failing?: boolean;
}

/** What plugins did with the store so far. */
export interface StoreRecord {
  gets: number;
  tries: number;
  misses: number;
  values: number;
  deletions: number;
  errors: number;
  misuses: number;
  /** Keys in the order in which they were put, with the node that put them. */
  puts: { node: number; key: string }[];
}

/** Message of the errors of a failing store. */
export const STORE_MESSAGE = 'the store is closed for the day';

/**
 * A key-value store for the nodes of one job, all in this process: `put` arrives on this thread, blocking reads on a
 * thread for each node.
 */
export class KeyValueStore {
  readonly #context: CaseContext;
  readonly #behaviour: StoreBehaviour;
  readonly #state = new Int32Array(new SharedArrayBuffer(64));
  readonly #log = new SharedArrayBuffer(LOG_BYTES);
  readonly #puts: StoreRecord['puts'] = [];
  readonly #threads: Worker[] = [];
  #deletions = 0;
  #misuses = 0;

  constructor(context: CaseContext, behaviour: StoreBehaviour) {
    this.#context = context;
    this.#behaviour = behaviour;
  }

  /** Callbacks for one node; the result writes them into the arguments of PJRT_Client_Create. */
  async node(index: number): Promise<(call: Call) => void> {
    const free = functionAt(c.dlsym(0n, 'free')!, 'void PjrtStoreFree(void* memory)');
    const deleter = this.#register('void PjrtStoreDeleter(void* value)', (value: bigint) => {
      this.#deletions++;
      free(value);
    });
    const put = this.#register('void* PjrtStorePut(void* args)', (args: bigint) => this.#put(index, args));
    const { get, tryGet } = await this.#startThread(index, deleter);
    return (call) => {
      call.set({ kv_get_callback: get, kv_get_user_arg: TOKENS.get });
      call.set({ kv_put_callback: put, kv_put_user_arg: TOKENS.put });
      if (tryGet && call.layout.has('kv_try_get_callback'))
        call.set({ kv_try_get_callback: tryGet, kv_try_get_user_arg: TOKENS.tryGet });
    };
  }

  get record(): StoreRecord {
    const at = (slot: number) => Atomics.load(this.#state, slot);
    return {
      gets: at(SLOTS.GETS),
      tries: at(SLOTS.TRIES),
      misses: at(SLOTS.MISSES),
      values: at(SLOTS.VALUES),
      errors: at(SLOTS.ERRORS),
      misuses: at(SLOTS.MISUSES) + this.#misuses,
      deletions: this.#deletions,
      puts: this.#puts,
    };
  }

  /** Whether a node has put anything into the store or read from it. */
  hasHeardFrom(node: number): boolean {
    return this.#puts.some((put) => put.node === node) || Atomics.load(this.#state, SLOTS.READERS + node) > 0;
  }

  /** A node failed: the others need not wait for what it would have put. */
  abandon(): void {
    Atomics.store(this.#state, SLOTS.ABANDONED, 1);
    Atomics.add(this.#state, SLOTS.VERSION, 1);
    Atomics.notify(this.#state, SLOTS.VERSION);
  }

  /** No client that knows the store may be alive any more. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((t) => t.terminate()));
  }

  #register(signature: string, run: (argument: bigint) => unknown): bigint {
    const registered = callback(signature, run as (...args: never[]) => unknown);
    this.#context.scope.defer(() => registered.release());
    return registered.address;
  }

  #put(node: number, args: bigint): null {
    const put = this.#context.api.view('PJRT_KeyValuePutCallback_Args', args);
    if (put.word('user_arg') !== TOKENS.put || put.word('callback_error') === 0n || put.size('key_size') === 0)
      this.#misuses++;
    const at = Atomics.load(this.#state, SLOTS.END);
    if (put.size('key_size') + put.size('value_size') > LOG_BYTES - at - 8) {
      this.#misuses++;
      return null;
    }
    const key = Buffer.from(readBytes(put.word('key'), put.size('key_size')));
    const value = readBytes(put.word('value'), put.size('value_size'));
    this.#puts.push({ node, key: key.toString('latin1') });
    const entry = Buffer.alloc(8 + key.length + value.length);
    entry.writeUInt32LE(key.length, 0);
    entry.writeUInt32LE(value.length, 4);
    entry.set(key, 8);
    entry.set(value, 8 + key.length);
    new Uint8Array(this.#log).set(entry, at);
    Atomics.store(this.#state, SLOTS.END, at + entry.length);
    Atomics.add(this.#state, SLOTS.VERSION, 1);
    Atomics.notify(this.#state, SLOTS.VERSION);
    return null;
  }

  async #startThread(node: number, deleter: bigint): Promise<{ get: bigint; tryGet: bigint }> {
    const { api } = this.#context;
    const codes = api.abi.enumValues('PJRT_Error_Code');
    const offsets = (layout: StructLayout) => ({
      size: layout.size,
      ...Object.fromEntries(layout.fields.map((f) => [f.name, f.offset])),
    });
    const thread = new Worker(BLOCKING_STORE, {
      eval: true,
      workerData: {
        koffi: createRequire(import.meta.url).resolve('koffi'),
        state: this.#state.buffer,
        log: this.#log,
        slots: SLOTS,
        node,
        tokens: TOKENS,
        // The deleter frees with the allocator of the process, which need not be that of the C library.
        malloc: c.dlsym(0n, 'malloc')!,
        deleter,
        message: STORE_MESSAGE,
        late: this.#behaviour.late === true,
        failing: this.#behaviour.failing === true,
        get: offsets(api.pluginStruct('PJRT_KeyValueGetCallback_Args')),
        tryGet: api.sharedMinor >= 61 ? offsets(api.pluginStruct('PJRT_KeyValueTryGetCallback_Args')) : undefined,
        codes: {
          failing: codes.get('PJRT_Error_Code_UNAVAILABLE'),
          deadline: codes.get('PJRT_Error_Code_DEADLINE_EXCEEDED'),
          notFound: codes.get('PJRT_Error_Code_NOT_FOUND'),
        },
      },
    });
    this.#threads.push(thread);
    return new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
  }
}
