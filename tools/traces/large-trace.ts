import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, gunzipSync } from 'node:zlib';
import { packagePath } from '../../harness/base/paths.ts';
import { PIECE_HEAD, PIECE_MARK, SEGMENT_HEAD, UNIT } from '../../harness/knowledge/trace/format.ts';

/** Units of a segment, as the recorder makes them. */
const SEGMENT_UNITS = 1024;
const THREADS = 4;

/** Orders of the recorded program: what comes before its loop, the loop, and a query in it. */
const [LOOP, LOOP_END, QUERY] = [11, 37, 9];
/** Of the records of the loop: reads of arguments and results, which a first execution alone has. */
const OF_FIRST: ReadonlySet<number> = new Set([18, 19, 20]);
/** How often a round asks the query: three of five calls of a framework are queries. */
const QUERIES = 11;

/**
 * Writes a trace of a program that uploads, executes and reads for long, on four threads: the recorded calls of a short one again and again.
 * @returns how many records it has
 */
export function writeLargeTrace(directory: string, bytes: number): number {
  const recorded = recordsOf(gunzipSync(readFileSync(packagePath('fixtures', 'traces', 'caller-1.0.bin.gz'))));
  const own = (from: number, to: number): Buffer[] =>
    recorded.filter((record) => orderOf(record) >= from && orderOf(record) < to);
  mkdirSync(join(directory, 'pid-1'), { recursive: true });
  const manifest = { format: 'pjrt-conformance-trace', version: '1.0', recorded: '2026-11-29T00:00:00.000Z' };
  const how = { keep: 'all', contents: 'first', programsOnly: false };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ ...manifest, ...how }));
  const writer = new Writer(join(directory, 'pid-1'));
  writer.add(own(1, LOOP), 0);
  const query = own(QUERY, QUERY + 2);
  const body = own(LOOP, LOOP_END).filter((record) => !OF_FIRST.has(orderOf(record)));
  const round = [...body, ...Array.from({ length: QUERIES }, () => query).flat()];
  for (let i = 0; writer.bytes < bytes; i++) writer.add(round, i % THREADS);
  writer.end();
  return writer.records;
}

class Writer {
  bytes = 0;
  records = 0;
  readonly #directory: string;
  readonly #pieces = Array.from({ length: THREADS }, () => ({ bytes: Buffer.alloc(UNIT), at: PIECE_HEAD }));
  #segment = 0;
  #units = SEGMENT_UNITS;
  #file: number | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Copies of records, which get the next orders, and belong to each other as before. */
  add(records: readonly Buffer[], thread: number): void {
    const orders = new Map<number, number>();
    for (const record of records) {
      const piece = this.#pieces[thread]!;
      if (piece.at + record.length > UNIT) this.#flush(thread);
      const copy = piece.bytes.subarray(piece.at, piece.at + record.length);
      record.copy(copy);
      piece.at += record.length;
      const order = ++this.records;
      orders.set(orderOf(record), order);
      copy.writeUInt32LE(1000 + thread, 12);
      copy.writeBigUInt64LE(BigInt(order), 16);
      copy.writeBigUInt64LE(BigInt(order) * 500n, 24);
      copy.writeBigUInt64LE(BigInt(orders.get(record.readUInt32LE(32)) ?? 0), 32);
      copy.writeUInt32LE(crc32(copy.subarray(8)), 4);
      this.bytes += record.length;
    }
  }

  end(): void {
    for (let thread = 0; thread < THREADS; thread++) this.#flush(thread);
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #flush(thread: number): void {
    if (this.#units === SEGMENT_UNITS) this.#nextSegment();
    const piece = this.#pieces[thread]!;
    piece.bytes.writeUInt32LE(PIECE_MARK, 0);
    piece.bytes.writeUInt32LE(1, 4);
    writeSync(this.#file!, piece.bytes);
    piece.bytes.fill(0);
    piece.at = PIECE_HEAD;
    this.#units += 1;
  }

  #nextSegment(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#segment += 1;
    this.#units = 0;
    this.#file = openSync(join(this.#directory, `events-${String(this.#segment).padStart(4, '0')}.bin`), 'w');
    const head = Buffer.alloc(SEGMENT_HEAD);
    head.write('PJRTREC\n', 'latin1');
    for (const [i, number] of [1, 0, UNIT, this.#segment, 1].entries()) head.writeUInt32LE(number, 8 + 4 * i);
    writeSync(this.#file, head);
  }
}

const orderOf = (record: Buffer): number => record.readUInt32LE(16);

function recordsOf(segment: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let at = SEGMENT_HEAD + PIECE_HEAD; ; ) {
    const length = segment.readUInt32LE(at);
    if (length === 0) return records;
    records.push(segment.subarray(at, at + length));
    at += length;
  }
}
