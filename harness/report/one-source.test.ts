import { expect, test } from 'vitest';
import { htmlBlocks } from '../../tests/support/html.ts';
import { unescaped } from '../../tests/support/unescaped.ts';
import type { Event } from '../model/events.ts';
import { foldRun } from '../model/run.ts';
import { footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { createConsoleReporter } from './console.ts';
import type { ReportOptions } from './format.ts';
import { findFormat } from './formats.ts';
import { githubAnnotations } from './github.ts';

/** A process died in a call: every format blames the one requirement that its finding names, with its sentence and its source. */

const [BLAMED, INNOCENT] = ['CLI-LKP-002', 'RUN-BAS-004'];
const SENTENCE = 'An unknown id is an error.';
const SOURCE = 'pjrt_c_api.h, PJRT_Client_LookupDevice: returns an error';
const LINK = 'https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api.h';
const FATAL = "plugin: lookup.cc:12: int lookup(int): Assertion `id >= 0' failed.";
const options: ReportOptions = {
  requirements: new Map([
    [BLAMED!, SENTENCE],
    [INNOCENT!, 'A program runs twice.'],
  ]),
  bases: new Map([[BLAMED!, SOURCE]]),
  levels: new Map([[BLAMED!, 'opt']]),
};

const noise = 'WARNING: All log messages before absl::InitializeLog() is called are written to STDERR';
const trace = Array.from({ length: 40 }, (_, at) => `    @ 0x${at}  frame()`).join('\n');
const died = result('crash', {
  signal: 'SIGABRT',
  inFlight: 'PJRT_Client_LookupDevice',
  findings: [
    { type: 'pjrt.Crash', level: 'must', message: 'the process died with SIGABRT', requirements: [BLAMED!], line: 9 },
  ],
  stderr: { head: `${noise}\n${FATAL}\n${trace}\n`, tail: '', omittedBytes: 0 },
});
const events: Event[] = [
  header(),
  ...suiteEvents('a', [
    { name: 'good', result: result('pass') },
    { name: 'dies', result: died, plan: { covers: [INNOCENT!, BLAMED!] } },
  ]),
  footer({ exitCode: 1, verdict: 'does not pass' }),
];

async function written(format: string): Promise<string> {
  const write = await findFormat(format)!.load();
  let text = '';
  write(foldRun(events), (chunk) => (text += chunk), options);
  return text;
}

test.each(['junit', 'markdown', 'sarif', 'gitlab', 'json', 'ctrf'])('%s', async (format) => {
  const text = unescaped(await written(format));
  expect(text).toContain(SENTENCE);
  expect(text).toContain(SOURCE);
  expect(text).toContain(LINK);
  // JSON reports list what a case covers, beside what it violates.
  if (format === 'json') expect(Object.keys(JSON.parse(await written('json')).requirements)).toEqual([BLAMED]);
  else expect(text).not.toContain(INNOCENT);
});

test('SARIF links the rule', async () => {
  const [run] = JSON.parse(await written('sarif')).runs;
  expect(run.tool.driver.rules).toEqual([
    {
      id: BLAMED,
      shortDescription: { text: SENTENCE },
      helpUri: LINK,
      help: { text: `${SENTENCE} Source: ${SOURCE} <${LINK}>` },
    },
  ]);
});

test('annotations', () => {
  const [line] = githubAnnotations(foldRun(events), options);
  for (const part of [SENTENCE, LINK, `title=${BLAMED}`]) expect(line).toContain(part);
  expect(line).not.toContain(INNOCENT);
});

test('HTML', async () => {
  const html = await written('html');
  const [head] = htmlBlocks(html, 'head');
  expect([head!.requirements[BLAMED!], head!.bases[BLAMED!], head!.links[BLAMED!]]).toEqual([SENTENCE, SOURCE, LINK]);
  expect(htmlBlocks(html, 'rows')[0]!.breaks).toEqual([[], [BLAMED]]);
  expect(htmlBlocks(html, 'details')[0]!.at(-1)![1].lastWords).toBe(FATAL);
});

test.each([false, true])(
  'the terminal; the fatal line comes before the stack trace, and the noise is counted: verbose %s',
  (verbose) => {
    let text = '';
    const reporter = createConsoleReporter({
      stream: { write: (chunk: string) => (text += chunk) },
      ...{ isTTY: false, color: false, live: false, verbose },
    });
    for (const event of events) reporter.event(event);
    reporter.close({ texts: options });
    for (const part of [SENTENCE, SOURCE, LINK, `stderr: ${FATAL}`, '… 1 line before that'])
      expect(text).toContain(part);
    expect(text).not.toContain(INNOCENT);
    expect(text).not.toContain(noise);
    expect(text.indexOf(FATAL)).toBeLessThan(text.indexOf('frame()'));
  },
);

test.each(['junit', 'markdown'])(
  '%s has the fatal line too, and not the noise before it, except as captured',
  async (format) => {
    const text = unescaped(await written(format)).replace(/<system-err>[\s\S]*?<\/system-err>/, '');
    expect(text).toContain(`stderr: ${FATAL}`);
    expect(text).toContain('… 1 line before that');
    expect(text).not.toContain(noise);
  },
);
