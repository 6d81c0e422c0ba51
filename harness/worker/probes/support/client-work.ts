import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { fromBytes } from '../../../knowledge/numerics/array.ts';
import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import type { Arena } from '../../ffi/memory.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { type Client, SEMANTICS } from '../../pjrt/client.ts';
import { errorOf, PjrtError } from '../../pjrt/errors.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext, Subject } from '../../steps/context.ts';
import { elementwise, hashed, same } from './checks.ts';

/** The subject whose plugin made a handle. */
const subjectOf = (context: CaseContext, handle: { api: unknown }): Subject =>
  context.subjects.find((s) => s.plugin.api === handle.api)!;

/** Sends an array to the first device of a client (or to a memory) and waits for it. The caller destroys the buffer. */
export function upload(
  arena: Arena,
  client: Client,
  array: HostArray,
  to: { device?: bigint; memory?: bigint } = {},
): Buffer {
  const host = arena.input(array.bytes);
  const target = to.device === undefined && to.memory === undefined ? { device: client.firstDevice().pointer } : to;
  const { buffer, done } = client.bufferFromHost(arena, {
    data: host.address,
    type: array.dtype.enumValue,
    dims: array.shape,
    semantics: SEMANTICS['until-transfer-completes'],
    ...target,
  });
  done.await();
  done.destroy();
  buffer.awaitReady();
  return buffer;
}

/** Reads a buffer of known type and shape back. */
export const download = (arena: Arena, buffer: Buffer, like: HostArray): HostArray =>
  fromBytes(dtype(like.dtype.name), like.shape, buffer.toHost(arena, like.bytes.length));

/** Compiles a committed program for any client. The caller destroys the executable. */
export const compileFor = (context: CaseContext, client: Client, program: string): LoadedExecutable =>
  client.compile(
    context.arena,
    programBytes(subjectOf(context, client).plugin, { program }),
    'mlir',
    compileOptions(context, {}, { program, client }),
  );

const ADD_ONE = 'misc/add_one';
const FOUR = [4];

/** Compiles and runs x + 1 on a client, checks the result, and leaves nothing behind. @throws CheckFailure, PjrtError */
export function checkAddOne(context: CaseContext, client: Client, seed = 1): void {
  const executable = compileFor(context, client, ADD_ONE);
  try {
    runAddOne(context, client, executable, seed);
  } finally {
    executable.destroy();
  }
}

/** Input and expected output of the program x + 1. */
function addOneData(seed: number): { input: HostArray; output: HostArray } {
  const input = hashed('f32', FOUR, seed);
  return { input, output: elementwise((x) => x + 1, input) };
}

/** Runs x + 1 once on the first device of a client and checks the result. */
export function runAddOne(context: CaseContext, client: Client, executable: LoadedExecutable, seed = 1): void {
  const { input, output } = addOneData(seed);
  const x = upload(context.arena, client, input);
  try {
    const run = executable.execute(context.arena, [[x]], { events: true });
    for (const event of run.events) {
      event.await();
      event.destroy();
    }
    const result = run.outputs[0]![0]!;
    try {
      same('x + 1', output, download(context.arena, result, output), 'PJRT_LoadedExecutable_Execute');
    } finally {
      for (const buffer of run.outputs.flat()) buffer.destroy();
    }
  } finally {
    x.destroy();
  }
}

/** Some work that leaves nothing behind: a transfer, a failed lookup, and x + 1 where the plugin compiles. */
export function doWork(context: CaseContext, client: Client, seed = 3): void {
  const array = hashed('f32', [5, 7], seed);
  const buffer = upload(context.arena, client, array);
  same('a transfer there and back', array, download(context.arena, buffer, array), 'PJRT_Buffer_ToHostBuffer');
  buffer.destroy();
  errorOf(() =>
    client.api.invoke('PJRT_Client_LookupDevice', (call) => {
      call.setWord('client', client.pointer);
      call.setInt('id', -1);
    }),
  );
  unlessUnimplemented(() => checkAddOne(context, client, seed));
}

/** Does what a plugin may not offer; anything but UNIMPLEMENTED goes on as an error. */
export function unlessUnimplemented(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof PjrtError) || error.codeName !== 'UNIMPLEMENTED') throw error;
  }
}
