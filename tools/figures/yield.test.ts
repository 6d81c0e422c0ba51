import { expect, it } from 'vitest';
import { perSecond, yieldOf } from './yield.ts';

it('counts what the cases of a suite cost, and what they and no others detect', () => {
  const ran = [
    { id: 'a/b:one', durationMs: 500 },
    { id: 'a/b:two[x=1]', durationMs: 1500 },
    { id: 'c:one', durationMs: 100 },
  ];
  const failing = new Map([
    ['fault', ['a/b:one', 'a/b:two[x=1]']],
    ['other', ['a/b:one', 'c:one']],
    ['not run', ['d:one']],
  ]);
  const suites = yieldOf(ran, failing);
  expect(suites).toEqual([
    { suite: 'c', cases: 1, seconds: 0.1, detected: 1, alone: 0 },
    { suite: 'a/b', cases: 2, seconds: 2, detected: 2, alone: 1 },
  ]);
  expect(suites.map(perSecond)).toEqual([10, 1]);
});
