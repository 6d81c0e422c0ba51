import type { Arena } from '../../ffi/memory.ts';
import type { Finding } from '../../model/finding.ts';
import type { HostArray } from '../../numerics/array.ts';
import { fromBytes } from '../../numerics/array.ts';
import { compareArrays } from '../../numerics/compare.ts';
import { describe } from '../../numerics/describe.ts';
import { dtype } from '../../numerics/dtypes.ts';
import { generate } from '../../numerics/generate.ts';
import { type Buffer, POISON } from '../../pjrt/buffer.ts';
import { type Client, SEMANTICS } from '../../pjrt/client.ts';
import { errorOf, PjrtError } from '../../pjrt/errors.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext, Seat } from '../../steps/context.ts';
import { CheckFailure, SuiteFault } from '../../steps/outcome.ts';
import type { Data } from '../../suite/types.ts';

type Options = Readonly<Record<string, unknown>>;

/** Ends the case: a check of the probe does not hold. */
export function broken(
  message: string,
  call: string,
  requirement?: string,
  more: { type?: string; detail?: string; level?: Finding['level'] } = {},
): never {
  throw new CheckFailure({
    type: 'pjrt.AssertionFailed',
    message,
    call,
    ...(requirement === undefined ? {} : { requirements: [requirement] }),
    ...more,
  });
}

/** An option of a probe, with its default. */
export const option = <T>(options: Options, name: string, fallback: T): T =>
  (options[name] as T | undefined) ?? fallback;

/** An option of a probe that must be one of a few words. */
export function choice<T extends string>(options: Options, name: string, values: readonly T[], fallback?: T): T {
  const value = (options[name] ?? fallback) as T;
  if (!values.includes(value)) throw new SuiteFault(`${name} is one of ${values.join(', ')}; got ${String(value)}`);
  return value;
}

/** Host data that needs no earlier data. */
export const made = (data: Exclude<Data, string>): HostArray =>
  generate(data, () => {
    throw new SuiteFault('no reference here');
  });

/** Small integers without a period, other ones for each seed. */
export const hashed = (dtypeName: string, shape: readonly number[], seed = 1): HostArray =>
  made({ hash: { dtype: dtypeName, shape: [...shape], seed } });

/** Ends the case when two arrays differ. */
export function sameArrays(what: string, expected: HostArray, actual: HostArray, call: string): void {
  const comparison = compareArrays(expected, actual, 'bits', { poison: POISON });
  if (comparison.ok) return;
  const [first, ...rest] = describe(comparison).split('\n');
  throw new CheckFailure({
    type: 'pjrt.NumericMismatch',
    message: `${what}: ${first}`,
    detail: rest.join('\n'),
    call,
  });
}

/** The seat whose plugin made a handle. */
export const seatOf = (context: CaseContext, handle: { api: unknown }): Seat =>
  context.seats.find((s) => s.plugin.api === handle.api)!;

/** A client that a probe's `client` option names, or the shared one. */
export const clientOf = (context: CaseContext, options: Options): Client =>
  context.resolveClient(options.client as string | undefined);

/** Sends an array to the first device of a client (or to a memory) and waits for it. The caller destroys the buffer. */
export function upload(
  arena: Arena,
  client: Client,
  array: HostArray,
  to: { device?: bigint; memory?: bigint } = {},
): Buffer {
  const host = arena.input(array.bytes);
  const target = to.device === undefined && to.memory === undefined ? { device: firstDevice(client) } : to;
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

/** The address of the first addressable device of a client. */
export function firstDevice(client: Client): bigint {
  const device = client.addressableDevices()[0];
  if (!device) broken('the client has no addressable device', 'PJRT_Client_AddressableDevices', 'CLI-DEV-001');
  return device.pointer;
}

/** Reads a buffer of known type and shape back. */
export const download = (arena: Arena, buffer: Buffer, like: HostArray): HostArray =>
  fromBytes(dtype(like.dtype.name), like.shape, buffer.toHost(arena, like.bytes.length));

/** Compiles a committed program for any client. The caller destroys the executable. */
export const compileFor = (context: CaseContext, client: Client, program: string): LoadedExecutable =>
  client.compile(
    context.arena,
    programBytes(seatOf(context, client).plugin, { program }),
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
export function addOneData(seed: number): { input: HostArray; output: HostArray } {
  const input = hashed('f32', FOUR, seed);
  const ones = made({ fill: { dtype: 'f32', shape: FOUR, value: 1 } });
  const values = (a: HostArray) => [...new Float32Array(a.bytes.slice().buffer)];
  const sums = values(input).map((v, i) => v + values(ones)[i]!);
  return { input, output: made({ values: { dtype: 'f32', shape: FOUR, of: sums } }) };
}

/** Runs x + 1 once on the first device of a client and checks the result. */
function runAddOne(context: CaseContext, client: Client, executable: LoadedExecutable, seed = 1): void {
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
      sameArrays('x + 1', output, download(context.arena, result, output), 'PJRT_LoadedExecutable_Execute');
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
  sameArrays('a transfer there and back', array, download(context.arena, buffer, array), 'PJRT_Buffer_ToHostBuffer');
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
