import { describe, expect, test } from 'vitest';
import type { CaseResult } from '../../model/case-result.ts';
import type { Event, PlannedCase } from '../../model/events.ts';
import type { NumericRecord } from '../../model/numeric-record.ts';
import type { Observation } from '../../model/observation.ts';
import { foldRun } from '../../model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { contraction, exponential } from '../../model/sample-numbers.test-helper.ts';
import type { Status } from '../../model/status.ts';
import { CHANGE_KINDS, type Change } from './change.ts';
import { type Comparison, compareRuns } from './compare.ts';
import { writeJunit } from './junit.ts';
import { writeMarkdown } from './markdown.ts';
import { DEFAULT_POLICY, type Policy } from './policy.ts';
import type { NamedRun } from './side.ts';
import { comparisonLines } from './text.ts';
import { exceptionText } from './words.ts';

type Cases = Record<string, CaseResult | Status>;

interface Made {
  cases?: Cases;
  plan?: Partial<PlannedCase>;
  more?: Event[];
  plugin?: Parameters<typeof facts>[0];
  header?: Parameters<typeof header>[0];
}

/** A run of the suite `s`. */
function made({ cases = { a: 'pass' }, plan = {}, more = [], plugin = {}, header: head = {} }: Made): NamedRun {
  const planned = Object.entries(cases).map(([name, end]) => ({
    name,
    plan,
    result: typeof end === 'string' ? result(end) : end,
  }));
  const events = [header(head), { type: 'plugin', plugin: facts(plugin) }, ...suiteEvents('s', planned), ...more];
  return { name: 'log', run: foldRun([...(events as Event[]), footer()]) };
}

const compared = (old: Made, now: Made, policy: Policy = DEFAULT_POLICY): Comparison =>
  compareRuns([made(old)], [made(now)], policy);

const changesOf = ({ changes }: Comparison): [Change['action'], Change['kind'], string][] =>
  changes.map(({ action, kind, subject }) => [action, kind, subject]);

const finding = (message: string): CaseResult['findings'] => [{ type: 'pjrt.X', level: 'must', message, line: 9 }];

