import { afterEach, describe, expect, test, vi } from 'vitest';
import { textWidth } from '../../base/text-table.ts';
import type { Event } from '../../model/events.ts';
import { applyEvent, emptyRun, foldRun } from '../../model/run.ts';
import { footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { type ConsoleOptions, createConsoleReporter } from '../console.ts';
import { evenly } from './progress.ts';

afterEach(() => void vi.useRealTimers());

const LONG = 'round-trip-of-every-element-type-and-shape[dtype=f32,shape=2x3x4]';
const cases = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `${LONG}-${n}`, result: result('pass') }));
const all = [1, 2, 3, 4].flatMap((at) => suiteEvents(`area/suite-${at}`, cases(50)));
const events: Event[] = [
  header(),
  ...all.filter(({ type }) => type === 'suite'),
  ...all.filter(({ type }) => type !== 'suite'),
  footer({ verdict: 'passes' }),
];

const ERASE = '\r\x1b[2K';

/** What a reporter writes if every reading of the clock is `step` milliseconds after the last. */
function written(options: Partial<ConsoleOptions>, step = 50): string {
  let text = '';
  let at = 0;
  const stream = { write: (chunk: string) => (text += chunk) };
  const reporter = createConsoleReporter({ stream, isTTY: true, color: false, now: () => (at += step), ...options });
  for (const event of events) reporter.event(event);
  reporter.close();
  return text;
}

const drawn = (text: string): string[] => [...text.matchAll(/\r\x1b\[2K([^\r\n]+)(?=\r)/g)].map((match) => match[1]!);

describe('on a terminal', () => {
  test.each([20, 30, 60, 80, 120])(
    '%d columns: the line has whole parts and ends before the last column',
    (columns) => {
      const lines = drawn(written({ columns, remaining: () => 42_000 }));
      expect(lines.length).toBeGreaterThan(10);
      for (const line of lines) {
        expect(textWidth(line), line).toBeLessThan(columns);
        expect(line).toMatch(/^[█░]* *\d+ % {2}\d+\/(?:50|100|150|200)/);
        if (columns >= 60 && !line.includes('100 %'))
          expect(line).toMatch(/ (?:\d+ ms|[\d.]+ s|1 min \d\d s), about 42 s left/);
      }
      expect(lines.some((line) => /^[█░]{12,24} {2}/.test(line))).toBe(columns >= 70);
      expect(lines.some((line) => line.includes('area/'))).toBe(columns >= 60);
    },
  );

  test('it is drawn at most ten times a second, and erased at the end', () => {
    const text = written({ columns: 80 }, 1);
    // The clock is read at most three times for an event.
    expect(drawn(text).length).toBeLessThanOrEqual((events.length * 3) / 100 + 1);
    const left = text.split('\n').map((line) => line.slice(line.lastIndexOf(ERASE) + 1));
    expect(left.join('\n')).not.toMatch(/ % /);
  });

  test('colours only if wanted', () => {
    expect(written({ columns: 80 })).not.toMatch(/\x1b\[\d+m/);
    expect(written({ columns: 80, color: true })).toMatch(/\x1b\[32m█/);
  });

  test('it moves without events, and stops with the reporter', () => {
    vi.useFakeTimers();
    let text = '';
    const stream = { write: (chunk: string) => (text += chunk) };
    const reporter = createConsoleReporter({ stream, isTTY: true, color: false, now: () => Date.now() });
    for (const event of [header(), ...suiteEvents('a', [{ name: 'hangs' }])]) reporter.event(event);
    reporter.event({ type: 'start', id: 'a:hangs', worker: 1, atMs: 1 });
    vi.advanceTimersByTime(3000);
    expect(text).toContain('░░░░░░░░░░░░  0 %  0/1  2.5 s  a:hangs');
    reporter.close();
    const length = text.length;
    vi.advanceTimersByTime(3000);
    expect(text).toHaveLength(length);
    expect(text).toMatch(/\(exit code 5\)\n$/);
  });
});

describe('in a log file', () => {
  const beats = (seconds: number, options: Partial<ConsoleOptions> = {}): string[] => {
    vi.useFakeTimers();
    let text = '';
    const stream = { write: (chunk: string) => (text += chunk) };
    const reporter = createConsoleReporter({ stream, isTTY: false, color: false, now: () => Date.now(), ...options });
    for (const event of [header(), ...suiteEvents('a', [...cases(3), { name: 'hangs' }])]) reporter.event(event);
    reporter.event({ type: 'start', id: 'a:hangs', worker: 1, atMs: 1 });
    vi.advanceTimersByTime(seconds * 1000);
    reporter.close();
    return text.split('\n').filter((line) => line.startsWith('- '));
  };

  test('a line after ten seconds, then after twice the time, at last every five minutes', () => {
    const ends = (lines: string[]): string[] => lines.map((line) => line.split('  ')[2]!.split(',')[0]!);
    expect(ends(beats(9))).toEqual([]);
    expect(ends(beats(100))).toEqual(['10.0 s', '20.0 s', '40.0 s', '1 min 20 s']);
    expect(beats(7200)).toHaveLength(28);
    expect(beats(10)).toEqual(['- 75 %  3/4  10.0 s, about 3 s left  a:hangs']);
  });

  test('none with --quiet, nor of a run that is over', () => {
    expect(beats(100, { quiet: true })).toEqual([]);
    expect(beats(100, { live: false })).toEqual([]);
  });

  test('it counts what fails the run, not what is known', () => {
    vi.useFakeTimers();
    let text = '';
    const stream = { write: (chunk: string) => (text += chunk) };
    const reporter = createConsoleReporter({ stream, isTTY: false, color: false, now: () => Date.now() });
    const known = result('fail', { knownDeviation: { reason: 'r', evidence: 'e' } });
    const log = suiteEvents('a', [
      { name: 'k', result: known },
      { name: 'c', result: result('crash') },
      { name: 'open' },
    ]);
    for (const event of [header({ options: { acceptKnown: true } }), ...log]) reporter.event(event);
    vi.advanceTimersByTime(10_000);
    reporter.close();
    expect(text).toContain('- 66 %  2/3  10.0 s, about 5 s left  1 crashed\n');
  });
});

test('an even estimate needs a tenth of the cases, and leaves out those of earlier sessions', () => {
  const run = foldRun([
    header(),
    ...suiteEvents('a', [...cases(2), ...Array.from({ length: 38 }, (_, n) => ({ name: `o${n}` }))]),
  ]);
  expect(evenly(run, 1000)).toBeUndefined();
  const log = suiteEvents('a', [...cases(10), ...Array.from({ length: 10 }, (_, n) => ({ name: `o${n}` }))]);
  const half = foldRun([header(), ...log]);
  expect(evenly(half, 1000)).toBe(1000);
  applyEvent(half, { type: 'resume', startedAt: '', argv: [], atMs: 5000, after: 'cut-off', tornBytes: 0 });
  expect(evenly(half, 1000)).toBeUndefined();
  expect(evenly(emptyRun(), 1000)).toBe(0);
});
