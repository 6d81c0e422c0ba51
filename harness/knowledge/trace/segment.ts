import { crc32 } from 'node:zlib';
import {
  PIECE_HEAD,
  PIECE_MARK,
  RECORD_HEAD,
  SEGMENT_HEAD,
  SEGMENT_MAGIC,
  TRACE_MAJOR,
  type TraceRecord,
  UNIT,
} from './format.ts';
import { TraceError } from './trace-error.ts';

/** A piece of a segment: records of one thread at a time, in the order of their numbers. */
export interface Piece {
  offset: number;
  /** As its head says; a file that was cut off has less. */
  bytes: number;
  /** Order of its first record. */
  first: number;
}

/** Reads bytes of a file: fewer where it ends. */
export type ReadAt = (offset: number, bytes: number) => Buffer;

/** What the head of a segment says. */
export interface SegmentHead {
  pid: number;
  number: number;
  /** Milliseconds since 1970 when the segment was begun. */
  begun: number;
}

const NEXT = 'the file is damaged, or written by something else; make the recording again';

/** The head of a segment. @param file for messages @throws TraceError */
export function readSegmentHead(read: ReadAt, file: string): SegmentHead {
  const head = read(0, SEGMENT_HEAD);
  // A process that was killed between making a segment and writing to it.
  if (head.length === SEGMENT_HEAD && head.every((byte) => byte === 0)) return { pid: 0, number: 0, begun: 0 };
  if (head.length < SEGMENT_HEAD || head.toString('latin1', 0, 8) !== SEGMENT_MAGIC) {
    throw new TraceError(`${file}: at byte 0: no segment of a trace, which begins with PJRTREC; ${NEXT}`);
  }
  const major = head.readUInt32LE(8);
  if (major !== TRACE_MAJOR) {
    throw new TraceError(
      `${file}: at byte 8: version ${major} of the format, and this version of pjrt-conformance reads ${TRACE_MAJOR}; read it with the version that recorded it`,
    );
  }
  if (head.readUInt32LE(16) !== UNIT) {
    throw new TraceError(`${file}: at byte 16: units of ${head.readUInt32LE(16)} bytes instead of ${UNIT}; ${NEXT}`);
  }
  return {
    pid: head.readUInt32LE(24),
    number: head.readUInt32LE(20),
    begun: Number(head.readBigUInt64LE(32) / 1_000_000n),
  };
}

/** The pieces of a segment that have records. @throws TraceError */
export function piecesOf(read: ReadAt, size: number, file: string): Piece[] {
  const pieces: Piece[] = [];
  for (let offset = SEGMENT_HEAD; offset + PIECE_HEAD <= size; ) {
    const head = read(offset, PIECE_HEAD + RECORD_HEAD);
    const mark = head.readUInt32LE(0);
    if (mark === 0) {
      // Never used, or given to a thread that was killed before it wrote anything.
      offset += UNIT;
      continue;
    }
    const units = head.readUInt32LE(4);
    if (mark !== PIECE_MARK || units === 0) {
      throw new TraceError(`${file}: at byte ${offset}: no piece of a segment begins here; ${NEXT}`);
    }
    const bytes = units * UNIT;
    if (head.length === PIECE_HEAD + RECORD_HEAD && head.readUInt32LE(PIECE_HEAD) > 0) {
      pieces.push({ offset, bytes, first: orderIn(head, PIECE_HEAD, file, offset) });
    }
    offset += bytes;
  }
  return pieces;
}

function orderIn(bytes: Buffer, at: number, file: string, offset: number): number {
  const order = numberAt(bytes, at + 16);
  if (order > Number.MAX_SAFE_INTEGER)
    throw new TraceError(`${file}: at byte ${offset + at + 16}: ${order} is no order number; ${NEXT}`);
  return order;
}

/** A u64; a trace of millions of records takes too long with a BigInt for each. */
const numberAt = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) + 0x1_0000_0000 * bytes.readUInt32LE(at + 4);

/** A record, and where the next one begins. */
interface Found {
  record: TraceRecord;
  next: number;
}

/**
 * The record at a place of a piece.
 * @param bytes of the piece, fewer where the file was cut off
 * @returns undefined at the end of the records; `cut` where the file ends inside of a record
 * @throws TraceError
 */
export function recordAt(bytes: Buffer, at: number, piece: Piece, file: string): Found | undefined | 'cut' {
  const missing = bytes.length < piece.bytes;
  if (at + 4 > bytes.length) return missing ? 'cut' : undefined;
  const length = bytes.readUInt32LE(at);
  if (length === 0) return undefined;
  const where = `${file}: at byte ${piece.offset + at}`;
  if (length < RECORD_HEAD || length % 8 !== 0 || at + length > piece.bytes) {
    throw new TraceError(`${where}: a record of ${length} bytes cannot be; ${NEXT}`);
  }
  if (at + length > bytes.length) return 'cut';
  const sum = crc32(bytes.subarray(at + 8, at + length));
  if (sum !== bytes.readUInt32LE(at + 4)) throw new TraceError(`${where}: a record with a wrong checksum; ${NEXT}`);
  return {
    next: at + length,
    record: {
      kind: bytes.readUInt16LE(at + 8),
      function: bytes.readUInt16LE(at + 10),
      thread: bytes.readUInt32LE(at + 12),
      order: orderIn(bytes, at, file, piece.offset),
      time: numberAt(bytes, at + 24),
      of: numberAt(bytes, at + 32),
      plugin: bytes.readUInt32LE(at + 40),
      argumentBytes: bytes.readUInt32LE(at + 44),
      body: bytes.subarray(at + RECORD_HEAD, at + length),
      file,
      at: piece.offset + at,
    },
  };
}
