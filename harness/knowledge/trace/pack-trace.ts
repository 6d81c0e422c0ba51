import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { constants, createBrotliCompress } from 'node:zlib';
import { openTrace } from './open-trace.ts';
import { isTraceFile } from './packed-files.ts';
import { TAR_BLOCK, TAR_MOST_BYTES, tarHead, tarPadding } from './tar.ts';
import { TraceError } from './trace-error.ts';
import { type WholeFile, writeWhole } from './write-whole.ts';

/** A seventh of the bytes of a training, at the speed of a disk. */
const QUALITY = 4;
const CHUNK = 1 << 20;

/** What to pack, and where. */
export interface PackRequest extends WholeFile {
  /** Path of the trace, and how messages name it. */
  directory: string;
  shown: string;
}

/** What was packed. */
export interface PackedTrace {
  files: number;
  /** Of the files, and of the packed one. */
  bytes: number;
  packedBytes: number;
}

/** Writes all of a trace as one file: it is there as a whole, or not at all. The same trace gives the same bytes. @throws TraceError */
export async function packTrace({ directory, shown, ...file }: PackRequest): Promise<PackedTrace> {
  const names = filesOf(directory, shown);
  const compressor = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
  let bytes = 0;
  const archive = function* (): Generator<Buffer> {
    for (const name of names) {
      for (const chunk of entryOf(join(directory, name), name, shown)) {
        bytes += chunk.length;
        yield chunk;
      }
    }
    yield Buffer.alloc(2 * TAR_BLOCK);
  };
  const packedBytes = await writeWhole(file, archive(), compressor);
  return { files: names.length, bytes, packedBytes };
}

/** Paths of all files of a trace, sorted. @throws TraceError if it is none */
function filesOf(directory: string, shown: string): string[] {
  openTrace(directory, shown);
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(isTraceFile).sort();
  // What a reader looks at first stands first.
  return ['manifest.json', ...names.filter((name) => name !== 'manifest.json')];
}

function* entryOf(path: string, name: string, shown: string): Generator<Buffer> {
  const facts = lstatSync(path);
  if (!facts.isFile()) throw new TraceError(`${join(shown, name)}: is no file; copy the whole directory`);
  if (facts.size > TAR_MOST_BYTES)
    throw new TraceError(`${join(shown, name)}: has ${facts.size} bytes, and a packed file ${TAR_MOST_BYTES} at most`);
  yield tarHead({ name, bytes: facts.size });
  const file = openSync(path, 'r');
  try {
    for (let at = 0; at < facts.size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, facts.size - at));
      const got = readSync(file, chunk, 0, chunk.length, at);
      if (got === 0)
        throw new TraceError(`${join(shown, name)}: has become shorter; pack the trace when its program has ended`);
      at += got;
      yield chunk.subarray(0, got);
    }
  } finally {
    closeSync(file);
  }
  const padding = tarPadding(facts.size);
  if (padding > 0) yield Buffer.alloc(padding);
}
