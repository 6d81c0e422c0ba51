import { expect, test } from 'vitest';
import type { CaseResult } from '../../model/case-result.ts';
import type { Finding } from '../../model/finding.ts';
import type { UlpDistances } from '../../model/mismatch-numbers.ts';
import { dataFailuresOf } from './data-failures.ts';

const seen = (finding: Partial<Finding>, result: Partial<CaseResult> = {}) =>
  dataFailuresOf([
    {
      plan: { id: 'a/b:c', name: 'c', line: 1, title: '', level: 'must', covers: ['NUM-ROUND-001'], tags: [] },
      result: {
        status: 'fail',
        durationMs: 0,
        nativeMs: 0,
        calls: 0,
        ...result,
        findings: [{ type: 'pjrt.NumericMismatch', level: 'must', message: '', ...finding }],
      },
    } as never,
  ]);
const howOf = (...args: Parameters<typeof seen>) => seen(...args).map(({ how }) => how);
const apart = (dtype: string, distances: UlpDistances) => ({ numbers: { dtype, distances } });

test('arrays that differ are wrong, integers by any distance and floats by more than a lack of accuracy', () => {
  expect(howOf({})).toEqual(['wrong']);
  expect(howOf(apart('s32', { within: [3], beyond: [0, 1] }))).toEqual(['wrong']);
  expect(howOf(apart('f32', { within: [3], beyond: [0, 0, 0, 1] }))).toEqual(['inaccurate']);
  const far = [...Array<number>(24).fill(0), 1];
  expect(howOf(apart('f32', { within: [3], beyond: far }))).toEqual(['wrong']);
});

test('special values are wrong if they are most of the array', () => {
  expect(howOf(apart('f32', { within: [3], beyond: [], noDistance: 1 }))).toEqual(['inaccurate']);
  expect(howOf(apart('f32', { within: [1], beyond: [], noDistance: 3 }))).toEqual(['wrong']);
});

test('errors, deaths and other violations are no wrong arrays', () => {
  expect(howOf({ type: 'pjrt.UnexpectedError', code: 'INTERNAL' })).toEqual(['refused']);
  expect(howOf({ type: 'pjrt.AssertionFailed' })).toEqual(['other']);
  // An answer about an array that cannot be true.
  expect(howOf({ type: 'pjrt.BadData' })).toEqual(['other']);
  expect(howOf({ type: 'pjrt.Crash' }, { status: 'crash' })).toEqual(['died']);
});

test('known deviations, expected failures and notes are left out', () => {
  expect(howOf({}, { knownDeviation: { reason: '', evidence: '' } })).toEqual([]);
  expect(howOf({ level: 'info' })).toEqual([]);
  expect(howOf({}, { status: 'pass' })).toEqual([]);
});
