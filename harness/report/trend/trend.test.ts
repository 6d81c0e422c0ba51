import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import type { Event } from '../../model/events.ts';
import { foldRun } from '../../model/run.ts';
import { everyStatus, facts, footer, header, suiteEvents } from '../../model/sample-log.test-helper.ts';
import type { Status } from '../../model/status.ts';
import { parseExpectations } from '../../verdict/expectations/load.ts';
import { failsRun } from '../../verdict/standing.ts';
import type { NamedRun } from '../compare/side.ts';
import { jsonReport } from '../json.ts';
import { TREND_FORMATS } from './formats.ts';
import { leanRun } from './lean-run.ts';
import { proposedFile } from './proposals.ts';
import { sparkline } from './sparkline.ts';
import { ended, nights } from './ten-runs.test-helper.ts';
import { trendLines } from './text.ts';
import { type Trend, trendOf } from './trend.ts';
import { percent } from './words.ts';

const tenRuns = (): NamedRun[] => nights().map(({ name, events }) => ({ name, run: foldRun(events) }));

interface Made {
  /** Of the only case; undefined: it is not planned. */
  status?: Status;
  build?: string;
  suite?: string;
  head?: Parameters<typeof header>[0];
  more?: Event[];
}

/** Runs of a plugin with one case, a day each. */
const trendOfCase = (runs: readonly Made[]): Trend =>
  trendOf(
    runs.map(({ status, build = 'a', suite = 'e', head = {}, more = [] }, day) => ({
      name: `r${day + 1}`,
      run: foldRun([
        header({ startedAt: `2026-11-${10 + day}T00:00:00Z`, ...head }),
        { type: 'plugin', plugin: facts({ sha256: build.repeat(64) }) },
        ...suiteEvents('s', status === undefined ? [] : [{ name: 'a', result: ended(status) }]).map((event) =>
          event.type === 'suite' ? { ...event, sha256: suite.repeat(64) } : event,
        ),
        ...more,
        footer(),
      ]),
    })),
  );

const STATUS: Readonly<Record<string, Status>> = { '.': 'pass', F: 'fail', C: 'crash', '~': 'flaky', '-': 'skip' };

/** Runs by their marks, and by the build of each. */
const marked = (marks: string, builds: string): Trend =>
  trendOfCase([...marks].map((mark, at) => ({ status: STATUS[mark]!, build: builds[at]! })));

test('ten runs as text', async () => {
  await expect(`${trendLines(trendOf(tenRuns())).join('\n')}\n`).toMatchFileSnapshot('golden/ten-runs.txt');
  await expect(`${trendLines(trendOf(tenRuns(), 5), { quiet: true }).join('\n')}\n`).toMatchFileSnapshot(
    'golden/last-five-quiet.txt',
  );
});

test('ten runs as JSON, by the schema', async () => {
  const write = await TREND_FORMATS.find(({ name }) => name === 'json')!.load();
  const read = (file: string): object => JSON.parse(readFileSync(packagePath('schemas', file), 'utf8')) as object;
  const ajv = new Ajv2020({ allowUnionTypes: true });
  ajv.addSchema(read('events.schema.json'), 'events.schema.json');
  const validate = ajv.compile(read('trend.schema.json'));
  for (const trend of [trendOf(tenRuns()), marked('..', 'aa')]) {
    let text = '';
    write(trend, (chunk) => (text += chunk), {});
    validate(JSON.parse(text));
    expect(validate.errors ?? []).toEqual([]);
  }
});

test('what is left out of a run changes nothing, and counts are those of the other reports', () => {
  const whole = trendOf(tenRuns());
  expect(trendOf(tenRuns().map(leanRun))).toEqual(whole);
  const heavy = ended('crash', { stdout: { head: 'a', tail: '', omittedBytes: 0 } });
  heavy.findings[0]!.backtrace = { kind: 'died', threads: [{ frames: [{ function: 'foo' }] }] };
  const events = [header(), ...suiteEvents('s', [{ name: 'a', result: heavy }]), footer()];
  const [lean] = leanRun({ name: 'heavy', run: foldRun(events) }).run.cases.values();
  expect(Object.keys({ ...lean!.result, ...lean!.result!.findings[0] })).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/stdout|backtrace/)]),
  );
  const every = { name: 'every', run: foldRun(everyStatus()) };
  const [row] = trendOf([every, every]).runs;
  const { summary, suites, verdict } = jsonReport(every.run);
  expect(row!.counts).toEqual(
    Object.fromEntries(Object.keys(row!.counts).map((name) => [name, summary[name as Status]])),
  );
  expect([row!.verdict, row!.cases]).toEqual([verdict, suites.flatMap(({ cases }) => cases).length]);
  const weighing = every.run.header!.options ?? {};
  const failed = [...every.run.cases.values()].filter((item) => failsRun(item, weighing)).length;
  expect(row!.failing).toBe(failed + summary.error);
  expect(row!.tried).toBe(row!.cases - summary.unsupported - summary.skip - summary.notrun - summary.error);
});

