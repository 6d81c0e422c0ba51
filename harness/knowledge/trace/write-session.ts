/** Writes a part of a trace as a trace. */
import { copyFileSync, linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { asJson } from '../../base/as-json.ts';
import { systemReason } from '../../base/system-reason.ts';
import { blobsIn } from './bodies.ts';
import {
  KIND,
  PIECE_HEAD,
  PIECE_MARK,
  RECORD_HEAD,
  SEGMENT_HEAD,
  SEGMENT_MAGIC,
  TRACE_MAJOR,
  TRACE_MINOR,
  type TraceRecord,
  UNIT,
} from './format.ts';
import type { Trace, TraceManifest } from './open-trace.ts';
import type { RecordedSession } from './sessions.ts';
import { TraceError } from './trace-error.ts';

/**
 * Writes some calls of a session, with what was recorded of them, as a trace of this session alone. Records have the order and the time
 * that they had.
 * @param path directory of the trace
 * @param orders of the calls
 * @param directory that is made @throws TraceError
 */
export function writeSession(
  { trace, path, session }: { trace: Trace; path: string; session: RecordedSession },
  orders: readonly number[],
  directory: string,
): void {
  const kept = new Set(orders);
  const { process, plugin, calls } = session;
  const records: Buffer[] = [];
  const blobs = new Set<string>();
  for (const record of process.records()) {
    if (!belongs(record, plugin, kept)) continue;
    // The end of a callback belongs to its beginning.
    if (record.kind === KIND.callbackEnter) kept.add(record.order);
    records.push(bytesOf(record));
    for (const name of blobsIn(record)) blobs.add(name);
  }
  mkdirSync(join(directory, process.name), { recursive: true });
  writeFileSync(join(directory, process.name, 'events-0001.bin'), segmentOf(process, records));
  mkdirSync(join(directory, 'blobs'));
  for (const name of blobs) {
    const below = join('blobs', name.slice(0, 2));
    mkdirSync(join(directory, below), { recursive: true });
    place(join(path, below, name), join(directory, below, name));
  }
  const manifest: TraceManifest = { ...trace.manifest, part: { calls: orders.length, of: calls } };
  writeFileSync(join(directory, 'manifest.json'), asJson(manifest));
}

/** The same file under another name, or a copy where there are no links. @throws TraceError */
function place(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    try {
      copyFileSync(from, to);
    } catch (error) {
      throw new TraceError(`${from}: ${systemReason(error)}; copy the whole directory, or make the recording again`);
    }
  }
}

/** The end is that of all calls, so a part has none. */
function belongs({ kind, plugin, order, of }: TraceRecord, wanted: number, kept: ReadonlySet<number>): boolean {
  if (kind === KIND.names) return true;
  if (plugin !== wanted || kind === KIND.end) return false;
  if (kind === KIND.plugin || kind === KIND.executable) return true;
  return kept.has(kind === KIND.enter ? order : of);
}

/** A record as it is in a segment. */
function bytesOf(record: TraceRecord): Buffer {
  const bytes = Buffer.alloc(RECORD_HEAD + record.body.length);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(record.kind, 8);
  bytes.writeUInt16LE(record.function, 10);
  bytes.writeUInt32LE(record.thread, 12);
  bytes.writeBigUInt64LE(BigInt(record.order), 16);
  bytes.writeBigUInt64LE(BigInt(record.time), 24);
  bytes.writeBigUInt64LE(BigInt(record.of), 32);
  bytes.writeUInt32LE(record.plugin, 40);
  bytes.writeUInt32LE(record.argumentBytes, 44);
  record.body.copy(bytes, RECORD_HEAD);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** One segment with one piece: readers go by the threads of records. */
function segmentOf({ pid, begun }: RecordedSession['process'], records: readonly Buffer[]): Buffer {
  const bytes = PIECE_HEAD + records.reduce((sum, one) => sum + one.length, 0);
  const units = Math.ceil(bytes / UNIT);
  const head = Buffer.alloc(SEGMENT_HEAD + PIECE_HEAD);
  head.write(SEGMENT_MAGIC, 'latin1');
  for (const [i, number] of [TRACE_MAJOR, TRACE_MINOR, UNIT, 1, pid].entries()) head.writeUInt32LE(number, 8 + 4 * i);
  head.writeBigUInt64LE(BigInt(begun) * 1_000_000n, 32);
  head.writeUInt32LE(PIECE_MARK, SEGMENT_HEAD);
  head.writeUInt32LE(units, SEGMENT_HEAD + 4);
  return Buffer.concat([head, ...records, Buffer.alloc(units * UNIT - bytes)]);
}
