import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonErrorOffset } from './json-syntax.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('jsonErrorOffset', () => {
  it.each([
    ['{"a": }', 6],
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ['[1 2]', 3],
    ['{a: 1}', 1],
    ['[1, 2', 5],
    ['{} {}', 3],
    ['[01]', 1],
    ['', 0],
    ['[1}', 2],
    ['[1,\u00a02]', 3],
    ['\v1', 0],
  ])('finds the error in %s', (text, offset) => {
    expect(jsonErrorOffset(text)).toBe(offset);
  });

  it('agrees with JSON.parse on valid and damaged documents', () => {
    const document = fc
      .json()
      .chain((text) =>
        fc.tuple(
          fc.constant(text),
          fc.nat(text.length),
          fc.constantFrom('', ',', '"', '}', ']', ':', '0', ' ', '-', '\\'),
        ),
      );
    fc.assert(
      fc.property(document, ([text, at, inserted]) => {
        for (const candidate of [text, text.slice(0, at) + inserted + text.slice(at), text.slice(0, at)]) {
          expect([candidate, jsonErrorOffset(candidate) === undefined]).toEqual([candidate, isJson(candidate)]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
