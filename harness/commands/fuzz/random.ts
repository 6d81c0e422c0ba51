/** Random numbers that are the same on every machine: xorshift on four words of 32 bits, seeded from a text. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: string) {
    let h = 0x811c9dc5;
    const word = (): number => {
      h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
      h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
      h ^= h >>> 15;
      return h >>> 0;
    };
    for (let i = 0; i < seed.length; i++) h = Math.imul(h ^ seed.charCodeAt(i), 0x01000193);
    [this.#a, this.#b, this.#c] = [word(), word(), word()];
    for (let i = 0; i < 12; i++) this.word();
  }

  /** 32 random bits. */
  word(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + t) | 0;
    return t >>> 0;
  }

  /** An integer from 0 to n - 1. */
  below(n: number): number {
    return this.word() % n;
  }

  /** An integer from lo to hi, both included. */
  between(lo: number, hi: number): number {
    return lo + this.below(hi - lo + 1);
  }

  /** True once in n times. */
  once(n: number): boolean {
    return this.below(n) === 0;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** One of the entries, as often as their weights say. */
  weighted<T extends { weight: number }>(list: readonly T[]): T {
    let rest = this.below(list.reduce((sum, { weight }) => sum + weight, 0));
    for (const item of list) {
      rest -= item.weight;
      if (rest < 0) return item;
    }
    return list.at(-1)!;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const all = [...list];
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all;
  }
}
