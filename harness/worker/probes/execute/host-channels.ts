import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { generate } from '../../../knowledge/numerics/generate.ts';
import { callback, functionAt } from '../../ffi/function.ts';
import { readBytes, readWord, viewMemory, writeBytes } from '../../ffi/memory.ts';
import type { Buffer as PjrtBuffer } from '../../pjrt/buffer.ts';
import { type Calls, here } from '../../pjrt/calls.ts';
import { errorOfAsync, PjrtError } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import { StructView } from '../../pjrt/struct-view.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported, refusal } from '../../steps/outcome.ts';
import { RecordedCallback } from '../../steps/recorded-callback.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { checks, type Run } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { owned } from '../support/sample-run.ts';

const EXECUTE = 'PJRT_LoadedExecutable_Execute';
const ADD = 'PJRT_CopyToDeviceStream_AddChunk';
const SHAPE = [2, 3];
const BYTES = 24;
const SEND_CHANNEL = 1n;
const RECEIVE_CHANNEL = 2n;
const TOKEN = 0x5e4d0001n;
const UNAVAILABLE = 14;
const MESSAGE = 'nobody takes what is sent';

const SEND_SIGNATURE = 'void* PjrtSend(void* chunk, void* callback_error, size_t total, bool done, void* user)';
const CHUNK_DELETER = 'void PjrtChunkDeleter(void* data, void* argument)';

const chunkAt = ({ api }: CaseContext, address: bigint): StructView => {
  const layout = api.struct('PJRT_Chunk');
  return new StructView(layout, viewMemory(address, layout.size));
};

type Send = (chunk: bigint, callbackError: bigint, total: number, done: boolean, user: bigint | null) => bigint | null;

type Check = Run<Record<string, never>>;

/** What a program sends arrives in the callback, in chunks that the callback frees. */
const sendCallback: Check = async (context) => {
  const input = hashed('f32', SHAPE);
  const pieces: Uint8Array[] = [];
  let flaw: string | undefined;
  let totalBytes = 0;
  const send: Send = (chunk, _error, total, done, user) => {
    const view = chunkAt(context, chunk);
    pieces.push(readBytes(view.word('data'), view.size('size')));
    totalBytes = Number(total);
    const sent = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (user !== TOKEN) flaw = 'passed another user argument than it was given';
    else if (done !== (sent === totalBytes))
      flaw = `said that ${sent} of ${totalBytes} bytes were ${done ? '' : 'not '}all`;
    const deleter = view.word('deleter');
    if (deleter === 0n) flaw = 'gave a chunk that cannot be freed';
    else functionAt(deleter, CHUNK_DELETER)(view.word('data'), view.word('deleter_arg'));
    return null;
  };
  const output = await prepare(context, 'host/send', input, { send })();
  if (flaw !== undefined) violated(`the send callback: the plugin ${flaw}`, EXECUTE, 'RUN-SND-001');
  if (pieces.length === 0) violated('the execution ended without a call of the send callback', EXECUTE, 'RUN-SND-001');
  if (totalBytes !== BYTES)
    throw new NotSupported(`f32[2,3] is sent as ${totalBytes} bytes, in a format of the device`);
  const sent: HostArray = { ...input, bytes: Buffer.concat(pieces) };
  same('what the callback received', input, sent, EXECUTE, 'RUN-SND-001');
  same('the output', added(input, input), fetchArray(context, output), EXECUTE, 'RUN-SND-001');
};

/** The error that a send callback makes, whose message is gone when the callback returns, fails the execution. */
const sendCallbackError: Check = async (context) => {
  const message = context.arena.text(MESSAGE);
  const send: Send = (chunk, callbackError) => {
    const view = chunkAt(context, chunk);
    const deleter = view.word('deleter');
    if (deleter !== 0n) functionAt(deleter, CHUNK_DELETER)(view.word('data'), view.word('deleter_arg'));
    const create = functionAt(readWord(callbackError), 'void* PjrtCallbackError(int code, void* message, size_t size)');
    const error = create(UNAVAILABLE, message.address, MESSAGE.length) as bigint;
    writeBytes(message.address, new Uint8Array(MESSAGE.length).fill(0x3f));
    return error;
  };
  const run = prepare(context, 'host/send', hashed('f32', SHAPE), { send });
  const { error } = await outcome(context, run);
  if (!error) violated('the execution succeeded although its send callback returned an error', EXECUTE, 'RUN-SND-002');
  if (!error!.text.includes(MESSAGE)) {
    violated('the message of the error that the callback made is not that of the execution', EXECUTE, 'ERR-CB-001', {
      detail: `message: ${error!.text}`,
    });
  }
};

