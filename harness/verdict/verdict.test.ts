import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Event, PlannedCase } from '../model/events.ts';
import type { Finding } from '../model/finding.ts';
import type { NumericRecord } from '../model/numeric-record.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { foldRun, type Run } from '../model/run.ts';
import { everyStatus, facts, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import type { Status } from '../model/status.ts';
import { exitName } from './exit-codes.ts';
import { failsRun } from './standing.ts';
import { recordedVerdict, verdict } from './verdict.ts';

const knownDeviation = { reason: 'documented', evidence: 'plugins/known/example.yaml:3' };
const finding = (level: Finding['level']): Finding => ({ type: 'pjrt.Crash', level, message: 'died' });

interface Scene {
  statuses?: (Status | CaseResult)[];
  level?: PlannedCase['level'];
  failure?: PluginFacts['failure'];
  more?: Event[];
  end?: Event[];
}

const scene = ({ statuses = [], level = 'must', failure, more = [], end = [footer()] }: Scene): Run =>
  foldRun([
    header(),
    { type: 'plugin', plugin: facts({ failure }) },
    ...suiteEvents(
      'a',
      statuses.map((status, at) => ({
        name: `case-${at}`,
        plan: { level },
        result: status === 'notrun' ? undefined : typeof status === 'string' ? result(status) : status,
      })),
    ),
    ...more,
    ...end,
  ]);

const failed = (stage: NonNullable<PluginFacts['failure']>['stage']) => ({
  stage,
  message: 'no such file\nmore',
  code: undefined,
});
const interrupted = [footer({ interrupted: true })];
const harnessNote: Event = { type: 'note', level: 'error', message: 'worker protocol violated' };

test.each<[string, Scene, number]>([
  ['all pass', { statuses: ['pass', 'pass'] }, 0],
  ['pass with optional parts absent', { statuses: ['pass', 'unsupported', 'skip'] }, 0],
  ['only a SHOULD violated', { statuses: ['pass', 'warn'] }, 0],
  ['a MUST violated', { statuses: ['pass', 'fail'] }, 1],
  ['a crash', { statuses: ['pass', 'crash'] }, 1],
  ['a timeout', { statuses: ['pass', 'timeout'] }, 1],
  ['a crash in an optional part', { statuses: ['pass', 'crash'], level: 'opt' }, 1],
  ['a crash in a SHOULD', { statuses: ['pass', 'crash'], level: 'should' }, 0],
  ['a crash in a MAY', { statuses: ['pass', 'crash'], level: 'may' }, 0],
  ['a crash in what is optional', { statuses: ['pass', 'crash'], level: 'opt' }, 1],
  [
    'a crash in a SHOULD that violates a MUST',
    { statuses: ['pass', result('crash', { findings: [finding('must')] })], level: 'should' },
    1,
  ],
  ['a known deviation', { statuses: ['pass', result('fail', { knownDeviation })] }, 1],
  ['nothing selected', {}, 5],
  ['nothing passed', { statuses: ['unsupported', 'skip'] }, 5],
  ['a fault of the harness', { statuses: ['pass', 'error'] }, 5],
  ['a note of a fault', { statuses: ['pass'], more: [harnessNote] }, 5],
  ['something left out', { statuses: ['pass', 'notrun'] }, 5],
  ['no footer', { statuses: ['pass'], end: [] }, 5],
  [
    'a log that contradicts itself',
    { statuses: ['pass'], more: [{ type: 'start', id: 'ghost', worker: 1, atMs: 1 }] },
    5,
  ],
  ['load failure', { statuses: ['notrun'], failure: failed('load') }, 3],
  ['initialise failure', { statuses: ['skip'], failure: failed('initialize') }, 3],
  ['no device, though some cases need none', { statuses: ['pass', 'skip'], failure: failed('client') }, 3],
  ['no device and no case that needs one', { statuses: ['pass'], failure: failed('client') }, 0],
  ['load failure and nothing planned', { failure: failed('load') }, 3],
  ['version refused', { statuses: ['notrun'], failure: failed('version') }, 4],
  ['interrupted', { statuses: ['pass', 'notrun'], end: interrupted }, 130],
  // Precedence: 130, 4, 1, 3, 5, 0.
  ['interrupted over everything', { statuses: ['fail', 'error'], failure: failed('version'), end: interrupted }, 130],
  ['version over a violated MUST', { statuses: ['fail'], failure: failed('version') }, 4],
  ['violated MUST over no device', { statuses: ['fail', 'skip'], failure: failed('client') }, 1],
  ['violated MUST over internal errors', { statuses: ['fail', 'error'], more: [harnessNote], end: [] }, 1],
  ['no device over harness faults', { statuses: ['error', 'pass'], failure: failed('client') }, 3],
])('%s', (_, given, code) => {
  const answer = verdict(scene(given));
  expect([answer.exitCode, answer.name]).toEqual([code, exitName(code)]);
  expect(answer.line).toMatch(/^[^\n]+$/);
});

test('strict makes a violated SHOULD fail, acceptKnown excuses known deviations', () => {
  const should = scene({ statuses: ['pass', 'warn'] });
  expect(verdict(should, { strict: true }).exitCode).toBe(1);
  expect(verdict(scene({ statuses: ['crash', 'pass'], level: 'should' }), { strict: true }).exitCode).toBe(1);
  const known = scene({ statuses: ['pass', result('fail', { knownDeviation })] });
  expect(verdict(known, { acceptKnown: true })).toEqual({
    exitCode: 0,
    name: 'passes',
    line: 'passes (profile standard): 1 of 2 cases passed, 1 known deviation accepted',
  });
  const both = scene({ statuses: ['pass', 'fail', result('fail', { knownDeviation })] });
  expect(verdict(both, { acceptKnown: true }).line).toBe('fails: 1 of 3 cases violate a MUST (1 fail)');
  expect(verdict(scene({ statuses: [result('fail', { knownDeviation })] }), { acceptKnown: true }).exitCode).toBe(5);
});

test('the options of the log are the defaults, those of the caller take precedence', () => {
  const run = scene({ statuses: ['pass', 'warn'] });
  run.header!.options = { strict: true };
  expect(verdict(run).exitCode).toBe(1);
  expect(verdict(run, { strict: undefined }).exitCode).toBe(1);
  expect(verdict(run, { strict: false }).exitCode).toBe(0);
});

test('the runner says how the run ended before there is a footer', () => {
  const run = scene({ statuses: ['pass'], end: [] });
  expect(verdict(run, { ending: 'complete' }).exitCode).toBe(0);
  expect(verdict(run, { ending: 'interrupted' }).line).toBe('interrupted: no violated MUST in 1 of 1 cases');
  const failing = scene({ statuses: ['fail', 'notrun'], end: [] });
  expect(verdict(failing, { ending: 'interrupted' }).line).toMatch(/violate a MUST.*; 1 of 2 have a result$/);
});

test('programs of the user that had nothing to compare with are counted', () => {
  const compared = { ...result('pass'), numerics: [{} as NumericRecord] };
  const run = scene({ statuses: ['pass', compared, 'unsupported', 'pass'] });
  const line = (profile: string) => verdict({ ...run, header: { ...run.header!, profile } }).line;
  expect(line('programs')).toContain(': 3 of 4 cases passed, 1 compared, 2 had nothing to compare with, 1 unsupported');
  expect(line('full')).not.toContain('compare');
});

test('lines name the plugin and the reason, on one line', () => {
  expect(verdict(scene({ statuses: ['notrun'], failure: { ...failed('load'), code: 'ENOENT' } })).line).toBe(
    'nothing proven: example could not be loaded: ENOENT: no such file',
  );
  expect(verdict(scene({ statuses: ['notrun'], failure: failed('version') })).line).toBe(
    'API version refused: example: no such file',
  );
  expect(verdict(scene({ statuses: ['pass', 'unsupported', 'warn', 'skip'] }), { profile: 'jax' }).line).toBe(
    'passes (profile jax): 2 of 4 cases passed, 1 of them with warnings, 1 unsupported, 1 skipped, 1 of 1 requirements exercised',
  );
});

test('a recorded verdict is that of the footer; without a footer it is computed', () => {
  const events = everyStatus();
  expect(recordedVerdict(foldRun(events)).line).toBe(verdict(foldRun(events)).line);
  expect(recordedVerdict(foldRun(events.slice(0, -1))).exitCode).toBe(1);
  expect(recordedVerdict(scene({ statuses: ['pass'], end: [footer({ exitCode: 3, verdict: 'said so' })] }))).toEqual({
    exitCode: 3,
    name: 'unusable',
    line: 'said so',
  });
  // No run ends with the exit code for wrong options: a footer with it is damaged.
  const damaged = scene({ statuses: ['pass'], end: [footer({ exitCode: 2, verdict: 'said so' })] });
  expect(recordedVerdict(damaged)).toMatchObject({ exitCode: 0, name: 'passes' });
});

test('unsupported, skipped, erroneous and missing results never fail the run by themselves', () => {
  for (const status of ['pass', 'unsupported', 'skip', 'error', 'notrun'] as const) {
    expect(failsRun({ plan: { level: 'must' }, result: result(status) }, { strict: true })).toBe(false);
  }
  expect(failsRun({ plan: { level: 'must' }, result: undefined }, { strict: true })).toBe(false);
});

test.each([
  [{ selection: { cases: 2, of: 4358 } }, ['pass', 'pass'], '2 of 4358 cases selected (profile standard): all passed'],
  [
    { selection: { cases: 3, of: 4358 } },
    ['pass', 'warn', 'unsupported'],
    '3 of 4358 cases selected (profile standard): 2 of 3 cases passed, 1 of them with warnings, 1 unsupported, 1 of 1 requirements exercised',
  ],
  [{ shard: { index: 1, count: 3 } }, ['pass'], 'shard 1 of 3 (profile standard): all passed'],
  [
    { shard: { index: 1, count: 3 }, selection: { cases: 6, of: 4358 } },
    ['pass', 'pass'],
    'shard 1 of 3, 6 of 4358 cases selected (profile standard): all passed',
  ],
  [
    { selection: { cases: 2, of: 4358 } },
    ['pass', 'fail'],
    'fails: 1 of 2 cases violate a MUST (1 fail); 2 of 4358 cases selected',
  ],
] as const)('the verdict of a part says so, and never that the plugin passes: %j %j', (more, statuses, line) => {
  const cases = statuses.map((status, at) => ({ name: `case-${at}`, result: result(status) }));
  expect(verdict(foldRun([header(more), ...suiteEvents('a', cases), footer()])).line).toBe(line);
});