describe('a case', () => {
  test.each<[what: string, marks: string, builds: string, kind: string | undefined]>([
    ['that always passes', '......', 'aabbcc', undefined],
    ['that always fails', 'FFFFFF', 'aabbcc', undefined],
    ['that is never tried', '------', 'aabbcc', undefined],
    ['that fails with a new build', '...FFF', 'aaabbb', 'fails-since'],
    ['that fails with a new build every night', '...FFF', 'abcdef', 'fails-since'],
    ['that passes with a new build', 'FFF...', 'aaabbb', 'fixed-since'],
    ['that fails for one build', '..FF..', 'aabbcc', 'fixed-since'],
    ['that fails with the same build', '...FFF', 'aaaaaa', 'unstable'],
    ['that fails once with the same build', '....F.', 'aabbbb', 'unstable'],
    ['whose build comes back and fails', '.F.F', 'abba', 'unstable'],
    ['that goes to and fro with new builds', '.F.F..', 'abcdef', 'unstable'],
    ['that is flaky once', '...~..', 'aaaaaa', 'flaky'],
    ['that is always flaky', '~~~', 'abc', 'flaky'],
    ['that is flaky, and fails else', 'F~FF', 'aaaa', 'unstable'],
    ['that is flaky before it fails', '..~FF', 'aaabb', 'fails-since'],
    ['that was not tried between', '.--F', 'aabb', 'fails-since'],
    ['that passed once and was not tried again', '.---', 'aabb', undefined],
    ['that crashes as it failed', 'FFCC', 'aabb', undefined],
  ])('%s: %s with %s', (_, marks, builds, kind) => {
    const { cases } = marked(marks, builds);
    expect(cases.map((one) => [one.kind, one.strip])).toEqual(kind ? [[kind, marks]] : []);
  });

  test('says since when, and what is different then', () => {
    expect(marked('..FF', 'aabb').cases[0]).toMatchObject({
      since: { run: 2, changed: ['plugin'] },
      failed: 2,
      tried: 4,
    });
    const suite = trendOfCase([{ status: 'pass' }, { status: 'fail', suite: 'f' }]);
    expect(suite.cases[0]!.since).toEqual({ run: 1, changed: ['suite'] });
    const tool = { name: 'pjrt-conformance', version: '0.2.0' };
    expect(trendOfCase([{ status: 'pass' }, { status: 'fail', head: { tool } }]).cases[0]!.since).toEqual({
      run: 1,
      changed: ['tool'],
    });
  });

  test('that fails in runs with other settings is neither unstable nor proposed as an expectation', () => {
    const strict = { profile: 'strict', from: 'option', chosen: true } as const;
    const { cases, proposals, cautions } = trendOfCase([
      { status: 'pass' },
      { status: 'fail', head: { numerics: strict } },
      { status: 'pass' },
    ]);
    expect(cases).toMatchObject([{ kind: 'fixed-since', since: { run: 2, changed: ['settings'] } }]);
    expect(proposals).toEqual([]);
    expect(cautions).toContainEqual(expect.stringContaining('the accuracy profiles differ'));
    const smoke = trendOfCase([{ status: 'pass' }, { status: 'fail', head: { profile: 'smoke' } }]);
    expect(smoke.cases[0]!.since).toEqual({ run: 1, changed: ['settings'] });
  });

  test('of several plugins whose files are not known may be of other builds each time', () => {
    const unknown = (day: number, status: Status): NamedRun => ({
      name: `r${day}`,
      run: foldRun([
        header({ startedAt: `2026-11-${10 + day}T00:00:00Z` }),
        ...['a', 'b'].map((name): Event => ({ type: 'plugin', plugin: { ...facts({ sha256: '' }), name } })),
        ...suiteEvents('s', [{ name: 'a', result: ended(status) }]),
        footer(),
      ]),
    });
    const { cases } = trendOf([unknown(1, 'pass'), unknown(2, 'fail')]);
    expect(cases).toMatchObject([{ kind: 'fails-since', since: { run: 1, changed: ['plugin'] } }]);
  });

  test('that was not planned did not pass', () => {
    const { cases } = trendOfCase([{}, { status: 'fail' }, {}, { status: 'fail' }]);
    expect(cases).toEqual([]);
  });

  test('that violates a SHOULD does not fail; one whose failure is known or expected does', () => {
    const known = (status: Status): Event[] =>
      suiteEvents('k', [
        {
          name: 'b',
          result: ended(status, status === 'fail' ? { knownDeviation: { reason: 'r', evidence: 'e' } } : {}),
        },
      ]);
    const options = { acceptKnown: true };
    const { cases, runs } = trendOfCase([
      { status: 'pass', more: known('pass'), head: { options } },
      { status: 'pass', build: 'b', more: known('fail'), head: { options } },
      { status: 'warn', build: 'b', more: known('fail'), head: { options } },
    ]);
    expect(cases.map((one) => [one.case, one.kind])).toEqual([['k:b', 'fails-since']]);
    expect(runs.map(({ failing, excused }) => [failing, excused])).toEqual([
      [0, 0],
      [0, 1],
      [0, 1],
    ]);
  });
});

