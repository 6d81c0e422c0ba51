import { elementCount, fromBytes, type HostArray } from '../../knowledge/numerics/array.ts';
import { type DType, dtypeOfEnum } from '../../knowledge/numerics/dtypes.ts';
import { cut } from '../../knowledge/numerics/pieces.ts';
import { denseStrides, fromStrided, toStrided } from '../../knowledge/numerics/strided.ts';
import { shownName } from '../../suite/in-one-step.ts';
import type { Order, Step, StepBody } from '../../suite/types.ts';
import { readBytes } from '../ffi/memory.ts';
import { type Buffer, hostDestination } from '../pjrt/buffer.ts';
import { type Calls, here, noCalls } from '../pjrt/calls.ts';
import { SEMANTICS } from '../pjrt/client.ts';
import { Device } from '../pjrt/device.ts';
import { errorOfAsync, type PjrtError } from '../pjrt/errors.ts';
import type { Event } from '../pjrt/event.ts';
import { NativeObject } from '../pjrt/handle.ts';
import { Memory } from '../pjrt/memory.ts';
import type { CaseContext } from './context.ts';
import { COPY_RAW, ifOffered, isHostLike, reportedOrder, startRawCopy } from './device-format.ts';
import { expectingError } from './expected-error.ts';
import { HostMemory } from './host-memory.ts';
import { layoutAddress, orderOf } from './layouts.ts';
import { remember, rememberReading } from './looks-like.ts';
import { answered, type Origin } from './origin.ts';
import { CheckFailure, NotSupported, refusal, SuiteFault } from './outcome.ts';
import { overwrite, overwriting } from './overwritten.ts';
import { bindWhole } from './pieces.ts';

type Put = Extract<StepBody, { verb: 'put' }>;
type Get = Extract<StepBody, { verb: 'get' }>;

const SEND = 'PJRT_Client_BufferFromHostBuffer';
const COPY = 'PJRT_Buffer_ToHostBuffer';

/** `put`: a host array becomes a buffer, a list of them a list; the call, the done event and the buffer's readiness must all be error-free. */
export function* put(context: CaseContext, step: Put): Calls<void> {
  const { pieces } = step;
  const list = typeof step.data === 'string' ? context.resolve(step.data) : undefined;
  const outcome = yield* expectingError<unknown>(
    context,
    step.error,
    SEND,
    Array.isArray(list)
      ? eachOf(list, (array) => sending(context, array, step))
      : pieces
        ? eachOf(pieces.starts, (start, device) =>
            sending(context, cut(context.data(step.data), pieces.shape, start), { ...step, on: `$devices[${device}]` }),
          )
        : sending(context, context.data(step.data), step),
  );
  if ('value' in outcome) context.bind(step.as, outcome.value, [{ call: SEND, text: SEND }]);
}

/**
 * Sends a host array to a device and waits, unless `wait` is false, until it is there and the host memory may be used
 * again. The case's scope owns the buffer.
 */
export const startPut = (context: CaseContext, array: HostArray, how: HowToPut = {}): Buffer =>
  here(sending(context, array, how));

type HowToPut = Omit<Put, 'as' | 'data' | 'verb'>;

function* sending(context: CaseContext, array: HostArray, how: HowToPut): Calls<Buffer> {
  const { arena, scope } = context;
  const client = context.resolveClient(how.client);
  const strided = how.strides || how.order ? toStrided(array, { strides: how.strides, order: how.order }) : undefined;
  // Memory that the buffer may keep as its own has to stay what frameworks give: aligned, with more memory around it.
  const kept = how.semantics === 'zero-copy' || how.semantics === 'mutable-zero-copy';
  const bytes = strided?.backing ?? array.bytes;
  const host = new HostMemory(arena, bytes, kept, how.misaligned);
  const readOnly = how.semantics !== 'mutable-zero-copy';
  const target =
    how.on === undefined ? client.firstDevice() : context.resolveAs(how.on, NativeObject, 'a device or a memory');
  if (!(target instanceof Device || target instanceof Memory))
    throw new SuiteFault(`${how.on} is neither a device nor a memory`);
  const { buffer, done } = yield* overwriting(
    arena,
    how.overwritten,
    client.sending(arena, {
      data: host.address + BigInt(strided?.offset ?? 0),
      type: array.dtype.enumValue,
      dims: array.shape,
      byteStrides: strided?.byteStrides,
      semantics: SEMANTICS[how.semantics ?? 'until-transfer-completes'],
      ...(target instanceof Memory ? { memory: target.pointer } : { device: target.pointer }),
      layout: layoutAddress(context, client.api, how.layout, array.shape.length),
    }),
  );
  // Destroyed after the buffer: until then the event of zero-copy semantics need not come.
  if (how.wait === false) scope.defer(() => endTransfer(done));
  remember(buffer, {
    sent: array,
    dense: strided && memoryOf(strided, array),
    order: permuted(how.layout, array.shape),
  });
  scope.own(buffer);
  if (how.wait !== false) scope.own(done);
  if (how.reused && how.semantics === 'during-call') host.reuse(readOnly);
  // Zero-copy semantics keep the host memory for the buffer's life: its event may only come when the buffer goes.
  if (!kept && how.wait !== false) yield* done.waiting();
  if (how.reused && ((!kept && how.wait !== false) || done.isReady())) host.reuse(readOnly);
  if (how.wait !== false) yield* buffer.readying();
  if (how.done !== undefined) context.bind(how.done, done, [answered(SEND, 'done_with_host_buffer')]);
  if (how.host !== undefined) context.bind(how.host, host.bytes, [], host.held);
  return buffer;
}

