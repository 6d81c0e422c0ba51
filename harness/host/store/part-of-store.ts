import type { Store } from './store.ts';

/** The keys of a store that begin with a prefix. It remembers what it has written, so that it can be taken away. */
export class PartOfStore implements Store {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #written = new Set<string>();

  constructor(store: Store, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  read = (key: string): Promise<Uint8Array | undefined> => this.#store.read(this.#prefix + key);

  write(key: string, value: Uint8Array): Promise<void> {
    this.#written.add(key);
    return this.#store.write(this.#prefix + key, value);
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#written.delete(key);
    if (keys.length > 0) await this.#store.remove(keys.map((key) => this.#prefix + key));
  }

  /** Removes what was written through it; the store itself stays open. */
  close = (): Promise<void> => this.remove([...this.#written]);
}