describe('cases', () => {
  test.each<[Status, Status, Change['action'] | undefined, Change['kind'] | undefined]>([
    ['pass', 'fail', 'fail', 'new-failure'],
    ['unsupported', 'fail', 'fail', 'new-failure'],
    ['pass', 'crash', 'fail', 'new-crash'],
    ['fail', 'crash', 'fail', 'new-crash'],
    ['fail', 'timeout', 'fail', 'new-crash'],
    ['crash', 'timeout', 'warn', 'changed-failure'],
    ['pass', 'warn', 'warn', 'new-warning'],
    ['pass', 'unsupported', 'fail', 'lost-support'],
    ['warn', 'unsupported', 'fail', 'lost-support'],
    ['pass', 'skip', 'fail', 'not-run'],
    ['pass', 'notrun', 'fail', 'not-run'],
    ['pass', 'error', 'fail', 'harness-error'],
    ['pass', 'flaky', 'fail', 'new-flaky'],
    ['fail', 'flaky', 'warn', 'changed-failure'],
    ['flaky', 'fail', 'warn', 'changed-failure'],
    ['flaky', 'crash', 'fail', 'new-crash'],
    ['flaky', 'pass', 'ignore', 'fixed'],
    ['fail', 'unsupported', 'warn', 'untested-failure'],
    ['crash', 'skip', 'warn', 'untested-failure'],
    ['fail', 'pass', 'ignore', 'fixed'],
    ['crash', 'fail', 'warn', 'changed-failure'],
    ['timeout', 'fail', 'warn', 'changed-failure'],
    ['warn', 'pass', 'ignore', 'fixed'],
    ['fail', 'warn', 'ignore', 'fixed'],
    ['unsupported', 'pass', 'ignore', 'gained'],
    ['skip', 'unsupported', undefined, undefined],
    ['pass', 'pass', undefined, undefined],
    ['crash', 'crash', undefined, undefined],
  ])('%s → %s', (old, now, action, kind) => {
    const comparison = compared({ cases: { a: old } }, { cases: { a: now } });
    expect(changesOf(comparison)).toEqual(kind ? [[action, kind, 's:a']] : []);
    expect(comparison.gate.verdict).toBe(action === 'fail' ? 'fail' : 'pass');
  });

  test('a different finding of a case that still fails is reported; the same one is not', () => {
    const failing = (message: string): Made => ({ cases: { a: result('fail', { findings: finding(message) }) } });
    expect(changesOf(compared(failing('3 differ'), failing('3 differ')))).toEqual([]);
    const { changes } = compared(failing('3 differ'), failing('4 differ'));
    expect(changes).toMatchObject([{ kind: 'changed-failure', action: 'warn', message: '4 differ' }]);
  });

  test('other words of another version of the tool for the same finding are no change; another fact is', () => {
    const failing = (message: string, version: string, code = 'INTERNAL'): Made => ({
      header: { tool: { name: 'pjrt-conformance', version } },
      cases: { a: result('fail', { findings: [{ ...finding(message)[0]!, call: 'PJRT_X', code }] }) },
    });
    const kinds = (old: Made, now: Made) => changesOf(compared(old, now)).map(([, kind]) => kind);
    expect(kinds(failing('it says no', '1.0'), failing('it refuses', '1.1'))).toEqual([]);
    expect(kinds(failing('it says no', '1.0'), failing('it refuses', '1.0'))).toEqual(['changed-failure']);
    expect(kinds(failing('it says no', '1.0'), failing('it refuses', '1.1', 'UNKNOWN'))).toEqual(['changed-failure']);
  });

  test('a change has the finding, the location, the requirement and the command', () => {
    const now: CaseResult = result('fail', { findings: finding('num_devices is 1') });
    const { changes } = compared({}, { cases: { a: now } });
    expect(changes[0]).toEqual({
      kind: 'new-failure',
      action: 'fail',
      subject: 's:a',
      old: 'pass',
      new: 'fail',
      message: 'num_devices is 1',
      place: 'suites/s.yaml:9',
      requirements: ['BUF-H2D-001'],
      reproduce: 'npx pjrt-conformance --plugin ./example.so --test s:a',
    });
  });

  test('cases that only one side has', () => {
    const old: Made = { cases: { a: 'pass', gone: 'pass' } };
    expect(changesOf(compared(old, { cases: { a: 'pass', good: 'pass', bad: 'fail' } }))).toEqual([
      ['warn', 'new-case-fails', 's:bad'],
      ['warn', 'gone-case', 's:gone'],
      ['ignore', 'new-case', 's:good'],
    ]);
  });

  test('what does not fail the run is at most a warning', () => {
    const known = result('fail', { knownDeviation: { reason: 'one socket', evidence: 'x:1' } });
    const accepting = { header: { options: { acceptKnown: true } } };
    const accepted = compared(accepting, { cases: { a: known }, ...accepting });
    expect(accepted.changes).toMatchObject([
      { kind: 'new-failure', action: 'warn', exception: 'accepted: one socket' },
    ]);
    const expectation = {
      file: 'e.yaml',
      line: 1,
      expect: ['fail' as const],
      reason: 'ticket 7',
      outcome: 'met' as const,
    };
    const expected = compared({}, { cases: { a: result('fail', { expectation }) } });
    expect(expected.changes).toMatchObject([{ kind: 'new-failure', action: 'warn', exception: 'expected: ticket 7' }]);
    const allowing = { header: { options: { allowFlaky: true } } };
    const flaky = compared(allowing, { cases: { a: 'flaky' }, ...allowing });
    expect(flaky.changes).toMatchObject([{ kind: 'new-flaky', action: 'warn', exception: '--allow-flaky' }]);
    const outside = compared({}, { cases: { a: 'fail' }, plan: { informative: true } });
    expect(outside.changes).toMatchObject([{ action: 'warn', exception: 'outside the gate of the profile' }]);
  });

  test('a case whose suite changed is compared with a caution', () => {
    const old = made({});
    old.run.suites[0]!.sha256 = 'other';
    const { changes, cautions } = compareRuns([old], [made({ cases: { a: 'fail' } })], DEFAULT_POLICY);
    expect(changes[0]!.caution).toBe('suites/s.yaml changed: the check may have changed');
    expect(cautions).toEqual(['the files of 1 suite (s) changed (1 case in both): their checks may have changed']);
  });

  test('the worst of several repeats counts, and unstable cases are reported', () => {
    const runs = (...ends: Status[]): NamedRun[] => ends.map((end) => made({ cases: { a: end } }));
    expect(changesOf(compareRuns(runs('pass', 'fail', 'pass'), runs('fail'), DEFAULT_POLICY))).toEqual([]);
    const { changes, cautions } = compareRuns(runs('pass', 'pass'), runs('pass', 'fail'), DEFAULT_POLICY);
    expect(changes).toMatchObject([
      { kind: 'new-failure', caution: 'varying in NEW: pass in 1 of 2 runs, fail in 1 of 2 runs' },
    ]);
    expect(cautions).toEqual(['NEW: 1 case (s:a) varied between runs; the worst status counts']);
  });
});

