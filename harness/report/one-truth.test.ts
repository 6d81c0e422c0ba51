import { beforeAll, describe, expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { CaseExpectation } from '../model/expectation.ts';
import type { Finding } from '../model/finding.ts';
import { foldRun, type Run } from '../model/run.ts';
import { footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import type { Weighing } from '../verdict/breach.ts';
import { causeIndex } from '../verdict/cause-index.ts';
import { causeEffect, causesLine } from '../verdict/cause-text.ts';
import { causeSize } from '../verdict/root-causes.ts';
import { type Standing, standingOf } from '../verdict/standing.ts';
import { verdict } from '../verdict/verdict.ts';
import { attention } from './console/failure-groups.ts';
import { createConsoleReporter } from './console.ts';
import { findFormat } from './formats.ts';
import { githubAnnotations } from './github.ts';
import { outcomeStream } from './outcomes.ts';

/** One recorded run, with a case of every way to stand in it, in every format: what readers count is the same everywhere. */

const must: Finding = { type: 'pjrt.WrongValue', level: 'must', message: 'is 1, expected 2', line: 12 };
const should: Finding = { ...must, level: 'should' };
const knownDeviation = { reason: 'by design', evidence: 'its source' };
const expectation = (outcome: CaseExpectation['outcome'], more: object = {}): CaseExpectation => ({
  ...{ file: 'e.yaml', line: 9, expect: ['fail'], reason: 'an old bug', outcome },
  ...more,
});
const attempts: CaseResult['attempts'] = [
  { status: 'fail', worker: 1, atMs: 0, durationMs: 1, finding: must },
  { status: 'pass', worker: 2, atMs: 2, durationMs: 1, why: 'rerun' },
];

/** Names, how each stands when known deviations are accepted and flaky cases allowed, and results. */
const CASES: readonly [string, Standing, CaseResult, { level?: 'should'; informative?: true }?][] = [
  ['good', 'passed', result('pass')],
  ['bad', 'failed', result('fail', { findings: [must] })],
  ['dies', 'failed', result('crash', { findings: [must], signal: 'SIGSEGV' })],
  ['hangs', 'failed', result('timeout', { findings: [must] })],
  ['now-and-then', 'flaky', result('flaky', { findings: [must], attempts })],
  ['minor', 'warned', result('warn', { findings: [should] })],
  ['dies-in-should', 'warned', result('crash', { findings: [should], signal: 'SIGSEGV' }), { level: 'should' }],
  ['dies-badly-in-should', 'failed', result('crash', { findings: [must], signal: 'SIGSEGV' }), { level: 'should' }],
  ['known', 'known', result('fail', { findings: [must], knownDeviation })],
  ['known-death', 'known', result('crash', { findings: [must], knownDeviation, signal: 'SIGABRT' })],
  ['known-minor', 'known', result('warn', { findings: [should], knownDeviation })],
  ['expected', 'expected', result('fail', { findings: [must], expectation: expectation('met') })],
  ['expected-flaky', 'expected', result('flaky', { findings: [must], attempts, expectation: expectation('met') })],
  ['otherwise', 'failed', result('crash', { findings: [must], expectation: expectation('different'), knownDeviation })],
  ['waived', 'waived', result('fail', { findings: [must], expectation: expectation('met', { waived: true }) })],
  ['fixed', 'passed', result('pass', { expectation: expectation('unexpected-pass') })],
  ['outside', 'outside', result('fail', { findings: [must] }), { informative: true }],
  ['lacking', 'unsupported', result('unsupported', { reason: 'not offered' })],
  ['skipped', 'skipped', result('skip', { reason: 'after ten crashes' })],
  ['ours', 'error', result('error', { reason: 'the probe threw' })],
];

/** The same run, in which known deviations and flaky cases fail. */
const UNACCEPTED: Partial<Record<string, Standing>> = {
  known: 'failed',
  'known-death': 'failed',
  'now-and-then': 'failed',
};

const eventsOf = (options: Weighing) => {
  const events = [
    header({ options }),
    ...suiteEvents(
      'a',
      CASES.map(([name, , of, plan]) => ({ name, result: of, ...(plan ? { plan } : {}) })),
    ),
  ];
  const run = foldRun(events);
  const { exitCode, line } = verdict(run, { ending: 'complete' });
  return [...events, footer({ exitCode, verdict: line, counts: run.counts })];
};

const shown = (events: readonly Event[]): string => {
  let text = '';
  const stream = { write: (chunk: string) => (text += chunk) };
  const reporter = createConsoleReporter({ stream, isTTY: false, color: false, live: false });
  for (const event of events) reporter.event(event);
  reporter.close();
  return text;
};

/** Names of cases by how they stand. */
const standing = (accepted: boolean, ...words: Standing[]): string[] =>
  CASES.filter(([name, word]) => words.includes((accepted ? undefined : UNACCEPTED[name]) ?? word))
    .map(([name]) => name)
    .sort();

const RED: Standing[] = ['failed', 'error'];
const EXCUSED: Standing[] = ['expected', 'waived', 'known'];
const NOT_TRIED: Standing[] = ['unsupported', 'skipped'];

describe.each([true, false])('known deviations accepted, flaky cases allowed: %s', (accepted) => {
  const events = eventsOf(accepted ? { acceptKnown: true, allowFlaky: true } : {});
  const run: Run = foldRun(events);
  const texts: Record<string, string> = {};
  const of = (...words: Standing[]): string[] => standing(accepted, ...words);
  const inJson = (format: string) => JSON.parse(texts[format]!);

  beforeAll(async () => {
    for (const name of ['junit', 'ctrf', 'sarif', 'gitlab', 'html', 'markdown', 'json', 'badge']) {
      const write = await findFormat(name)!.load();
      texts[name] = '';
      write(run, (chunk) => (texts[name] += chunk), {});
    }
  });

  test('the model', () => {
    const options = run.header!.options ?? {};
    const seen = Object.fromEntries([...run.cases.values()].map((item) => [item.plan.name, standingOf(item, options)]));
    expect(seen).toEqual(
      Object.fromEntries(CASES.map(([name, word]) => [name, (accepted ? undefined : UNACCEPTED[name]) ?? word])),
    );
  });

  test('the verdict', () => {
    expect(verdict(run).exitCode).toBe(1);
    expect(verdict(run).line).toContain(`${of('failed').length} of ${CASES.length} cases violate a MUST`);
  });

  test('root causes: as many, with as many cases that fail, warn or are excused, in every format', () => {
    const { causes } = causeIndex(run);
    const sum = (count: 'failing' | 'warning' | 'excused'): number =>
      causes.reduce((all, cause) => all + cause[count], 0);
    expect([sum('failing'), sum('warning'), sum('excused')]).toEqual(
      [of('failed'), of('warned', 'flaky', 'outside'), of(...EXCUSED)].map(({ length }) => length),
    );
    const line = causesLine(causes)!;
    const effects = causes.map(causeEffect);
    const failing = accepted ? 5 : 6;
    expect(line).toBe(`7 root causes: ${failing} fail the run, 1 warns${accepted ? ', 1 is known or expected' : ''}`);
    const json = inJson('json');
    expect(json.rootCauses.map(({ effect }: { effect: string }) => effect)).toEqual(effects);
    expect(json.summary.rootCauses).toEqual({ failing, warning: 1, excused: 7 - failing - 1, blocked: 0 });
    for (const format of ['html', 'markdown']) expect(texts[format]).toContain(line);
    for (const effect of effects) {
      expect(texts.markdown).toContain(`| ${effect} |`);
      expect(texts.html).toContain(`(${effect})</li>`);
      expect(texts.junit).toContain(`(${effect})`);
      expect(JSON.stringify(inJson('sarif').runs[0].properties.rootCauses)).toContain(effect);
      expect(JSON.stringify(inJson('ctrf').results.environment.extra.rootCauses)).toContain(effect);
    }
    const terminal = shown(events);
    expect(terminal).toContain(`causes      ${line}\n`);
    expect(terminal).toContain(`${failing} root causes of ${of(...RED).length} failures`);
    for (const [at, effect] of effects.entries())
      if (at < failing && causeSize(causes[at]!) > 1) expect(terminal).toContain(effect);
  });

  test('crashes, and what the manifest explains: as many in every format', () => {
    const crashes = CASES.filter(([, , { status }]) => status === 'crash').map(([name]) => name);
    const fail = crashes.filter((name) => of('failed').includes(name)).length;
    const text = `${crashes.length} crashed (${fail} fail the run)`;
    expect(shown(events)).toContain(text);
    expect(texts.html).toContain(text);
    expect(texts.markdown).toContain(`| ${crashes.length} (${fail}) |`);
    expect(inJson('json').summary).toMatchObject({ crash: crashes.length, failing: { crash: fail } });
    expect(verdict(run).line).toContain(`${fail} crash`);
    const explained = CASES.filter(([name, , { knownDeviation: known }]) => known && name !== 'otherwise').length;
    expect(inJson('json').summary.knownDeviations).toBe(explained);
    expect(shown(events)).toContain(`known       ${explained} cases, by 1 known deviation of the manifest`);
  });

  test('the terminal', () => {
    const { failures, warnings, known, expected, unexpected } = attention(
      run,
      run.header!.options ?? {},
      causeIndex(run),
    );
    const names = (items: readonly { plan: { name: string } }[]): string[] => items.map(({ plan }) => plan.name).sort();
    expect(names(failures.flatMap(({ items }) => items))).toEqual(of(...RED));
    expect(names(warnings.flatMap(({ items }) => items))).toEqual(of('warned', 'flaky', 'outside'));
    expect([names(known), names(expected), names(unexpected)]).toEqual([
      of('known'),
      of('expected', 'waived'),
      ['fixed'],
    ]);
  });

  test('JUnit', () => {
    const suite = /<testsuite name="a"[\s\S]*?<\/testsuite>/.exec(texts.junit!)![0];
    const found: Record<string, string[]> = { passed: [], failure: [], error: [], skipped: [] };
    const pattern = /<testcase classname="pjrt\.a" name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g;
    for (const [, name, body = ''] of suite.matchAll(pattern))
      found[/^\s*<(failure|error|skipped)/.exec(body)?.[1] ?? 'passed']!.push(name!);
    expect([...found.failure!, ...found.error!].sort()).toEqual(of(...RED));
    expect(found.skipped!.sort()).toEqual(of(...EXCUSED, 'outside', ...NOT_TRIED));
    expect(found.passed!.sort()).toEqual(of('passed', 'warned', 'flaky'));
    for (const [word, count] of [
      ['failures', found.failure],
      ['errors', found.error],
      ['skipped', found.skipped],
    ] as const)
      expect(suite).toMatch(new RegExp(`^<testsuite [^>]*${word}="${count!.length}"`));
  });

  test('CTRF', () => {
    const { tests, summary } = inJson('ctrf').results;
    const named = (...words: string[]): string[] =>
      tests
        .flatMap(({ name, status }: { name: string; status: string }) =>
          words.includes(status) ? [name.slice(2)] : [],
        )
        .sort();
    expect(named('failed', 'other')).toEqual(of(...RED));
    expect(named('skipped')).toEqual(of(...EXCUSED, 'outside', ...NOT_TRIED));
    expect(named('passed')).toEqual(of('passed', 'warned', 'flaky'));
    expect(summary).toMatchObject({ tests: CASES.length, failed: of('failed').length, other: of('error').length });
  });

  test('SARIF and GitLab', () => {
    const { results } = inJson('sarif').runs[0];
    const named = (is: (one: { level: string; suppressions?: unknown }) => boolean): string[] =>
      results
        .filter(is)
        .map(({ message }: { message: { text: string } }) => /a:([\w-]+)/.exec(message.text)![1])
        .sort();
    expect(named(({ level, suppressions }) => level === 'error' && !suppressions)).toEqual(of('failed'));
    expect(named(({ level, suppressions }) => level === 'warning' && !suppressions)).toEqual(of('warned', 'flaky'));
    expect(named(({ suppressions }) => suppressions !== undefined)).toEqual(of(...EXCUSED));
    const severities = inJson('gitlab').map(({ severity }: { severity: string }) => severity);
    const count = (word: string): number => severities.filter((one: string) => one === word).length;
    expect([count('major'), count('minor'), count('info')]).toEqual([
      of('failed').length,
      of('warned', 'flaky').length,
      of(...EXCUSED).length,
    ]);
  });

  test('annotations', () => {
    const lines = githubAnnotations(run);
    expect(lines.filter((line) => line.startsWith('::error')).length).toBe(Math.min(10, of('failed').length));
    expect(lines.filter((line) => line.startsWith('::warning')).length).toBe(of('warned', 'flaky').length);
  });

  test('the badge', () => {
    const passed = CASES.filter(([, , { status }]) => ['pass', 'warn'].includes(status)).length;
    const tried = CASES.length - of(...NOT_TRIED).length;
    expect(inJson('badge')).toMatchObject({ message: `${passed} of ${tried} cases`, color: 'red', isError: true });
  });

  test('the stream of outcomes, which pytest shows', () => {
    const lines: { type: string; id: string; outcome: string; exitCode?: number }[] = [];
    const fresh = foldRun(events.slice(0, -1));
    const take = outcomeStream(fresh, (line) => lines.push(JSON.parse(line)));
    take(events.at(-1)!);
    const named = (...words: string[]): string[] =>
      lines
        .flatMap(({ type, id, outcome }) =>
          type === 'case' && id.startsWith('a:') && words.includes(outcome) ? [id.slice(2)] : [],
        )
        .sort();
    expect(named('failed')).toEqual(of('failed'));
    expect(named('error')).toEqual(of('error'));
    expect(named('expected-failure')).toEqual(of(...EXCUSED));
    expect(named('passed')).toEqual(of('passed', 'warned', 'flaky'));
    expect(named('skipped')).toEqual(of('outside', ...NOT_TRIED));
  });

  test('Markdown', () => {
    const section = (title: string): string[] => {
      const body =
        new RegExp(`### ${title}[^\\n]*\\n([\\s\\S]*?)(?=\\n### |\\n<details><summary>Suites|$)`).exec(
          texts.markdown!,
        )?.[1] ?? '';
      return [...new Set([...body.matchAll(/\ba:([\w-]+)/g)].map(([, name]) => name!))].sort();
    };
    expect(section('Known deviations')).toEqual(of('known'));
    expect(section('Expected failures')).toEqual(of('expected', 'waived'));
    expect(section('Warnings')).toEqual(of('warned', 'outside'));
    expect(section('Unexpected passes')).toEqual(['fixed']);
  });
});
