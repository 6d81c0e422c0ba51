import { expect, test } from 'vitest';
import { matchesCase } from './case-glob.ts';

const id = 'buffers/host:round-trip[dtype=f32,shape=2x3]';

test.each([
  [id, true],
  ['buffers/host:round-trip', true],
  ['buffers/host:round-trip[dtype=f32,shape=2x3', false],
  ['buffers/host:round-trip[dtype=?32,*]', true],
  ['buffers/host:*', true],
  ['buffers*', true],
  ['*', true],
  ['*shape=2x?]', true],
  ['other*', false],
  ['host:round-trip', false],
])('%s: %s', (glob, expected) => {
  expect(matchesCase(glob, id)).toBe(expected);
});

test('the characters of globs and of regular expressions are literal', () => {
  const odd = 'a/b:c[value=1+2i,name=x(y)|z!,neg=-0.5,of=$^]';
  expect(matchesCase(odd, odd)).toBe(true);
  expect(matchesCase('a/b:c[value=1+2i,*', odd)).toBe(true);
  expect(matchesCase('a/b:c[value=112i,*', odd)).toBe(false);
  expect(matchesCase('a/b:c[value=1+2i,*', odd.replace('1+2i', '112i'))).toBe(false);
  expect(matchesCase('!a/b:*', odd)).toBe(false);
});