describe('plugins', () => {
  const answers = (list: Record<string, string[]>): Made => ({ plugin: { answers: list } });

  test('a function that worked and no longer does is lost, whatever its status', () => {
    const old = answers({ PJRT_Client_Compile: ['OK'], PJRT_Client_Devices: ['OK'], PJRT_Buffer_Delete: ['OK'] });
    const now: Made = {
      plugin: {
        answers: { PJRT_Client_Compile: ['UNIMPLEMENTED'], PJRT_Client_Devices: ['DEATH'] },
        functions: { inTable: 120, known: 120, nullSlots: ['PJRT_Buffer_Bitcast', 'PJRT_Buffer_Delete'] },
      },
    };
    expect(changesOf(compared(old, now))).toEqual([
      ['fail', 'lost-function', 'PJRT_Client_Devices'],
      ['fail', 'lost-function', 'PJRT_Client_Compile'],
      ['fail', 'lost-function', 'PJRT_Buffer_Delete'],
    ]);
  });

  test('a function that no case called, and errors when fewer cases ran, are not compared', () => {
    const old: Made = { cases: { a: 'pass', b: 'pass' }, ...answers({ PJRT_Client_Compile: ['OK'] }) };
    expect(changesOf(compared(old, { ...old, ...answers({}) }))).toEqual([]);
    const now = answers({ PJRT_Client_Compile: ['INVALID_ARGUMENT'] });
    expect(changesOf(compared(old, now)).map(([, kind]) => kind)).toEqual(['fewer-cases', 'gone-case']);
    expect(changesOf(compared(old, { ...now, cases: old.cases! }))).toEqual([
      ['fail', 'lost-function', 'PJRT_Client_Compile'],
    ]);
  });

  test('extensions: lost, smaller, gained; slots of extensions are functions', () => {
    const layouts = { type: 5, name: 'Layouts', structSize: 96, knownSizes: [96], slots: 9, nullSlots: [] as string[] };
    const stream = { type: 3, name: 'Stream', structSize: 40, knownSizes: [40], slots: 2, nullSlots: [] };
    const having = (...extensions: (typeof layouts)[]): Made => ({ plugin: { extensions } });
    expect(changesOf(compared(having(layouts, stream), having(layouts)))).toEqual([
      ['fail', 'lost-extension', 'Stream'],
    ]);
    const unread = { plugin: { extensions: undefined } };
    expect(changesOf(compared(having(layouts), unread))).toEqual([['fail', 'lost-extension', 'all extensions']]);
    expect(changesOf(compared(having(), unread))).toEqual([]);
    expect(changesOf(compared(having(layouts), having(layouts, stream)))).toEqual([['ignore', 'gained', 'Stream']]);
    expect(compared(having(layouts), having({ ...layouts, structSize: 80 })).changes[0]).toMatchObject({
      kind: 'smaller-extension',
      subject: 'Layouts',
      old: '96 bytes',
      new: '80 bytes',
    });
  });

  test('API version, attributes, platform, devices, memories', () => {
    const old = { plugin: { apiVersion: { major: 0, minor: 90 } } };
    const back = compared(old, { plugin: { apiVersion: { major: 0, minor: 89 } } });
    expect(back.changes.find(({ kind }) => kind === 'api-step-back')).toMatchObject({
      action: 'fail',
      old: '0.90',
      new: '0.89',
      message: '1 minor version back',
    });
    expect(changesOf(compared(old, { plugin: { apiVersion: { major: 1, minor: 90 } } }))[0]).toEqual([
      'fail',
      'api-major',
      'C API version',
    ]);
    const now: Made = {
      plugin: {
        attributes: { xla_version: 3, stablehlo_current_version: [1, 9, 0], note: 'text', more: 1 },
        platformName: 'other',
        platformVersion: 'example 2',
        devices: [{ id: 0, kind: 'Example', debug: '' }],
        memories: [{ id: 0, kind: 'pinned' }],
      },
    };
    expect(changesOf(compared({}, now))).toEqual([
      ['fail', 'lost-attribute', 'attribute fast'],
      ['fail', 'lost-memory', 'memory device'],
      ['warn', 'changed-attribute', 'attribute xla_version'],
      ['warn', 'changed-platform', 'platform name'],
      ['warn', 'changed-devices', 'devices'],
      ['ignore', 'gained', 'attribute more'],
      ['ignore', 'gained', 'memory pinned'],
      ['ignore', 'changed-version', 'platform version'],
    ]);
  });

  test('a plugin that has become unusable fails the gate although no case failed', () => {
    const now: Made = { cases: {}, plugin: { failure: { stage: 'client', message: 'no device' } } };
    expect(compared({ cases: {} }, now).changes).toMatchObject([
      { kind: 'unusable', action: 'fail', message: 'client failed: no device' },
    ]);
  });

  test('a framework release that stopped working; a breach outside any case', () => {
    const verdict = (outcome: 'works' | 'limits' | 'refuses', limits: string[] = [], about: string[] = []): Event => ({
      type: 'framework',
      verdict: {
        framework: 'jax',
        version: '0.10.2',
        title: 'JAX',
        date: '2026-01-01',
        apiMinor: 90,
        outcome,
        reason: 'no compiler',
        limits,
        ...(about.length > 0
          ? { limitFacts: about.map((one) => ({ moment: 'when used', about: one, outcome: 'limits' as const })) }
          : {}),
        facts: [],
        untried: [],
        window: { standing: 'inside', text: '' },
      },
    });
    const gone = compared({ more: [verdict('works')] }, { more: [verdict('refuses')] });
    expect(changesOf(gone)).toEqual([['fail', 'framework-breaks', 'jax@0.10.2']]);
    const limited = compared({ more: [verdict('works')] }, { more: [verdict('limits', ['no donation'])] });
    expect(limited.changes).toMatchObject([{ kind: 'framework-limits', action: 'warn', detail: ['no donation'] }]);
    const [copies, reworded] = [['no copies'], ['copies fail', 'no donation']];
    const more = compared(
      { more: [verdict('limits', copies, ['PJRT_Copy'])] },
      { more: [verdict('limits', reworded, ['PJRT_Copy', 'donation'])] },
    );
    expect(more.changes).toMatchObject([{ kind: 'framework-limits', detail: ['no donation'] }]);
    const same = ['PJRT_Copy', 'donation'];
    expect(
      compared({ more: [verdict('limits', ['a', 'b'], same)] }, { more: [verdict('limits', ['c', 'd'], same)] })
        .changes,
    ).toEqual([]);
    const breach: Event = { type: 'note', level: 'warning', message: 'worker 1 died', breach: true };
    expect(changesOf(compared({}, { more: [breach] }))).toEqual([['fail', 'new-breach', 'outside any case']]);
    expect(changesOf(compared({ more: [breach] }, { more: [breach] }))).toEqual([]);
  });
});

