import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** An append-only file of results by key, which need not be computed again. */
export class Store<T> {
  readonly #file: string;
  readonly #known = new Map<string, T>();

  constructor(file: string, fresh = false) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    if (fresh || !existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      // The last line may be truncated if a run was stopped.
      if (!line.endsWith('}')) continue;
      const { key, value } = JSON.parse(line) as { key: string; value: T };
      this.#known.set(key, value);
    }
  }

  /** The result of a key, computed now if it is not stored. */
  async get(key: string, findOut: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = await findOut();
    this.#known.set(key, value);
    appendFileSync(this.#file, `${JSON.stringify({ key, value })}\n`);
    return value;
  }
}
