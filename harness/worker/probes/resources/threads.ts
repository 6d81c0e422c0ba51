import type { HostArray } from '../../../knowledge/numerics/array.ts';
import type { Block } from '../../ffi/memory.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import type { Call } from '../../pjrt/call.ts';
import type { Client } from '../../pjrt/client.ts';
import type { Device } from '../../pjrt/device.ts';
import { errorOf, PjrtError } from '../../pjrt/errors.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { pointersOf, textOf } from '../../pjrt/strings.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { number, oneOf, optional, probe, type Values } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { addOneData, compileFor, firstDevice, subjectOf, upload } from '../support/client-work.ts';
import { compileAsync, downloadAsync, executeAsync, uploadAsync } from './async-calls.ts';

const KINDS = ['query', 'transfer', 'read', 'execute', 'compile', 'fail', 'await'] as const;
type Kind = (typeof KINDS)[number];
const PROGRAM = 'misc/add_one';

const THREADS = {
  lanes: optional(number, 4),
  rounds: optional(number, 4),
  elements: optional(number, 1000),
  clients: optional(oneOf('all')),
  devices: optional(oneOf('all')),
};

/** One line of work among several: its own data, memory and client. */
interface Lane {
  context: CaseContext;
  client: Client;
  device: bigint;
  array: HostArray;
  /** Holds the data on their way out, and the data on their way back. */
  out: Block;
  back: Block;
  seed: number;
  shared: Shared;
}

/** What the lanes of one client have in common. */
interface Shared {
  name: string;
  devices: string;
  addressable: string;
  buffer: Buffer;
  bufferArray: HostArray;
  executable: LoadedExecutable | undefined;
  /** The error of a lookup on this thread; undefined if there is none. */
  failure: PjrtError | undefined;
}

/** Several lines of one kind of work at once, their native calls on other threads; each must see its own data and results only. */
const concurrently =
  (what: Kind | 'mixture') =>
  async (context: CaseContext, options: Values<typeof THREADS>): Promise<void> => {
    const { lanes, rounds, elements } = options;
    const clients = options.clients === 'all' ? context.subjects.map((s) => s.client!) : [context.client];
    const shared = new Map(clients.map((client) => [client, share(context, client, what)]));
    const work = Array.from({ length: lanes }, (_, i): Lane => {
      const client = clients[i % clients.length]!;
      const devices =
        options.devices === 'all' ? client.addressableDevices().map((d) => d.pointer) : [firstDevice(client)];
      const array = hashed('f32', [elements], i + 1);
      return {
        context,
        client,
        device: devices[i % devices.length]!,
        array,
        out: context.arena.copy(array.bytes, 64),
        back: context.arena.alloc(array.bytes.length, 64),
        seed: i + 1,
        shared: shared.get(client)!,
      };
    });
    // All lanes come to their end, also when one fails: nothing may still be in the plugin when the case is over.
    const ends = await Promise.allSettled(
      work.map(async (lane, i) => {
        const kind = what === 'mixture' ? KINDS[i % KINDS.length]! : what;
        for (let round = 0; round < rounds; round++) await WORK[kind](lane);
      }),
    );
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  };

function lookUp(call: Call, client: Client, id: number): void {
  call.setWord('client', client.pointer);
  call.setInt('id', id);
}

const pointers = (devices: readonly Device[]): string => devices.map((d) => d.pointer).join();

function share(context: CaseContext, client: Client, what: string): Shared {
  const { scope, arena } = context;
  const bufferArray = hashed('f32', [64, 65], 77);
  const runs = what === 'execute' || what === 'mixture';
  return {
    name: client.platformName(),
    devices: pointers(client.devices()),
    addressable: pointers(client.addressableDevices()),
    bufferArray,
    buffer: scope.own(upload(arena, client, bufferArray)),
    failure: errorOf(() => client.api.invoke('PJRT_Client_LookupDevice', (call) => lookUp(call, client, -1))),
    executable: runs ? scope.own(compileFor(context, client, PROGRAM)) : undefined,
  };
}

