import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import { everyStatus, facts, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { duration } from './console/words.ts';
import { type ConsoleOptions, createConsoleReporter } from './console.ts';
import { EventLog, readEvents } from './log.ts';

const folder = mkdtempSync(join(tmpdir(), 'pjrt-console-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.useRealTimers());

function shown(events: Iterable<Event>, options: Partial<ConsoleOptions> = {}, reports?: string[]): string {
  let text = '';
  const stream = { write: (chunk: string) => (text += chunk) };
  const reporter = createConsoleReporter({ stream, isTTY: false, color: false, ...options });
  for (const event of events) reporter.event(event);
  reporter.close(reports ? { reports } : {});
  return text;
}

const passing = (suites: number): Event[] => [
  header(),
  { type: 'plugin', plugin: facts() },
  ...Array.from({ length: suites }, (_, at) =>
    suiteEvents(
      `area/suite-${at}`,
      Array.from({ length: 50 }, (_, n) => ({ name: `case-${n}`, result: result('pass') })),
    ),
  ).flat(),
  footer({ verdict: `conformant (profile standard): ${suites * 50} of ${suites * 50} cases passed` }),
];

test('golden text: one case of every status', async () => {
  await expect(shown(everyStatus(), {}, ['reports/junit.xml'])).toMatchFileSnapshot('golden/every-status.txt');
});

test('success is quiet: one line per suite, not per case', () => {
  expect(shown(passing(2))).toBe(
    [
      'pjrt-conformance 0.1.0, profile standard, numerics standard (the default): ./example.so',
      '✓ area/suite-0  50 passed (200 ms)',
      '✓ area/suite-1  50 passed (200 ms)',
      '',
      'cases       100 in 2.5 s: 100 passed',
      '            1 of 1 requirements exercised',
      'plugin      example · API 0.90 · 120 functions, 1 NULL · platform example · 2 devices (Example)',
      '            1 extension: Layouts',
      'conformant (profile standard): 100 of 100 cases passed (exit code 0)',
      '',
    ].join('\n'),
  );
  expect(shown(passing(2), { quiet: true })).toBe(
    'conformant (profile standard): 100 of 100 cases passed (exit code 0)\n',
  );
  expect(shown(passing(2), { verbose: true }).split('\n')).toHaveLength(110);
});

test('the native calls of a failure are shown with --verbose', () => {
  const lines = shown(everyStatus(), { verbose: true });
  expect(lines).toContain(
    [
      '    the last 6 of 36 native calls:',
      '    | PJRT_Event_Await: still running on another thread',
      '    | PJRT_Device_Id × 3: OK (0.003 ms)',
      '    | PJRT_Client_LookupDevice: INVALID_ARGUMENT (0.250 ms)',
      '    | PJRT_Buffer_Destroy: the process died in it',
      '',
    ].join('\n'),
  );
  expect(shown(everyStatus(), {})).not.toContain('native calls');
});

test('live and from the log file, the text is the same', () => {
  const log = new EventLog(join(folder, 'events.jsonl'));
  for (const event of everyStatus()) log.write(event);
  log.close();
  for (const options of [{}, { verbose: true }, { quiet: true }, { color: true }]) {
    expect(shown(readEvents(log.path), options)).toBe(shown(everyStatus(), options));
  }
});

test("colours only on request, and the plugin's text cannot add its own", () => {
  const hostile = '\x1b]0;title\x07\x1b[31mred\x9b2J\x00\r\n';
  const events: Event[] = [
    header({ profile: hostile, plugins: [{ name: hostile, path: hostile }] }),
    {
      type: 'plugin',
      plugin: facts({ name: hostile, platformName: hostile, failure: { stage: 'client', message: hostile } }),
    },
    ...suiteEvents('a', [
      {
        name: 'x',
        result: result('fail', {
          findings: [{ type: 'pjrt.X', level: 'must', message: hostile, detail: hostile, call: hostile }],
          stderr: { head: hostile, tail: '', omittedBytes: 0 },
        }),
      },
      { name: 'y', result: result('unsupported', { reason: hostile }) },
    ]),
    { type: 'note', level: 'error', message: hostile, detail: hostile },
    footer({ verdict: hostile }),
  ];
  expect(shown(events, { verbose: true })).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  expect(shown(events, { verbose: true, color: true }).replace(/\x1b\[\d+m/g, '')).toBe(
    shown(events, { verbose: true }),
  );
  expect(shown(everyStatus(), { color: true })).toContain('\x1b[31m');
});

test('strict mode and accepted deviations change what is a failure', () => {
  const events = everyStatus().filter((event) => event.type !== 'header');
  const strict = shown([header({ options: { strict: true } }), ...events], { quiet: true });
  expect(strict).toContain('✗ WARN buffers/host-transfer:lookup-negative-id');
  const accepted = shown([header({ options: { acceptKnown: true } }), ...events]);
  expect(accepted).toContain('! FAIL (known) buffers/host-transfer:known-wrong');
  expect(accepted).not.toContain('3 × BUF-H2D-001');
});

test('a truncated run shows unfinished suites, and which cases did not run and why', () => {
  const events = [
    header(),
    ...suiteEvents('a', [{ name: 'x', result: result('pass') }, { name: 'y' }]),
    ...suiteEvents('b', [{ name: 'z' }]),
  ];
  const text = shown(events);
  expect(text).toContain('- a  1 passed, 1 not run (4 ms)');
  expect(text).toContain('- 1 of 2 suites have no result');
  expect(text).toContain('not run     2 × the run ended before this case');
  expect(text).toContain('no verdict: the log has no footer: the run is unfinished (exit code 5)');
});

test('reasons are grouped, the most common first, the rest counted', () => {
  const cases = Array.from({ length: 30 }, (_, at) => ({
    name: `c${at}`,
    result: result('unsupported', { reason: at < 18 ? 'slot is NULL' : `reason ${at}` }),
  }));
  const text = shown([header(), ...suiteEvents('a', cases), footer()]);
  expect(text).toContain('unsupported 18 × slot is NULL\n             1 × reason 18\n');
  expect(text).toContain('                 and 5 more\n');
});

test('an unusable plugin is shown with the reason', () => {
  const bare = { name: 'x', path: './x.so', sha256: '', sizeBytes: 1 };
  const text = shown([
    header(),
    {
      type: 'plugin',
      plugin: {
        ...bare,
        apiVersion: { major: 0, minor: 200 },
        versionStanding: 'newer',
        functions: { inTable: 140, known: 135, nullSlots: [] },
        extensions: [],
        devices: [],
        failure: { stage: 'client', message: 'no\ndevice', code: 'UNAVAILABLE' },
      },
    },
    footer({ exitCode: 3, verdict: 'nothing proven' }),
  ]);
  expect(text).toContain(
    'plugin      x · API 0.200 (newer than this version knows: the known part is tested) · 140 functions, 5 unknown · 0 devices\n',
  );
  expect(text).toContain('            no extensions\n            client failed: UNAVAILABLE: no\\ndevice\n');
});

test('the progress line stays within the width, at most ten a second, and is erased at the end', () => {
  let at = 0;
  const events = passing(4);
  const text = shown(
    (function* () {
      for (const event of events) {
        at += 1;
        yield event;
      }
    })(),
    { isTTY: true, columns: 30, now: () => at },
  );
  const drawn = [...text.matchAll(/\r\x1b\[2K([^\r\n]+)/g)].map((match) => match[1]!);
  const lines = drawn.filter((line) => /^\d+ ms {2}\d+\/\d+/.test(line));
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.length).toBeLessThanOrEqual(events.length / 100 + 1);
  for (const line of lines) expect(line.length).toBeLessThan(30);
  expect(lines.some((line) => line.includes('area/suite-'))).toBe(true);
  // What a terminal shows in the end is what a pipe gets.
  expect(text.replace(/\r\x1b\[2K\d+ ms {2}[^\r\n]*(?=\r)/g, '').replaceAll('\r\x1b[2K', '')).toBe(shown(events));
});

test('the progress line moves without events, and stops with the reporter', () => {
  vi.useFakeTimers();
  let text = '';
  const reporter = createConsoleReporter({
    stream: { write: (chunk) => (text += chunk) },
    isTTY: true,
    color: false,
    now: () => Date.now(),
  });
  for (const event of [header(), ...suiteEvents('a', [{ name: 'hangs' }])]) reporter.event(event);
  reporter.event({ type: 'start', id: 'a:hangs', worker: 1, atMs: 1 });
  vi.advanceTimersByTime(3000);
  expect(text).toContain('\r\x1b[2K2.5 s  0/1  a:hangs');
  reporter.close();
  const length = text.length;
  vi.advanceTimersByTime(3000);
  expect(text).toHaveLength(length);
  expect(text).toMatch(/\(exit code 5\)\n$/);
});

test('durations', () => {
  expect([0.4, 999, 1000, 59_900, 59_990, 123_000].map(duration)).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 00 s',
    '2 min 03 s',
  ]);
});

test('remaining time: in the progress line, or printed once if there is none', () => {
  const remaining = () => 13 * 60_000 + 20_000;
  const line = 'about 13 min left, estimated from the cases so far';
  expect(shown(passing(2), { remaining }).split(line)).toHaveLength(2);
  expect(shown(passing(2), { remaining, quiet: true })).not.toContain(line);
  expect(shown(passing(2), { remaining: () => 59_000 })).not.toContain('to go');
  expect(shown(passing(2), { remaining: () => undefined })).not.toContain('to go');
  let clock = 0;
  const now = () => (clock += 150);
  const progress = shown(passing(2), {
    remaining: (elapsed) => (elapsed > 1000 ? 42_000 : undefined),
    now,
    isTTY: true,
  });
  expect(progress).toContain('/100  about 42 s left');
  expect(progress).not.toContain(line);
});

describe('root causes', () => {
  const died = result('crash', {
    inFlight: 'PJRT_Client_Compile',
    signal: 'SIGSEGV',
    findings: [{ type: 'pjrt.Crash', level: 'must', message: 'the process died' }],
  });
  const excused = result('unsupported', { reason: 'r', cause: { kind: 'null', call: 'PJRT_Buffer_Memory' } });
  const times = (count: number, of: CaseResult) =>
    Array.from({ length: count }, (_, at) => ({ name: `c${at}`, result: of }));
  const events = [
    header(),
    ...suiteEvents('first', times(20, died)),
    ...suiteEvents('second', [
      ...times(5, died),
      { name: 'none', result: result('unsupported', { reason: 'no options' }) },
    ]),
    ...suiteEvents('third', times(45, excused)),
    footer(),
  ];
  const blocks = (text: string): number => text.match(/CRASH/g)?.length ?? 0;

  test('the first failures of a cause are printed, the others counted in their suite', () => {
    const text = shown(events);
    expect(blocks(text)).toBe(3);
    const lines = text.split('\n');
    const more = 'more: the process dies with SIGSEGV in PJRT_Client_Compile';
    expect(lines.filter((line) => line.includes(' more: '))).toEqual([`  … 17 ${more}`, `  … 5 ${more}`]);
    expect(lines[lines.indexOf(`  … 17 ${more}`) + 1]).toMatch(/^✗ first/);
  });

  test('--verbose prints all of them, --quiet no more than the default', () => {
    expect(blocks(shown(events, { verbose: true }))).toBe(25);
    const quiet = shown(events, { quiet: true });
    expect(blocks(quiet)).toBe(3);
    expect(quiet).toContain('  … 17 more: ');
  });

  test('failures of the run are not hidden behind others', () => {
    const expectation = { file: 'e.yaml', line: 1, expect: ['crash' as const], reason: 'old', outcome: 'met' as const };
    const met = { ...died, expectation };
    const text = shown([header(), ...suiteEvents('a', [...times(9, met), { name: 'new', result: died }]), footer()]);
    expect(text).toContain('! CRASH (expected) a:c2');
    expect(text).not.toContain('a:c3');
    expect(text).toContain('✗ CRASH a:new');
  });

  test('the counts of a truncated run are printed at its end', () => {
    const cutOff = [header(), ...suiteEvents('a', [...times(9, died), { name: 'open' }])];
    for (const quiet of [true, false]) expect(shown(cutOff, { quiet })).toContain('  … 6 more: ');
  });

  test('come first in the summary, and their cases are not repeated', () => {
    const text = shown(events);
    expect(text).toContain(
      'causes      ✗ the process dies with SIGSEGV in PJRT_Client_Compile (25 cases fail, e.g. first:c0)\n' +
        '            - PJRT_Buffer_Memory is NULL (45 cases could not be tried, e.g. third:c0)\n',
    );
    expect(text).toContain('unsupported 1 × no options\n');
    expect(text.indexOf('causes  ')).toBeLessThan(text.indexOf('violated  '));
  });

  test('many are counted, unless all are requested; long ones are truncated for the terminal, their effects are not', () => {
    const checks = Array.from({ length: 20 }, (_, at) => {
      const message = `${'abcdefghijklmnopqrst'[at]} ${'is wrong '.repeat(40)}`;
      return { name: `c${at}`, result: result('fail', { findings: [{ type: 'pjrt.X', level: 'must', message }] }) };
    });
    const many = [header(), ...suiteEvents('a', checks), footer()];
    const rows = (options: Partial<ConsoleOptions>): string[] =>
      shown(many, options)
        .split('\n')
        .filter((line) => line.endsWith(')') && line.includes('(1 case fails: a:c'));
    expect(rows({})).toHaveLength(12);
    expect(shown(many)).toContain('              and 8 more; the reports and --verbose list all\n');
    expect(rows({ verbose: true })).toHaveLength(20);
    for (const line of rows({ isTTY: true, columns: 120 })) expect(line).toHaveLength(120);
    for (const line of rows({})) expect(line.length).toBeLessThan(220);
  });
});
