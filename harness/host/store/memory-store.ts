import type { Store } from './store.ts';

/** The built-in store, for processes of one harness. */
export class MemoryStore implements Store {
  readonly #values = new Map<string, Uint8Array>();

  async read(key: string): Promise<Uint8Array | undefined> {
    return this.#values.get(key);
  }

  async write(key: string, value: Uint8Array): Promise<void> {
    this.#values.set(key, Uint8Array.from(value));
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#values.delete(key);
  }

  async close(): Promise<void> {
    this.#values.clear();
  }
}