const WORK: Readonly<Record<Kind, (lane: Lane) => Promise<void>>> = {
  query: async ({ client, shared }) => {
    const ask = <T>(name: string, read: (call: Call) => T): Promise<T> =>
      client.api.invokeAsync(name, (call) => call.setWord('client', client.pointer), read);
    // Read on this thread when the call has come back, while those of other lanes are on their way: what an answer points
    // to belongs to it alone.
    const name = await ask('PJRT_Client_PlatformName', (call) => textOf(call, 'platform_name'));
    if (name !== shared.name)
      violated(
        `the platform name is ${JSON.stringify(name)} among concurrent calls, ${JSON.stringify(shared.name)} alone`,
        'PJRT_Client_PlatformName',
      );
    for (const [asked, list, expected] of [
      ['PJRT_Client_Devices', 'devices', shared.devices],
      ['PJRT_Client_AddressableDevices', 'addressable_devices', shared.addressable],
    ] as const) {
      const devices = await ask(asked, (call) => pointersOf(call, list));
      if (devices.join() !== expected) violated(`the devices changed among concurrent calls`, asked);
    }
  },
  transfer: async ({ context: { arena }, client, array, out, back, device }) => {
    const buffer = await uploadAsync(arena, client, array, out, device);
    try {
      const got = await downloadAsync(arena, buffer, array, back);
      same('a transfer among others', array, got, 'PJRT_Buffer_ToHostBuffer');
    } finally {
      buffer.destroy();
    }
  },
  read: async ({ context: { arena }, shared }) => {
    const host = arena.alloc(shared.bufferArray.bytes.length, 64);
    const got = await downloadAsync(arena, shared.buffer, shared.bufferArray, host);
    same('one buffer read by several threads', shared.bufferArray, got, 'PJRT_Buffer_ToHostBuffer');
  },
  execute: (lane) => runOnce(lane, lane.shared.executable!),
  compile: async (lane) => {
    const { context, client } = lane;
    const code = programBytes(subjectOf(context, client).plugin, { program: PROGRAM });
    const executable = await compileAsync(
      context.arena,
      client,
      code,
      compileOptions(context, {}, { program: PROGRAM, client }),
    );
    try {
      await runOnce(lane, executable);
    } finally {
      executable.destroy();
    }
  },
  fail: async ({ client, seed, shared: { failure } }) => {
    const id = -1 - seed;
    try {
      await client.api.invokeAsync('PJRT_Client_LookupDevice', (call) => lookUp(call, client, id));
    } catch (error) {
      if (!(error instanceof PjrtError)) throw error;
      if (failure && (failure.code !== error.code || (failure.text === '') !== (error.text === '')))
        violated(
          'an error on another thread is not the one of the same call on this',
          'PJRT_Client_LookupDevice',
          'THR-001',
          {
            detail: `this thread: ${failure.codeName}: ${failure.text}\nanother: ${error.codeName}: ${error.text}`,
          },
        );
      // Messages that name an id must name that of this caller.
      const other = /-\d+/.exec(error.text)?.[0];
      if (other !== undefined && Number(other) !== id)
        violated('an error of one thread appeared in another', 'PJRT_Client_LookupDevice', 'THR-001', {
          detail: `asked for ${id}, the message says: ${error.text}`,
        });
      return;
    }
    throw new NotSupported('needs an error, and PJRT_Client_LookupDevice finds devices with negative ids');
  },
  await: async ({ client, shared }) => {
    const event = shared.buffer.readyEvent();
    try {
      await Promise.all([event.awaitAsync(), event.awaitAsync(), event.awaitAsync()]);
      if (!event.isReady()) violated('an event is not ready after it was waited for', 'PJRT_Event_IsReady');
    } finally {
      event.destroy();
    }
    client.processIndex();
  },
};

/** A client is queried by several threads at once. */
export const threadsQuerying = probe('threads-querying', THREADS, concurrently('query'));
/** Buffers are sent and read on several threads at once. */
export const threadsTransferring = probe('threads-transferring', THREADS, concurrently('transfer'));
/** One buffer is read by several threads at once. */
export const threadsReading = probe('threads-reading', THREADS, concurrently('read'));
/** A program runs on several threads at once. */
export const threadsExecuting = probe('threads-executing', THREADS, concurrently('execute'));
/** Programs are compiled and run on several threads at once. */
export const threadsCompiling = probe('threads-compiling', THREADS, concurrently('compile'));
/** Calls fail on several threads at once, each with its own error. */
export const threadsFailing = probe('threads-failing', THREADS, concurrently('fail'));
/** Events are awaited by several threads at once. */
export const threadsWaiting = probe('threads-waiting', THREADS, concurrently('await'));
/** Every kind of work, by turns. */
export const threadsMixed = probe('threads-mixed', THREADS, concurrently('mixture'));

async function runOnce({ context: { arena }, client, seed }: Lane, executable: LoadedExecutable): Promise<void> {
  const { input, output } = addOneData(seed);
  const host = arena.input(input.bytes);
  const back = arena.alloc(output.bytes.length, 64);
  const x = await uploadAsync(arena, client, input, host, firstDevice(client));
  try {
    const y = await executeAsync(arena, executable, [x]);
    try {
      const got = await downloadAsync(arena, y, output, back);
      same('x + 1 among others', output, got, 'PJRT_LoadedExecutable_Execute');
    } finally {
      y.destroy();
    }
  } finally {
    x.destroy();
  }
}
