import { readdirSync } from 'node:fs';
import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import { pjrtFunctionAt } from '../../ffi/function.ts';
import { Arena, type Block } from '../../ffi/memory.ts';
import { heapInUse, mappedBytes, residentBytes } from '../../ffi/memory-use.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { Client, SEMANTICS } from '../../pjrt/client.ts';
import { deleterOf } from '../../pjrt/deleter.ts';
import { errorOf } from '../../pjrt/errors.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { number, optional, probe, type Values } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { compileFor, firstDevice, upload } from '../support/client-work.ts';

const MIB = 1 << 20;
const KIB = 1 << 10;
/** Growth that caches and fragmentation explain; a leak of what a loop makes is more. */
const ALLOWED = 8 * MIB;
/** The same of memory that the C allocator has given out, where nothing is fragmented. */
const ALLOWED_ALLOCATED = 24 * KIB;
/** The same of address space: for a phase, and for each round. */
const ALLOWED_MAPPED = 4 * MIB;
const ALLOWED_MAPPED_PER_ROUND = 16 * KIB;
/** A leak grows in every phase; a cache that fills up does not. */
const PHASES = 3;

/** Rounds of a loop, the bytes of what it makes, and the least bytes of a round that count as lost. */
const LOOP = { rounds: optional(number, 100), bytes: optional(number, 0), least: optional(number, 2 * KIB) };

type Loop = (context: CaseContext, bytes: number) => () => void;

/** What a loop may use up, where the system says how much there is. */
interface Resource {
  name: string;
  now: () => number | undefined;
  /** Growth of a phase that proves nothing. */
  limit: number;
  show: (amount: number) => string;
}

const inKib = (amount: number): string => `${Math.round(amount / KIB)} KiB`;

/**
 * Makes and destroys one kind of object many times: memory, descriptors and threads must not grow in every phase of the loop.
 * @param call the function that would leak
 * @param prepare gives one round
 */
const leaking =
  (call: string, prepare: Loop) =>
  (context: CaseContext, { rounds, bytes, least }: Values<typeof LOOP>): void => {
    const loop = prepare(context, bytes);
    const run = () => {
      for (let i = 0; i < rounds; i++) loop();
    };
    // What is leaked must show against the allowance, or the case would prove nothing. Allocators keep some of the memory that
    // other threads free, in blocks as large as what was made.
    const resources: Resource[] = [
      { name: 'memory', now: residentBytes, limit: Math.max(ALLOWED, (bytes * rounds) / 4), show: inKib },
      { name: 'allocated memory', now: heapInUse, limit: Math.max(ALLOWED_ALLOCATED, least * rounds), show: inKib },
      {
        name: 'address space',
        now: mappedBytes,
        limit: Math.max(ALLOWED_MAPPED, ALLOWED_MAPPED_PER_ROUND * rounds, (bytes * rounds) / 8),
        show: inKib,
      },
      { name: 'the number of descriptors', now: () => entries('fd'), limit: 0, show: String },
      { name: 'the number of threads', now: () => entries('task'), limit: 0, show: String },
    ];
    const measure = () => resources.map(({ now }) => now());
    run();
    let levels = measure();
    const growth = resources.map((): number[] => []);
    let growing = resources.map((_, i) => i);
    for (let phase = 0; phase < PHASES && growing.length > 0; phase++) {
      run();
      const after = measure();
      for (const i of growing) growth[i]!.push((after[i] ?? 0) - (levels[i] ?? 0));
      levels = after;
      growing = growing.filter((i) => growth[i]!.at(-1)! > resources[i]!.limit);
    }
    const [leaked] = growing;
    if (leaked === undefined) return;
    const { name, limit, show } = resources[leaked]!;
    violated(`${name} grew in each of ${PHASES} phases of ${rounds} rounds with ${call}`, call, 'RES-001', {
      detail: `growth of the phases: ${growth[leaked]!.map(show).join(', ')}; allowed: ${show(limit)}`,
    });
  };

/** How many descriptors or threads the process has. */
function entries(kind: 'fd' | 'task'): number | undefined {
  return process.platform === 'linux' ? readdirSync(`/proc/self/${kind}`).length : undefined;
}

