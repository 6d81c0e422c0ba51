import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { htmlBlocks } from '../../tests/support/html.ts';
import { parseAs } from '../../tests/support/json-schemas.ts';
import { validateJunit } from '../../tests/support/junit-schemas.ts';
import type { Event } from '../model/events.ts';
import { applyEvent, emptyRun, foldRun, type Run } from '../model/run.ts';
import { everyStatus, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { fixedTimeFrom } from './format.ts';
import { findFormat, REPORT_FORMATS } from './formats.ts';
import { githubAnnotations } from './github.ts';
import type { HtmlHead } from './html-data.ts';
import type { JsonReport } from './json.ts';
import { EventLog, readEvents } from './log.ts';
import { mergeLogs } from './merge.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-formats-'));
afterAll(() => rmSync(directory, { recursive: true }));

const fixedTime = fixedTimeFrom({ SOURCE_DATE_EPOCH: '86400' })!;
const requirements = new Map([['BUF-DEL-002', 'A buffer is destroyed once.']]);
const bases = new Map([['BUF-DEL-002', 'pjrt_c_api.h']]);

async function written(name: string, run: Run): Promise<string> {
  let text = '';
  const write = await findFormat(name)!.load();
  write(run, (chunk) => (text += chunk), { fixedTime, requirements, bases });
  return text;
}

/** The run as the live command builds it: one event at a time. */
function live(events: readonly Event[]): Run {
  const run = emptyRun();
  for (const event of events) applyEvent(run, event);
  return run;
}

function fromLog(events: readonly Event[]): Run {
  const path = join(directory, 'events.jsonl');
  const log = new EventLog(path);
  for (const event of events) log.write(event);
  log.close();
  return foldRun(readEvents(path));
}

/** The run in two merged parts: every other case is in the second one. */
function merged(events: readonly Event[]): Run {
  const ids = [...foldRun(events).cases.keys()];
  const part = (index: 1 | 2): Event[] => {
    const mine = new Set(ids.filter((_, at) => at % 2 === index - 1));
    return events.flatMap((event): Event[] => {
      if (event.type === 'header') return [{ ...event, shard: { index, count: 2 } }];
      if (event.type === 'suite') {
        const cases = event.cases.map((plan, at) => ({ ...plan, index: at })).filter(({ id }) => mine.has(id));
        return cases.length > 0 ? [{ ...event, cases }] : [];
      }
      if (event.type === 'start' || event.type === 'case') return mine.has(event.id) ? [event] : [];
      return event.type === 'note' && index === 2 ? [] : [event];
    });
  };
  return foldRun(
    mergeLogs(
      [
        { name: 'b.jsonl', events: part(2) },
        { name: 'a.jsonl', events: part(1) },
      ],
      { allowMissing: true },
    ),
  );
}

/** Removes what a merged report may have differently: places of cases, and the verdict, which is computed again. */
const comparable = (text: string): string => text.replace(/"index": \d,?\s*/g, '');

it.each(['junit', 'json', 'markdown'])(
  '%s is written in small pieces, however many cases a suite has',
  async (name) => {
    const cases = Array.from({ length: 2000 }, (_, at) => ({ name: `case-${at}`, result: result('pass') }));
    const write = await findFormat(name)!.load();
    let pieces = 0;
    let longest = 0;
    write(
      foldRun([header(), ...suiteEvents('a', cases), footer()]),
      (chunk) => {
        pieces++;
        longest = Math.max(longest, chunk.length);
      },
      {},
    );
    expect(longest).toBeLessThan(20_000);
    if (name !== 'markdown') expect(pieces).toBeGreaterThan(2000);
  },
);

describe.each(REPORT_FORMATS.map(({ name }) => name))('%s', (name) => {
  it('is the same live, from the log, and after a merge', async () => {
    const now = await written(name, live(everyStatus()));
    expect(now).not.toBe('');
    expect(await written(name, fromLog(everyStatus()))).toBe(now);
    // Durations are real times: a merged log has those of its parts.
    expect(comparable(await written(name, merged(everyStatus())))).toBe(comparable(now));
  });

  it('can be written for a truncated run, and for an empty one', async () => {
    expect(await written(name, foldRun(everyStatus().slice(0, 9)))).not.toBe('');
    expect(await written(name, foldRun([header(), footer()]))).not.toBe('');
  });

  it('escapes text from a plugin', async () => {
    const hostile = '</failure>]]>\u001b[31m|`*_\n# not ok 1\u0000 ::error::x';
    const findings = [{ type: 'pjrt.X', level: 'must' as const, message: hostile, detail: `${hostile}\n\`\`\`\`` }];
    const events = [header(), ...suiteEvents('a', [{ name: 'b', result: result('fail', { findings }) }]), footer()];
    const text = await written(name, foldRun(events));
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('\u0000');
    if (!['junit', 'json', 'html', 'markdown'].includes(name)) JSON.parse(text);
    if (name === 'markdown') expect(text).toContain('`````text');
  });
});