describe('numbers', () => {
  const withUlp = (maxUlp: number | null): Made => ({
    cases: {
      'sine[dtype=f32]': result('pass', {
        numerics: [
          { what: 'y', maxUlp: maxUlp as number, allowedUlp: 4, index: 0, expectedBits: '0x0', actualBits: '0x0' },
        ],
      }),
    },
  });

  test('3 ULP more within the bound are a regression, 1 or fewer are not', () => {
    const drift = compared(withUlp(1), withUlp(4));
    expect(drift.changes).toMatchObject([
      {
        kind: 'ulp-drift',
        action: 'fail',
        subject: 's:sine[dtype=f32]',
        message: 'y: 4 ULP from the exact result, was 1 ULP; allowed 4 ULP',
      },
    ]);
    expect(drift.numerics).toEqual({
      operations: [{ operation: 's:sine', records: 1, drifted: 1, oldUlp: 1, newUlp: 4 }],
      records: [{ case: 's:sine[dtype=f32]', what: 'y', oldUlp: 1, newUlp: 4, allowedUlp: 4, drifted: true }],
    });
    expect(changesOf(compared(withUlp(1), withUlp(2)))).toEqual([]);
    expect(changesOf(compared(withUlp(4), withUlp(0)))).toEqual([]);
  });

  test('an infinite distance, which logs write as null, is greater than any other', () => {
    expect(changesOf(compared(withUlp(1), withUlp(null)))).toEqual([['fail', 'ulp-drift', 's:sine[dtype=f32]']]);
    expect(changesOf(compared(withUlp(null), withUlp(null)))).toEqual([]);
  });

  test('with repeats, only values beyond all old runs are drift', () => {
    const runs = (...ulps: number[]): NamedRun[] => ulps.map((ulp) => made(withUlp(ulp)));
    expect(changesOf(compareRuns(runs(1, 3), runs(4), DEFAULT_POLICY))).toEqual([]);
    expect(changesOf(compareRuns(runs(1, 1), runs(1, 4), DEFAULT_POLICY))).toEqual([]);
    expect(changesOf(compareRuns(runs(1, 1), runs(4, 4), DEFAULT_POLICY))).toHaveLength(1);
  });
});

