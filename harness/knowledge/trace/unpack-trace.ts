import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createBrotliDecompress } from 'node:zlib';
import { makeDirectory } from '../../base/make-directory.ts';
import { systemReason } from '../../base/system-reason.ts';
import { isTraceFile } from './packed-files.ts';
import { TAR_BLOCK, tarEntry, tarPadding } from './tar.ts';
import { TraceError } from './trace-error.ts';

/** What a file may unpack to. */
const MOST_UNPACKED = 16 * 2 ** 30;

/** Unpacks what `trace pack` has written into an empty directory. @param shown the file for messages @throws TraceError */
export async function unpackTrace(file: string, shown: string, directory: string, most = MOST_UNPACKED): Promise<void> {
  const unpacking = new Unpacking(directory, shown, most);
  const source = createReadStream(file);
  const brotli = createBrotliDecompress();
  source.on('error', (error) => brotli.destroy(error));
  try {
    for await (const chunk of source.pipe(brotli) as AsyncIterable<Buffer>) unpacking.add(chunk);
    unpacking.end();
  } catch (error) {
    if (error instanceof TraceError) throw error;
    throw new TraceError(`${shown}: ${reasonOf(error as NodeJS.ErrnoException)}`);
  } finally {
    source.destroy();
    unpacking.close();
  }
}

/** Unpacks a trace to a directory that is not there, or empty: it is there as a whole, or not at all. @throws TraceError */
export async function unpackTo(file: string, shown: string, directory: string, shownDirectory: string): Promise<void> {
  const part = `${directory}.${process.pid}.part`;
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile())
      throw new TraceError(`${shown}: there is no such file; ${NEXT}`);
    if (existsSync(directory) && readdirSync(directory).length > 0)
      throw new TraceError(`${shownDirectory}: exists and is not empty; name another directory with --output`);
    makeDirectory(part);
    await unpackTrace(file, shown, part);
    renameSync(part, directory);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (error instanceof TraceError) throw error;
    throw new TraceError(`${shownDirectory}: cannot be written: ${systemReason(error)}`);
  }
}

const NEXT = 'a packed trace is a file that `pjrt-conformance trace pack` writes; copy it again';

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'Z_BUF_ERROR') return `ends early; ${NEXT}`;
  if (error.code?.startsWith('ERR_BROTLI') || error.code?.startsWith('ERR__ERROR'))
    return `is not compressed with brotli, or damaged; ${NEXT}`;
  return `cannot be unpacked: ${systemReason(error)}`;
}

/** A tar archive, of which chunks of any length come in. */
class Unpacking {
  readonly #directory: string;
  readonly #shown: string;
  readonly #most: number;
  readonly #head = Buffer.alloc(TAR_BLOCK);
  #inHead = 0;
  /** Bytes of the archive before the one that comes. */
  #at = 0;
  #file: number | undefined;
  /** Of the contents and of the zeros behind them, what is still to come. */
  #contents = 0;
  #padding = 0;
  #ended = false;

  constructor(directory: string, shown: string, most: number) {
    this.#directory = directory;
    this.#shown = shown;
    this.#most = most;
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const taken = this.#take(chunk.subarray(at));
      at += taken;
      this.#at += taken;
    }
    if (this.#at > this.#most) throw this.#wrong(`it has more than ${this.#most} bytes`);
  }

  /** @throws TraceError if more had to come */
  end(): void {
    if (!this.#ended) throw this.#wrong('it ends early');
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** @returns how many bytes were used */
  #take(bytes: Buffer): number {
    if (this.#contents > 0) {
      const taken = writeSync(this.#file!, bytes, 0, Math.min(bytes.length, this.#contents));
      this.#contents -= taken;
      if (this.#contents === 0) this.close();
      return taken;
    }
    if (this.#padding > 0) {
      const taken = Math.min(bytes.length, this.#padding);
      this.#padding -= taken;
      return taken;
    }
    const taken = bytes.copy(this.#head, this.#inHead);
    this.#inHead += taken;
    if (this.#inHead === TAR_BLOCK) {
      this.#inHead = 0;
      this.#begin();
    }
    return taken;
  }

  #begin(): void {
    if (this.#head.every((byte) => byte === 0)) {
      this.#ended = true;
      return;
    }
    const entry = this.#ended ? undefined : tarEntry(this.#head);
    if (!entry) throw this.#wrong('no file of an archive begins here');
    const { name, bytes } = entry;
    if (!isTraceFile(name)) throw this.#wrong(`${JSON.stringify(name)} is no file of a trace`);
    if (bytes > this.#most) throw this.#wrong(`${name} would have more than ${this.#most} bytes`);
    const path = join(this.#directory, name);
    makeDirectory(dirname(path));
    try {
      this.#file = openSync(path, 'wx', 0o600);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? this.#wrong(`${name} is in it twice`) : error;
    }
    this.#contents = bytes;
    this.#padding = tarPadding(bytes);
    if (bytes === 0) this.close();
  }

  #wrong = (what: string): TraceError =>
    new TraceError(
      `${this.#shown}: at byte ${Math.max(0, this.#at - (this.#at % TAR_BLOCK))} of the archive: ${what}; ${NEXT}`,
    );
}
