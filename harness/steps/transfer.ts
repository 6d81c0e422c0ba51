import { fromBytes, type HostArray } from '../numerics/array.ts';
import { dtypeOfEnum } from '../numerics/dtypes.ts';
import { toStrided } from '../numerics/strided.ts';
import { type Buffer, makeLayout } from '../pjrt/buffer.ts';
import { SEMANTICS } from '../pjrt/client.ts';
import { Device } from '../pjrt/device.ts';
import { Memory } from '../pjrt/memory.ts';
import type { StepBody } from '../suite/types.ts';
import type { CaseContext } from './context.ts';
import { expectingError } from './expected-error.ts';
import { CheckFailure, SuiteFault } from './outcome.ts';
import { overwriting } from './overwritten.ts';

type Put = Extract<StepBody, { verb: 'put' }>;
type Get = Extract<StepBody, { verb: 'get' }>;

/** `put`: a host array becomes a buffer, a list of them a list; the call, the done event and the buffer's readiness must all be error-free. */
export function put(context: CaseContext, step: Put): void {
  const list = typeof step.data === 'string' ? context.resolve(step.data) : undefined;
  const outcome = expectingError(context, step.error, 'PJRT_Client_BufferFromHostBuffer', () =>
    Array.isArray(list)
      ? list.map((array) => startPut(context, array, step))
      : startPut(context, context.data(step.data), step),
  );
  if ('value' in outcome) context.bind(step.as, outcome.value);
}

/** Sends a host array to a device and waits until the host memory may be reused. The case's scope owns the buffer. */
export function startPut(context: CaseContext, array: HostArray, how: Omit<Put, 'as' | 'data' | 'verb'> = {}): Buffer {
  const { arena, scope } = context;
  const client = context.resolveClient(how.client);
  const strided = how.strides || how.order ? toStrided(array, { strides: how.strides, order: how.order }) : undefined;
  // Memory that the buffer may keep as its own has to stay what frameworks give: aligned, and in the midst of more.
  const kept = how.semantics === 'zero-copy' || how.semantics === 'mutable-zero-copy';
  const bytes = strided?.backing ?? array.bytes;
  const host = kept ? arena.copy(bytes, 64) : arena.input(bytes);
  const target = how.on === undefined ? client.addressableDevices()[0] : context.resolve(how.on);
  if (!(target instanceof Device) && !(target instanceof Memory))
    throw new SuiteFault(`${how.on} is neither a device nor a memory`);
  const { buffer, done } = overwriting(arena, how.overwritten, () =>
    client.bufferFromHost(arena, {
      data: host.address + BigInt(strided?.offset ?? 0),
      type: array.dtype.enumValue,
      dims: array.shape,
      ...(strided ? { byteStrides: strided.byteStrides } : {}),
      semantics: SEMANTICS[how.semantics ?? 'until-transfer-completes'],
      ...(target instanceof Memory ? { memory: target.pointer } : { device: target.pointer }),
      ...(how.layout ? { layout: makeLayout(client.api, arena, how.layout) } : {}),
    }),
  );
  scope.own(buffer);
  scope.own(done);
  // Zero-copy semantics keep the host memory for the buffer's life: its event may only come when the buffer goes.
  if (!kept) done.await();
  buffer.awaitReady();
  return buffer;
}

/** `get`: a buffer comes back as a host array, a list of them as a list, with its own element type and dimensions. */
export function get(context: CaseContext, step: Get): void {
  const list = context.resolve(step.buffer);
  const outcome = expectingError(context, step.error, 'PJRT_Buffer_ToHostBuffer', () =>
    Array.isArray(list)
      ? list.map((_, i) => fetchArray(context, context.resolveBuffer(`${step.buffer}[${i}]`), step.layout))
      : fetchArray(context, context.resolveBuffer(step.buffer), step.layout),
  );
  if ('value' in outcome && step.as !== undefined) context.bind(step.as, outcome.value);
}

/** Reads a buffer back, dense row-major (or in `minorToMajor` order, as it lies in memory). */
export function fetchArray(context: CaseContext, buffer: Buffer, minorToMajor?: readonly number[]): HostArray {
  const type = dtypeOfEnum(buffer.elementType());
  if (!type) {
    throw new CheckFailure({
      type: 'pjrt.AssertionFailed',
      message: `PJRT_Buffer_ElementType answered ${buffer.elementType()}, which is no array type`,
      call: 'PJRT_Buffer_ElementType',
    });
  }
  const shape = buffer.dimensions();
  const size = shape.reduce((a, b) => a * b, 1) * type.hostBytes;
  const bytes = buffer.toHost(context.arena, size, minorToMajor);
  return fromBytes(type, minorToMajor ? [...minorToMajor].reverse().map((d) => shape[d]!) : shape, bytes);
}
