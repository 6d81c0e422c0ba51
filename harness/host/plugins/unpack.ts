import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import type { OnProgress } from '../../model/plugin.ts';
import { messageOf, PluginError } from './plugin-error.ts';

const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;

const refuse = (archive: string, problem: string): PluginError =>
  new PluginError('archive-unsafe', `${basename(archive)}: ${problem}; nothing was unpacked`);

/** Whether a Unix archive declares the entry as something other than a plain file: a link, a device. */
const isSpecial = (entry: Entry): boolean => {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  return type !== 0 && type !== REGULAR_FILE;
};

/** Reads the whole directory of the archive before anything is written; yauzl rejects unsafe names. */
const findEntry = async (zip: ZipFile, archive: string, wanted: string): Promise<Entry> => {
  let found: Entry | undefined;
  const siblings: string[] = [];
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('.so')) siblings.push(entry.fileName);
    if (entry.fileName !== wanted) continue;
    if (found !== undefined) throw refuse(archive, `${wanted} is in the archive twice`);
    found = entry;
  }
  if (found === undefined) {
    const hint = siblings.length > 0 ? ` (libraries in it: ${siblings.slice(0, 5).join(', ')})` : '';
    throw new PluginError('fetch-failed', `${basename(archive)}: there is no ${wanted} in this wheel${hint}`);
  }
  return found;
};

/**
 * Unpacks one file of a wheel to `target`, which must not exist, and returns its SHA-256. An archive with an unsafe name is
 * rejected as a whole; so is a link or an entry with an unexpected size; a partial file is removed.
 */
export const unpackOne = async (
  archive: string,
  wanted: string,
  target: string,
  expectedBytes: number,
  onProgress?: OnProgress,
): Promise<string> => {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(archive, { lazyEntries: true, autoClose: false, strictFileNames: true });
    const entry = await findEntry(zip, archive, wanted);
    if (isSpecial(entry)) throw refuse(archive, `${wanted} is not a plain file but a link or a device`);
    if (entry.uncompressedSize !== expectedBytes) {
      throw refuse(archive, `${wanted} has ${entry.uncompressedSize} bytes, the manifest says ${expectedBytes}`);
    }
    const hash = createHash('sha256');
    let doneBytes = 0;
    const tap = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        doneBytes += chunk.length;
        onProgress?.({ phase: 'unpack', what: basename(wanted), doneBytes, totalBytes: expectedBytes });
        done(null, chunk);
      },
    });
    await pipeline(
      await zip.openReadStreamPromise(entry),
      tap,
      createWriteStream(target, { flags: 'wx', mode: 0o644 }),
    );
    return hash.digest('hex');
  } catch (error) {
    // With EEXIST the target is not ours, and is kept.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) await rm(target, { force: true });
    if (error instanceof PluginError) throw error;
    throw refuse(archive, `not a trustworthy wheel: ${messageOf(error)}`);
  } finally {
    zip?.close();
  }
};
