import type { HostArray } from '../../knowledge/numerics/array.ts';
import type { CaseContext } from './context.ts';
import { ifOffered, isHostLike, rawContents } from './device-format.ts';
import { NotSupported } from './outcome.ts';
import { startPut } from './transfer.ts';

/**
 * The bytes of an array in the format of the device, for functions that take them so. A device unlike the host has to show
 * them itself.
 * @throws NotSupported when it does not
 */
export function deviceBytes(context: CaseContext, array: HostArray): Uint8Array {
  const buffer = startPut(context, array, { semantics: 'during-call' });
  if (isHostLike(buffer, array.bytes.length)) return array.bytes;
  const raw = ifOffered(() => rawContents(context, buffer));
  if (raw) return raw;
  throw new NotSupported(
    `data must be sent in the format of the device, which is not that of the host, and PJRT_Buffer_CopyRawToHost does not show it`,
  );
}

/** A piece of an array that is sent in so many, counted from 0; each begins with an element. */
export interface Piece {
  piece: number;
  pieces: number;
}

/** Where a piece lies in the bytes of an array. */
export function pieceOf(
  { dtype }: HostArray,
  bytes: Uint8Array,
  { piece, pieces }: Piece,
): { from: number; part: Uint8Array } {
  const start = (n: number): number =>
    n === pieces ? bytes.length : Math.floor((bytes.length * n) / pieces / dtype.hostBytes) * dtype.hostBytes;
  const from = start(piece);
  return { from, part: bytes.subarray(from, start(piece + 1)) };
}
