import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import { everyStatus, facts, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { duration } from './console/words.ts';
import { type Closing, type ConsoleOptions, createConsoleReporter } from './console.ts';
import { EventLog, readEvents } from './log.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-console-'));
afterAll(() => rmSync(directory, { recursive: true }));

function shown(events: Iterable<Event>, options: Partial<ConsoleOptions> = {}, closing?: Closing): string {
  let text = '';
  const stream = { write: (chunk: string) => (text += chunk) };
  const reporter = createConsoleReporter({ stream, isTTY: false, color: false, ...options });
  for (const event of events) reporter.event(event);
  reporter.close(closing);
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
  footer({ verdict: `passes (profile standard): ${suites * 50} of ${suites * 50} cases passed` }),
];

test('golden text: one case of every status', async () => {
  await expect(
    shown(everyStatus(), {}, { reports: ['reports/junit.xml'], log: 'reports/events.jsonl' }),
  ).toMatchFileSnapshot('golden/every-status.txt');
});

test('success is quiet: neither suites nor cases', () => {
  expect(shown(passing(2))).toBe(
    [
      'pjrt-conformance 0.1.0, profile standard, numerics standard (the default): ./example.so',
      '',
      'cases       100 in 2.5 s: 100 passed',
      '            1 of 1 requirements exercised',
      'plugin      example · API 0.90 · 120 functions, 1 NULL · platform example · 2 devices (Example)',
      '            1 extension: Layouts',
      'passes (profile standard): 100 of 100 cases passed (exit code 0)',
      '',
    ].join('\n'),
  );
  expect(shown(passing(2), { quiet: true })).toBe('passes (profile standard): 100 of 100 cases passed (exit code 0)\n');
  const all = shown(passing(2), { verbose: true });
  expect(all.split('\n')).toHaveLength(110);
  expect(all).toContain('\n✓ area/suite-1  50 passed (200 ms)\n');
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
  const log = new EventLog(join(directory, 'events.jsonl'));
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
  expect(accepted).not.toContain('buffers/host-transfer:known-wrong');
  expect(accepted).toContain('known       1 case, by 1 known deviation of the manifest; --verbose shows them\n');
  expect(accepted).toContain('1 × BUF-H2D-001');
  const all = shown([header({ options: { acceptKnown: true } }), ...events], { verbose: true });
  expect(all).toContain('! FAIL (known) buffers/host-transfer:known-wrong');
});

test('the texts of violated requirements stand beside their ids', () => {
  const requirements = new Map([
    ['BUF-DEL-002', 'A buffer is destroyed once.'],
    ['BUF-H2D-001', `What goes to a device ${'comes back, '.repeat(30)}unchanged.`],
  ]);
  const text = shown(everyStatus(), {}, { texts: { requirements, bases: new Map([['BUF-DEL-002', 'pjrt_c_api.h']]) } });
  expect(text).toContain(
    '\n    BUF-DEL-002: A buffer is destroyed once. Source: pjrt_c_api.h <https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api.h>\n',
  );
  expect(text).toContain('\n            1 × BUF-DEL-002  A buffer is destroyed once.\n');
  expect(text).toMatch(/^violated {4}2 × BUF-H2D-001 {2}What goes .*comes back,…$/m);
});

