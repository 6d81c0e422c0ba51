import { expect, test } from 'vitest';
import type { NumericRecord } from '../model/numeric-record.ts';
import { foldRun } from '../model/run.ts';
import { header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { isBeyond, isExact, needOf, numericLine, numericSummary } from './numeric-summary.ts';

const record = (more: Partial<NumericRecord> = {}): NumericRecord => ({
  what: 'y',
  maxUlp: 0,
  allowedUlp: 4,
  index: 0,
  expectedBits: '0x0',
  actualBits: '0x0',
  elements: 8,
  mismatches: 0,
  ...more,
});

const runOf = (records: NumericRecord[], profile: 'strict' | 'standard' | 'relaxed' = 'standard') =>
  foldRun([
    header({ numerics: { profile, from: 'default' } }),
    ...suiteEvents('a', [{ name: 'c', result: result('pass', { numerics: records }) }]),
  ]);

const line = (records: NumericRecord[], profile: 'strict' | 'standard' | 'relaxed' = 'standard') =>
  numericLine(numericSummary(runOf(records, profile))!);

test('eight NaN are not exact, although everything else is', () => {
  const wrong = record({ mismatches: 8, nanMismatches: 8, meets: 'none' });
  expect([isExact(wrong), isBeyond(wrong)]).toEqual([false, true]);
  expect(numericSummary(runOf([wrong, record({ meets: 'strict' })]))).toMatchObject({
    comparisons: 2,
    exact: 1,
    beyond: 1,
    nanMismatches: 8,
    needs: { strict: 1, none: 1 },
  });
});

test('elements that pass only by an absolute bound are not exact', () => {
  expect(isExact(record({ withinAbsolute: 1 }))).toBe(false);
  expect(isBeyond(record({ withinAbsolute: 1 }))).toBe(false);
});

test('logs without counts of mismatches are judged by distances', () => {
  const { mismatches: _, elements: __, ...old } = record({ maxUlp: 5 });
  expect(isBeyond(old)).toBe(true);
  expect(isBeyond({ ...old, maxUlp: 4 })).toBe(false);
  expect(isBeyond({ ...old, maxUlp: null as never })).toBe(true);
  expect(numericSummary(foldRun([{ ...header(), numerics: undefined } as never]))).toBeUndefined();
});

test('the line has the profile that the results meet, or how many need another', () => {
  const [strict, standard, relaxed, none] = (['strict', 'standard', 'relaxed', 'none'] as const).map((meets) =>
    record({ meets }),
  );
  expect(line([record()])).toBe('profile standard (the default), no result depends on it');
  expect(line([strict!, strict!])).toBe('profile standard (the default), met by all 2 results, which meet strict too');
  expect(line([strict!])).toBe('profile standard (the default), met by 1 result, which meets strict too');
  expect(line([strict!, standard!])).toBe('profile standard (the default), met by all 2 results');
  expect(line([standard!, relaxed!, relaxed!, record({ meets: 'none', signMismatches: 1 })])).toBe(
    'profile standard (the default), not met: of 4 results, 2 would need relaxed, 1 is outside every profile; 1 sign mismatch',
  );
  expect(line([strict!, standard!], 'strict')).toBe(
    'profile strict (the default), not met: of 2 results, 1 would need standard',
  );
  expect(needOf(result('pass', { numerics: [strict!, record(), none!, relaxed!] }))).toBe('none');
  expect(needOf(result('pass', { numerics: [record()] }))).toBeUndefined();
});
