import { describe, expect, it } from 'vitest';
import type { Event } from '../../harness/model/events.ts';
import type { Status } from '../../harness/model/status.ts';
import { RUN } from './catalogue.ts';
import { judge, means, observe } from './judge.ts';
import { sampleFault } from './sample-fault.test-helper.ts';

const FAULT = sampleFault('odd');
const COVERS = new Map([
  ['load/table:size', ['ABI-VER-001']],
  ['load/table:code', ['ABI-SLOT-004']],
]);
const PLANNED = [...COVERS.keys()];

function verdict(
  size: Status,
  code: Status,
  {
    fault = FAULT,
    exitCode = 1 as number | null,
    outside = [] as string[],
    missing = undefined as string | undefined,
  } = {},
) {
  const statuses = new Map<string, Status>([
    ['load/table:size', size],
    ['load/table:code', code],
  ]);
  const findings = new Map(PLANNED.map((id) => [id, `${id} is wrong`]));
  return judge(
    fault,
    PLANNED,
    { exitCode, statuses, findings, covers: COVERS, outside },
    {
      reached: false,
      ...(missing === undefined ? {} : { missing }),
    },
  );
}

describe('a fault is', () => {
  it('detected by a case that covers what it breaks', () => {
    expect(verdict('fail', 'fail')).toEqual({
      outcome: 'detected',
      caughtBy: 'load/table:size',
      finding: 'load/table:size is wrong',
      failing: PLANNED,
    });
    for (const status of ['crash', 'timeout', 'warn'] as const)
      expect(verdict(status, 'pass').outcome).toBe('detected');
  });

  it('detected by the wrong case if none of those that fail covers what it breaks', () => {
    expect(verdict('pass', 'fail')).toMatchObject({ outcome: 'wrong-case', caughtBy: 'load/table:code' });
    expect(verdict('unsupported', 'fail').outcome).toBe('wrong-case');
  });

  it('detected by any case whose finding names what it breaks', () => {
    const seen = observe(
      [
        { type: 'suite', cases: [{ id: 'load/table:code', covers: ['ABI-SLOT-004'] }] },
        {
          type: 'case',
          id: 'load/table:code',
          result: { status: 'warn', findings: [{ message: 'the size has changed', requirements: ['ABI-VER-001'] }] },
        },
      ] as unknown as Event[],
      1,
    );
    expect(judge(FAULT, ['load/table:code'], seen, { reached: true })).toMatchObject({ outcome: 'detected' });
  });

  it('detected by a case that the catalogue lists', () => {
    expect(verdict('pass', 'fail', { fault: { ...FAULT, cases: ['load/table:co*'] } }).outcome).toBe('detected');
  });

  it('detected by findings outside cases only if the catalogue says so', () => {
    const outside = ['the plugin could not be used'];
    expect(verdict('skip', 'skip', { outside, exitCode: 3 })).toMatchObject({ outcome: 'wrong-case', caughtBy: RUN });
    const listed = verdict('skip', 'skip', { outside, exitCode: 3, fault: { ...FAULT, cases: [RUN] } });
    expect(listed).toMatchObject({ outcome: 'detected', caughtBy: RUN, finding: outside[0] });
  });

  it('missed if every case passes', () => {
    expect(verdict('pass', 'pass', { exitCode: 0 })).toEqual({ outcome: 'missed', failing: [] });
  });

  it('absent if the base has nothing where it could be put', () => {
    expect(verdict('pass', 'pass', { exitCode: 0, missing: 'a function of the table' }).outcome).toBe('absent');
  });

  it('disturbing if the harness is at fault, whatever else failed', () => {
    expect(verdict('error', 'fail')).toMatchObject({ outcome: 'disturbed' });
    expect(verdict('notrun', 'fail')).toMatchObject({ outcome: 'disturbed' });
    expect(verdict('pass', 'pass', { exitCode: 5 })).toMatchObject({ outcome: 'disturbed' });
    expect(verdict('fail', 'pass', { exitCode: null })).toMatchObject({ outcome: 'disturbed' });
  });
});

it('reads statuses, findings and breaches from a log', () => {
  const result = { status: 'fail' as const, findings: [], reason: 'so it is', durationMs: 1, nativeMs: 1, calls: 1 };
  const events: Event[] = [
    { type: 'case', id: 'a:b', worker: 1, atMs: 0, result },
    { type: 'note', level: 'warning', message: 'it died\nsomewhere', breach: true },
    { type: 'note', level: 'warning', message: 'it is loud' },
    {
      type: 'plugin',
      plugin: { name: 'x', path: 'x', sha256: '', sizeBytes: 1, failure: { stage: 'load', message: 'no' } },
    },
  ];
  const seen = observe(events, 1);
  expect(seen.statuses.get('a:b')).toBe('fail');
  expect(seen.findings.get('a:b')).toBe('so it is');
  expect(seen.outside).toEqual(['it died', 'no']);
  expect(seen.stopped).toBe(false);
});

it('takes globs for cases and for suites', () => {
  expect(means('load', 'load/table:size')).toBe(true);
  expect(means('load/table', 'load/table:size')).toBe(true);
  expect(means('loa', 'load/table:size')).toBe(false);
  expect(means('load/table:s*', 'load/table:size')).toBe(true);
  expect(means('load/table:size', 'load/table:size[x=1]')).toBe(true);
});