test('a truncated run shows which cases did not run and why', () => {
  const events = [
    header(),
    ...suiteEvents('a', [{ name: 'x', result: result('pass') }, { name: 'y' }]),
    ...suiteEvents('b', [{ name: 'z' }]),
  ];
  const text = shown(events);
  expect(shown(events, { verbose: true })).toContain('- a  1 passed, 1 not run (4 ms)');
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
  expect(text).toContain('                 and 8 more, 8 times\n');
  expect(shown([header(), ...suiteEvents('a', cases), footer()], { verbose: true })).toContain(' 1 × reason 29\n');
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

describe('failures by cause', () => {
  const died = result('crash', {
    inFlight: 'PJRT_Client_Compile',
    signal: 'SIGSEGV',
    findings: [{ type: 'pjrt.Crash', level: 'must', message: 'the process died' }],
  });
  const excused = result('unsupported', { reason: 'r', cause: { kind: 'null', call: 'PJRT_Buffer_Memory' } });
  const wrong = (message: string): CaseResult =>
    result('fail', { findings: [{ type: 'pjrt.X', level: 'must', message, detail: 'expected\nactual' }] });
  const times = (count: number, of: CaseResult, name = 'c') =>
    Array.from({ length: count }, (_, at) => ({ name: `${name}${at}`, result: of }));
  const events = [
    header(),
    ...suiteEvents('first', times(20, died)),
    ...suiteEvents('second', [
      ...times(5, died),
      ...times(40, wrong('the dimensions are 2'), 'dims-'),
      { name: 'none', result: result('unsupported', { reason: 'no options' }) },
    ]),
    ...suiteEvents('third', times(45, excused)),
    footer(),
  ];
  const blocks = (text: string): number => text.match(/^ *reproduce: /gm)?.length ?? 0;

  test('one case of each, with the command; those that hide others count twice', () => {
    const text = shown(events, {}, { log: 'reports/events.jsonl' });
    expect(text).toContain(
      [
        '2 root causes of 65 failures; what to fix first comes first',
        '',
        '✗ the process dies with SIGSEGV in PJRT_Client_Compile',
        '  25 cases fail: they end there, and what they check later is unknown; for example',
        '  ✗ CRASH first:c0',
        '      the process died',
        '      suites/first.yaml:7 · MUST BUF-H2D-001',
        '      process ended: SIGSEGV in PJRT_Client_Compile',
        '      reproduce: npx pjrt-conformance --plugin ./example.so --test first:c0',
        '',
        '✗ the dimensions are 2',
        '  40 cases fail; for example',
        '  ✗ FAIL second:dims-0',
      ].join('\n'),
    );
    expect(blocks(text)).toBe(2);
    expect(text).toContain('not offered 45 × PJRT_Buffer_Memory is NULL\n');
    expect(text).toContain('unsupported 1 × no options\n');
    expect(text).toContain('every failure in full: npx pjrt-conformance report reports/events.jsonl --verbose\n');
  });

  test('while the run goes on, the first failure of each cause is named; from a log, none', () => {
    const named = ['✗ CRASH first:c0: the process died', '✗ FAIL second:dims-0: the dimensions are 2'];
    const lines = (options: Partial<ConsoleOptions>): string[] =>
      shown(events, options)
        .split('\n')
        .filter((line) => line.startsWith('✗ ') && line.includes(': '));
    expect(lines({})).toEqual(named);
    expect(lines({ live: false })).toEqual([]);
    expect(lines({ quiet: true })).toEqual([]);
  });

  test('--verbose prints all of them, --quiet the causes', () => {
    expect(blocks(shown(events, { verbose: true }))).toBe(65 + 2);
    const quiet = shown(events, { quiet: true });
    expect(blocks(quiet)).toBe(2);
    expect(quiet).not.toContain('not offered');
  });

  test('what is expected is no failure, and hides none', () => {
    const expectation = { file: 'e.yaml', line: 1, expect: ['crash' as const], reason: 'old', outcome: 'met' as const };
    const met = { ...died, expectation };
    const log = [header(), ...suiteEvents('a', [...times(9, met), { name: 'new', result: died }]), footer()];
    const text = shown(log);
    expect(text).toContain('expected    9 failures, by 1 entry of e.yaml; --verbose shows them\n');
    expect(text).toContain('✗ CRASH a:new');
    expect(text).not.toContain('a:c3');
    expect(shown(log, { verbose: true })).toContain('! CRASH (expected) a:c3');
    expect(shown(log, { verbose: true })).toContain('expected    9 × old (e.yaml:1)\n');
  });

  test('many causes: six with a case, fourteen on a line each, the rest counted; nothing is cut within a word', () => {
    const checks = Array.from({ length: 30 }, (_, at) => {
      const letter = String.fromCodePoint(0x61 + (at % 26)).repeat(1 + Math.floor(at / 26));
      return { name: `c${at}`, result: wrong(`${letter} ${'is wrong '.repeat(40)}`) };
    });
    const many = [header(), ...suiteEvents('a', checks), footer()];
    const rows = (options: Partial<ConsoleOptions>): string[] =>
      shown(many, options)
        .split('\n')
        .filter((line) => line.includes('(1 case fails: a:c'));
    expect(blocks(shown(many))).toBe(6);
    expect(rows({})).toHaveLength(14);
    expect(shown(many)).toContain('  and 10 more causes with 10 cases: u is wrong');
    for (const line of rows({})) expect(line.length).toBeLessThan(200);
    for (const line of rows({ isTTY: true, columns: 120 })) {
      expect(line.length).toBeLessThanOrEqual(120);
      expect(line).toMatch(/ (?:is|wrong)…? \(1 case/);
    }
  });

  test('warnings that nothing explains have a line each', () => {
    const finding = { type: 'pjrt.X', level: 'should' as const, message: 'the name is empty' };
    const warned = result('warn', { findings: [finding] });
    const knownDeviation = { reason: 'documented', evidence: 'here' };
    const text = shown([
      header(),
      ...suiteEvents('a', [...times(3, warned), ...times(2, { ...warned, knownDeviation }, 'known-')]),
      footer(),
    ]);
    expect(text).toContain('warnings    ! the name is empty (3 cases warn, 2 are known or expected, e.g. a:c0)\n');
    expect(text).toContain('known       2 cases, by 1 known deviation of the manifest; --verbose shows them\n');
    expect(blocks(text)).toBe(0);
  });

  test('a lone failure has room for all that is known of it', () => {
    const detail = Array.from({ length: 22 }, (_, at) => `line ${at}`).join('\n');
    const long = result('fail', { findings: [{ type: 'pjrt.X', level: 'must', message: 'wrong', detail }] });
    const log = (count: number) => [
      header(),
      ...suiteEvents('a', times(1, long)),
      ...suiteEvents('b', checks(count)),
      footer(),
    ];
    const checks = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `c${at}`, result: wrong('abcdefgh'[at]!.repeat(3)) }));
    expect(shown(log(0))).toContain('line 21');
    expect(shown(log(7))).toMatch(/line 5\n {4}… 16 more lines with --verbose\n {4}reproduce:/);
  });

  test('notes: the first of each level, the others counted', () => {
    const notes = (level: 'warning' | 'error'): Event[] =>
      Array.from({ length: 9 }, (_, at) => ({
        type: 'note',
        level,
        message: `${level} ${at}`,
        detail: 'x\n'.repeat(30),
      }));
    const log = [
      header(),
      ...suiteEvents('a', times(1, result('pass'))),
      ...notes('warning'),
      ...notes('error'),
      footer(),
    ];
    const text = shown(log);
    expect(text).toContain('warning: warning 4\nerror: error 0\n    x\n');
    expect(text).toContain('\n    … 23 more lines with --verbose\n');
    expect(text).not.toContain('error 5');
    expect(text).toContain('and 4 more warnings\nand 4 more errors\n');
    expect(shown(log, { quiet: true })).not.toContain('warning');
    expect(shown(log, { verbose: true })).toContain('error 8');
  });
});
