/** Seeded random numbers: an input can be reproduced from its seed and its number. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, excluding 1. */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `below`, excluding it; 0 if there is none. */
  below(below: number): number {
    return Math.floor(this.unit() * below);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
}

/** A seed for one input of many. */
export const inputSeed = (seed: number, index: number): number =>
  (Math.imul(seed, 0x9e3779b1) ^ (index * 0x85ebca6b)) >>> 0;
