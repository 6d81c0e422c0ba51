import { expect, test } from 'vitest';
import { packageSuites } from '../run/suites/package-suites.ts';
import { partsByWorth } from './by-worth.ts';
import { PROFILES } from './profiles.ts';
import { sampleCase } from './sample-case.test-helper.ts';

const all = packageSuites().cases.filter(PROFILES.full!.includes);

test('the first parts are small, and have cases of every kind of process', () => {
  const parts = partsByWorth(all);
  expect(parts.size).toBe(all.length);
  const sizes = Array.from({ length: 8 }, (_, part) => [...parts.values()].filter((one) => one === part).length);
  expect(Math.min(...sizes)).toBeGreaterThan(50);
  expect(sizes[0]! + sizes[1]!).toBeLessThan(all.length / 10);
  const early = all.filter(({ id }) => parts.get(id)! < 4);
  expect(new Set(early.map(({ isolation }) => isolation))).toEqual(new Set(['worker', 'quarantine', 'process']));
});

test('of what is not of the package nothing is known, so it comes first', () => {
  const own = sampleCase('mine/a:b');
  const parts = partsByWorth([...all, own]);
  expect(parts.get(own.id)).toBe(0);
});