describe('each format for what it is for', () => {
  it('SARIF has a rule for each requirement and a result for each violation', async () => {
    const sarif = JSON.parse(await written('sarif', foldRun(everyStatus())));
    const [run] = sarif.runs;
    const found = run.results.map((r: { ruleId: string; level: string; suppressions?: unknown }) => [
      r.ruleId,
      r.level,
      r.suppressions !== undefined,
    ]);
    expect(found).toEqual([
      ['CLI-LKP-002', 'warning', false],
      ['EXE-NUM-004', 'error', false],
      // A known deviation, which fails this run.
      ['BUF-H2D-001', 'error', false],
      ['BUF-DEL-002', 'error', false],
      ['BUF-H2D-001', 'error', false],
    ]);
    const rule = run.tool.driver.rules.find(({ id }: { id: string }) => id === 'BUF-DEL-002');
    expect(rule.shortDescription.text).toBe('A buffer is destroyed once.');
    expect(rule.help.text).toBe(
      'A buffer is destroyed once. Source: pjrt_c_api.h <https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api.h>',
    );
    expect(run.results[1].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'suites/buffers/host-transfer.yaml' },
      region: { startLine: 34 },
    });
  });

  it('GitLab gets fingerprints that are stable and distinct', async () => {
    const issues = JSON.parse(await written('gitlab', foldRun(everyStatus())));
    const prints = issues.map(({ fingerprint }: { fingerprint: string }) => fingerprint);
    expect(new Set(prints).size).toBe(5);
    expect(JSON.parse(await written('gitlab', foldRun(everyStatus())))).toEqual(issues);
    expect(issues.map(({ severity }: { severity: string }) => severity)).toEqual([
      'minor',
      'major',
      'major',
      'major',
      'major',
    ]);
  });

  it('CTRF counts every case once', async () => {
    const { results } = JSON.parse(await written('ctrf', foldRun(everyStatus())));
    const { tests, passed, failed, pending, skipped, other } = results.summary;
    expect([tests, passed, failed, pending, skipped, other]).toEqual([10, 2, 4, 1, 2, 1]);
    expect(results.tests).toHaveLength(10);
    expect(results.tests[4]).toMatchObject({ status: 'failed', rawStatus: 'crash', suite: ['errors/handling'] });
    // What its finding names, not all that the case covers.
    const violated = results.tests.find(({ rawStatus }: { rawStatus: string }) => rawStatus === 'fail');
    expect(violated.extra.violated).toEqual(['EXE-NUM-004']);
    expect(results.tests[0].extra).not.toHaveProperty('violated');
  });

  it('the badge is green only for a run that passes', async () => {
    const badge = async (events: Event[]) => JSON.parse(await written('badge', foldRun(events)));
    expect(await badge([header(), ...suiteEvents('a', [{ name: 'b', result: result('pass') }]), footer()])).toEqual({
      schemaVersion: 1,
      label: 'PJRT conformance',
      message: '1 of 1 cases',
      color: 'brightgreen',
      isError: false,
    });
    expect(await badge(everyStatus())).toMatchObject({ message: '2 of 8 cases', color: 'red', isError: true });
    expect(await badge([header()])).toMatchObject({ message: 'internal-error', color: 'lightgrey' });
  });
});