/** The bytes from the first element on, as many as the array has. */
function memoryOf({ backing, offset }: ReturnType<typeof toStrided>, { bytes }: HostArray): Uint8Array | undefined {
  return offset + bytes.length <= backing.length ? backing.subarray(offset, offset + bytes.length) : undefined;
}

/** The order that is asked for, if it is not row-major. */
function permuted(
  asked: HowToPut['layout'] | Fetch['layout'],
  { length }: readonly number[],
): readonly number[] | undefined {
  if (asked === undefined || asked === 'none' || asked === 'source' || asked === 'own') return undefined;
  if (typeof asked === 'object' && 'strides' in asked) return undefined;
  const order = orderOf(asked, length);
  return order.some((d, i) => d !== length - 1 - i) ? order : undefined;
}

/** The host memory of a transfer that was not waited for must stay until the plugin no longer needs it. */
export function endTransfer(done: Event): void {
  if (done.destroyed) return;
  try {
    done.await();
  } finally {
    done.destroy();
  }
}

/** `read`: the array at an address of this process. */
export function read(context: CaseContext, step: Extract<StepBody, { verb: 'read' }>): void {
  const { dtype, shape, bytes } = context.data(step.like);
  const address = context.resolve(step.address);
  if (typeof address !== 'bigint') throw new SuiteFault(`${step.address} is not an address`);
  if (address === 0n) {
    const [origin] = context.originsOf(step.address);
    const message = `${origin?.text ?? shownName(step.address)} is NULL`;
    throw new CheckFailure({ type: 'pjrt.NullHandle', message, call: origin?.call });
  }
  context.bind(step.as, fromBytes(dtype, shape, readBytes(address, bytes.length)));
}

/** `get`: a buffer comes back as a host array, a list of them as a list, with its own element type and dimensions. */
export function* get(context: CaseContext, step: Get): Calls<void> {
  const list = context.resolve(step.buffer);
  const buffers = buffersOf(context, step);
  const { extra = 0 } = step;
  if (extra < 0) return yield* getIntoTooLittle(context, step, buffers[0]!, extra);
  const fetched = eachOf(buffers, (buffer) => fetching(context, buffer, step));
  const outcome = yield* expectingError(context, step.error, callOf(step), fetched);
  if (!('value' in outcome) || step.as === undefined) return;
  if (step.pieces) bindWhole(context, step.as, outcome.value, step.pieces);
  else context.bind(step.as, Array.isArray(list) ? outcome.value : outcome.value[0], contentsOf(context, step));
}

const buffersOf = (context: CaseContext, { buffer }: Get): Buffer[] => {
  const list = context.resolve(buffer);
  return Array.isArray(list)
    ? list.map((_, i) => context.resolveBuffer(`${buffer}[${i}]`))
    : [context.resolveBuffer(buffer)];
};

function* eachOf<T, U>(list: readonly T[], make: (one: T, index: number) => Calls<U>): Calls<U[]> {
  const made: U[] = [];
  for (const [i, one] of list.entries()) made.push(yield* make(one, i));
  return made;
}

/** A destination that is too small: whatever the error, nothing may be written. */
function* getIntoTooLittle(context: CaseContext, step: Get, buffer: Buffer, extra: number): Calls<void> {
  const { shape, size } = arrayType(buffer);
  const room = hostDestination(context.arena, size);
  const before = room.bytes.slice();
  const layout = layoutAddress(context, buffer.api, 'row-major', shape.length);
  const copy = function* (): Calls<void> {
    const copied = yield* buffer.copyingTo(room.address, Math.max(0, size + extra), layout);
    yield* context.scope.own(copied).waiting();
  };
  yield* expectingError(context, step.error, COPY, copy());
  if (room.bytes.every((byte, i) => byte === before[i])) return;
  throw new CheckFailure({
    type: 'pjrt.MemoryOverrun',
    message: `${COPY} wrote to a destination that is ${-extra} bytes too small`,
    call: COPY,
  });
}

