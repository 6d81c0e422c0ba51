import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { systemReason } from '../../base/system-reason.ts';
import { PIECE_HEAD, type TraceRecord } from './format.ts';
import { type Piece, piecesOf, type ReadAt, readSegmentHead, recordAt } from './segment.ts';
import { TraceError } from './trace-error.ts';

/** The segments of one process. */
export interface ProcessFiles {
  pid: number;
  /** Milliseconds since 1970. */
  begun: number;
  bytes: number;
  segments: { path: string; pieces: Piece[] }[];
}

/** Opens the directory of a process, and reads where its records are. @param shown its path for messages @throws TraceError */
export function openProcess(directory: string, shown: string): ProcessFiles {
  const names = readdirSync(directory)
    .filter((name) => /^events-\d+\.bin$/.test(name))
    .sort((a, b) => Number(/\d+/.exec(a)![0]) - Number(/\d+/.exec(b)![0]));
  const process: ProcessFiles = { pid: 0, begun: 0, bytes: 0, segments: [] };
  for (const [i, name] of names.entries()) {
    const [path, file] = [join(directory, name), join(shown, name)];
    if (Number(/\d+/.exec(name)![0]) !== i + 1)
      throw new TraceError(`${file}: segment ${i + 1} of this process is missing; copy the whole directory`);
    withFile(path, file, (read, size) => {
      const head = readSegmentHead(read, file);
      if (i === 0) Object.assign(process, { pid: head.pid, begun: head.begun });
      process.bytes += size;
      process.segments.push({ path: file, pieces: piecesOf(read, size, file) });
    });
  }
  return process;
}

function withFile<T>(path: string, shown: string, use: (read: ReadAt, size: number) => T): T {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw new TraceError(`${shown}: cannot be read: ${systemReason(error)}`);
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw new TraceError(`${shown}: is no file; copy the whole directory`);
    return use((offset, bytes) => readAt(file, offset, bytes), facts.size);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let have = 0;
  while (have < bytes) {
    const got = readSync(file, buffer, have, bytes - have, offset + have);
    if (got === 0) break;
    have += got;
  }
  return buffer.subarray(0, have);
}

/** A piece that is being read. */
interface Cursor {
  bytes: Buffer;
  at: number;
  piece: Piece;
  file: string;
  record: TraceRecord;
}

/** What was noticed while records were read. */
export interface ReadNotes {
  /** Files that end inside of their last record. */
  cut: string[];
}

/**
 * All records of a process in their order, one piece of each thread in memory at a time.
 * @param directory where the segments are @throws TraceError
 */
export function* recordsOf(process: ProcessFiles, directory: string, notes: ReadNotes): Generator<TraceRecord> {
  const waiting = process.segments
    .flatMap(({ path, pieces }) => pieces.map((piece) => ({ path, piece })))
    .sort((a, b) => b.piece.first - a.piece.first);
  const files = new Map<string, number>();
  const open: Cursor[] = [];
  const advance = (cursor: Cursor): boolean => {
    const found = recordAt(cursor.bytes, cursor.at, cursor.piece, cursor.file);
    if (found === 'cut') notes.cut.push(cursor.file);
    if (found === undefined || found === 'cut') return false;
    if (found.record.order <= cursor.record?.order)
      throw new TraceError(
        `${cursor.file}: at byte ${cursor.piece.offset + cursor.at}: record ${found.record.order} follows record ${cursor.record.order}; the trace is damaged`,
      );
    cursor.record = found.record;
    cursor.at = found.next;
    return true;
  };
  try {
    for (;;) {
      let least: Cursor | undefined;
      for (const cursor of open) if (!least || cursor.record.order < least.record.order) least = cursor;
      const next = waiting.at(-1);
      if (next && (!least || next.piece.first < least.record.order)) {
        waiting.pop();
        const path = join(directory, next.path.slice(next.path.lastIndexOf('/') + 1));
        let file = files.get(path);
        if (file === undefined) {
          file = openSync(path, 'r');
          files.set(path, file);
        }
        // A damaged head may say that there is much more than the file has.
        const most = fstatSync(file).size - next.piece.offset;
        const bytes = readAt(file, next.piece.offset, Math.min(next.piece.bytes, most));
        const cursor = { bytes, at: PIECE_HEAD, piece: next.piece, file: next.path } as Cursor;
        if (advance(cursor)) open.push(cursor);
        continue;
      }
      if (!least) return;
      yield least.record;
      if (!advance(least)) open.splice(open.indexOf(least), 1);
    }
  } finally {
    for (const file of files.values()) closeSync(file);
  }
}
