import { expect, test } from 'vitest';
import type { ComparisonLine, RecordedLine } from '../../model/call-recording.ts';
import { comparisonsOf } from './comparisons.ts';

const taken = (id: number, bytes: string): RecordedLine => ({
  number: id,
  k: 'taken',
  id,
  bytes: Buffer.from(bytes).toString('base64'),
});
const compared = (what: string, actual: string): ComparisonLine => ({
  ...{ k: 'comparison', what, dtype: 'u8', shape: [2], expected: '', actual: Buffer.from(actual).toString('base64') },
  ...{ ulp: 0, atol: 0, signedZeros: true, ok: true },
});

test('each comparison is about what was read last, and of equal arrays about one', () => {
  const lines = [
    taken(1, 'ab..'),
    taken(2, 'ab'),
    taken(3, 'cd'),
    compared('x', 'ab'),
    compared('y', 'ab'),
    compared('z', 'cd'),
  ];
  const places = [...comparisonsOf(lines)].flatMap(([place, of]) => of.map(({ what }) => [what, place]));
  expect(Object.fromEntries(places)).toEqual({ x: 0, y: 1, z: 2 });
});

test('an array that is named is the one, whatever others have the same bytes', () => {
  const lines = [taken(1, 'ab'), taken(2, 'ab'), { ...compared('x', 'ab'), of: 1 }];
  expect([...comparisonsOf(lines).keys()]).toEqual([0]);
});

test('an array that is compared twice, and one that was not read', () => {
  const lines = [taken(1, 'ab'), compared('x', 'ab'), compared('y', 'ab'), compared('z', 'ef')];
  const found = comparisonsOf(lines);
  expect(found.get(0)?.map(({ what }) => what)).toEqual(['x', 'y']);
  expect(found.get(-1)?.map(({ what }) => what)).toEqual(['z']);
});
