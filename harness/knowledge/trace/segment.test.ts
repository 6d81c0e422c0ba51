import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { KIND, PIECE_HEAD, PIECE_MARK, RECORD_HEAD, SEGMENT_HEAD, UNIT } from './format.ts';
import { PieceCursor, piecesOf, type ReadAt, readSegmentHead } from './segment.ts';
import { TraceError } from './trace-error.ts';

/** A record with a body. */
function recordOf(order: number, body = Buffer.alloc(16)): Buffer {
  const record = Buffer.concat([Buffer.alloc(RECORD_HEAD), body]);
  record.writeUInt32LE(record.length, 0);
  record.writeUInt16LE(KIND.end, 8);
  record.writeUInt32LE(7, 12);
  record.writeBigUInt64LE(BigInt(order), 16);
  record.writeUInt32LE(crc32(record.subarray(8)), 4);
  return record;
}

/** A segment with pieces of one unit. */
function segmentOf(...pieces: Buffer[][]): Buffer {
  const head = Buffer.alloc(SEGMENT_HEAD);
  head.write('PJRTREC\n', 'latin1');
  for (const [i, number] of [1, 0, UNIT, 1, 42].entries()) head.writeUInt32LE(number, 8 + 4 * i);
  const units = pieces.map((records) => {
    const unit = Buffer.alloc(UNIT);
    unit.writeUInt32LE(PIECE_MARK, 0);
    unit.writeUInt32LE(1, 4);
    Buffer.concat(records).copy(unit, PIECE_HEAD);
    return unit;
  });
  return Buffer.concat([head, ...units]);
}

const reading =
  (bytes: Buffer): ReadAt =>
  (offset, count) =>
    bytes.subarray(offset, offset + count);

/** Orders of all records of a segment. */
function ordersOf(bytes: Buffer): (number | 'cut')[] {
  const orders: (number | 'cut')[] = [];
  for (const piece of piecesOf(reading(bytes), bytes.length, 'f')) {
    const own = bytes.subarray(piece.offset, piece.offset + piece.bytes);
    const cursor = new PieceCursor(own, piece, 'f');
    for (;;) {
      const found = cursor.advance();
      if (found === false) break;
      orders.push(found === 'cut' ? 'cut' : cursor.record().order);
      if (found === 'cut') break;
    }
  }
  return orders;
}

test('records of all pieces are found, and units that were never used are passed', () => {
  const bytes = Buffer.concat([segmentOf([recordOf(1), recordOf(3)], [recordOf(2)]), Buffer.alloc(2 * UNIT)]);
  expect(readSegmentHead(reading(bytes), 'f')).toMatchObject({ pid: 42, number: 1 });
  expect(ordersOf(bytes)).toEqual([1, 3, 2]);
});

test('a file that was cut off ends inside of a record, at any byte', () => {
  const bytes = segmentOf([recordOf(1), recordOf(2)]);
  const first = SEGMENT_HEAD + PIECE_HEAD;
  const length = RECORD_HEAD + 16;
  for (let end = first + length + 4; end < first + 2 * length; end++)
    expect(ordersOf(bytes.subarray(0, end))).toEqual([1, 'cut']);
});

describe('damage is an error that says where', () => {
  const damaged = (at: number, change: (byte: number) => number): Buffer => {
    const bytes = segmentOf([recordOf(1), recordOf(2)]);
    bytes[at] = change(bytes[at]!);
    return bytes;
  };
  const first = SEGMENT_HEAD + PIECE_HEAD;

  test('in the head', () => {
    expect(() => readSegmentHead(reading(damaged(0, () => 0)), 'f')).toThrow('f: at byte 0: no segment of a trace');
    expect(() => readSegmentHead(reading(damaged(8, () => 2)), 'f')).toThrow('version 2 of the format');
  });

  test('in a record', () => {
    for (let at = first + 4; at < first + RECORD_HEAD + 16; at++)
      expect(() => ordersOf(damaged(at, (byte) => byte ^ 1)), String(at)).toThrow(TraceError);
    expect(() => ordersOf(damaged(first + 40, (byte) => byte ^ 1))).toThrow(
      `f: at byte ${first}: a record with a wrong checksum`,
    );
  });

  test('in a length, and in the head of a piece', () => {
    expect(() => ordersOf(damaged(first, () => 3))).toThrow(`f: at byte ${first}: a record of 3 bytes cannot be`);
    expect(() => ordersOf(damaged(SEGMENT_HEAD, () => 1))).toThrow(`f: at byte ${SEGMENT_HEAD}: no piece`);
  });
});
