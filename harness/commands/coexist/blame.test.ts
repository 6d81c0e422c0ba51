import { expect, test } from 'vitest';
import { arrangements } from './arrangement.ts';
import { blame } from './blame.ts';
import type { Cell, Trouble } from './cell.ts';

const trouble = (more: Partial<Trouble> = {}): Trouble => ({
  where: 'coexistence/company:results',
  level: 'fail',
  type: 'pjrt.NumericMismatch',
  message: 'other bits',
  ...more,
});

/** The matrix of some plugins, with troubles in the cells whose names are given. */
const matrix = (names: readonly string[], troubles: Readonly<Record<string, Trouble>>): Cell[] =>
  arrangements(names).map((arrangement) => ({
    ...arrangement,
    status: troubles[arrangement.name] ? 'fail' : 'pass',
    line: '',
    counts: {},
    withoutClient: [],
    troubles: troubles[arrangement.name] ? [troubles[arrangement.name]!] : [],
    durationMs: 0,
    directory: '',
    reproduce: '',
  }));

const verdicts = (cells: readonly Cell[]) =>
  blame(cells).map(({ culprit, candidates, evidence, only }) => ({ culprit, candidates, evidence, only }));

test('what was seen decides, whoever feels it', () => {
  const cells = matrix(['a', 'b'], { 'a+b': trouble({ plugin: 'a', culprit: 'b' }) });
  expect(blame(cells)).toMatchObject([{ culprit: 'b', evidence: 'seen', victims: ['a'], only: 'loaded second' }]);
});

test('a plugin that fails beside every partner is to blame, also when the partners are those that feel it', () => {
  const all = { 'a+b': 1, 'b+a': 1, 'a+c': 1, 'c+a': 1 };
  const of = (plugin: (cell: string) => string) =>
    matrix(
      ['a', 'b', 'c'],
      Object.fromEntries(Object.keys(all).map((name) => [name, trouble({ plugin: plugin(name) })])),
    );
  for (const victim of [() => 'a', (name: string) => name.replace(/[a+]/g, '')]) {
    expect(verdicts(of(victim))).toEqual([
      { culprit: 'a', candidates: undefined, evidence: 'partners', only: undefined },
    ]);
  }
});

test('the order of loading is named if it matters', () => {
  const cells = matrix(['a', 'b', 'c'], { 'b+a': trouble(), 'c+a': trouble() });
  expect(verdicts(cells)).toMatchObject([{ culprit: 'a', evidence: 'partners', only: 'loaded second' }]);
});

test('one partner proves nothing, but a twin does', () => {
  const pair = { 'a+b': trouble(), 'b+a': trouble() };
  expect(verdicts(matrix(['a', 'b'], pair))).toMatchObject([{ candidates: ['a', 'b'], evidence: 'undecided' }]);
  expect(verdicts(matrix(['a', 'b'], { ...pair, 'a.copy': trouble() }))).toMatchObject([
    { culprit: 'a', evidence: 'itself' },
  ]);
});

test('two that each fail everywhere are both candidates in their own pair', () => {
  const names = ['a', 'b', 'c', 'd'];
  const cells = arrangements(names).filter(
    ({ company, plugins }) => company === 'pair' && /[ab]/.test(plugins.join('')),
  );
  const found = verdicts(matrix(names, Object.fromEntries(cells.map(({ name }) => [name, trouble()]))));
  expect(found.map(({ culprit, candidates }) => culprit ?? candidates)).toEqual(['a', 'b', ['a', 'b']]);
});

test('what happens alone too is no matter of company', () => {
  const cells = matrix(['a', 'b'], { 'b.alone': trouble(), 'a+b': trouble(), 'b+a': trouble() });
  expect(verdicts(cells)).toMatchObject([{ culprit: 'b', evidence: 'alone' }]);
});

test('every ordered pair, twins, and from three plugins on all at once; controls are partners only', () => {
  const names = (plugins: string[], controls?: string[]) => arrangements(plugins, controls).map(({ name }) => name);
  expect(names(['a', 'b'])).toEqual([
    'a.alone',
    'b.alone',
    'a.same-file',
    'a.copy',
    'b.same-file',
    'b.copy',
    'a+b',
    'b+a',
  ]);
  expect(names(['a', 'b', 'c'])).toHaveLength(3 + 6 + 6 + 2);
  expect(names(['a'], ['x'])).toEqual(['a.alone', 'x.alone', 'a.same-file', 'a.copy', 'a+x', 'x+a']);
});
