import { pjrtFunctionAt } from '../../ffi/function.ts';
import { Arena, type Block } from '../../ffi/memory.ts';
import { residentBytes } from '../../ffi/memory-use.ts';
import { dtype } from '../../numerics/dtypes.ts';
import { Client, SEMANTICS } from '../../pjrt/client.ts';
import { deleterOf } from '../../pjrt/deleter.ts';
import { errorOf } from '../../pjrt/errors.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, option } from '../support.ts';
import { compileFor, firstDevice, upload } from './support.ts';

const MIB = 1 << 20;
/** Growth that caches and fragmentation explain; a leak of what a loop makes is more. */
const ALLOWED = 8 * MIB;
/** A leak grows in every phase; a cache that fills up does not. */
const PHASES = 3;

type Loop = (context: CaseContext, bytes: number) => () => void;

/**
 * Makes and destroys one kind of object many times: memory must not grow in every phase of the loop.
 * @param call the function that would leak
 * @param prepare gives one round
 */
const leaking =
  (call: string, prepare: Loop): Probe =>
  (context, options) => {
    const rounds = option(options, 'rounds', 100);
    const bytes = option(options, 'bytes', 0);
    const loop = prepare(context, bytes);
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
      broken(`memory grew in each of ${PHASES} phases of ${rounds} rounds with ${call}`, call, 'RES-001', {
        detail: `least growth of a phase: ${Math.round(least / MIB)} MiB; allowed: ${Math.round(limit / MIB)} MiB`,
      });
    }
  };

export const leakOfBuffers = leaking('PJRT_Buffer_Destroy', (context, bytes) => {
  const send = sender(context.client, context.arena.alloc(bytes, 64), bytes);
  return () => send().destroy();
});

export const leakOfDeletedBuffers = leaking('PJRT_Buffer_Delete', (context, bytes) => {
  const send = sender(context.client, context.arena.alloc(bytes, 64), bytes);
  return () => {
    const buffer = context.scope.own(send());
    buffer.delete();
  };
});

export const leakOfReads = leaking('PJRT_Buffer_ToHostBuffer', (context, bytes) => {
  const host = context.arena.alloc(bytes, 64);
  const buffer = context.scope.own(sender(context.client, host, bytes)());
  return () => {
    const event = buffer.startCopyToHost(host.address, bytes);
    event.await();
    event.destroy();
  };
});

export const leakOfEvents = leaking('PJRT_Event_Destroy', (context) => {
  const buffer = context.scope.own(upload(context.arena, context.client, hashed('f32', [4])));
  return () => buffer.readyEvent().destroy();
});

export const leakOfExecutions = leaking('PJRT_LoadedExecutable_Execute', (context) => executions(context, true));

export const leakOfExecutionsWithoutEvents = leaking('PJRT_LoadedExecutable_Execute', (context) =>
  executions(context, false),
);

export const leakOfCompilations = leaking('PJRT_LoadedExecutable_Destroy', (context) => {
  const code = programBytes(context.plugin, { program: 'misc/add_one' });
  return () => {
    const arena = new Arena();
    context.client.compile(arena, code, 'mlir', compileOptions(context)).destroy();
    arena.release();
  };
});

export const leakOfErrors = leaking('PJRT_Error_Destroy', (context) => {
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
});

export const leakOfSerializedTopologies = leaking('PJRT_TopologyDescription_Serialize', (context) => {
  const topology = context.client.topology();
  return () =>
    context.api.invoke(
      'PJRT_TopologyDescription_Serialize',
      (call) => call.setWord('topology', topology.pointer),
      (call) => deleterOf(context.instrument, call, 'serialized_topology')?.(),
    );
});

export const leakOfClients = leaking('PJRT_Client_Destroy', (context) => {
  const { options } = context.seats[0]!.setup;
  return () => Client.create(context.api, context.arena, options).destroy();
});

export const leakOfFailedClients = leaking('PJRT_Client_Create', (context) => {
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
});

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