/**
 * `get` with steps that run while the copy is in progress; what is wrong with it may be reported before or after them.
 * @param run runs one of these steps
 */
export async function getMeanwhile(
  context: CaseContext,
  step: Get & { steps: readonly Step[] },
  run: (step: Step) => Promise<void>,
): Promise<void> {
  if (step.from === 'address' || step.parts)
    throw new SuiteFault('what is read at an address or in parts is there at once: nothing can happen meanwhile');
  const list = context.resolve(step.buffer);
  const copies = buffersOf(context, step).map((buffer) =>
    step.from === 'raw' ? startRaw(context, buffer) : here(startFetch(context, buffer, step)),
  );
  const events = copies.map(({ event }) => context.scope.own(event));
  await context.within(async () => {
    const bound = Array.isArray(list) ? events : events[0];
    if (step.event !== undefined) context.bind(step.event, bound, [answered(COPY, 'event')]);
    for (const inner of step.steps) await run(inner);
  });
  let status: PjrtError | undefined;
  for (const event of events) {
    const error = await errorOfAsync(event.awaitAsync());
    status ??= error;
  }
  const taken = noCalls(() => {
    if (status) throw status;
    const arrays = copies.map((copy) => copy.take());
    return Array.isArray(list) ? arrays : arrays[0];
  });
  const outcome = here(expectingError(context, step.error, callOf(step), taken));
  if ('value' in outcome && step.as !== undefined) context.bind(step.as, outcome.value, contentsOf(context, step));
}

/** What is in a buffer is the doing of the call that made it, which the copy to the host shows. */
const contentsOf = (context: CaseContext, step: Get): readonly Origin[] =>
  context.originsOf(step.buffer).length > 0
    ? context.originsOf(step.buffer)
    : [{ call: callOf(step), text: callOf(step) }];

const callOf = ({ from }: Get): string =>
  ({ raw: COPY_RAW, address: 'PJRT_Buffer_UnsafePointer', copy: COPY })[from ?? 'copy'];

/** How an array comes back from a device: by default in row-major order, which is asked for. */
type Fetch = Pick<Get, 'layout' | 'order' | 'overwritten' | 'from' | 'parts' | 'extra'>;

/** Reads a buffer back, dense row-major, in whatever order it arrives. */
export const fetchArray = (context: CaseContext, buffer: Buffer, how: Fetch = {}): HostArray =>
  here(fetching(context, buffer, how));

function* fetching(context: CaseContext, buffer: Buffer, how: Fetch): Calls<HostArray> {
  if (how.from === 'address') return readInPlace(context, buffer);
  if (how.from === 'raw') return yield* readRaw(context, buffer, how.parts);
  const { event, take } = yield* startFetch(context, buffer, how);
  try {
    yield* event.waiting();
  } finally {
    event.destroy();
  }
  return take();
}

/** Starts the copy of a buffer; `take` gives the array when the event is ready. */
function* startFetch(context: CaseContext, buffer: Buffer, how: Fetch): Calls<{ event: Event; take(): HostArray }> {
  const { arena } = context;
  const { type, shape, size } = arrayType(buffer);
  const rank = shape.length;
  const { layout = 'row-major' } = how;
  const known = layout === 'source' || layout === 'own' ? undefined : layout;
  const order = how.order ?? known ?? sourceOrder(context, buffer, rank);
  const asked = layout === 'source' ? undefined : order;
  const { value: address, blocks } = arena.recording(() => layoutAddress(context, buffer.api, asked, rank));
  const copy = yield* buffer.copyingToHost(arena, size, address, how.extra);
  if (copy.event.pointer === 0n)
    throw new CheckFailure({ type: 'pjrt.NullHandle', message: `${COPY} succeeded without an event`, call: COPY });
  if (how.overwritten) overwrite(blocks);
  const take = (): HostArray => {
    const raw = copy.take();
    const array = inRowMajor(type, shape, raw, orderOf(order, rank));
    const plainly = permuted(asked, shape) && (() => plainlyRead(context, buffer));
    rememberReading(array, { buffer, raw, order: orderOf(order, rank), plainly });
    return array;
  };
  return { event: copy.event, take };
}

/** The bytes of an array in row-major order, to explain what a read in another order gave; undefined if it can't be read. */
function plainlyRead(context: CaseContext, buffer: Buffer): Uint8Array | undefined {
  if (buffer.destroyed) return undefined;
  try {
    return fetchArray(context, buffer).bytes;
  } catch {
    return undefined;
  }
}

