import fc from 'fast-check';
import { expect, test } from 'vitest';
import { culpritsAmong } from './culprits.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const none = (): boolean => false;

test('one culprit among n is found, with about 3 log2(n) processes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), fc.nat(), async (count, seed) => {
      const culprit = seed % count;
      let processes = 0;
      const fails = async (list: readonly number[]) => {
        processes++;
        return list.includes(culprit);
      };
      expect(await culpritsAmong(upTo(count), none, fails)).toEqual({ cases: [culprit], minimal: true });
      expect(processes).toBeLessThanOrEqual(3 * Math.log2(count) + 3);
    }),
  );
});

test('several that only fail together are found, in the order in which they ran', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: 3 }), async (culprits) => {
      const sorted = culprits.sort((a, b) => a - b);
      const fails = async (list: readonly number[]) => sorted.every((one) => list.includes(one));
      expect(await culpritsAmong(upTo(201), none, fails)).toEqual({ cases: sorted, minimal: true });
    }),
    { numRuns: 30 },
  );
});

test('known ones are tried first, and alone', async () => {
  const tried: (readonly number[])[] = [];
  const fails = async (list: readonly number[]) => {
    tried.push(list);
    return list.includes(3);
  };
  expect(await culpritsAmong(upTo(100), (one) => one === 3, fails)).toEqual({ cases: [3], minimal: true });
  expect(tried).toEqual([[3]]);
});

test('what fails after none of them again has no culprit', async () => {
  expect(await culpritsAmong(upTo(5), none, async () => false)).toBeUndefined();
});

test('where the search has to end, what is known so far counts', async () => {
  let left = 4;
  const after = (culprit: number) => async (list: readonly number[]) =>
    left-- > 0 ? list.includes(culprit) : undefined;
  // After the last 1, 2, 4 and 8 of 16 it passes; after all it could not be tried.
  expect(await culpritsAmong(upTo(16), none, after(2))).toBe('untried');
  left = 4;
  expect(await culpritsAmong(upTo(16), none, after(12))).toEqual({ cases: [12, 13], minimal: false });
});
