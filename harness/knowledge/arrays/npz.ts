/** NumPy's .npz files: zip archives of .npy files. */

import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { ArrayFileError } from './array-file-error.ts';

/** Reads members of one archive. */
export class Npz {
  readonly #zip: ZipFile;
  readonly #file: string;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipFile, file: string, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#file = file;
    this.#entries = entries;
  }

  /** Opens an archive. @param file its name in errors */
  static async open(path: string, file: string): Promise<Npz> {
    try {
      const zip = await openPromise(path, { autoClose: false });
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.replace(/\.npy$/, ''), entry);
      return new Npz(zip, file, entries);
    } catch (error) {
      throw unreadable(file, error);
    }
  }

  /** Names of its arrays, in the order of the archive. */
  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /**
   * The bytes of the .npy file of an array, and how many it has.
   * @param most only that many bytes from the beginning, if given
   */
  async read(name: string, most = Number.POSITIVE_INFINITY): Promise<{ bytes: Uint8Array; size: number }> {
    const entry = this.#entries.get(name);
    if (!entry) {
      throw new ArrayFileError(`${this.#file}: has no array ${name}; it has ${this.names.join(', ') || 'none'}`);
    }
    try {
      const stream = await this.#zip.openReadStreamPromise(entry);
      const bytes = await upTo(stream, most);
      if (bytes.length === entry.uncompressedSize && crc32(bytes) !== entry.crc32) {
        throw new Error(`array ${name} is damaged: its checksum does not match`);
      }
      return { bytes, size: entry.uncompressedSize };
    } catch (error) {
      throw unreadable(this.#file, error);
    }
  }

  close(): void {
    this.#zip.close();
  }
}

async function upTo(stream: Readable, most: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= most) break;
  }
  return Buffer.concat(chunks, Math.min(length, most));
}

function unreadable(file: string, error: unknown): ArrayFileError {
  if (error instanceof ArrayFileError) return error;
  const { message } = error as Error;
  return new ArrayFileError(`${file}: cannot be read: ${message}; expected an archive as numpy.savez writes it, whole`);
}