test('times and memory are those of runs like the newest: another machine or tool is left out, with a caution', () => {
  const other = { name: 'x', os: 'linux 6.1', arch: 'arm64', node: 'v22', cpus: 64, memoryBytes: 1 };
  const runs = nights().map(({ name, events: [first, ...events] }) => ({
    name,
    run: foldRun([name.endsWith('-2') ? { ...(first as ReturnType<typeof header>), host: other } : first!, ...events]),
  }));
  const { alike, cautions, times, programs } = trendOf(runs);
  // The second is of another machine, the fifth was interrupted.
  expect(alike).toEqual([0, 2, 3, 5, 6, 7, 8, 9]);
  expect(times.runs).toEqual(alike);
  expect(programs[0]!.bytes[1]).toBeNull();
  expect(cautions).toContain(
    'the machines differ: linux x64, 2 CPUs in runs 1, 3 to 10, linux arm64, 64 CPUs in run 2; times and memory are compared with the newest run only where they are of its kind',
  );
  expect(trendOf(tenRuns(), 5).times).toMatchObject({
    omitted: expect.stringContaining('6 runs are needed'),
    records: [],
  });
});

test('a function that takes longer is found, with the run in which it began', () => {
  expect(trendOf(tenRuns()).times.records).toMatchObject([
    { function: 'PJRT_Client_Compile', verdict: 'slower', since: 7, cases: 12 },
  ]);
});

test('what is unstable or flaky is proposed as expectations that can be read; the reason says how often', async () => {
  const { proposals, plugins } = trendOf(tenRuns());
  const text = proposedFile(proposals, plugins[0]!);
  await expect(text).toMatchFileSnapshot('golden/unstable.yaml');
  const { entries } = parseExpectations(text, 'unstable.yaml');
  // Both parameters of the family are unstable in the same way.
  expect(entries[0]).toMatchObject({
    ...{ cases: ['s/errors:wobbly'], expect: ['flaky', 'fail'], reason: 'failed in 3 of the last 10 runs' },
    requirements: ['BUF-DEL-002'],
  });
  expect(entries.map(({ expect: statuses }) => statuses)).toContainEqual(['flaky', 'crash']);
  expect(entries.at(-1)).toMatchObject({ expect: ['flaky'], reason: 'flaky in 1 of the last 10 runs' });
});

test('sparklines and percents show what is unequal', () => {
  expect(sparkline([1, undefined, 2, 8])).toBe('▁ ▂█');
  expect(sparkline([3, 3])).toBe('▁▁');
  expect([1, 0.99996, 0.5, 0.0001, 0, undefined].map(percent)).toEqual([
    '100.0 %',
    '99.9 %',
    '50.0 %',
    '0.1 %',
    '0.0 %',
    '–',
  ]);
});