/** The order in which a buffer without a requested layout arrives, which is that on its device. */
function sourceOrder(context: CaseContext, buffer: Buffer, rank: number): Order {
  if (rank < 2) return 'row-major';
  const reported = ifOffered(() => reportedOrder(context, buffer, rank));
  if (!reported) throw new NotSupported('the buffer does not say in which order it lies on its device');
  return reported.order;
}

/** The bytes at the address of a buffer. @throws NotSupported unless an array lies there as on the host, in some order */
function readInPlace(context: CaseContext, buffer: Buffer): HostArray {
  const lying = lyingAsOnHost(context, buffer);
  const address = buffer.unsafePointer();
  if (address === 0n) throw new NotSupported('the buffer has no address');
  return arrayOf(buffer, lying, readBytes(address, lying.size));
}

/** Raw copies of all parts of a buffer that begin at 0 and at `starts`. @throws NotSupported as for the bytes at its address */
function* readRaw(context: CaseContext, buffer: Buffer, starts: readonly number[] = []): Calls<HostArray> {
  const lying = lyingAsOnHost(context, buffer);
  const raw = new Uint8Array(lying.size);
  for (const [i, from] of [0, ...starts].entries()) {
    const size = (starts[i] ?? lying.size) - from;
    const room = hostDestination(context.arena, size);
    try {
      yield* context.scope.own(startRawCopy(context, buffer, room.address, from, size)).waiting();
    } catch (error) {
      throw starts.length === 0 ? error : refusal(error, 'a raw copy of a part is refused, maybe for its alignment');
    }
    context.instrument.recording?.taken(room);
    raw.set(room.bytes.subarray(0, size), from);
  }
  return arrayOf(buffer, lying, raw);
}

/** Starts a raw copy of a whole buffer. @throws NotSupported as for the bytes at its address */
function startRaw(context: CaseContext, buffer: Buffer): { event: Event; take(): HostArray } {
  const lying = lyingAsOnHost(context, buffer);
  const room = hostDestination(context.arena, lying.size);
  const event = startRawCopy(context, buffer, room.address, 0, lying.size);
  const take = (): HostArray => {
    context.instrument.recording?.taken(room);
    return arrayOf(buffer, lying, room.bytes.slice());
  };
  return { event, take };
}

type Lying = ReturnType<typeof lyingAsOnHost>;

/** How an array lies in the memory of a buffer. @throws NotSupported unless it does as on the host, in some order */
function lyingAsOnHost(
  context: CaseContext,
  buffer: Buffer,
): ReturnType<typeof arrayType> & { order: readonly number[] } {
  const what = arrayType(buffer);
  const rank = what.shape.length;
  const order = ifOffered(() => reportedOrder(context, buffer, rank));
  if (!isHostLike(buffer, what.size) || (order?.tiles ?? 0) > 0)
    throw new NotSupported('the memory of the buffer does not hold the bytes of an array on the host');
  return { ...what, order: orderOf(order?.order ?? 'row-major', rank) };
}

function arrayOf(buffer: Buffer, { type, shape, order }: Lying, raw: Uint8Array): HostArray {
  const array = inRowMajor(type, shape, raw, order);
  rememberReading(array, { buffer, raw, order });
  return array;
}

const inRowMajor = (type: DType, shape: readonly number[], bytes: Uint8Array, order: readonly number[]): HostArray =>
  fromStrided(type, shape, { backing: bytes, offset: 0, byteStrides: denseStrides(shape, type.hostBytes, order) });

/** Bytes that no array of any case has. */
const LARGEST = 2 ** 36;

/** Element type and dimensions of a buffer, and the bytes of its array on the host. */
function arrayType(buffer: Buffer): { type: DType; shape: number[]; size: number } {
  const type = dtypeOfEnum(buffer.elementType());
  if (!type) {
    throw new CheckFailure({
      type: 'pjrt.AssertionFailed',
      message: `type of PJRT_Buffer_ElementType is ${buffer.elementType()}, no element type of arrays`,
      call: 'PJRT_Buffer_ElementType',
    });
  }
  const shape = buffer.dimensions();
  if (shape.some((n) => n < 0) || shape.reduce((a, b) => a * b, type.hostBytes) > LARGEST) {
    const message = `dims of PJRT_Buffer_Dimensions is [${shape}], no shape of an array`;
    throw new CheckFailure({ type: 'pjrt.BadData', message, call: 'PJRT_Buffer_Dimensions' });
  }
  return { type, shape, size: elementCount(shape) * type.hostBytes };
}
