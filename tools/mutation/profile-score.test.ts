import { expect, it } from 'vitest';
import { sampleCase } from '../../harness/suite/sample-case.test-helper.ts';
import { loadCatalogue, RUN } from './catalogue.ts';
import { profilesMarkdown } from './profile-markdown.ts';
import { inFull, knownCatch, loadProfileScores, profileLine, profileScoreOf } from './profile-score.ts';
import { sampleFault } from './sample-fault.test-helper.ts';

const covers = ['ABI-VER-001'];
const one = sampleCase('a:one', { covers }, []);
const rows = ['x', 'y'].map((n) => sampleCase(`a:rows[n=${n}]`, { covers }, []));
const families = new Map([
  ['a:one', [one]],
  ['a:rows', rows],
]);
const chosen = new Set(['a:one', 'a:rows[n=x]']);

it('takes from the result of all cases what that decides', () => {
  const known = (by: string, ...failing: string[]) => knownCatch(sampleFault('f'), { by, failing }, chosen, families);
  expect(known('a:one', 'a:one')).toBe('a:one');
  expect(known('a:rows[n=y]', 'a:rows', 'a:one')).toBe('a:one');
  // Whether the other row fails is not known.
  expect(known('a:rows[n=y]', 'a:rows')).toBeUndefined();
  expect(known(RUN)).toBe(RUN);
  // A family that fails for another reason detects nothing.
  const other = sampleFault('f', { breaks: ['ABI-VER-002'] });
  expect(knownCatch(other, { by: 'a:rows[n=y]', failing: ['a:one'] }, chosen, families)).toBeUndefined();
});

it('counts no fault that only cases outside of full detect', () => {
  const apart = sampleCase('m:large', { covers, tags: ['models'] }, []);
  const all = new Map([...families, ['m:large', [apart]]]);
  expect(inFull({ by: 'm:large', failing: ['m:large'] }, all)).toBe(false);
  expect(inFull({ by: 'm:large', failing: ['m:large', 'a:one'] }, all)).toBe(true);
  expect(inFull({ by: RUN, failing: [] }, all)).toBe(true);
});

it('counts by area, and lists what escapes', () => {
  const score = profileScoreOf(
    'reference',
    [one],
    [
      ['g', undefined, 'a:rows[n=y]'],
      ['f', 'a:one', 'a:one'],
    ],
  );
  expect(score).toEqual({
    base: 'reference',
    cases: 1,
    compilations: 0,
    detected: { f: 'a:one' },
    escaped: { g: 'a:rows[n=y]' },
  });
  expect(profileLine('p', score)).toBe('p: 1 cases, 0 compilations; 1 of 2 faults that full detects, 50.0 %');
  const text = profilesMarkdown({ p: score }, [sampleFault('f'), sampleFault('g')]).join('\n');
  expect(text).toContain('| table | 2 | 1 | 1 |');
  expect(text).toContain('- `g`: g is wrong. (`a:rows[n=y]`)');
});

it('has a recorded result of standard, of faults of the catalogue', () => {
  const { detected, escaped } = loadProfileScores().standard!;
  const names = new Set(loadCatalogue().map(({ name }) => name));
  expect([...Object.keys(detected), ...Object.keys(escaped)].filter((name) => !names.has(name))).toEqual([]);
});
