/**
 * What two real runs print, from their logs (`npm run record:golden`): xla-cpu with its known deviations accepted, and a plugin
 * that reads every array transposed.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { textWidth } from '../../base/text-table.ts';
import type { Event } from '../../model/events.ts';
import { foldRun } from '../../model/run.ts';
import { loadRequirements } from '../../suite/requirements.ts';
import { isRed } from '../../verdict/standing.ts';
import { type ConsoleOptions, createConsoleReporter } from '../console.ts';

const requirements = new Map([...loadRequirements()].map(([id, { text }]) => [id, text]));

function eventsOf(name: string): Event[] {
  const packed = readFileSync(packagePath('harness', 'report', 'golden', `${name}.jsonl.gz`));
  const lines = gunzipSync(packed).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Event);
}

function shown(events: readonly Event[], options: Partial<ConsoleOptions> = {}): string {
  let text = '';
  const stream = { write: (chunk: string) => (text += chunk) };
  const reporter = createConsoleReporter({ stream, isTTY: false, color: false, now: () => 0, ...options });
  for (const event of events) reporter.event(event);
  const log = 'reports/my-plugin/events.jsonl';
  reporter.close({ reports: [`events  ${log}`], log, texts: { requirements } });
  return text;
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n');

const green = eventsOf('green');
const red = eventsOf('red');

test('a green run', async () => {
  const text = shown(green);
  await expect(text).toMatchFileSnapshot('../golden/console-green.txt');
  expect(linesOf(text).length).toBeLessThanOrEqual(60);
  expect(linesOf(text).at(-1)).toMatch(/^passes .*\(exit code 0\)$/);
});

describe('a run with hundreds of failures', () => {
  const run = foldRun(red);
  const failing = [...run.cases.values()].filter((item) => isRed(item, run.header!.options ?? {}));
  const text = shown(red);

  test('its text', async () => {
    await expect(text).toMatchFileSnapshot('../golden/console-red.txt');
    expect(failing.length).toBeGreaterThanOrEqual(500);
    expect(linesOf(text).length).toBeLessThanOrEqual(200);
  });

  test('on 80 columns: sentences end before the last one; no more than tables and commands are wider', async () => {
    const narrow = shown(red, { isTTY: true, columns: 80, live: false });
    await expect(narrow).toMatchFileSnapshot('../golden/console-red-80.txt');
    const wide = linesOf(narrow).filter((line) => textWidth(line) > 80);
    const exempt = /^ +reproduce: |^ {6}|^every failure in full: |^ +[✗!] [A-Z]+ \S+$/;
    expect(wide.filter((line) => !exempt.test(line))).toEqual([]);
  });

  test('every failing case can be found: --verbose has all of them', () => {
    const all = shown(red, { verbose: true });
    expect(failing.filter(({ plan }) => !all.includes(` ${plan.id}\n`)).map(({ plan }) => plan.id)).toEqual([]);
    expect(text).toContain(
      'every failure in full: npx pjrt-conformance report reports/my-plugin/events.jsonl --verbose',
    );
  });

  test('the numbers of failures in the causes add up to those of the verdict', () => {
    const failures = text.slice(0, text.indexOf('\ncases  '));
    const counts = [...failures.matchAll(/(?:^ {2}|\()(\d+) cases? fails?[,:;]/gm)].map((match) => Number(match[1]));
    const left = /and \d+ more causes with (\d+) cases?: /.exec(failures)?.[1] ?? 0;
    const alone = linesOf(failures).filter((line) => /^✗ [A-Z ]+ \S+$/.test(line)).length;
    expect(counts.reduce((a, b) => a + b, Number(left)) + alone).toBe(failing.length);
  });
});