/** A receive callback fills its stream in two chunks and destroys it; what it wrote is what the program reads. */
const receiveCallback: Check = async (context) => {
  const input = hashed('f32', SHAPE);
  const given = hashed('f32', SHAPE, 7);
  const deleter = new RecordedCallback(context, ADD);
  const { error, output } = await receiving(context, input, async (callback, stream, user) => {
    if (user !== TOKEN) violated('the receive callback got another user argument', EXECUTE, 'RUN-RCV-001');
    await callback.inside(filling(context, stream, given, deleter.address));
  });
  if (error) throw error;
  if (deleter.count() !== 2) violated(`2 chunks were freed ${deleter.count()} times`, ADD, 'C2D-002');
  same('the output', added(input, given), fetchArray(context, output!), EXECUTE, 'RUN-RCV-001');
};

/** A chunk that is larger than what is missing is an error, and freed all the same. */
const receiveTooMuch: Check = async (context) => {
  const deleter = new RecordedCallback(context, ADD);
  let refused = false;
  await receiving(context, hashed('f32', SHAPE), async (callback, stream) => {
    const total = await callback.inside(asking(context, stream, 'TotalBytes', 'total_bytes'));
    const chunk = callback.inside(adding(context, stream, new Uint8Array(total + 64), deleter.address));
    refused = (await errorOfAsync(chunk)) !== undefined;
  });
  if (!refused) violated('a chunk that is larger than the stream was accepted', ADD, 'C2D-003');
  if (deleter.count() !== 1) violated(`a refused chunk was freed ${deleter.count()} times`, ADD, 'C2D-002');
};

/** Runs a program that receives. @param give makes calls in its callback, which destroys the stream afterwards */
async function receiving(
  context: CaseContext,
  input: HostArray,
  give: (callback: RecordedCallback, stream: bigint, user: bigint) => Promise<void>,
): ReturnType<typeof outcome> {
  here(destroying(context, 0n));
  const callback = new RecordedCallback(context, EXECUTE, 'open');
  const run = outcome(context, prepare(context, 'host/receive', input, { receive: callback.address }));
  // Without a call of it, what the execution says is all there is.
  const called = await Promise.race([callback.entered(), run.then(() => undefined)]);
  if (!called) return run;
  const [stream, user] = called;
  try {
    await give(callback, stream!, user!);
  } finally {
    await callback.inside(destroying(context, stream!));
    callback.close();
  }
  return run;
}

interface Callbacks {
  send?: Send;
  /** Address of the callback. */
  receive?: bigint;
}

/** Compiles the program and fills the options of its execution with the callbacks. */
function prepare(context: CaseContext, program: string, input: HostArray, { send, receive }: Callbacks): Launch {
  const { api, arena, scope } = context;
  const executable = scope.own(compiled(context, program));
  const register = (signature: string, run: unknown): bigint => {
    const registered = callback(signature, run as (...args: never[]) => unknown);
    scope.defer(() => registered.release());
    return registered.address;
  };
  /** A list of one callback, as the fields of the execute options: channel and function. */
  const offer = (options: StructView, way: 'send' | 'recv', channel: bigint, address: bigint): void => {
    const info = api.make(arena, way === 'send' ? 'PJRT_SendCallbackInfo' : 'PJRT_RecvCallbackInfo');
    const view = info.at(0);
    view.setWord('channel_id', channel);
    view.setWord('user_arg', TOKEN);
    view.setWord(`${way}_callback`, address);
    options.setWord(`${way}_callbacks`, arena.pointers([info.address]).address);
    options.setSize(`num_${way}_ops`, 1);
  };
  const args = [startPut(context, input)];
  const fill = (options: StructView): void => {
    if (send) offer(options, 'send', SEND_CHANNEL, register(SEND_SIGNATURE, send));
    if (receive) offer(options, 'recv', RECEIVE_CHANNEL, receive);
    // Dense, in row-major order, whatever the format of the device is.
    const layout = 'use_major_to_minor_data_layout_for_callbacks';
    if (options.layout.has(layout)) options.fieldBytes(layout)[0] = 1;
  };
  return async () => {
    const run = owned(context, await executable.executeAsync(context.arena, [args], { events: true, fill }));
    for (const event of run.events) await event.awaitAsync();
    return run.outputs[0]![0]!;
  };
}

