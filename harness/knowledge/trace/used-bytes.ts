import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { PIECE_HEAD, PIECE_MARK, SEGMENT_HEAD, UNIT } from './format.ts';

/** Bytes of a segment up to the end of its last piece; undefined if that is the whole file. */
export function usedBytes(path: string): number | undefined {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const head = Buffer.alloc(PIECE_HEAD);
    let used = SEGMENT_HEAD;
    for (let at = SEGMENT_HEAD; at + PIECE_HEAD <= size; ) {
      readSync(file, head, 0, PIECE_HEAD, at);
      const units = head.readUInt32LE(0) === PIECE_MARK ? Math.max(1, head.readUInt32LE(4)) : 0;
      if (units > 0) used = at + units * UNIT;
      at += Math.max(1, units) * UNIT;
    }
    return used < size ? used : undefined;
  } finally {
    closeSync(file);
  }
}
