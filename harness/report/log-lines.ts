import { closeSync, openSync, readSync } from 'node:fs';

/** A line of a log. */
export interface LogLine {
  /** Without the line end. */
  bytes: Buffer;
  /** Byte offset of its beginning. */
  offset: number;
  /** Whether it has a line end, and so was written completely. */
  complete: boolean;
}

/** The longest line is a suite with its cases, half a kilobyte each. */
const MAX_LINE_BYTES = 1 << 27;

/** A line is so long that the file is not a log, or is endless. */
export class EndlessLineError extends Error {
  override name = 'EndlessLineError';
}

const CHUNK_BYTES = 1 << 16;
const NEWLINE = 0x0a;

/** At most so many bytes of a file, as text. */
export function readPart(path: string, from: number, length: number): string {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, length, from));
  } finally {
    closeSync(fd);
  }
}

/** The lines of a file, read piece by piece. Split as bytes, so that a chunk boundary inside a character does no harm. */
export function* readLines(path: string): Generator<LogLine, void, undefined> {
  const fd = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let pending: Buffer[] = [];
    let offset = 0;
    const line = (complete: boolean): LogLine => {
      const bytes = Buffer.concat(pending);
      pending = [];
      const found = { bytes, offset, complete };
      offset += bytes.length + 1;
      return found;
    };
    for (;;) {
      const size = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      if (size === 0) break;
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < size; end = chunk.indexOf(NEWLINE, from)) {
        pending.push(chunk.subarray(from, end));
        yield line(true);
        from = end + 1;
      }
      if (from < size) pending.push(Buffer.from(chunk.subarray(from, size)));
      if (pending.length * CHUNK_BYTES > MAX_LINE_BYTES)
        throw new EndlessLineError(`a line has more than ${MAX_LINE_BYTES} bytes`);
    }
    if (pending.length > 0) yield line(false);
  } finally {
    closeSync(fd);
  }
}
