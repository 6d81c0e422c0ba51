import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { fromBytes } from '../../../knowledge/numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';
import { isHostLike, rawContents, startRawCopy } from '../../steps/device-format.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { copyInFuture } from '../buffers/raw-future.ts';
import { knownExtension, rawAlias, transfer } from '../extensions/raw-buffer.ts';
import { violated } from '../support/checks.ts';
import { poisonedRoom } from '../support/poisoned-room.ts';
import { EDGES } from './ways-in.ts';

/** A way by which the array in a buffer comes back. All of them give the same. */
export interface WayOut {
  name: string;
  /** The ways that one case is about. */
  family: 'host' | 'raw' | 'raw-alias' | 'raw-deferred' | 'address';
  functions: readonly [string, ...string[]];
  requirement: string;
  /** Where the device has a format of its own, raw bytes are not looked into: the array is then that of the host. */
  read(context: CaseContext, buffer: Buffer, like: HostArray): HostArray | Promise<HostArray>;
}

const RAW = 'RawBuffer.PJRT_RawBuffer_CopyRawDeviceToHost';
const PAGES = [4096, 65536, 1048576];
const DEFERRED = 'PJRT_Buffer_CopyRawToHostFuture';

export const WAYS_OUT: readonly WayOut[] = [
  {
    name: 'a copy to the host',
    family: 'host',
    functions: ['PJRT_Buffer_ToHostBuffer'],
    requirement: 'BUF-D2H-004',
    read: (context, buffer) => fetchArray(context, buffer),
  },
  {
    name: 'a raw copy',
    family: 'raw',
    functions: ['PJRT_Buffer_CopyRawToHost'],
    requirement: 'BUF-RAW-001',
    read(context, buffer, like) {
      const whole = rawContents(context, buffer);
      return isDense(buffer, like) ? fromBytes(like.dtype, like.shape, whole) : like;
    },
  },
  ...inPieces('raw copies', 'raw', 'PJRT_Buffer_CopyRawToHost', 'BUF-RAW-001', (context, buffer) => {
    return (address, from, size) => context.scope.own(startRawCopy(context, buffer, address, from, size)).await();
  }),
  ...inPieces('raw copies through an alias', 'raw-alias', RAW, 'BUF-RAW-001', (context, buffer) => {
    const extension = knownExtension(context);
    const raw = rawAlias(context, extension, buffer);
    return (address, from, size) =>
      transfer(context, extension, 'CopyRawDeviceToHost', 'dst', raw, address, size, from);
  }),
  ...inPieces('raw copies to later destinations', 'raw-deferred', DEFERRED, 'BUF-RAW-004', (context, buffer) => {
    return async (address, offset, size) => {
      const error = await copyInFuture(context, buffer, { offset, size }, address);
      if (error) throw error;
    };
  }),
  {
    name: 'its address',
    family: 'address',
    functions: ['PJRT_Buffer_UnsafePointer'],
    requirement: 'BUF-META-010',
    read: (context, buffer) => fetchArray(context, buffer, { from: 'address' }),
  },
];

/** Whether the memory of the device holds an array as the host does. */
const isDense = (buffer: Buffer, { shape, bytes }: HostArray): boolean =>
  shape.length <= 1 && isHostLike(buffer, bytes.length);

/** Copies a part to the host. */
type Part = (address: bigint, from: number, size: number) => void | Promise<void>;

/**
 * Raw copies of parts that begin just beyond the edges of sizes, and of whole pages, which devices that want alignment take.
 * Where the device has a format of its own, the parts must be those of the whole.
 */
function inPieces(
  what: string,
  family: WayOut['family'],
  name: string,
  requirement: string,
  partsOf: (context: CaseContext, buffer: Buffer) => Part,
): WayOut[] {
  const way = (pieces: string, edges: readonly number[]): WayOut => ({
    ...{ name: `${what} of ${pieces}`, family, functions: [name], requirement },
    async read(context, buffer, like) {
      const call = name.replace(/^RawBuffer\./, '');
      const dense = isDense(buffer, like);
      const whole = dense ? like.bytes : rawContents(context, buffer);
      const parts = await joined(context, whole.length, edges, partsOf(context, buffer), call);
      if (dense) return fromBytes(like.dtype, like.shape, parts);
      if (!whole.every((byte, i) => byte === parts[i]))
        violated(`${what} of ${pieces} do not give what a raw copy of the whole gives`, call, requirement);
      return like;
    },
  });
  return [way('parts', EDGES), way('whole pages', PAGES)];
}

async function joined(
  context: CaseContext,
  size: number,
  edges: readonly number[],
  copy: Part,
  call: string,
): Promise<Uint8Array> {
  const starts = [0, ...edges.filter((edge) => edge < size)];
  const whole = new Uint8Array(size);
  for (const [i, from] of starts.entries()) {
    const room = poisonedRoom(context, (starts[i + 1] ?? size) - from);
    await copy(room.address, from, room.bytes.length);
    if (room.overrun()) violated('a raw copy has written beside its destination', call);
    whole.set(room.bytes, from);
  }
  return whole;
}