describe('operations and behaviours', () => {
  const numbers = (...numerics: NumericRecord[]): Made => ({ cases: { a: result('pass', { numerics }) } });
  const observing = (...observed: Observation[]): Made => ({ cases: { a: result('pass', { observed }) } });

  test('accuracy by operation and type is said also where the gate lets it pass', () => {
    const drift = compared(numbers(exponential({ maxUlp: 1 })), numbers(exponential({ exact: 1 })));
    expect(drift.changes).toEqual([]);
    expect(drift.numerics.operations).toEqual([
      { operation: 'exponential f32', records: 1, drifted: 0, oldUlp: 1, newUlp: 2, oldExact: 3, newExact: 1 },
    ]);
    const line = '1 operation compared by type, 1 changed: exponential f32 1 → 2 ULP (exact 3 → 1)';
    expect(comparisonLines(drift).join('\n')).toContain(line);
    for (const write of [writeMarkdown, writeJunit]) {
      let text = '';
      write(drift, (chunk) => (text += chunk), {});
      expect(text).toContain('numbers: 1 operation compared by type, 1 changed: exponential f32 1 → 2 ULP');
    }
    const same = compared(numbers(exponential()), numbers(exponential()));
    expect(comparisonLines(same).join('\n')).toContain('1 operation compared by type, all as accurate as before');
  });

  test('a policy may have a threshold for one operation, or for one type of it', () => {
    const kinds = (operations: Record<string, number>) =>
      changesOf(
        compared(numbers(exponential({ maxUlp: 1 })), numbers(exponential()), {
          ...DEFAULT_POLICY,
          thresholds: { ...DEFAULT_POLICY.thresholds, 'ulp-drift': { ulp: 2, operations } },
        }),
      ).map(([, kind]) => kind);
    expect(kinds({ exponential: 1 })).toEqual(['ulp-drift']);
    expect(kinds({ exponential: 1, 'exponential f32': 8 })).toEqual([]);
    expect(kinds({ sine: 1 })).toEqual([]);
  });

  test('a different behaviour is a change; the same one or a new one is none', () => {
    const once = contraction('rounds-once');
    const twice = contraction('rounds-twice');
    expect(compared(observing(twice), observing(once)).changes).toMatchObject([
      {
        kind: 'changed-behaviour',
        action: 'warn',
        message: 'fma-contraction of f32 is rounds-once, was rounds-twice',
      },
    ]);
    expect(changesOf(compared(observing(once), observing(once)))).toEqual([]);
    expect(changesOf(compared(observing(), observing(once)))).toEqual([]);
    const other = (value: string) => observing(contraction('other', [value]));
    expect(changesOf(compared(other('1'), other('2')))).toHaveLength(1);
    expect(changesOf(compared(other('1'), other('1')))).toEqual([]);
    const runs = (...behaviours: Observation[]): NamedRun[] => behaviours.map((b) => made(observing(b)));
    expect(changesOf(compareRuns(runs(once, twice), runs(once), DEFAULT_POLICY))).toEqual([]);
  });
});

