import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { systemReason } from '../../base/system-reason.ts';
import { type AddViolation, UnreadableError } from './rules.ts';

/** A file in a bundle. Plugin libraries are hashed and not kept. */
export interface Entries {
  [path: string]: { bytes: number; sha256: string; content?: Buffer };
}

/** Limits of an archive; one beyond them is not read. */
export interface Limits {
  entries: number;
  totalBytes: number;
  /** Total size of the files that are held in memory; plugins are not. */
  keptBytes: number;
}

/** Far more than any run produces. */
export const LIMITS: Limits = { entries: 10_000, totalBytes: 4 * 2 ** 30, keptBytes: 1_000_000_000 };

const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;

/** Reads a bundle entry by entry, without writing anything. @throws UnreadableError */
export async function readArchive(path: string, limits: Limits, addViolation: AddViolation): Promise<Entries> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false });
    return await readEntries(zip, limits, addViolation);
  } catch (error) {
    if (error instanceof UnreadableError) throw error;
    throw new UnreadableError(`not a readable bundle: ${systemReason(error)}`, { cause: error });
  } finally {
    zip?.close();
  }
}

async function readEntries(zip: ZipFile, limits: Limits, addViolation: AddViolation): Promise<Entries> {
  // Names such as __proto__ are ordinary names.
  const entries: Entries = Object.create(null);
  let total = 0;
  let kept = 0;
  let count = 0;
  for await (const entry of zip.eachEntry()) {
    const name = Buffer.from(entry.fileName as unknown as Buffer).toString('utf8');
    if (++count > limits.entries) {
      addViolation('archive-size', name, `there are more than ${limits.entries} entries; the rest was not read`);
      break;
    }
    const fault = nameFault(name, entry) ?? (name in entries ? 'it is in the archive twice' : undefined);
    if (fault !== undefined) {
      addViolation('archive-names', JSON.stringify(name), fault);
      continue;
    }
    total += entry.uncompressedSize;
    if (total > limits.totalBytes) {
      const what = `the bundle would have more than ${limits.totalBytes} bytes; the rest was not read`;
      addViolation('archive-size', name, what);
      break;
    }
    const keep = !name.startsWith('plugin/');
    if (keep && kept + entry.uncompressedSize > limits.keptBytes) {
      const what = `with it, files to read would have more than ${limits.keptBytes} bytes; it was not read`;
      addViolation('archive-size', name, what);
      continue;
    }
    if (keep) kept += entry.uncompressedSize;
    const read = await readEntry(zip, entry, name, keep, addViolation);
    if (read) entries[name] = read;
  }
  return entries;
}

function nameFault(name: string, entry: Entry): string | undefined {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type !== 0 && type !== REGULAR_FILE) return 'it is not a regular file but a link, a directory or a device';
  if (entry.generalPurposeBitFlag & 1) return 'it is encrypted';
  if (!/^[\w.+@-]+(?:\/[\w.+@-]+)*$/.test(name))
    return 'its name has characters other than letters, digits and . _ + @ - between slashes';
  if (name.split('/').some((part) => /^\.+$/.test(part))) return 'its name points outside the bundle';
  return undefined;
}

async function readEntry(
  zip: ZipFile,
  entry: Entry,
  name: string,
  keep: boolean,
  addViolation: AddViolation,
): Promise<Entries[string] | undefined> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let bytes = 0;
  let checksum = 0;
  try {
    // yauzl ends the stream with an error if the size is not the declared one.
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      hash.update(chunk);
      checksum = crc32(chunk, checksum);
      if (keep) chunks.push(chunk);
    }
  } catch (error) {
    addViolation('archive-data', name, (error as Error).message);
    return undefined;
  }
  if (checksum !== entry.crc32) addViolation('archive-data', name, 'its checksum differs from that of the archive');
  return { bytes, sha256: hash.digest('hex'), ...(keep ? { content: Buffer.concat(chunks) } : {}) };
}
