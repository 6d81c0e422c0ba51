import { describe, expect, test } from 'vitest';
import type { CaseResult } from '../../model/case-result.ts';
import type { Standing, Waiver } from '../../model/judgement.ts';
import { foldRun } from '../../model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { STATUSES, type Status } from '../../model/status.ts';
import { judgementLine } from '../judgement-line.ts';
import { judge } from './judge.ts';
import type { ListedCase, MustpassList } from './list.ts';

const listed = (name: string, more: Partial<ListedCase> = {}): ListedCase => ({
  id: `a/b:${name}`,
  since: 0,
  required: false,
  definition: '',
  ...more,
});

const list = (cases: ListedCase[], renames?: Record<string, string>): MustpassList => ({
  release: {
    version: '1.0',
    frozen: '2026-01-01',
    tools: [],
    cases: '',
    lists: {},
    definitions: [],
    ...(renames ? { renames } : {}),
  },
  profile: 'full',
  sha256: '',
  cases,
});

const runOf = (results: Record<string, CaseResult>, more: Parameters<typeof facts>[0] = {}) =>
  foldRun([
    header(),
    { type: 'plugin', plugin: facts(more) },
    ...suiteEvents(
      'a/b',
      Object.entries(results).map(([name, one]) => ({ name, result: one })),
    ),
    footer(),
  ]);

const FINDING = { type: 'pjrt.X', level: 'must' as const, message: 'it is wrong' };
const fails = result('fail', { findings: [FINDING] });
const absent = result('unsupported', { reason: 'not there' });

test.each<[status: Status, other: Standing, required: Standing]>([
  ['pass', 'passed', 'passed'],
  ['warn', 'passed', 'passed'],
  ['fail', 'failed', 'failed'],
  ['crash', 'failed', 'failed'],
  ['timeout', 'failed', 'failed'],
  ['flaky', 'failed', 'failed'],
  ['unsupported', 'not-offered', 'failed'],
  ['skip', 'missing', 'missing'],
  ['error', 'missing', 'missing'],
  ['notrun', 'missing', 'missing'],
])('a case that is %s is %s; if every plugin must offer it, %s', (status, other, required) => {
  const run = runOf({ x: result(status), y: result(status) });
  const { cases } = judge(list([listed('x'), listed('y', { required: true })]), run);
  expect(cases.map(({ standing }) => standing)).toEqual([other, required]);
});

test('every status has a standing', () => {
  expect(STATUSES).toHaveLength(10);
});

test('a case that the run lacks is missing, and under its new id it is not', () => {
  const run = runOf({ now: result('pass') });
  expect(judge(list([listed('then')]), run)).toMatchObject({ passes: false, counts: { missing: 1 } });
  expect(judge(list([listed('then')], { 'a/b:then': 'a/b:now' }), run)).toMatchObject({ passes: true });
});

describe('what the API version of the plugin lacks', () => {
  const cases = [listed('old'), listed('new', { since: 100, required: true })];
  test('is not asked of it', () => {
    const run = runOf({ old: result('pass'), new: absent }, { apiVersion: { major: 0, minor: 99 } });
    expect(judge(list(cases), run)).toMatchObject({ passes: true, counts: { 'not-applicable': 1 } });
  });
  test('is asked of a newer one', () => {
    const run = runOf({ old: result('pass'), new: absent }, { apiVersion: { major: 0, minor: 100 } });
    expect(judge(list(cases), run)).toMatchObject({ passes: false, counts: { failed: 1 } });
  });
  test('still must not fail', () => {
    const run = runOf({ old: result('pass'), new: fails }, { apiVersion: { major: 0, minor: 99 } });
    expect(judge(list(cases), run)).toMatchObject({ passes: false, counts: { failed: 1 } });
  });
});

const WAIVER: Waiver = {
  line: 2,
  url: 'https://example.com/1',
  product: 'example/foo',
  versions: '*',
  cases: ['a/b:x*'],
  reason: 'an example',
  expires: '2999-01-01',
};

test('a waiver covers failures of its cases and nothing else', () => {
  const run = runOf({ x: fails, y: fails, z: result('pass'), x2: result('skip', { reason: 'not here' }) });
  const judged = judge(list(['x', 'x2', 'y', 'z'].map((name) => listed(name))), run, [WAIVER]);
  expect(judged.cases.map(({ standing }) => standing)).toEqual(['waived', 'missing', 'failed', 'passed']);
  expect(judged.cases[0]).toMatchObject({ waiver: WAIVER, why: 'it is wrong' });
});

describe('the sentence', () => {
  const line = (results: Record<string, CaseResult>, waivers: Waiver[] = [], more = {}) =>
    judgementLine(judge(list(Object.keys(results).map((name) => listed(name))), runOf(results, more), waivers));

  test.each<[string, Record<string, CaseResult>, Waiver[], string]>([
    ['passes', { x: result('pass') }, [], 'passes mustpass 1.0 (profile full, API 0.90): 1 of 1'],
    [
      'counts what is not offered and what is waived apart',
      { x: fails, y: absent, z: result('warn') },
      [WAIVER],
      'passes mustpass 1.0 (profile full, API 0.90): 1 of 2, 1 waived, 1 not offered',
    ],
    [
      'says how many failed and are missing',
      { x: fails, y: result('error', { reason: 'no' }), z: result('pass') },
      [],
      'does not pass mustpass 1.0 (profile full, API 0.90): 1 failed, 1 missing, 1 of 3 passed',
    ],
    [
      'a run in which nothing passed does not pass',
      { x: absent },
      [],
      'does not pass mustpass 1.0 (profile full, API 0.90): 0 failed, 0 missing, 0 of 0 passed, 1 not offered, no case passed',
    ],
  ])('%s', (_, results, waivers, text) => {
    expect(line(results, waivers)).toBe(text);
  });

  test('names what broke the run outside its cases', () => {
    const failure = { stage: 'client' as const, message: 'no device\nmore' };
    expect(line({ x: result('pass') }, [], { failure })).toContain('1 of 1 passed, example: no device');
  });
});
