import { pjrtFunctionAt } from '../../ffi/function.ts';
import { Arena, type Block } from '../../ffi/memory.ts';
import { residentBytes } from '../../ffi/memory-use.ts';
import { dtype } from '../../numerics/dtypes.ts';
import { Client, SEMANTICS } from '../../pjrt/client.ts';
import { deleterOf } from '../../pjrt/deleter.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, choice, compileFor, errorOf, firstDevice, hashed, option, upload } from './support.ts';

const MIB = 1 << 20;
/** Growth that caches and fragmentation explain; a leak of what a loop makes is more. */
const ALLOWED = 8 * MIB;
/** A leak grows in every phase; a cache that fills up does not. */
const PHASES = 3;

/** Makes and destroys one kind of object many times: memory must not grow in every phase of the loop. */
export const leakLoop: Probe = (context, options) => {
  const what = choice(options, 'what', Object.keys(LOOPS));
  const rounds = option(options, 'rounds', 100);
  const bytes = option(options, 'bytes', 0);
  const loop = LOOPS[what]!(context, bytes);
  const run = () => {
    for (let i = 0; i < rounds; i++) loop();
  };
  run();
  // What is leaked must show against the allowance, or the case would prove nothing.
  const limit = Math.max(ALLOWED, (bytes * rounds) / 4);
  let least = Number.POSITIVE_INFINITY;
  for (let phase = 0; phase < PHASES && least > limit; phase++) {
    const before = residentBytes();
    run();
    least = Math.min(least, residentBytes() - before);
  }
  if (least > limit) {
    broken(
      `memory grew in each of ${PHASES} phases of ${rounds} rounds (${what})`,
      CALLS[what] ?? 'PJRT_Client_Create',
      'RES-001',
      { detail: `least growth of a phase: ${Math.round(least / MIB)} MiB; allowed: ${Math.round(limit / MIB)} MiB` },
    );
  }
};

const CALLS: Readonly<Record<string, string>> = {
  buffer: 'PJRT_Buffer_Destroy',
  'deleted-buffer': 'PJRT_Buffer_Delete',
  read: 'PJRT_Buffer_ToHostBuffer',
  event: 'PJRT_Event_Destroy',
  execute: 'PJRT_LoadedExecutable_Execute',
  'execute-without-events': 'PJRT_LoadedExecutable_Execute',
  compile: 'PJRT_LoadedExecutable_Destroy',
  error: 'PJRT_Error_Destroy',
  'serialized-topology': 'PJRT_TopologyDescription_Serialize',
  client: 'PJRT_Client_Destroy',
  'failed-client': 'PJRT_Client_Create',
};

/** Prepares one kind of loop; what it returns is one round. */
const LOOPS: Readonly<Record<string, (context: CaseContext, bytes: number) => () => void>> = {
  buffer: (context, bytes) => {
    const send = sender(context.client, context.arena.alloc(bytes, 64), bytes);
    return () => send().destroy();
  },
  'deleted-buffer': (context, bytes) => {
    const send = sender(context.client, context.arena.alloc(bytes, 64), bytes);
    return () => {
      const buffer = context.scope.own(send());
      buffer.delete();
    };
  },
  read: (context, bytes) => {
    const host = context.arena.alloc(bytes, 64);
    const buffer = context.scope.own(sender(context.client, host, bytes)());
    return () => {
      const event = buffer.startCopyToHost(host.address, bytes);
      event.await();
      event.destroy();
    };
  },
  event: (context) => {
    const buffer = context.scope.own(upload(context.arena, context.client, hashed('f32', [4])));
    return () => buffer.readyEvent().destroy();
  },
  execute: (context) => executions(context, true),
  'execute-without-events': (context) => executions(context, false),
  compile: (context) => {
    const code = programBytes(context.plugin, { program: 'misc/add_one' });
    return () => {
      const arena = new Arena();
      context.client.compile(arena, code, 'mlir', compileOptions(context)).destroy();
      arena.release();
    };
  },
  error: (context) => {
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
  },
  'serialized-topology': (context) => {
    const topology = context.client.topology();
    return () =>
      context.api.invoke(
        'PJRT_TopologyDescription_Serialize',
        (call) => call.setWord('topology', topology.pointer),
        (call) => deleterOf(context.instrument, call, 'serialized_topology')?.(),
      );
  },
  client: (context) => {
    const { options } = context.seats[0]!.setup;
    return () => Client.create(context.api, context.arena, options).destroy();
  },
  'failed-client': (context) => {
    const options = {
      ...context.seats[0]!.setup.options,
      no_such_option_of_any_plugin: { kind: 'int64', value: 1n },
    } as const;
    const create = () => {
      const arena = new Arena();
      Client.create(context.api, arena, options).destroy();
      arena.release();
    };
    if (!errorOf(create))
      throw new NotSupported('the plugin accepts options that it does not know, so no creation can be made to fail');
    return () => {
      errorOf(create);
    };
  },
};

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

/** Rounds of one execution with an output of 4 MiB, so that a lost output shows. */
function executions(context: CaseContext, events: boolean): () => void {
  const executable = context.scope.own(compileFor(context, context.client, 'misc/big_add'));
  const x = context.scope.own(upload(context.arena, context.client, hashed('f32', [1 << 20])));
  return () => {
    const arena = new Arena();
    const run = executable.execute(arena, [[x, x]], { events });
    for (const event of run.events) {
      event.await();
      event.destroy();
    }
    for (const output of run.outputs.flat()) {
      output.awaitReady();
      output.destroy();
    }
    arena.release();
  };
}
