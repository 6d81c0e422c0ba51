import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { fromBytes } from '../../../knowledge/numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';
import { isHostLike, rawContents, startRawCopy } from '../../steps/device-format.ts';
import { NotSupported } from '../../steps/outcome.ts';
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
  /** @throws NotSupported where the memory of the device does not hold what the array on the host does */
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
    read: (context, buffer, like) => dense(buffer, like, () => rawContents(context, buffer)),
  },
  {
    name: 'raw copies of parts',
    family: 'raw',
    functions: ['PJRT_Buffer_CopyRawToHost'],
    requirement: 'BUF-RAW-001',
    read: (context, buffer, like) =>
      inParts(context, buffer, like, (address, from, size) =>
        context.scope.own(startRawCopy(context, buffer, address, from, size)).await(),
      ),
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
    read: (context, buffer, like) =>
      inParts(context, buffer, like, async (address, from, size) => {
        const error = await copyInFuture(context, buffer, { offset: from, size }, address);
        if (error) throw error;
      }),
  },
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

function dense(buffer: Buffer, like: HostArray, read: () => Uint8Array): HostArray {
  if (!isDense(buffer, like))
    throw new NotSupported('the memory of the buffer does not hold the bytes of an array on the host');
  return fromBytes(like.dtype, like.shape, read());
}

/**
 * The array of parts that begin just beyond the edges of sizes. Where the device has a format of its own, the parts must be
 * those of the whole, and the array is taken for right.
 */
async function inParts(
  context: CaseContext,
  buffer: Buffer,
  like: HostArray,
  copy: (address: bigint, from: number, size: number) => void | Promise<void>,
): Promise<HostArray> {
  if (isDense(buffer, like)) return fromBytes(like.dtype, like.shape, await joined(context, like.bytes.length, copy));
  const whole = rawContents(context, buffer);
  const parts = await joined(context, whole.length, copy);
  if (!whole.every((byte, i) => byte === parts[i]))
    violated('raw copies of parts do not give what a raw copy of the whole gives', 'PJRT_Buffer_CopyRawToHost');
  return like;
}

async function joined(
  context: CaseContext,
  size: number,
  copy: (address: bigint, from: number, size: number) => void | Promise<void>,
): Promise<Uint8Array> {
  const edges = [0, ...EDGES.filter((edge) => edge < size), size];
  const whole = new Uint8Array(size);
  for (const [i, from] of edges.slice(0, -1).entries()) {
    const room = poisonedRoom(context, edges[i + 1]! - from);
    await copy(room.address, from, room.bytes.length);
    if (room.overrun()) violated('a raw copy has written beside its destination', 'PJRT_Buffer_CopyRawToHost');
    whole.set(room.bytes, from);
  }
  return whole;
}
