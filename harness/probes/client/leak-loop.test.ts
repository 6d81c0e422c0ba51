import { expect, test } from 'vitest';
import { verdict } from './leak-loop.ts';

test.each([
  [[], 'open'],
  [[10], 'none'],
  [[20, 20], 'open'],
  [[20, 20, 20], 'leak'],
  [[20, 20, 0], 'none'],
  // Something else was given back, and hid one phase of a leak.
  [[20, -15, 20], 'open'],
  [[20, -15, 20, 20], 'leak'],
  // A cache that fills up and is emptied.
  [[20, 20, -40, 20], 'none'],
  [[-1, -1, -1, -1, -1], 'open'],
] as const)('growth of %j is: %s', (growth, expected) => {
  expect(verdict(growth, 10)).toBe(expected);
});