/** Memory does not grow in a long loop of buffers. */
export const leakOfBuffers = probe(
  'leak-of-buffers',
  LOOP,
  leaking('PJRT_Buffer_Destroy', (context, bytes) => {
    const send = sender(context.client, context.arena.alloc(bytes, 64), bytes);
    return () => send().destroy();
  }),
);

/** Memory does not grow in a long loop of deleted buffers. */
export const leakOfDeletedBuffers = probe(
  'leak-of-deleted-buffers',
  LOOP,
  leaking('PJRT_Buffer_Delete', (context, bytes) => {
    const send = sender(context.client, context.arena.alloc(bytes, 64), bytes);
    return () => {
      const buffer = context.scope.own(send());
      buffer.delete();
    };
  }),
);

/** Memory does not grow in a long loop of reads. */
export const leakOfReads = probe(
  'leak-of-reads',
  LOOP,
  leaking('PJRT_Buffer_ToHostBuffer', (context, bytes) => {
    const host = context.arena.alloc(bytes, 64);
    const buffer = context.scope.own(sender(context.client, host, bytes)());
    return () => {
      const event = buffer.startCopyToHost(host.address, bytes);
      event.await();
      event.destroy();
    };
  }),
);

/** Memory does not grow in a long loop of events. */
export const leakOfEvents = probe(
  'leak-of-events',
  LOOP,
  leaking('PJRT_Event_Destroy', (context) => {
    const buffer = context.scope.own(upload(context.arena, context.client, hashed('f32', [4])));
    return () => buffer.readyEvent().destroy();
  }),
);

/** Memory does not grow in a long loop of executions. */
export const leakOfExecutions = probe(
  'leak-of-executions',
  LOOP,
  leaking('PJRT_LoadedExecutable_Execute', (context) => executions(context, true)),
);

/** Memory does not grow in a long loop of executions without events. */
export const leakOfExecutionsWithoutEvents = probe(
  'leak-of-executions-without-events',
  LOOP,
  leaking('PJRT_LoadedExecutable_Execute', (context) => executions(context, false)),
);

/** Memory does not grow in a long loop of compilations. */
export const leakOfCompilations = probe(
  'leak-of-compilations',
  LOOP,
  leaking('PJRT_LoadedExecutable_Destroy', (context) => {
    const code = programBytes(context.plugin, { program: 'misc/add_one' });
    return () => {
      const arena = new Arena();
      context.client.compile(arena, code, 'mlir', compileOptions(context)).destroy();
      arena.release();
    };
  }),
);

/** Memory does not grow in a long loop of errors. */
export const leakOfErrors = probe(
  'leak-of-errors',
  LOOP,
  leaking('PJRT_Error_Destroy', (context) => {
    // By hand: the object model would read every message, which takes longer than making it.
    const args = context.api.make(context.arena, 'PJRT_Client_LookupDevice_Args');
    args.at(0).setWord('client', context.client.pointer);
    args.at(0).setInt('id', -1);
    const lookUp = pjrtFunctionAt(context.api.demand('PJRT_Client_LookupDevice'));
    return () => {
      const error = lookUp(args.address);
      if (error === null)
        throw new NotSupported('needs an error, and PJRT_Client_LookupDevice finds devices with negative ids');
      context.api.invoke('PJRT_Error_Destroy', (call) => call.setWord('error', error));
    };
  }),
);

/** Memory does not grow in a long loop of serialized topologies. */
export const leakOfSerializedTopologies = probe(
  'leak-of-serialized-topologies',
  LOOP,
  leaking('PJRT_TopologyDescription_Serialize', (context) => {
    const topology = context.client.topology();
    return () =>
      context.api.invoke(
        'PJRT_TopologyDescription_Serialize',
        (call) => call.setWord('topology', topology.pointer),
        (call) => deleterOf(context.instrument, call, 'serialized_topology')?.(),
      );
  }),
);

