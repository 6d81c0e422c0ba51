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
  {
    name: 'raw copies of parts',
    family: 'raw',
    functions: ['PJRT_Buffer_CopyRawToHost'],
    requirement: 'BUF-RAW-001',
    read: (context, buffer, like) => inParts(context, buffer, like, rawPart(context, buffer)),
  },
  {
    // Whatever alignment a device wants.
    name: 'raw copies of whole pages',
    family: 'raw',
    functions: ['PJRT_Buffer_CopyRawToHost'],
    requirement: 'BUF-RAW-001',
    read: (context, buffer, like) => inParts(context, buffer, like, rawPart(context, buffer), PAGES),
  },
  {
    name: 'copies of parts of a raw alias',
    family: 'raw-alias',
    functions: [RAW],
    requirement: 'BUF-RAW-001',
    read: (context, buffer, like) => {
      const extension = knownExtension(context);
      const raw = rawAlias(context, extension, buffer);
      return inParts(context, buffer, like, (address, from, size) =>
        transfer(context, extension, 'CopyRawDeviceToHost', 'dst', raw, address, size, from),
      );
    },
  },
  {
    name: 'raw copies of parts whose destinations come later',
    family: 'raw-deferred',
    functions: ['PJRT_Buffer_CopyRawToHostFuture'],
    requirement: 'BUF-RAW-004',
    read: (context, buffer, like) => inParts(context, buffer, like, deferredPart(context, buffer)),
  },
  {
    name: 'raw copies of whole pages whose destinations come later',
    family: 'raw-deferred',
    functions: ['PJRT_Buffer_CopyRawToHostFuture'],
    requirement: 'BUF-RAW-004',
    read: (context, buffer, like) => inParts(context, buffer, like, deferredPart(context, buffer), PAGES),
  },
  {
    name: 'its address',
    family: 'address',
    functions: ['PJRT_Buffer_UnsafePointer'],
    requirement: 'BUF-META-010',
    read: (context, buffer) => fetchArray(context, buffer, { from: 'address' }),
  },
];

/** Copies a part to the host. */
type Part = (address: bigint, from: number, size: number) => void | Promise<void>;

const PAGES = [4096, 65536, 1048576];

const rawPart =
  (context: CaseContext, buffer: Buffer): Part =>
  (address, from, size) =>
    context.scope.own(startRawCopy(context, buffer, address, from, size)).await();

const deferredPart =
  (context: CaseContext, buffer: Buffer): Part =>
  async (address, offset, size) => {
    const error = await copyInFuture(context, buffer, { offset, size }, address);
    if (error) throw error;
  };

/** Whether the memory of the device holds an array as the host does. */
const isDense = (buffer: Buffer, { shape, bytes }: HostArray): boolean =>
  shape.length <= 1 && isHostLike(buffer, bytes.length);

/** The array of parts that begin at these offsets, by default just beyond the edges of sizes. In a format of the device, they must be those of the whole. */
async function inParts(
  context: CaseContext,
  buffer: Buffer,
  like: HostArray,
  copy: Part,
  edges = EDGES,
): Promise<HostArray> {
  if (isDense(buffer, like))
    return fromBytes(like.dtype, like.shape, await joined(context, like.bytes.length, edges, copy));
  const whole = rawContents(context, buffer);
  const parts = await joined(context, whole.length, edges, copy);
  if (!whole.every((byte, i) => byte === parts[i]))
    violated('raw copies of parts do not give what a raw copy of the whole gives', 'PJRT_Buffer_CopyRawToHost');
  return like;
}

async function joined(context: CaseContext, size: number, edges: readonly number[], copy: Part): Promise<Uint8Array> {
  const starts = [0, ...edges.filter((edge) => edge < size)];
  const whole = new Uint8Array(size);
  for (const [i, from] of starts.entries()) {
    const room = poisonedRoom(context, (starts[i + 1] ?? size) - from);
    await copy(room.address, from, room.bytes.length);
    if (room.overrun()) violated('a raw copy has written beside its destination', 'PJRT_Buffer_CopyRawToHost');
    whole.set(room.bytes, from);
  }
  return whole;
}
