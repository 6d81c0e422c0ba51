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

/** The records of a piece one after the other, without an object for each: the numbers are those of the one it is at. */
export class PieceCursor {
  kind = 0;
  function = 0;
  thread = 0;
  order = -1;
  time = 0;
  of = 0;
  plugin = 0;
  argumentBytes = 0;
  /** Where the record begins in `bytes`, and where the next one does. */
  at = PIECE_HEAD;
  next = PIECE_HEAD;
  readonly bytes: Buffer;
  readonly file: string;
  readonly #piece: Piece;

  /** @param bytes of the piece, fewer where the file was cut off */
  constructor(bytes: Buffer, piece: Piece, file: string) {
    this.bytes = bytes;
    this.file = file;
    this.#piece = piece;
  }

  /**
   * Goes to the next record, whose checksum is right.
   * @returns false at the end of the records; `cut` where the file ends inside of a record @throws TraceError
   */
  advance(): boolean | 'cut' {
    const { bytes, next: at, file } = this;
    const { bytes: size, offset } = this.#piece;
    if (at + 4 > bytes.length) return bytes.length < size ? 'cut' : false;
    const length = bytes.readUInt32LE(at);
    if (length === 0) return false;
    if (length < RECORD_HEAD || length % 8 !== 0 || at + length > size)
      throw this.#wrong(`a record of ${length} bytes cannot be; ${NEXT}`);
    if (at + length > bytes.length) return 'cut';
    const sum = crc32(bytes.subarray(at + 8, at + length));
    if (sum !== bytes.readUInt32LE(at + 4)) throw this.#wrong(`a record with a wrong checksum; ${NEXT}`);
    const order = orderIn(bytes, at, file, offset);
    if (order <= this.order) throw this.#wrong(`record ${order} follows record ${this.order}; the trace is damaged`);
    this.kind = bytes.readUInt16LE(at + 8);
    this.function = bytes.readUInt16LE(at + 10);
    this.thread = bytes.readUInt32LE(at + 12);
    this.order = order;
    this.time = numberAt(bytes, at + 24);
    this.of = numberAt(bytes, at + 32);
    this.plugin = bytes.readUInt32LE(at + 40);
    this.argumentBytes = bytes.readUInt32LE(at + 44);
    this.at = at;
    this.next = at + length;
    return true;
  }

  #wrong = (what: string): TraceError =>
    new TraceError(`${this.file}: at byte ${this.#piece.offset + this.next}: ${what}`);

  /** The record, whose body is that of `bytes`. */
  record(): TraceRecord {
    const { kind, function: fn, thread, order, time, of, plugin, argumentBytes, bytes, at, next, file } = this;
    const body = bytes.subarray(at + RECORD_HEAD, next);
    const where = { file, at: this.#piece.offset + at };
    return { kind, function: fn, thread, order, time, of, plugin, argumentBytes, body, ...where };
  }
}
