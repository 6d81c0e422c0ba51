import { expect, test } from 'vitest';
import { readable } from './readable.ts';

test('unprintable characters are made visible', () => {
  expect(readable('a\x1b[31mb\x00c\rd')).toBe('ab\\x00c\\rd');
});

test('lines and messages of unlimited length are truncated', () => {
  expect(readable('x'.repeat(5000))).toHaveLength(1000);
  const lines = readable(Array.from({ length: 5000 }, (_, at) => `line ${at}`).join('\n')).split('\n');
  expect(lines).toHaveLength(403);
  expect(lines.slice(-4)).toEqual(['line 399', '… 4598 more lines', 'line 4998', 'line 4999']);
});

test('readable text is unchanged', () => {
  const text = 'error: a.yaml:3:1: cases[0]: unknown key "…"\n    help: did you mean "put"?\n';
  expect(readable(text)).toBe(text);
});