/** Programs that exchange data with the host are not for every compiler. */
function compiled(context: CaseContext, program: string) {
  try {
    return compileProgram(context, program);
  } catch (error) {
    throw refusal(error, 'the plugin refuses programs that exchange data with the host');
  }
}

/** Runs the program on another thread, so that callbacks run meanwhile, and gives its output. @throws PjrtError */
type Launch = () => Promise<PjrtBuffer>;

/** The output, or the error of the call, of its completion or of the output. */
async function outcome(context: CaseContext, launch: Launch): Promise<{ error?: PjrtError; output?: PjrtBuffer }> {
  try {
    const output = await launch();
    const error = await errorOfAsync(context.scope.own(output.readyEvent()).awaitAsync());
    return { output, ...(error ? { error } : {}) };
  } catch (error) {
    if (error instanceof PjrtError) return { error };
    throw error;
  }
}

/** Adds an array in two chunks, and checks what the stream says before, between and after. */
function* filling(context: CaseContext, stream: bigint, given: HostArray, deleter: bigint): Calls<void> {
  const total = () => asking(context, stream, 'TotalBytes', 'total_bytes');
  const granule = () => asking(context, stream, 'GranuleSize', 'granule_size_in_bytes');
  const current = () => asking(context, stream, 'CurrentBytes', 'current_bytes');
  const [size, unit] = [yield* total(), yield* granule()];
  if (size !== BYTES) throw new NotSupported(`a stream for f32[2,3] takes ${size} bytes, in a format of the device`);
  const half = unit > 0 ? Math.ceil(BYTES / 2 / unit) * unit : BYTES / 2;
  if (half >= BYTES) throw new NotSupported(`a stream for f32[2,3] takes everything in one granule of ${unit} bytes`);
  const empty = yield* current();
  if (empty !== 0)
    violated(`a new stream says that ${empty} bytes have arrived`, 'PJRT_CopyToDeviceStream_CurrentBytes', 'C2D-004');
  for (const [from, to] of [
    [0, half],
    [half, BYTES],
  ] as const) {
    yield* adding(context, stream, given.bytes.slice(from, to), deleter);
    const arrived = yield* current();
    if (arrived !== to)
      violated(`after ${to} bytes the stream says ${arrived}`, 'PJRT_CopyToDeviceStream_CurrentBytes', 'C2D-004');
  }
  if ((yield* total()) !== size || (yield* granule()) !== unit)
    violated('the size or granule of a stream changes', 'PJRT_CopyToDeviceStream_TotalBytes', 'C2D-004');
}

/** Adds one chunk, which belongs to the plugin from then on. @throws PjrtError of the call or of its event */
function* adding({ api, arena, scope }: CaseContext, stream: bigint, bytes: Uint8Array, deleter: bigint): Calls<void> {
  const data = arena.alloc(bytes.length, 64);
  data.bytes.set(bytes);
  const chunk = api.make(arena, 'PJRT_Chunk');
  chunk.at(0).set({ data: data.address, size: bytes.length, deleter, deleter_arg: TOKEN });
  const fields = { stream, chunk: chunk.address };
  const event = yield* api.calling(ADD, fields, (call) => call.word('transfer_complete'));
  if (event !== 0n) yield* scope.own(new Event(api, event)).waiting();
}

const asking = ({ api }: CaseContext, stream: bigint, name: string, field: string): Calls<number> =>
  api.calling(`PJRT_CopyToDeviceStream_${name}`, { stream }, (call) => Number(call.int64(field)));

/** Also with NULL, which is harmless: a plugin without streams says so here, where no execution waits for one. */
const destroying = ({ api }: CaseContext, stream: bigint): Calls<void> =>
  api.calling('PJRT_CopyToDeviceStream_Destroy', { stream });

function added(a: HostArray, b: HostArray): HostArray {
  const values = (array: HostArray): number[] =>
    Array.from({ length: array.bytes.length / 4 }, (_, i) =>
      new DataView(array.bytes.buffer, array.bytes.byteOffset).getFloat32(i * 4, true),
    );
  const [x, y] = [values(a), values(b)];
  return generate({ values: { dtype: 'f32', shape: SHAPE, of: x.map((value, i) => value + y[i]!) } });
}

/** Programs that send to the host and receive from it. */
export const hostChannels = checks(
  'host-channels',
  {},
  { send: sendCallback, 'send-error': sendCallbackError, receive: receiveCallback, 'receive-too-much': receiveTooMuch },
);
