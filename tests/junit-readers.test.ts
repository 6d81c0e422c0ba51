import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Event } from '../harness/model/events.ts';
import { foldRun } from '../harness/model/run.ts';
import { everyStatus, footer, header, result, suiteEvents } from '../harness/model/sample-log.test-helper.ts';
import type { Status } from '../harness/model/status.ts';
import { JUNIT_FLAVORS, jsonReport } from '../harness/report/index.ts';
import { junitXml } from '../harness/report/junit.ts';
import { syntheticEvents } from '../tools/bench/synthetic-log.ts';
import { JUNIT_READERS, type JunitReader, type ReadCase } from './support/junit-readers.ts';

/** Independent programs read the JUnit files, and must find the contents of report.json in them. */

const directory = mkdtempSync(join(tmpdir(), 'pjrt-readers-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Reading of each status according to docs/reports.md. */
const OUTCOMES: Record<Status, ReadCase['outcome']> = {
  pass: 'passed',
  warn: 'passed',
  fail: 'failure',
  flaky: 'failure',
  crash: 'error',
  timeout: 'error',
  error: 'error',
  unsupported: 'skipped',
  skip: 'skipped',
  notrun: 'skipped',
};

const REASONS: Partial<Record<Status, string>> = { unsupported: 'NOT_SUPPORTED', skip: 'SKIPPED', notrun: 'NOT_RUN' };

/** Texts that readers have trouble with; expected without escapes and terminal sequences. */
const NASTY: [raw: string, shown: string][] = [
  ['a ]]> <b attr="1"> &lt; &amp; \'q\' end', 'a ]]> <b attr="1"> &lt; &amp; \'q\' end'],
  ['\x1b[31mred\x1b[0m \x00 \ud800 \ufffe 漢 🙂', 'red \\x00 \\u{d800} \\u{fffe} 漢 🙂'],
  ['{"json": [1]} --- # %', '{"json": [1]} --- # %'],
];

const nasty = (): Event[] => [
  header(),
  ...suiteEvents(
    'odd/texts',
    NASTY.map(([message], at) => ({
      name: `name[v="${at}",<&>=']]>']`,
      result: result('fail', {
        findings: [{ type: 'string', level: 'must', message, detail: message }],
        stderr: { head: message.repeat(5000), tail: message, omittedBytes: 10 },
      }),
    })),
  ),
  footer({ exitCode: 1 }),
];

/** Cases in report.json, and as a reader should show them. */
function expected(events: readonly Event[], reader: JunitReader): ReadCase[] {
  const report = jsonReport(foldRun(events));
  return [...report.suites]
    .sort((a, b) => (a.suite < b.suite ? -1 : 1))
    .flatMap(({ suite, cases }) =>
      cases.map((item): ReadCase => {
        const outcome = OUTCOMES[item.status];
        const name = reader.namesOnly ? item.name : `pjrt.${suite.replaceAll('/', '.')}/${item.name}`;
        if (outcome === 'passed') return { name, outcome };
        const shown =
          outcome === 'skipped'
            ? `${REASONS[item.status]}: ${item.reason}`
            : visible(item.findings?.[0]?.message ?? '', reader);
        return { name, outcome: reader.failuresOnly && outcome === 'error' ? 'failure' : outcome, shown };
      }),
    );
}

function visible(message: string, { unescapesTwice }: JunitReader): string {
  const shown = NASTY.find(([raw]) => raw === message)?.[1] ?? message;
  return unescapesTwice ? shown.replaceAll('&lt;', '<').replaceAll('&amp;', '&') : shown;
}

const hasPython = spawnSync('python3', ['-c', 'import xml.etree.ElementTree']).status === 0;
const hasPip = hasPython && spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
const isHere = { pip: hasPip, python3: hasPython };

const SCENES: [string, Event[]][] = [
  ['every status', everyStatus()],
  ['nasty texts', nasty()],
  ['two thousand cases', [...syntheticEvents(2000)]],
];

const isOwn = ({ name }: ReadCase): boolean =>
  /^(pjrt\.(harness|framework)\/|plugin loads|run completed|workers live|warnings of the run)/.test(name);

describe.each(JUNIT_READERS.map((reader) => [reader.name, reader] as const))('%s', (_, reader) => {
  const missing = reader.needs && !isHere[reader.needs] ? reader.needs : undefined;
  test.for(SCENES.flatMap(([name, events]) => JUNIT_FLAVORS.map((flavor) => [name, flavor, events] as const)))(
    'finds in %s, %s, the contents of report.json',
    async ([name, junitFlavor, events], context) => {
      if (missing) context.skip(`${missing} is not here`);
      const xml = junitXml(foldRun(events), { junitFlavor });
      const path = join(directory, `${name.replaceAll(' ', '-')}-${junitFlavor}.xml`);
      writeFileSync(path, xml);
      const { cases, counts } = await reader.read(path, xml);
      const found = cases.filter((item) => !isOwn(item));
      const mine = expected(events, reader);
      expect(found.map(({ name: own, outcome }) => ({ name: own, outcome }))).toEqual(
        mine.map(({ name: own, outcome }) => ({ name: own, outcome })),
      );
      for (const [at, { shown }] of mine.entries()) {
        // A reader that shows no text of skipped cases still counts them.
        if (found[at]!.shown !== undefined || OUTCOMES.fail === found[at]!.outcome)
          expect(found[at]!.shown).toBe(shown);
      }
      const of = (outcome: string): number => cases.filter((item) => item.outcome === outcome).length;
      if (counts) {
        expect(counts).toEqual({
          tests: cases.length,
          failures: of('failure'),
          errors: of('error'),
          skipped: of('skipped'),
        });
      }
    },
  );
});

test('annotations are at the line of the failing suite, with and without attributes for it', async () => {
  const reader = JUNIT_READERS.find(({ name }) => name.includes('mikepenz'))!;
  const events = everyStatus();
  const lines = new Map(
    jsonReport(foldRun(events)).suites.flatMap(({ file, cases }) =>
      cases.map((item) => [item.name, `${file}:${item.findings?.[0]?.line ?? item.line}`] as const),
    ),
  );
  for (const junitFlavor of JUNIT_FLAVORS) {
    const { cases } = await reader.read('', junitXml(foldRun(events), { junitFlavor }));
    const annotated = cases.filter((item) => item.place !== undefined && !isOwn(item));
    expect(annotated.length).toBeGreaterThan(4);
    for (const { name, place } of annotated) expect(place, name).toBe(lines.get(name.slice(name.indexOf('/') + 1)));
  }
});
