import { expect, test } from 'vitest';
import type { Event } from './events.ts';
import { applyEvent, clockAt, emptyRun, foldRun, reasonOf, statusOf, suiteDurationMs, suiteStartMs } from './run.ts';
import { everyStatus, facts, footer, header, result, suiteEvents } from './sample-log.test-helper.ts';
import { STATUSES } from './status.ts';

test('planned cases keep their order and become notrun without a result', () => {
  const run = foldRun(everyStatus());
  expect(run.suites.map((suite) => [suite.suite, suite.done, suite.cases.length])).toEqual([
    ['buffers/host-transfer', 4, 4],
    ['errors/handling', 5, 6],
  ]);
  const last = run.suites[1]!.cases[5]!;
  expect([statusOf(last), reasonOf(last)]).toEqual(['notrun', 'the run ended before this case']);
  expect(run.counts).toEqual(run.footer?.counts);
  expect(run.faults).toEqual([]);
});

test('counts add up to the plan after every event', () => {
  const run = emptyRun();
  for (const event of everyStatus()) {
    applyEvent(run, event);
    expect(STATUSES.reduce((sum, status) => sum + run.counts[status], 0)).toBe(run.cases.size);
  }
});

test('a running case is known as running, and recorded as such when the log ends there', () => {
  const events = [header(), ...suiteEvents('a', [{ name: 'x', result: result('pass') }])];
  const run = foldRun(events.slice(0, -1));
  const [item] = run.running;
  expect(item?.plan.id).toBe('a:x');
  expect(reasonOf(item!)).toBe('the run ended while this case was running');
  applyEvent(run, events.at(-1)!);
  expect(run.running.size).toBe(0);
});

test('the time of a suite is the sum of its cases', () => {
  const [suite] = foldRun(
    suiteEvents(
      'a',
      [
        { name: 'x', result: result('pass') },
        { name: 'y', result: result('pass') },
      ],
      50,
    ),
  ).suites;
  expect([suiteStartMs(suite!), suiteDurationMs(suite!)]).toEqual([50, 8]);
  const [idle] = foldRun(suiteEvents('b', [{ name: 'x' }])).suites;
  expect([suiteStartMs(idle!), suiteDurationMs(idle!)]).toEqual([0, 0]);
});

test('later facts about a plugin add to earlier ones, and the latest failure counts', () => {
  const failure = { stage: 'client', message: 'no device' } as const;
  const bare = { name: 'example', path: './example.so', sha256: 'x', sizeBytes: 1 };
  const run = foldRun([
    { type: 'plugin', plugin: facts({ failure }) },
    { type: 'plugin', plugin: { ...bare } },
    { type: 'plugin', plugin: { ...bare, path: './other.so', failure } },
  ]);
  expect(run.plugins.map((plugin) => [plugin.path, plugin.failure?.stage, plugin.devices?.length])).toEqual([
    ['./example.so', undefined, 2],
    ['./other.so', 'client', undefined],
  ]);
});

test('answers of functions add up', () => {
  const answersEvent = (answers: Record<string, string[]>): Event => ({ type: 'plugin', plugin: facts({ answers }) });
  const run = foldRun([
    header(),
    answersEvent({ b: ['OK'], a: ['OK'] }),
    answersEvent({ b: ['INTERNAL', 'OK'], c: ['HANG'] }),
  ]);
  expect(run.plugins[0]?.answers).toEqual({ a: ['OK'], b: ['INTERNAL', 'OK'], c: ['HANG'] });
});

test('a resumed run has no end yet, and its interrupted cases are no longer running', () => {
  const events = [...suiteEvents('a', [{ name: 'x', result: result('pass') }, { name: 'y' }]), footer()];
  const resume: Event = {
    type: 'resume',
    startedAt: '2026-02-04T00:00:00.000Z',
    argv: [],
    atMs: 9,
    after: 'cut-off',
    tornBytes: 0,
  };
  const run = foldRun([header(), ...events, { type: 'start', id: 'a:y', worker: 1, atMs: 5 }, resume]);
  expect([run.footer, run.running.size, run.counts.pass, run.counts.notrun]).toEqual([undefined, 0, 1, 1]);
  // The clock continued during the pause, the time of the run did not.
  const day = (text: string): number => Date.parse(`2026-02-${text}Z`);
  expect([8, 10].map((atMs) => clockAt(run, atMs))).toEqual([day('03T04:05:06.008'), day('04T00:00:00.001')]);
});

test('contradictions in the log are recorded as faults, neither lost nor thrown', () => {
  const run = foldRun([
    header(),
    ...suiteEvents('a', [{ name: 'x', result: result('pass') }, { name: 'x' }]),
    { type: 'case', id: 'a:x', worker: 1, atMs: 400, result: result('fail') },
    { type: 'case', id: 'a:ghost', worker: 1, atMs: 400, result: result('pass') },
    { type: 'start', id: 'a:ghost2', worker: 1, atMs: 400 },
    footer(),
  ]);
  expect(run.faults).toEqual([
    'case a:x is planned twice',
    'case a:x has two results',
    'case a:ghost has a result but was not planned',
    'case a:ghost2 was started but not planned',
  ]);
  expect(run.counts.fail).toBe(1);
  expect(run.suites[0]!.done).toBe(1);
});

test('a case between two attempts has not run yet, and is recorded as such when the log ends there', () => {
  const attempt = { status: 'fail', worker: 1, atMs: 20, durationMs: 4 } as const;
  const begun: Event[] = [
    header(),
    ...suiteEvents('a', [{ name: 'one' }]),
    { type: 'start', id: 'a:one', worker: 1, atMs: 10 },
    { type: 'attempt', id: 'a:one', worker: 1, atMs: 20, attempt },
  ];
  const run = foldRun(begun);
  const item = run.cases.get('a:one')!;
  expect([run.running.size, statusOf(item), reasonOf(item)]).toEqual([
    0,
    'notrun',
    'the run ended between two attempts at this case',
  ]);
  expect(item.attempts).toEqual([attempt]);
  applyEvent(run, { type: 'start', id: 'a:one', worker: 2, atMs: 30 });
  expect([item.startedAtMs, run.running.size]).toEqual([10, 1]);
  expect(foldRun([header(), begun.at(-1)!]).faults).toEqual(['case a:one has an attempt but was not planned']);
});