describe('memory of programs', () => {
  const needs = (temp: number, more: Partial<Made> = {}): Made => ({
    ...more,
    cases: {
      a: result('pass', {
        programMemory: [{ program: 'dot/big', bytes: { temp_size_in_bytes: temp, output_size_in_bytes: 65_536 } }],
      }),
    },
  });

  test('a program that needs more is a warning, one change with all that has grown', () => {
    const { changes, programs } = compared(needs(65_536), needs(262_144));
    expect(changes).toEqual([
      {
        ...{ kind: 'program-memory', action: 'warn', subject: 'dot/big', old: '64.0 KiB', new: '256 KiB' },
        message: 'temp_size_in_bytes 64.0 KiB → 256 KiB (4.00×)',
      },
    ]);
    expect(programs.records.map(({ field, grown }) => [field, grown])).toEqual([
      ['temp_size_in_bytes', true],
      ['output_size_in_bytes', false],
    ]);
    expect(compared(needs(0), needs(20_000)).changes).toMatchObject([{ message: 'temp_size_in_bytes 0 B → 19.5 KiB' }]);
  });

  test('little more, less, or another machine is none; a policy decides how little', () => {
    expect(changesOf(compared(needs(65_536), needs(68_000)))).toEqual([]);
    expect(changesOf(compared(needs(65_536), needs(32_768)))).toEqual([]);
    expect(changesOf(compared(needs(1000), needs(3000)))).toEqual([]);
    const { thresholds } = DEFAULT_POLICY;
    const strict: Policy = {
      ...DEFAULT_POLICY,
      thresholds: { ...thresholds, 'program-memory': { ratio: 1, 'minimum-kib': 0 } },
    };
    expect(changesOf(compared(needs(1000), needs(1001), strict))).toEqual([['warn', 'program-memory', 'dot/big']]);
    const elsewhere = needs(262_144, {
      header: { host: { name: 'x', os: 'linux 6.1', arch: 'arm64', node: 'v22', cpus: 2, memoryBytes: 1 } },
    });
    expect(compared(needs(65_536), elsewhere).programs.omitted).toContain('the machines differ');
  });

  test('of repeats, every new run must exceed every old one', () => {
    const [small, large] = [made(needs(65_536)), made(needs(262_144))];
    expect(compareRuns([small, large], [large, large], DEFAULT_POLICY).programs.records[0]!.grown).toBe(false);
    expect(compareRuns([small, small], [large, large], DEFAULT_POLICY).programs.records[0]!.grown).toBe(true);
  });
});

describe('memory', () => {
  const peak = (mib: number, more: Partial<Made> = {}): Made => ({
    ...more,
    more: [{ type: 'worker', worker: 1, what: 'exit', pid: 1, atMs: 1, peakRssBytes: mib * 1024 * 1024 }],
  });

  test('a large increase is reported, a small one is not, and different sets of cases are not compared', () => {
    expect(compared(peak(200), peak(400)).changes).toMatchObject([
      { kind: 'memory-growth', action: 'warn', old: '200 MiB', new: '400 MiB' },
    ]);
    expect(changesOf(compared(peak(200), peak(240)))).toEqual([]);
    expect(changesOf(compared(peak(20), peak(60)))).toEqual([]);
    const fewer = compared(peak(200, { cases: { a: 'pass', b: 'pass' } }), peak(400));
    expect([fewer.memory.omitted, changesOf(fewer)]).toEqual([
      'the two sides ran different cases',
      [
        ['fail', 'fewer-cases', 'cases'],
        ['warn', 'gone-case', 's:b'],
      ],
    ]);
  });
});