describe('root causes', () => {
  const call = 'PJRT_Buffer_OnDeviceSizeInBytes';
  const refused = {
    type: 'pjrt.UnexpectedError',
    level: 'must' as const,
    message: 'm',
    call,
    code: 'INTERNAL',
    said: 'no | size',
  };
  const cause = { kind: 'failed' as const, call, code: 'INTERNAL', message: 'no | size' };
  const text = `${call} returns INTERNAL: no | size`;
  const effect = '5 cases fail, 45 could not be tried';
  const run = foldRun([
    header(),
    ...suiteEvents('a', [
      { name: 'other', result: result('fail', { findings: [{ type: 'pjrt.X', level: 'must', message: 'other' }] }) },
      { name: 'good', result: result('pass'), plan: { covers: ['BUF-H2D-002'] } },
      ...Array.from({ length: 5 }, (_, at) => ({
        name: `failing-${at}`,
        result: result('fail', { findings: [refused] }),
      })),
    ]),
    ...suiteEvents(
      'b',
      Array.from({ length: 45 }, (_, at) => ({
        name: `blocked-${at}`,
        plan: { covers: ['BUF-H2D-003'] },
        result: result('unsupported', { reason: 'r', cause }),
      })),
    ),
    footer(),
  ]);

  it('JSON numbers them, lists their cases, and each case refers to its own', async () => {
    const report = parseAs<JsonReport>('report', await written('json', run));
    const [first, second] = report.rootCauses;
    expect(report.rootCauses).toHaveLength(2);
    expect(first).toMatchObject({ number: 1, kind: 'error', level: 'must', call, code: 'INTERNAL', text, effect });
    expect([first!.failed.length, first!.blocked.length, second!.failed]).toEqual([5, 45, ['a:other']]);
    expect(report.exercised).toEqual({ tried: 2, planned: 3 });
    expect(report.suites[0]!.cases.map(({ rootCause }) => rootCause)).toEqual([2, undefined, 1, 1, 1, 1, 1]);
    expect(report.suites[1]!.cases[0]).toMatchObject({ rootCause: 1, cause });
  });

  it('JUnit has them first among the properties, and a shared one in the text of each case', async () => {
    const xml = await written('junit', run);
    validateJunit(xml);
    const properties = [
      ...xml.matchAll(
        /<properties>\s*<property name="([^"]+)" value="([^"]+)"\/>\s*<property name="([^"]+)" value="([^"]+)"/g,
      ),
    ];
    expect(properties.map(([, ...rest]) => rest)).toEqual(
      Array(2).fill(['pjrt.exercised', '2 of 3 requirements', 'pjrt.root-cause.1', `${text} (${effect})`]),
    );
    expect(xml.match(/>m\nroot cause 1: PJRT_Buffer_OnDeviceSizeInBytes returns INTERNAL/g)).toHaveLength(5);
    expect(xml.match(/>NOT_SUPPORTED: r\nroot cause 1: /g)).toHaveLength(45);
    expect(xml).not.toContain('root cause 2');
  });

  it('Markdown begins with a table of them, and shows three failures of each', async () => {
    const markdown = await written('markdown', run);
    expect(markdown).toContain(
      `| 1 | PJRT\\_Buffer\\_OnDeviceSizeInBytes returns INTERNAL: no \\| size | ${effect} | \`a:failing-0\` |`,
    );
    expect(markdown.indexOf('### 2 root causes: 2 fail the run')).toBeLessThan(markdown.indexOf('### Failures (6)'));
    expect(markdown.match(/<details><summary><code>a:failing/g)).toHaveLength(3);
    expect(markdown).toContain('and `a:failing-3`, `a:failing-4`');
    expect(markdown).toContain('2 of 3 requirements exercised');
  });

  it('SARIF and CTRF have them for the run and for each case', async () => {
    const [sarif] = JSON.parse(await written('sarif', run)).runs;
    expect(sarif.properties.rootCauses[0]).toBe(`${text} (${effect})`);
    expect(sarif.results[1].properties).toEqual({ rootCause: 1, rootCauseText: text });
    const { results } = JSON.parse(await written('ctrf', run));
    expect(results.environment.extra).toMatchObject({
      exercised: { tried: 2, planned: 3 },
      rootCauses: sarif.properties.rootCauses,
    });
    expect(results.tests[10].extra.rootCause).toBe(1);
  });

  it('HTML has them in its head and in the column of each case, and without scripts as a list', async () => {
    const html = await written('html', run);
    const [{ rootCauses, exercised }] = htmlBlocks(html, 'head') as [HtmlHead];
    expect(rootCauses.map((one) => one.text)).toEqual([text, 'other']);
    expect(rootCauses[0]).not.toHaveProperty('failed');
    expect(exercised).toEqual({ tried: 2, planned: 3 });
    expect(htmlBlocks(html, 'rows')[0]!.cause.slice(0, 9)).toEqual([2, 0, 1, 1, 1, 1, 1, 1, 1]);
    expect(html).toContain(`<h2>2 root causes: 2 fail the run</h2><ol><li>${text} (${effect})</li>`);
  });

  it('annotations show one case of each before a second one of any', () => {
    const many = foldRun([
      header(),
      ...suiteEvents(
        'a',
        Array.from({ length: 30 }, (_, at) => ({ name: `b${at}`, result: result('fail', { findings: [refused] }) })),
      ),
      ...suiteEvents('z', [
        { name: 'other', result: result('fail', { findings: [{ type: 'pjrt.X', level: 'must', message: 'other' }] }) },
      ]),
    ]);
    const lines = githubAnnotations(many);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toContain(`root cause 1: ${call} returns INTERNAL: no | size (30 cases fail)`);
    expect(lines[1]).toContain('z:other');
    expect(lines[2]).toContain('a:b1');
  });
});
