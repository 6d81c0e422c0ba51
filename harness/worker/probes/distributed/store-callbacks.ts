import { createRequire } from 'node:module';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { StructLayout } from '../../../knowledge/abi/index.ts';
import type { PjrtApi } from '../../pjrt/api.ts';
import type { Call } from '../../pjrt/call.ts';
import { CALLBACK_THREAD, LINK_THREAD } from './store-threads.ts';

const TOKENS = { get: 0x6e01n, put: 0x6e02n, try: 0x6e03n } as const;
const SLOTS = { GIVEN: 0, DELETED: 1, MISDELETED: 2 } as const;
/** Values that a plugin may hold at a time. */
const HELD = 4096;

/** How many values the plugin got, and gave back. */
export interface Values {
  given: number;
  deleted: number;
  /** Calls of the deleter with what is not, or no longer, a value. */
  misdeleted: number;
}

/** The callbacks of PJRT_Client_Create in a node. */
export interface StoreCallbacks {
  /** Writes them into the arguments. */
  lend(call: Call): void;
  values(): Values;
}

const RUNS = ['delete', 'get', 'try', 'put'] as const;

/**
 * Starts the threads of the callbacks: one for each, so that none waits for another, and one that talks to the harness.
 * @param fd the socket to the harness
 */
export async function startStoreCallbacks(api: PjrtApi, fd: number): Promise<StoreCallbacks> {
  const counts = new Int32Array(new SharedArrayBuffer(12));
  const values = new SharedArrayBuffer(HELD * 3 * 8);
  const offsets = (name: string) => {
    const { size, fields }: StructLayout = api.pluginStruct(name);
    return { size, ...Object.fromEntries(fields.map((field) => [field.name, field.offset])) };
  };
  const tries = api.sharedMinor >= 61;
  const shared = {
    koffi: createRequire(import.meta.url).resolve('koffi'),
    counts: counts.buffer,
    values,
    slots: SLOTS,
    tokens: TOKENS,
    layouts: {
      get: offsets('PJRT_KeyValueGetCallback_Args'),
      put: offsets('PJRT_KeyValuePutCallback_Args'),
      ...(tries ? { try: offsets('PJRT_KeyValueTryGetCallback_Args') } : {}),
    },
    codes: Object.fromEntries(
      [...api.abi.enumValues('PJRT_Error_Code')].map(([name, value]) => [name.replace('PJRT_Error_Code_', ''), value]),
    ),
  };
  const ends: { port: MessagePort; flag: SharedArrayBuffer }[] = [];
  const addresses: Record<string, bigint> = {};
  for (const callback of RUNS) {
    if (callback === 'try' && !tries) continue;
    const { port1, port2 } = new MessageChannel();
    const flag = new SharedArrayBuffer(4);
    ends.push({ port: port2, flag });
    const workerData = { ...shared, callback, flag, port: port1, deleter: addresses.delete };
    addresses[callback] = await addressOf(
      new Worker(CALLBACK_THREAD, { eval: true, workerData, transferList: [port1] }),
    );
  }
  const link = new Worker(LINK_THREAD, {
    eval: true,
    workerData: { fd, ends },
    transferList: ends.map(({ port }) => port),
  });
  link.unref();
  return {
    lend(call) {
      for (const [name, field] of [
        ['get', 'kv_get'],
        ['put', 'kv_put'],
        ['try', 'kv_try_get'],
      ] as const) {
        if (addresses[name] === undefined || !call.layout.has(`${field}_callback`)) continue;
        call.setWord(`${field}_callback`, addresses[name]);
        call.setWord(`${field}_user_arg`, TOKENS[name]);
      }
    },
    values: () => ({
      given: Atomics.load(counts, SLOTS.GIVEN),
      deleted: Atomics.load(counts, SLOTS.DELETED),
      misdeleted: Atomics.load(counts, SLOTS.MISDELETED),
    }),
  };
}

function addressOf(thread: Worker): Promise<bigint> {
  thread.unref();
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}