describe('cautions', () => {
  test('differences that make runs hard to compare are reported; equal runs have none', () => {
    expect(compared({}, {}).cautions).toEqual([]);
    const now: Made = {
      header: {
        tool: { name: 'pjrt-conformance', version: '0.2.0' },
        profile: 'full',
        options: { strict: true },
        host: { name: 'other', os: 'linux 6.1', arch: 'arm64', node: 'v22', cpus: 2, memoryBytes: 1 },
      },
    };
    expect(compared({}, now).cautions).toEqual([
      'the tools differ: 0.1.0 against 0.2.0; the checks may have changed',
      'the profiles differ: standard against full',
      'the options differ: none against strict',
      'the machines differ: linux x64, 2 CPUs against linux arm64, 2 CPUs; times and memory are not compared',
    ]);
  });

  test('a single part of a sharded run is reported', () => {
    expect(compared({}, { header: { shard: { index: 2, count: 3 } } }).cautions).toEqual([
      'NEW (log) is part 2 of 3 alone',
    ]);
  });

  test('an unfinished run is reported', () => {
    const cut = made({});
    cut.run.footer = undefined;
    expect(compareRuns([made({})], [cut], DEFAULT_POLICY).cautions).toEqual([
      expect.stringMatching(/^NEW \(log\) is incomplete: no verdict: the log has no footer/),
    ]);
  });
});

describe('the policy', () => {
  const failing: Made = { cases: { a: 'fail', b: 'fail' } };
  const passing: Made = { cases: { a: 'pass', b: 'pass' } };

  test('decides what counts', () => {
    const lenient = { ...DEFAULT_POLICY, actions: { ...DEFAULT_POLICY.actions, 'new-failure': 'warn' as const } };
    const comparison = compared(passing, failing, lenient);
    expect(comparison.gate).toEqual({
      verdict: 'pass',
      line: 'no regression in 2 cases, 2 warnings',
      counts: { fail: 0, warn: 2, ignore: 0 },
    });
  });

  test.each<[Change['action'], string]>([
    ['fail', 'fails the gate: ticket 12'],
    ['warn', 'counts as a warning: ticket 12'],
    ['ignore', 'does not count: ticket 12'],
  ])('every report says what an exception counts as: %s', (action, text) => {
    const exceptions = [{ match: 's:*', action, reason: 'ticket 12' }];
    const comparison = compared({}, { cases: { a: 'fail' } }, { ...DEFAULT_POLICY, exceptions });
    const [change] = comparison.changes;
    expect(exceptionText(change!)).toBe(text);
    if (action === 'ignore') return;
    expect(comparisonLines(comparison).join('\n')).toContain(text);
    let markdown = '';
    writeMarkdown(comparison, (chunk) => (markdown += chunk));
    expect(markdown).toContain(text);
  });

  test('has exceptions with reasons; those that match nothing are reported', () => {
    const exceptions = [
      { match: 's:a', changes: ['new-failure' as const], action: 'ignore' as const, reason: 'ticket 12' },
      { match: 's:*', changes: ['new-crash' as const], action: 'ignore' as const, reason: 'no crash' },
    ];
    const comparison = compared(passing, failing, { ...DEFAULT_POLICY, exceptions });
    expect(changesOf(comparison)).toEqual([
      ['fail', 'new-failure', 's:b'],
      ['ignore', 'new-failure', 's:a'],
    ]);
    expect(comparison.changes[1]!.exception).toBe('ticket 12');
    expect(comparison.cautions).toEqual(['the exception s:* of the policy matches no change: is it still needed?']);
  });
});

test('changes are in the order of their kinds, failing ones first', () => {
  const order = compared(
    { cases: { a: 'pass', b: 'pass', c: 'fail' } },
    { cases: { a: 'fail', b: 'crash', c: 'pass' } },
  );
  expect(changesOf(order)).toEqual([
    ['fail', 'new-crash', 's:b'],
    ['fail', 'new-failure', 's:a'],
    ['ignore', 'fixed', 's:c'],
  ]);
  expect(CHANGE_KINDS.indexOf('new-crash')).toBeLessThan(CHANGE_KINDS.indexOf('new-failure'));
});