/** Memory does not grow in a long loop of clients. */
export const leakOfClients = probe(
  'leak-of-clients',
  LOOP,
  leaking('PJRT_Client_Destroy', (context) => {
    const { options } = context.subjects[0]!.setup;
    return () => Client.create(context.api, context.arena, options).destroy();
  }),
);

/** Memory does not grow in a long loop of failed clients. */
export const leakOfFailedClients = probe(
  'leak-of-failed-clients',
  LOOP,
  leaking('PJRT_Client_Create', (context) => {
    const options = {
      ...context.subjects[0]!.setup.options,
      no_such_option_of_any_plugin: { kind: 'int64', value: 1n },
    } as const;
    const create = () => {
      const arena = new Arena();
      try {
        Client.create(context.api, arena, options).destroy();
      } finally {
        arena.release();
      }
    };
    if (!errorOf(create))
      throw new NotSupported('the plugin accepts options that it does not know, so no creation can be made to fail');
    return () => {
      errorOf(create);
    };
  }),
);

/** Sends the same bytes again and again, as u8. */
function sender(client: Client, host: Block, bytes: number) {
  const device = firstDevice(client);
  const type = dtype('u8').enumValue;
  return () => {
    const arena = new Arena();
    const { buffer, done } = client.bufferFromHost(arena, {
      data: host.address,
      type,
      dims: [bytes],
      semantics: SEMANTICS['until-transfer-completes'],
      device,
    });
    done.await();
    done.destroy();
    buffer.awaitReady();
    arena.release();
    return buffer;
  };
}

/** Small executions of a round, beside the large one: some leaks are of so much for each, whatever its size. */
const SMALL = 6;

/** Rounds of one execution with an output of 4 MiB, so that a lost output shows, and of several small ones. */
function executions(context: CaseContext, events: boolean): () => void {
  const large = context.scope.own(compileFor(context, context.client, 'misc/big_add'));
  const small = context.scope.own(compileFor(context, context.client, 'misc/add_one'));
  const x = context.scope.own(upload(context.arena, context.client, hashed('f32', [1 << 20])));
  const y = context.scope.own(upload(context.arena, context.client, hashed('f32', [4])));
  return () => {
    runAndDrop(large, [x, x], events);
    for (let i = 0; i < SMALL; i++) runAndDrop(small, [y], events);
  };
}

function runAndDrop(executable: LoadedExecutable, inputs: readonly Buffer[], events: boolean): void {
  const arena = new Arena();
  try {
    const run = executable.execute(arena, [inputs], { events });
    const made = [...run.events, ...run.outputs.flat()];
    try {
      for (const event of run.events) event.await();
      for (const output of run.outputs.flat()) output.awaitReady();
    } finally {
      for (const handle of made) handle.destroy();
    }
  } finally {
    arena.release();
  }
}

/** Outputs are destroyed while they may still be computed; the event of the execution comes all the same. */
export const leakOfPendingBuffers = probe(
  'leak-of-pending-buffers',
  LOOP,
  leaking('PJRT_Buffer_Destroy', (context) => {
    const executable = context.scope.own(compileFor(context, context.client, 'misc/big_add'));
    const x = context.scope.own(upload(context.arena, context.client, hashed('f32', [1 << 20])));
    return () => {
      const arena = new Arena();
      const run = executable.execute(arena, [[x, x]], { events: true });
      for (const output of run.outputs.flat()) output.destroy();
      for (const event of run.events) {
        event.await();
        event.destroy();
      }
      arena.release();
    };
  }),
);

/** Executions that are refused, or whose outputs become errors: they have one argument too few. */
export const leakOfFailedExecutions = probe(
  'leak-of-failed-executions',
  LOOP,
  leaking('PJRT_LoadedExecutable_Execute', (context) => {
    const executable = context.scope.own(compileFor(context, context.client, 'args/two'));
    const x = context.scope.own(upload(context.arena, context.client, hashed('f32', [4])));
    const attempt = (): boolean => errorOf(() => runAndDrop(executable, [x], false)) !== undefined;
    if (!attempt()) throw new NotSupported('the plugin runs a program that lacks an argument, so no execution fails');
    return () => void attempt();
  }),
);
