import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A file ends too early, or contains an impossible size or offset. */
export class TornFileError extends Error {
  override name = 'TornFileError';
}

/** What `read` gives, or something else where the file is damaged. */
export function unlessTorn<T, U>(read: () => T, otherwise: (error: TornFileError) => U): T | U {
  try {
    return read();
  } catch (error) {
    if (error instanceof TornFileError) return otherwise(error);
    throw error;
  }
}

/** Random access to the bytes of a file that may be damaged. */
export interface ByteSource {
  readonly size: number;
  /**
   * Reads exactly `length` bytes.
   * @param what what is being read, for the message
   * @throws TornFileError if they are missing, or exceed the limit of one read
   */
  read(offset: number, length: number, what: string): DataView<ArrayBuffer>;
}

/** No table of interest is larger; a damaged file must not make the tool allocate gigabytes. */
const MAX_READ_BYTES = 64 << 20;

function checkPlace(size: number, offset: number, length: number, what: string): void {
  if (!(offset >= 0 && length >= 0 && offset + length <= size)) {
    throw new TornFileError(
      `${what} would be bytes ${offset} to ${offset + length}, but the file has ${size}: it is cut off or damaged`,
    );
  }
}

function check(size: number, offset: number, length: number, what: string): void {
  checkPlace(size, offset, length, what);
  if (length > MAX_READ_BYTES) {
    throw new TornFileError(`${what} would have ${length} bytes; more than ${MAX_READ_BYTES} are not read`);
  }
}

/** Bytes in memory. */
export const bytesInMemory = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: (offset, length, what) => {
    check(bytes.length, offset, length, what);
    return new DataView(Uint8Array.from(bytes.subarray(offset, offset + length)).buffer);
  },
});

/** Where a part of a file is. */
export interface Extent {
  offset: number;
  bytes: number;
}

/** A part of a file, as if it was one. @throws TornFileError if it lies outside */
export function partOf(source: ByteSource, { offset, bytes }: Extent, what: string): ByteSource {
  checkPlace(source.size, offset, bytes, what);
  return {
    size: bytes,
    read: (at, length, name) => {
      check(bytes, at, length, name);
      return source.read(offset + at, length, name);
    },
  };
}

/** Reads a file piece by piece, and closes it when `use` returns. @throws what `open` throws */
export function withFile<T>(path: string, use: (source: ByteSource) => T): T {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const read: ByteSource['read'] = (offset, length, what) => {
      check(size, offset, length, what);
      const bytes = new Uint8Array(length);
      let got = 0;
      while (got < length) {
        const more = readSync(fd, bytes, got, length - got, offset + got);
        if (more === 0) throw new TornFileError(`${what}: the file was truncated while it was read`);
        got += more;
      }
      return new DataView(bytes.buffer);
    };
    return use({ size, read });
  } finally {
    closeSync(fd);
  }
}
