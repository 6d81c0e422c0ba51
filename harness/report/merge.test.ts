import { describe, expect, it, test } from 'vitest';
import type { Event } from '../model/events.ts';
import { foldRun } from '../model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { MergeError, mergeLogs } from './merge.ts';

const part = (index: number, name: string, more: Parameters<typeof header>[0] = {}): Event[] => [
  header({ shard: { index, count: 2 }, ...more }),
  { type: 'plugin', plugin: facts({ answers: { PJRT_Error_Destroy: ['OK'], [`PJRT_${name}`]: ['OK'] } }) },
  ...suiteEvents('a', [{ name, plan: { index }, result: result('pass') }]),
  footer({ durationMs: 2000 }),
];

const named = (logs: readonly Event[][]) => logs.map((events, at) => ({ name: `part${at + 1}.jsonl`, events }));

const merge = Object.assign((...logs: Event[][]): Event[] => mergeLogs(named(logs)), {
  allowingMissing: (...logs: Event[][]): Event[] => mergeLogs(named(logs), { allowMissing: true }),
});

describe('parts of a run', () => {
  it('share one clock, have separate worker numbers, and all facts about the plugin', () => {
    const later = '2026-02-03T04:05:16.000Z';
    const events = merge(part(2, 'second', { startedAt: later }), part(1, 'first'));
    const run = foldRun(events);
    expect(run.header).toMatchObject({ startedAt: '2026-02-03T04:05:06.000Z' });
    expect(run.header?.shard).toBeUndefined();
    expect([...run.cases.keys()]).toEqual(['a:first', 'a:second']);
    const [first, second] = [...run.cases.values()];
    expect([first!.startedAtMs, second!.startedAtMs]).toEqual([100, 10_100]);
    expect(first!.worker).not.toBe(second!.worker);
    expect(Object.keys(run.plugins[0]!.answers!).sort()).toEqual(['PJRT_Error_Destroy', 'PJRT_first', 'PJRT_second']);
    expect(run.footer).toMatchObject({ durationMs: 12_000, exitCode: 0, counts: { pass: 2, notrun: 0 } });
  });

  it('may contain unknown events of a newer version, also with known member names', () => {
    const strange = part(1, 'first').map((event) => (event.type === 'suite' ? { ...event, worker: 'one' } : event));
    const { worker } = foldRun(merge(strange, part(2, 'second'))).cases.get('a:second')!;
    expect(worker).toBeGreaterThan(0);
  });

  it('keep attempts, and an expectations entry applies if it does in one of them', () => {
    const entry = { file: 'e.yaml', line: 3, cases: ['a:*'], expect: ['fail' as const], reason: 'old' };
    const withAttempts = (
      index: number,
      name: string,
      startedAt: string,
      standing: 'active' | 'elsewhere',
    ): Event[] => {
      const attempts = [1, 2].map((at) => ({ status: 'pass' as const, worker: 1, atMs: 100 + at, durationMs: 1 }));
      return [
        header({ shard: { index, count: 2 }, startedAt }),
        ...suiteEvents('a', [{ name, plan: { index }, result: result('pass', { attempts }) }]),
        { type: 'attempt', id: `a:${name}`, worker: 1, atMs: 101, attempt: attempts[0]! },
        { type: 'expectations', entries: [{ ...entry, standing }] },
        footer(),
      ];
    };
    const run = foldRun(
      merge(
        withAttempts(1, 'first', '2026-02-03T04:05:06.000Z', 'elsewhere'),
        withAttempts(2, 'second', '2026-02-03T04:05:16.000Z', 'active'),
      ),
    );
    const [first, second] = [...run.cases.values()].map(({ worker, attempts, result: of }) => ({
      worker,
      attempts: attempts!.map((attempt) => [attempt.worker, attempt.atMs]),
      kept: of!.attempts!.map((attempt) => [attempt.worker, attempt.atMs]),
    }));
    expect(first).toEqual({
      worker: 1,
      attempts: [[1, 101]],
      kept: [
        [1, 101],
        [1, 102],
      ],
    });
    expect(second).toEqual({
      worker: 3,
      attempts: [[3, 10_101]],
      kept: [
        [3, 10_101],
        [3, 10_102],
      ],
    });
    expect(run.expectations).toEqual([{ ...entry, standing: 'active' }]);
  });

  it.each([
    [['elsewhere', 'expired'], 'expired'],
    [['expired', 'active'], 'active'],
    [['elsewhere', 'elsewhere'], 'elsewhere'],
  ] as const)('have entries that are %j', (standings, whole) => {
    const entry = { file: 'e.yaml', line: 3, cases: ['a:*'], expect: ['fail' as const], reason: 'old' };
    const logs = standings.map((standing, at) =>
      part(at + 1, `case-${at}`).toSpliced(-1, 0, { type: 'expectations', entries: [{ ...entry, standing }] }),
    );
    expect(foldRun(merge(...logs)).expectations).toEqual([{ ...entry, standing: whole }]);
  });

  it('give no good verdict if one is missing or unfinished, and that is allowed', () => {
    const three = part(1, 'first', { shard: { index: 1, count: 3 } });
    const logs = [three, part(3, 'third', { shard: { index: 3, count: 3 } })];
    const missing = foldRun(merge.allowingMissing(...logs));
    expect(missing.footer).toMatchObject({ exitCode: 5, verdict: expect.stringContaining('shard 2 of 3 is missing') });
    const cutOff = merge.allowingMissing(part(1, 'first'), part(2, 'second').slice(0, -1));
    expect(cutOff.at(-1)).toMatchObject({
      type: 'note',
      message: expect.stringContaining('part2.jsonl has no end: the run is unfinished'),
    });
    expect(() => merge.allowingMissing(part(1, 'first'), part(1, 'first'))).toThrow(MergeError);
  });

  it('may be a single one, if it is the only one', () => {
    const only = merge(part(1, 'first', { shard: { index: 1, count: 1 } }));
    expect(foldRun(only).footer).toMatchObject({ exitCode: 0, counts: { pass: 1 } });
  });
});

test('a part with fewer expectations entries is no reason to fail', () => {
  const entry = { file: 'e.yaml', line: 2, cases: ['a:*'], expect: ['fail' as const], reason: 'known' };
  const active = { ...entry, standing: 'active' as const };
  const partWith = (index: number, ...entries: (typeof active)[]): Event[] =>
    part(index, `case-${index}`).toSpliced(-1, 0, { type: 'expectations', entries });
  expect(foldRun(merge(partWith(1, active, active), partWith(2, active))).expectations).toEqual([active, active]);
});
