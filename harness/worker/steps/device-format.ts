import { type Buffer, hostDestination } from '../pjrt/buffer.ts';
import { AbsentError, PjrtError } from '../pjrt/errors.ts';
import { Event } from '../pjrt/event.ts';
import { readInt64s } from '../pjrt/strings.ts';
import type { CaseContext } from './context.ts';
import { CheckFailure } from './outcome.ts';

export const COPY_RAW = 'PJRT_Buffer_CopyRawToHost';
const GET_LAYOUT = 'PJRT_Buffer_GetMemoryLayout';

/** All bytes of a buffer as its device holds them, whatever their format is. @throws PjrtError, AbsentError */
export function rawContents(context: CaseContext, buffer: Buffer): Uint8Array {
  const { event, take } = startRawRead(context, buffer);
  event.await();
  return take();
}

/**
 * Starts a copy of all of a buffer's device memory.
 * @returns its event, and what gives the bytes when that is ready: those of the device, which may pad and permute an array
 */
export function startRawRead(context: CaseContext, buffer: Buffer): { event: Event; take(): Uint8Array } {
  const size = buffer.onDeviceSize();
  const room = hostDestination(context.arena, size);
  const event = context.scope.own(startRawCopy(context, buffer, room.address, 0, size));
  return { event, take: () => room.bytes.slice(0, size) };
}

/** Starts a copy of a range of a buffer's device memory. */
export const startRawCopy = (
  { api }: CaseContext,
  buffer: Buffer,
  destination: bigint,
  offset: number,
  size: number,
): Event =>
  api.invoke(
    COPY_RAW,
    { buffer: buffer.pointer, dst: destination, offset, transfer_size: size },
    (call) => new Event(api, call.word('event')),
  );

/**
 * Whether a buffer surely lies in memory as its array does on the host: only where it is on the CPU, and as large. Other
 * devices tile, pad and permute.
 * @param bytes those of the array on the host
 */
export const isHostLike = (buffer: Buffer, bytes: number): boolean =>
  ifOffered(() => buffer.isOnCpu() && buffer.onDeviceSize() === bytes) ?? false;

/** Address of the layout that a buffer says it has, tiles included, for a call that takes one; undefined when it does not say. */
export const ownLayout = ({ api, arena }: CaseContext, buffer: Buffer): bigint | undefined =>
  ifOffered(() =>
    api.invoke(GET_LAYOUT, { buffer: buffer.pointer }, (call) => arena.copy(call.fieldBytes('layout'), 8).address),
  );

/**
 * Minor-to-major order that a buffer reports for its memory; undefined when it does not say.
 * @param rank the dimensions that the order must have to be used @throws CheckFailure
 */
export function reportedOrder(
  { api }: CaseContext,
  buffer: Buffer,
  rank?: number,
): { order: number[]; tiles: number } | undefined {
  const reported = api.invoke(GET_LAYOUT, { buffer: buffer.pointer }, (call) => {
    const layout = call.nested('layout', api.struct('PJRT_Buffer_MemoryLayout'));
    const tiled = layout.nested('tiled', api.struct('PJRT_Buffer_MemoryLayout_Tiled'));
    if (layout.int('type') !== 0) return undefined;
    return {
      order: readInt64s(tiled.word('minor_to_major'), tiled.size('minor_to_major_size')),
      tiles: tiled.size('num_tiles'),
    };
  });
  if (rank !== undefined && reported && !isOrder(reported.order, rank)) {
    const message = `minor_to_major of ${GET_LAYOUT} is [${reported.order}], no order of ${rank} dimensions`;
    throw new CheckFailure({ type: 'pjrt.BadData', message, call: GET_LAYOUT });
  }
  return reported;
}

const isOrder = (order: readonly number[], rank: number): boolean =>
  order.length === rank && order.every((d) => d >= 0 && d < rank) && new Set(order).size === rank;

/** What functions answer that are asked by the way, undefined where they are not offered. */
export function ifOffered<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof AbsentError) return undefined;
    if (error instanceof PjrtError && error.codeName === 'UNIMPLEMENTED') return undefined;
    throw error;
  }
}
