import { expect, test } from 'vitest';
import { htmlBlocks } from '../../tests/support/html.ts';
import type { CaseSource } from './case-source.ts';
import { writeSources } from './html-sources.ts';

const written = (ids: readonly string[], sources?: ReadonlyMap<string, CaseSource>): string => {
  let text = '';
  writeSources(ids, sources, (chunk) => (text += chunk));
  return text;
};

const steps = { text: '- id: a', line: 3 };

test('cases of one matrix share their steps, and cases with the same program that', () => {
  const add = { name: 'add', text: 'module @add {}' };
  const sources = new Map<string, CaseSource>([
    ['a[x=1]', { steps, programs: [add] }],
    ['a[x=2]', { steps: { ...steps }, programs: [{ ...add }, { name: 'mul', text: 'module @mul {}' }] }],
    ['c', { programs: [] }],
  ]);
  const text = written(['a[x=1]', 'b', 'a[x=2]', 'c'], sources);
  expect(htmlBlocks(text, 'sources')).toEqual([{ steps: [steps], cases: [[0, 0], [], [0, 0, 1], [-1]] }]);
  expect(htmlBlocks(text, 'programs').flat()).toEqual([add, { name: 'mul', text: 'module @mul {}' }]);
});

test('programs are in blocks that begin at their number', () => {
  const programs = Array.from({ length: 5 }, (_, i) => ({ name: `p${i}`, text: `${i}`.repeat(200_000) }));
  const text = written(['a'], new Map([['a', { programs }]]));
  const starts = [...text.matchAll(/data-part="programs" data-from="(\d+)"/g)].map(([, from]) => Number(from));
  expect(starts).toEqual([0, 2, 4]);
  expect(htmlBlocks(text, 'programs').flat()).toEqual(programs);
});

test('a report without sources has no block for them', () => {
  expect(written(['a'])).toBe('');
  expect(written(['a'], new Map([['other', { steps, programs: [] }]]))).toBe('');
});

test('unprintable characters are made visible', () => {
  const sources = new Map([
    ['a', { steps: { text: 'a\u0007', line: 1 }, programs: [{ name: 'p', text: '\u001b[2Jb' }] }],
  ]);
  const text = written(['a'], sources);
  expect(htmlBlocks(text, 'sources')[0]!.steps[0]!.text).toBe('a\\x07');
  expect(htmlBlocks(text, 'programs')[0]![0]!.text).toBe('b');
});
