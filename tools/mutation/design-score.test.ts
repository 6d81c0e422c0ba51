import { describe, expect, it } from 'vitest';
import { designNames, loadDesign } from '../designs/design.ts';
import { loadCatalogue } from './catalogue.ts';
import { designsMarkdown } from './design-markdown.ts';
import { designScoreOf, faultsFor, faultsOf, loadDesignScores, reasonOn, shareOf, updated } from './design-score.ts';
import type { Outcome } from './judge.ts';
import type { FaultRecord } from './results.ts';
import { sampleFault } from './sample-fault.test-helper.ts';

const record = (name: string, outcome: Outcome, reason?: string): FaultRecord => ({
  kind: 'fault',
  key: name,
  name,
  cases: 1,
  seconds: 1,
  outcome,
  failing: [],
  ...(reason === undefined ? {} : { reason }),
});

const SCORE = designScoreOf('reference', 1, [
  record('d', 'absent', 'not there'),
  record('b', 'missed'),
  record('c', 'detected'),
  record('a', 'detected'),
]);

describe('the score on a design', () => {
  it('counts the faults that apply', () => {
    expect(SCORE).toEqual({
      base: 'reference',
      every: 1,
      detected: ['a', 'c'],
      open: { b: 'missed' },
      absent: { 'not there': ['d'] },
    });
    expect(shareOf(SCORE)).toEqual({ apply: 3, share: 2 / 3 });
    expect(faultsOf(SCORE)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is updated by a run of some faults', () => {
    const fresh = designScoreOf('reference', 1, [
      record('b', 'detected'),
      record('c', 'wrong-case'),
      record('d', 'absent', 'another reason'),
    ]);
    expect(updated(SCORE, fresh)).toEqual({
      base: 'reference',
      every: 1,
      detected: ['a', 'b'],
      open: { c: 'wrong-case' },
      absent: { 'another reason': ['d'] },
    });
    expect(updated(undefined, fresh)).toBe(fresh);
  });

  it('is a row of the table, and each undetected fault is explained', () => {
    const because = 'What it changes is never asked there.';
    const faults = ['a', 'b', 'c', 'd'].map((name) =>
      sampleFault(name, name === 'b' ? { survivesOn: [{ designs: ['odd'], because }] } : {}),
    );
    const text = designsMarkdown({ odd: SCORE, other: { ...SCORE, every: 8 } }, faults).join('\n');
    expect(text).toContain('| odd | reference | 4, all | 1 | 3 | 2 | 66.7 % | `b` |');
    expect(text).toContain('| other | reference | 4, about one in 8 | 1 | 3 | 2 | 66.7 % | `b` |');
    expect(text).toContain(`- \`b\` on odd: b is wrong. ${because}`);
    expect(text).toContain('- `b` on other: b is wrong. missed; no reason is given yet');
    expect(designsMarkdown({}, faults)).toEqual([]);
  });
});

describe('a sample of the faults', () => {
  const faults = Array.from({ length: 400 }, (_, i) => sampleFault(`f${i}`));
  const names = (base: string, every: number, from = faults): string[] =>
    faultsFor(from, base, every).map(({ name }) => name);

  it('has about the requested size, and is part of a larger one', () => {
    const eighth = names('reference', 8);
    expect(Math.abs(eighth.length - 50)).toBeLessThan(20);
    expect(names('reference', 4)).toEqual(expect.arrayContaining(eighth));
    expect(names('reference', 1)).toHaveLength(400);
  });

  it('does not change when a fault is added', () => {
    const more = [sampleFault('new'), ...faults];
    expect(names('reference', 8, more).filter((name) => name !== 'new')).toEqual(names('reference', 8));
  });

  it('has only faults that can be planted in the base', () => {
    const three = [sampleFault('a'), sampleFault('b', { base: 'inside' }), sampleFault('c', { base: 'reference' })];
    expect(names('xla-cpu', 1, three)).toEqual(['a']);
    expect(names('reference', 1, three)).toEqual(['a', 'b', 'c']);
  });
});

/** Maximum share of applicable faults that may be undetected on a valid design. */
const LEAST_SHARE = 0.97;

describe('the recorded results', () => {
  const catalogue = loadCatalogue();
  const scores = Object.entries(loadDesignScores());

  it('are of existing designs', () => {
    const names = new Set(designNames());
    expect(scores.filter(([design]) => !design.split('+').every((name) => names.has(name)))).toEqual([]);
  });

  it.each(scores)('on %s match the current catalogue, and nearly all faults are detected', (design, score) => {
    expect(loadDesign(design).defect).toBeUndefined();
    expect(faultsOf(score)).toEqual(
      faultsFor(catalogue, score.base, score.every)
        .map(({ name }) => name)
        .sort(),
    );
    expect(shareOf(score).share).toBeGreaterThanOrEqual(LEAST_SHARE);
  });

  it('have a reason for each undetected fault', () => {
    const unexplained = scores.flatMap(([design, { open }]) =>
      catalogue.filter((f) => open[f.name] && reasonOn(f, design) === undefined).map(({ name }) => [design, name]),
    );
    expect(unexplained).toEqual([]);
  });

  it('need all the reasons', () => {
    const kept = Object.fromEntries(scores);
    const stale = catalogue.flatMap(({ name, survivesOn = [] }) =>
      survivesOn.flatMap(({ designs }) => designs).filter((design) => !kept[design]?.open[name]),
    );
    expect(stale).toEqual([]);
  });
});
