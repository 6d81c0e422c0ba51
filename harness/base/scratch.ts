import { createHash, randomBytes } from 'node:crypto';
import {
  constants,
  ftruncateSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { systemReason } from './system-reason.ts';
import { UsageError } from './usage-error.ts';

/** `pjrt-PURPOSE-PID.START.WORLD-XXXXXX`: the name identifies the owner from the moment of creation. */
const NAME = /^pjrt-[a-z-]+-(\d+)\.(\d+)\.([0-9a-f]{8})-\w{6}$/;

/** Where temporary files go, best first: fixed before a plugin can set TMPDIR, and there is another if one is deleted. */
const PLACES: readonly string[] = [...new Set([tmpdir(), '/tmp', '/var/tmp', '/dev/shm'])];

/**
 * Creates a temporary directory, which the caller removes. First removes those of killed processes.
 * @param purpose a word for people who find it
 * @param furnish makes what must be in it; again in another place if this one is deleted meanwhile
 */
export function scratchDirectory(
  purpose: string,
  { furnish, places = PLACES }: { furnish?: (directory: string) => void; places?: readonly string[] } = {},
): string {
  const world = worldOf();
  return inOneOf(places, (place) => {
    removeAbandoned(place, world);
    const name = `pjrt-${purpose}-${process.pid}.${startOf(process.pid) ?? 0}.${world}-`;
    const directory = mkdtempSync(join(place, name));
    furnish?.(directory);
    return directory;
  });
}

/**
 * Opens a temporary file that has no name, so that nobody can plant, replace or delete it.
 * @param bytes its size
 * @returns its descriptor
 */
export function scratchFile(bytes = 0, places = PLACES): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return inOneOf(places, (place) => {
    const path = join(place, `pjrt-${randomBytes(12).toString('hex')}`);
    const file = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    unlinkSync(path);
    ftruncateSync(file, bytes);
    return file;
  });
}

/** @throws UsageError if none can be used */
function inOneOf<T>(places: readonly string[], make: (place: string) => T): T {
  let first: Error | undefined;
  for (const place of places) {
    try {
      return make(place);
    } catch (error) {
      first ??= error as Error;
    }
  }
  const all = places.join(', ');
  throw new UsageError(
    `no temporary file can be made in any of ${all} (${systemReason(first)}); TMPDIR can name another directory`,
  );
}

function removeAbandoned(parent: string, world: string): void {
  for (const directory of abandoned(parent, world)) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Leftovers only take space, so errors are ignored.
    }
  }
}

/** Names of the files in a directory; none if it has been deleted. */
export const filesIn = (directory: string): string[] => reading(() => readdirSync(directory)) ?? [];

/** Directories of processes that no longer exist. Anything that is not certainly ours and abandoned is left out. */
function abandoned(parent: string, world: string): string[] {
  return filesIn(parent).flatMap((name) => {
    const [, pid, start, where] = NAME.exec(name) ?? [];
    if (where !== world || isRunning(Number(pid), start!)) return [];
    const directory = join(parent, name);
    const facts = lstatSync(directory, { throwIfNoEntry: false });
    const ours = facts?.isDirectory() && facts.uid === (process.getuid?.() ?? facts.uid);
    return ours && !isWorkplace(directory) ? [directory] : [];
  });
}

/** Namespace of process ids: machines, boots and containers may share a directory. */
function worldOf(): string {
  const facts = [hostname(), reading(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))];
  const text = [...facts, reading(() => readlinkSync('/proc/self/ns/pid'))].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function isRunning(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // Process ids are reused; systems without /proc do not report start times.
  return (startOf(pid) ?? start) === start;
}

/** Start time of a process, in ticks since boot (Linux). */
function startOf(pid: number): string | undefined {
  const stat = reading(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/** A child of the dead process may still use its directory (Linux). */
function isWorkplace(directory: string): boolean {
  const processes = reading(() => readdirSync('/proc'))?.filter((name) => /^\d+$/.test(name)) ?? [];
  return processes.some((pid) =>
    `${reading(() => readlinkSync(`/proc/${pid}/cwd`))}${sep}`.startsWith(directory + sep),
  );
}

function reading<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
