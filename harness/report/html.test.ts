import { describe, expect, test } from 'vitest';
import { htmlBlocks } from '../../tests/support/html.ts';
import { foldRun, type Run } from '../model/run.ts';
import { everyStatus, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import type { Weighing } from '../verdict/breach.ts';
import type { ReportOptions } from './format.ts';
import { writeHtml } from './html.ts';
import { jsonReport } from './json.ts';

function html(run: Run, options: ReportOptions = {}): string {
  let text = '';
  writeHtml(run, (chunk) => (text += chunk), options);
  return text;
}

const requirements = new Map([
  ['BUF-DEL-002', 'A buffer is destroyed once.'],
  ['NOT-USED-001', 'Nothing of this run is about it.'],
]);

describe('the data', () => {
  const run = foldRun(everyStatus());
  const text = html(run, { requirements });

  test('has every case of the JSON report, in the same order, with the same status', () => {
    const cases = jsonReport(run).suites.flatMap((suite) => suite.cases);
    const [rows] = htmlBlocks(text, 'rows');
    expect(rows!.id).toEqual(cases.map(({ id }) => id));
    expect(rows!.status).toEqual(cases.map(({ status }) => status));
    for (const column of Object.values(rows!)) expect(column).toHaveLength(cases.length);
  });

  test('has findings, output and the command of cases that did not pass, and nothing for those that did', () => {
    const cases = jsonReport(run).suites.flatMap((suite) => suite.cases);
    const details = new Map(htmlBlocks(text, 'details').flat());
    const [rows] = htmlBlocks(text, 'rows');
    expect(rows!.detailed.map((bit, at) => (bit === 1) === details.has(at))).not.toContain(false);
    for (const [at, detail] of details) {
      expect(detail.reproduce).toBe(cases[at]!.reproduce);
      expect(detail.findings?.length ?? 0).toBe(cases[at]!.findings?.length ?? 0);
    }
    expect(details.has(0)).toBe(false);
    expect(JSON.stringify([...details.values()])).toContain('last line before the end');
    for (const [at, detail] of details) expect(detail.trace).toEqual(cases[at]!.trace);
    expect([...details.values()].filter(({ trace }) => trace)).toHaveLength(2);
  });

  test('has the texts of the requirements that the run covers', () => {
    expect(htmlBlocks(text, 'head')[0]!.requirements).toEqual({ 'BUF-DEL-002': 'A buffer is destroyed once.' });
  });

  test('agrees with the verdict on what fails the run', () => {
    const fails = (options: Weighing): number =>
      htmlBlocks(html({ ...run, header: { ...run.header!, options } }), 'rows')[0]!.fails.reduce(
        (sum: number, bit) => sum + bit,
        0,
      );
    // Two failures, a crash, a timeout, and the internal error.
    expect(fails({})).toBe(5);
    expect(fails({ strict: true })).toBe(6);
    expect(fails({ acceptKnown: true })).toBe(4);
  });

  test('marks an unexpected pass', () => {
    const expectation = { file: 'e.yaml', line: 3, expect: ['fail' as const], reason: 'old' };
    const passes = result('pass', { expectation: { ...expectation, outcome: 'unexpected-pass' } });
    const page = html(foldRun([header(), ...suiteEvents('a', [{ name: 'x', result: passes }])]));
    expect(htmlBlocks(page, 'rows')[0]!.message).toEqual(['passed unexpectedly']);
  });

  test('is split into blocks if there are many cases, and keeps all of them', () => {
    const many = foldRun([
      header(),
      ...suiteEvents(
        'many',
        Array.from({ length: 9001 }, (_, at) => ({ name: `case-${at}`, result: result('fail', { reason: `r${at}` }) })),
      ),
    ]);
    const page = html(many);
    const rows = htmlBlocks(page, 'rows');
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.flatMap(({ id }) => id)).toEqual([...many.cases.keys()]);
    expect(new Set(htmlBlocks(page, 'details').flatMap((block) => block.map(([at]) => at))).size).toBe(9001);
  });
});

test('without times, does not differ from run to run', () => {
  const options = { fixedTime: new Date(0) };
  const moved = everyStatus().map((event) => {
    if (!('atMs' in event)) return event;
    const text = JSON.stringify({ ...event, atMs: event.atMs + 5 });
    const later = JSON.parse(text.replaceAll('"durationMs":0.25', '"durationMs":0.75')) as typeof event;
    if (later.type !== 'case') return later;
    // The time of the first call that took long enough to be recorded.
    return { ...later, result: { ...later.result, callMs: { PJRT_Client_Compile: 0.06 } } };
  });
  expect(html(foldRun(moved), options)).toBe(html(foldRun(everyStatus()), options));
  expect(html(foldRun(moved))).not.toBe(html(foldRun(everyStatus())));
});

test('text of a plugin or a suite cannot end an element or begin one', () => {
  const evil = '</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>';
  const text = html(
    foldRun([
      header({ plugins: [{ name: evil, path: evil }] }),
      ...suiteEvents('evil', [{ name: 'x', plan: { title: evil }, result: result('fail', { reason: evil }) }]),
    ]),
  );
  expect(text).not.toContain('alert(1)</script>');
  expect(text).not.toContain('<img');
  expect(text).toContain('&lt;img src=x');
});

test("the page's own policy forbids loading anything or running other scripts", () => {
  const [, policy] = /Content-Security-Policy" content="([^"]+)"/.exec(html(foldRun([header()])))!;
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
});
