import type { Client } from '../pjrt/client.ts';
import type { LoadedExecutable } from '../pjrt/executable.ts';

/** Most executables that a client keeps for later cases; each holds memory, of a device too. */
const MOST = 128;

/**
 * The executables that cases of a client share (`programs: shared`), so that a slow compiler compiles a program once a
 * worker, not once a case. The least recently used one is destroyed when there are too many.
 */
class SharedPrograms {
  /** By what was compiled and how, the one used last at the end. */
  readonly #executables = new Map<string, LoadedExecutable>();
  /** Programs that the running case uses. */
  readonly #inHand = new Set<string>();

  get(key: string, compile: () => LoadedExecutable): LoadedExecutable {
    const known = this.#executables.get(key);
    this.#executables.delete(key);
    const executable = known && !known.destroyed ? known : compile();
    executable.keep();
    this.#executables.set(key, executable);
    this.#inHand.add(key);
    if (this.#executables.size > MOST) this.#drop([...this.#executables.keys()].find((k) => !this.#inHand.has(k)));
    return executable;
  }

  get all(): LoadedExecutable[] {
    return [...this.#executables.values()].filter(({ destroyed }) => !destroyed);
  }

  settle(valid: boolean): void {
    if (!valid) for (const key of this.#inHand) this.#drop(key);
    this.#inHand.clear();
  }

  release(): void {
    for (const key of [...this.#executables.keys()]) this.#drop(key);
  }

  #drop(key: string | undefined): void {
    const executable = key === undefined ? undefined : this.#executables.get(key);
    if (!executable) return;
    this.#executables.delete(key!);
    try {
      executable.destroy();
    } catch {
      // Cases about destroying executables have ones of their own; no other case is to blame for this.
    }
  }
}

const kept = new WeakMap<Client, SharedPrograms>();

/** The executable for a key, compiled unless an earlier case of the client has done so. The client's, not the case's. */
export function sharedProgram(client: Client, key: string, compile: () => LoadedExecutable): LoadedExecutable {
  const programs = kept.get(client) ?? new SharedPrograms();
  kept.set(client, programs);
  return programs.get(key, compile);
}

/** What cases of the client have compiled and is still there. */
export const sharedExecutables = (client: Client): readonly LoadedExecutable[] => kept.get(client)?.all ?? [];

/** A case has ended. What it used is not used again unless the case passed: nobody inherits a damaged executable. */
export const settleSharedPrograms = (client: Client, valid: boolean): void => kept.get(client)?.settle(valid);

/** Destroys what is kept of a client, before the client itself is destroyed. */
export const releaseSharedPrograms = (client: Client): void => kept.get(client)?.release();
