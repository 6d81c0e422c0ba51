import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemReason } from '../../base/system-reason.ts';
import type { TraceRecord } from './format.ts';
import { type Piece, PieceCursor, piecesOf, type ReadAt, readSegmentHead } from './segment.ts';
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

function withFile<T>(path: string, shown: string, use: (read: ReadAt, size: number, file: number) => T): T {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw new TraceError(`${shown}: cannot be read: ${systemReason(error)}`);
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw new TraceError(`${shown}: is no file; copy the whole directory`);
    return use((offset, bytes) => readAt(file, offset, bytes), facts.size, file);
  } finally {
    closeSync(file);
  }
}

/** @param buffer for the bytes, if they need none of their own */
function readAt(file: number, offset: number, bytes: number, buffer = Buffer.allocUnsafe(bytes)): Buffer {
  let have = 0;
  while (have < bytes) {
    const got = readSync(file, buffer, have, bytes - have, offset + have);
    if (got === 0) break;
    have += got;
  }
  return buffer.subarray(0, have);
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
  const open: PieceCursor[] = [];
  try {
    for (;;) {
      let least: PieceCursor | undefined;
      for (const cursor of open) if (!least || cursor.order < least.order) least = cursor;
      const next = waiting.at(-1);
      if (next && (!least || next.piece.first < least.order)) {
        waiting.pop();
        const path = join(directory, basename(next.path));
        let file = files.get(path);
        if (file === undefined) {
          file = openSync(path, 'r');
          files.set(path, file);
        }
        const bytes = readAt(file, next.piece.offset, bytesOf(next.piece, fstatSync(file).size));
        const cursor = new PieceCursor(bytes, next.piece, next.path);
        if (advances(cursor, notes)) open.push(cursor);
        continue;
      }
      if (!least) return;
      yield least.record();
      if (!advances(least, notes)) open.splice(open.indexOf(least), 1);
    }
  } finally {
    for (const file of files.values()) closeSync(file);
  }
}

/**
 * All records of a process, piece after piece: those of a piece in their order. Nothing is allocated for a record, and what is read of it
 * is gone with the next one.
 * @param directory where the segments are @throws TraceError
 */
export function scanRecords(
  process: ProcessFiles,
  directory: string,
  notes: ReadNotes,
  visit: (record: PieceCursor) => void,
): void {
  let room = Buffer.alloc(0);
  for (const { path, pieces } of process.segments) {
    withFile(join(directory, basename(path)), path, (_, size, file) => {
      for (const piece of pieces) {
        const bytes = bytesOf(piece, size);
        if (room.length < bytes) room = Buffer.allocUnsafe(bytes);
        const cursor = new PieceCursor(readAt(file, piece.offset, bytes, room), piece, path);
        while (advances(cursor, notes)) visit(cursor);
      }
    });
  }
}

/** Goes on to the next record; false if there is none. */
function advances(cursor: PieceCursor, notes: ReadNotes): boolean {
  const found = cursor.advance();
  if (found === 'cut') notes.cut.push(cursor.file);
  return found === true;
}

/** A damaged head may say that there is much more than the file has. */
const bytesOf = ({ offset, bytes }: Piece, size: number): number => Math.min(bytes, Math.max(0, size - offset));
