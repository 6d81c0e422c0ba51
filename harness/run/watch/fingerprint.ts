import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What changes when the content of a file does, for each file; of a directory, for each that lies in it. Missing ones have none. */
export function fingerprintOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const look = (path: string): void => {
    try {
      const entry = statSync(path);
      if (entry.isDirectory()) for (const name of readdirSync(path)) look(join(path, name));
      else found.set(path, `${entry.ino} ${entry.size} ${entry.mtimeMs}`);
    } catch {
      // A linker removes a file before it writes it.
    }
  };
  for (const path of paths) look(path);
  return found;
}

/** The paths whose content differs, and those that only one has. */
export const changedBetween = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));

/** How often files are looked at, and how often in a row they must be the same to be complete. */
const LOOK_MS = 100;
const SAME = 5;

/** Reports changes of files when they are complete: all of them are there, and none has changed for half a second. */
export class FileChanges {
  readonly #timer: NodeJS.Timeout;
  #paths: readonly string[];
  /** As they were when they were last complete. */
  #before: ReadonlyMap<string, string>;
  #last: ReadonlyMap<string, string>;
  #same = 0;

  /** @param onChange the paths that have changed */
  constructor(paths: readonly string[], onChange: (changed: readonly string[]) => void) {
    this.#paths = paths;
    this.#before = fingerprintOf(paths);
    this.#last = this.#before;
    this.#timer = setInterval(() => {
      const now = fingerprintOf(this.#paths);
      this.#same = changedBetween(this.#last, now).length === 0 ? this.#same + 1 : 0;
      this.#last = now;
      const changed = changedBetween(this.#before, now);
      if (changed.length === 0 || this.#same < SAME || !this.#isWhole(now)) return;
      this.#before = now;
      onChange(changed);
    }, LOOK_MS);
  }

  /** Files to look at from now on. What has changed of the others since they were last complete is still reported. */
  watch(paths: readonly string[]): void {
    this.#paths = paths;
    const now = fingerprintOf(paths);
    this.#before = new Map([...now].map(([path, state]) => [path, this.#before.get(path) ?? state]));
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #isWhole = (now: ReadonlyMap<string, string>): boolean =>
    this.#paths.every((path) => [...now.keys()].some((known) => known === path || known.startsWith(`${path}/`)));
}
