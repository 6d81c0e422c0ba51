import type { ApiInData } from './api-in-data.ts';
import { type ByteSource, TornFileError, unlessTorn } from './byte-source.ts';

/** An oldest version of a system. */
export interface MinimumSystem {
  /** `macOS`, `Windows`. */
  system: string;
  version: string;
}

/** What a Mach-O or PE file holds for one processor. Damaged parts are absent or empty, and listed in `faults`. */
export interface Image {
  machine: string;
  /** The name by which others are linked with it. */
  name?: string;
  /** Of each system that it is for, the oldest version; none is named in some files. */
  minimumSystems: MinimumSystem[];
  /** Libraries without which it does not load, as written. */
  needed: string[];
  /** Libraries that may be missing when it is loaded: weak ones, and those that its first call into them loads. */
  optional: string[];
  /** Where the loader searches for libraries named `@rpath/…`, as written. */
  searchPaths: string[];
  exports?: { count: number; getPjrtApi: boolean };
  /** The API table, if the compiler laid it out. */
  api?: ApiInData;
  /** What is damaged, one sentence each. */
  faults: string[];
}

/** The name of the function that every plugin exports. */
export const ENTRY_POINT = 'GetPjrtApi';

const LONGEST_NAME = 4096;

/** A zero-terminated string. @throws TornFileError if it has no end within reach */
export function textAt(source: ByteSource, offset: number, what: string): string {
  const view = source.read(offset, Math.max(0, Math.min(LONGEST_NAME, source.size - offset)), what);
  const bytes = Buffer.from(view.buffer);
  const end = bytes.indexOf(0);
  if (end === -1) throw new TornFileError(`${what}: the string at ${offset} has no end within ${bytes.length} bytes`);
  return bytes.toString('latin1', 0, end);
}

/** Reads parts of an image; damage of one affects no other, and is added to its faults. */
export const partsOf =
  ({ faults }: Image) =>
  <T>(read: () => T): T | undefined =>
    unlessTorn(read, ({ message }) => {
      faults.push(message);
      return undefined;
    });

/** One of which nothing is known yet. */
export const emptyImage = (machine: string): Image => ({
  machine,
  minimumSystems: [],
  needed: [],
  optional: [],
  searchPaths: [],
  faults: [],
});
