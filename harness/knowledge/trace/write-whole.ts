import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeDirectory } from '../../base/make-directory.ts';
import { systemReason } from '../../base/system-reason.ts';
import { TraceError } from './trace-error.ts';

/** A file to write. */
export interface WholeFile {
  /** Path of the file, and how messages name it. */
  output: string;
  shownOutput: string;
  signal?: AbortSignal;
}

/**
 * Writes a long file: it is there as a whole, or not at all.
 * @param through what the chunks go through
 * @returns bytes of the file
 * @throws TraceError, and what making the chunks throws
 */
export async function writeWhole(
  { output, shownOutput, signal }: WholeFile,
  chunks: Iterable<Buffer | string>,
  ...through: Transform[]
): Promise<number> {
  const there = statSync(output, { throwIfNoEntry: false });
  // A rename over /dev/null would replace it.
  if (there && !there.isFile())
    throw new TraceError(`${shownOutput}: it is no file; choose another name with --output`);
  const part = `${output}.${process.pid}.part`;
  try {
    makeDirectory(dirname(output));
    const file = createWriteStream(part);
    await pipeline([Readable.from(chunks), ...through, file], signal ? { signal } : {});
    const { size } = statSync(part);
    renameSync(part, output);
    return size;
  } catch (error) {
    rmSync(part, { force: true });
    if (error instanceof TraceError) throw error;
    throw new TraceError(`${shownOutput}: cannot be written: ${systemReason(error)}`);
  }
}
