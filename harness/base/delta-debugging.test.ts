import { describe, expect, it } from 'vitest';
import { firstFailing, shortest } from './delta-debugging.ts';

const key = (n: number): number => n;
const possible = (list: readonly number[]): readonly number[] => list;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Fails if all of these are there. */
const needing =
  (...needed: number[]) =>
  (lists: readonly (readonly number[])[]): Promise<boolean[]> =>
    Promise.resolve(lists.map((list) => needed.every((one) => list.includes(one))));

describe('shortest', () => {
  it.each([[[7]], [[0, 99]], [[3, 4, 50]], [numbers(10)]])('finds %j among a hundred', async (needed) => {
    expect(await shortest(numbers(100), { key, possible, fails: needing(...needed) })).toEqual(needed);
  });

  it('leaves a list of which all is needed, and one of a single member', async () => {
    expect(await shortest(numbers(3), { key, possible, fails: needing(0, 1, 2) })).toEqual([0, 1, 2]);
    expect(await shortest([5], { key, possible, fails: needing() })).toEqual([5]);
  });

  it('adds what a part needs, and does not try what is not shorter', async () => {
    const lengths: number[] = [];
    // An odd number needs the even one before it.
    const withEven = (list: readonly number[]): number[] => [...new Set(list.flatMap((n) => [n - (n % 2), n]))];
    const found = await shortest(numbers(16), {
      key,
      possible: withEven,
      fails: (lists) => {
        lengths.push(...lists.map(({ length }) => length));
        return needing(5)(lists);
      },
    });
    expect(found).toEqual([4, 5]);
    expect(Math.max(...lengths)).toBeLessThan(16);
  });
});

describe('firstFailing', () => {
  it('takes the shortest, and tries the same members once', async () => {
    const tried: number[][] = [];
    const fails = (lists: readonly (readonly number[])[]): Promise<boolean[]> => {
      tried.push(...lists.map((list) => [...list]));
      return needing(1)(lists);
    };
    expect(await firstFailing([[0, 1, 2], [1, 2], [1, 2], [2]], 4, { key, fails })).toEqual([1, 2]);
    expect(tried).toEqual([[2], [1, 2], [0, 1, 2]]);
  });

  it('has none if none is shorter', async () => {
    expect(await firstFailing([[1, 2]], 2, { key, fails: needing() })).toBeUndefined();
  });
});
