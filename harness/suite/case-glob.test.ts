import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesCase, matchesGlob } from './case-glob.ts';

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

test('special characters of globs and regular expressions are literal', () => {
  const odd = 'a/b:c[value=1+2i,name=x(y)|z!,neg=-0.5,of=$^]';
  expect(matchesCase(odd, odd)).toBe(true);
  expect(matchesCase('a/b:c[value=1+2i,*', odd)).toBe(true);
  expect(matchesCase('a/b:c[value=112i,*', odd)).toBe(false);
  expect(matchesCase('a/b:c[value=1+2i,*', odd.replace('1+2i', '112i'))).toBe(false);
  expect(matchesCase('!a/b:*', odd)).toBe(false);
});

/** An obviously correct implementation. */
const means = ([first, ...glob]: string, text: string): boolean => {
  const rest = glob.join('');
  if (first === undefined) return text === '';
  if (first === '*') return means(rest, text) || (text !== '' && means(first + rest, text.slice(1)));
  return text !== '' && (first === '?' || first === text[0]) && means(rest, text.slice(1));
};

test('a glob agrees with an obviously correct implementation', () => {
  const word = (letters: string[], maxLength: number) => fc.string({ unit: fc.constantFrom(...letters), maxLength });
  fc.assert(
    fc.property(word(['a', 'b', '*', '?'], 8), word(['a', 'b'], 10), (glob, text) => {
      expect(matchesGlob(glob, text)).toBe(means(glob, text));
    }),
    { numRuns: 2000 },
  );
});

test('a glob with many stars is fast', () => {
  expect(matchesCase(`${'*?'.repeat(20)}*!`, id)).toBe(false);
  expect(matchesCase(`${'*?'.repeat(20)}*`, id)).toBe(true);
});
