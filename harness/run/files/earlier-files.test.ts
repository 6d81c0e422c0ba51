import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Event } from '../../model/events.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { foldRun } from '../../model/run.ts';
import { everyStatus, facts, footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { compareRuns } from '../../report/compare/compare.ts';
import { compareDevices } from '../../report/compare/device-comparison.ts';
import { COMPARISON_FORMATS } from '../../report/compare/formats.ts';
import { DEFAULT_POLICY } from '../../report/compare/policy.ts';
import { EventLog, REPORT_FORMATS } from '../../report/index.ts';
import { makeRoom, removeReports, renamed, sameBytes } from './earlier-files.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pjrt-earlier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const directory = (): string => join(cwd, 'out');
const logAt = (place = 'out'): string => join(cwd, place, 'events.jsonl');

/** The log of a run of cases that pass. */
const runOf = (names: readonly string[], end: Event[] = [footer()]): Event[] => [
  header(),
  ...suiteEvents(
    'a',
    names.map((name) => ({ name, result: result('pass') })),
  ),
  ...end,
];

function write(events: readonly Event[], place = 'out'): void {
  const log = new EventLog(logAt(place));
  for (const event of events) log.write(event);
  log.close();
}

const next = (names: readonly string[], more: object = {}) =>
  makeRoom(
    { directory: directory(), log: logAt(), plugins: ['example'], cases: names.map((name) => `a:${name}`), ...more },
    cwd,
  );

const keptCases = (place: string): string[] =>
  [...readFileSync(logAt(place), 'utf8').matchAll(/^\{"type":"case","id":"(.*?)"/gm)].map(([, id]) => id!);

describe('an earlier run in the place of a new one', () => {
  test('is overwritten by a run with all of its cases', () => {
    write(runOf(['x']));
    writeFileSync(join(directory(), 'report.md'), '## ✅ PJRT conformance of example\n');
    expect(next(['x', 'y'])).toBeUndefined();
    expect(readdirSync(directory())).toEqual(['events.jsonl']);
  });

  test('is kept with its reports if the new run has fewer cases', () => {
    write(runOf(['x', 'y', 'z']));
    writeFileSync(join(directory(), 'report.md'), '## ✅ PJRT conformance of example\n');
    writeFileSync(join(directory(), 'notes.md'), 'mine');
    expect(next(['x'])).toBe(
      'the earlier run in out (example, 3 cases, 2 of which this run does not have) is now in out/previous',
    );
    expect(readdirSync(directory()).sort()).toEqual(['notes.md', 'previous']);
    expect(readdirSync(join(directory(), 'previous')).sort()).toEqual(['events.jsonl', 'report.md']);
  });

  test('is kept if it is of another plugin', () => {
    write(runOf(['x']));
    expect(next(['x'], { plugins: ['other'] })).toBe('the earlier run in out (example, 1 case) is now in out/previous');
  });

  test('parts that are repeated later do not take the place of the kept run', () => {
    write(runOf(['x', 'y', 'z']));
    next(['x']);
    for (const part of ['x', 'y', 'z']) {
      write(runOf([part]));
      expect(next(['y'])).toBeUndefined();
    }
    expect(keptCases('out/previous')).toEqual(['a:x', 'a:y', 'a:z']);
    write(runOf(['x', 'y', 'z', 'new']));
    expect(next(['y'])).toMatch(/out\/previous$/);
    expect(keptCases('out/previous')).toHaveLength(4);
  });

  test('neither of two runs with different cases is lost', () => {
    write(runOf(['x', 'y']));
    next(['z']);
    write(runOf(['z']));
    expect(next(['x'])).toMatch(/is now in out\/previous-2$/);
    expect([keptCases('out/previous'), keptCases('out/previous-2')]).toEqual([['a:x', 'a:y'], ['a:z']]);
  });

  test.each([
    ['killed', []],
    ['interrupted', [footer({ interrupted: true })]],
  ])('is always kept if it was %s, and the line says how to resume it', (_, end) => {
    write(runOf(['x'], end));
    expect(next(['x'])).toBe(
      'the unfinished run in out (example, 1 case) is now in out/previous; to resume it: pjrt-conformance run --resume out/previous',
    );
    expect(existsSync(logAt())).toBe(false);
  });

  test('without a result is overwritten', () => {
    write([header()]);
    expect(next(['x'])).toBeUndefined();
    writeFileSync(logAt(), '');
    expect(next(['x'])).toBeUndefined();
  });

  test('a directory of someone else is left alone', () => {
    write(runOf(['x', 'y']));
    mkdirSync(join(directory(), 'previous'));
    writeFileSync(join(directory(), 'previous', 'report.md'), 'mine');
    expect(next(['x'])).toMatch(/is now in out\/previous-2$/);
    expect(readdirSync(join(directory(), 'previous'))).toEqual(['report.md']);
  });

  test('a file that is not a log is not overwritten', () => {
    mkdirSync(directory());
    writeFileSync(logAt(), 'milk, bread\n');
    expect(() => next(['x'])).toThrow(`${logAt()}: this file is not an event log and is not overwritten`);
  });

  test('a log that cannot be moved is an error that says what to do', () => {
    write(runOf(['x', 'y']));
    mkdirSync(join(directory(), 'previous'));
    writeFileSync(join(directory(), 'previous', 'events.jsonl'), readFileSync(logAt()));
    // A directory with the name of a report to move.
    writeFileSync(join(directory(), 'report.md'), '## ✅ PJRT conformance of example\n');
    mkdirSync(join(directory(), 'previous', 'report.md'));
    expect(() => next(['x'])).toThrow(
      /events\.jsonl: this log of an earlier run cannot be moved to .*previous: .*; choose another directory with --output$/,
    );
  });
});

describe('reports without the log that they are of', () => {
  const run = foldRun(everyStatus());

  test('every format but the durations is recognised, of an empty run too', async () => {
    mkdirSync(directory());
    for (const [at, of] of [run, foldRun([header()])].entries()) {
      for (const { file, load } of REPORT_FORMATS) {
        let text = '';
        (await load())(of, (chunk) => (text += chunk), {});
        writeFileSync(join(directory(), file), text);
      }
      const comparison = compareRuns([{ name: 'old', run }], [{ name: 'new', run }], DEFAULT_POLICY);
      for (const { file, load } of COMPARISON_FORMATS) {
        let text = '';
        (await load())(comparison, (chunk) => (text += chunk), {});
        writeFileSync(join(directory(), file), text);
      }
      expect(readdirSync(directory()), String(at)).toHaveLength(REPORT_FORMATS.length + COMPARISON_FORMATS.length);
      removeReports(directory());
      expect(readdirSync(directory()), String(at)).toEqual(['durations.json']);
    }
  });

  test('so is the comparison of devices', () => {
    mkdirSync(directory());
    const devices = compareDevices([{ name: '0', env: {}, run, exitCode: 1 }]);
    writeFileSync(join(directory(), 'devices.json'), `${JSON.stringify(devices, undefined, 2)}\n`);
    removeReports(directory());
    expect(readdirSync(directory())).toEqual([]);
  });

  test('files of others with the same names stay', () => {
    mkdirSync(directory());
    const files = [...REPORT_FORMATS, ...COMPARISON_FORMATS].map(({ file }) => file);
    for (const file of files) {
      const text = file.endsWith('.json') ? '{"name": "pjrt-conformance"}' : 'pjrt-conformance: what it does\n';
      writeFileSync(join(directory(), file), text);
    }
    removeReports(directory());
    expect(readdirSync(directory()).sort()).toEqual(files.sort());
  });
});

test.each([
  ['./renamed.so', 'known', 'sha256', true],
  ['./known.so', 'known', 'sha256', false],
  ['./pjrt-plugin-mine.so', 'mine', 'sha256', false],
  ['mine=./renamed.so', 'mine', 'sha256', false],
  ['./renamed.so', 'known', 'symbol', false],
  ['known', 'known', 'sha256', false],
])('a known plugin under another file name: %s, named %s by its %s', (spec, name, by, said) => {
  const plugin = { name, library: `/x/${spec.split('/').at(-1)}`, recognisedBy: by } as unknown as ResolvedPlugin;
  expect([...renamed(spec, plugin)]).toHaveLength(said ? 1 : 0);
});

test('a run of the same bytes under another name is named', () => {
  const plugin = (name: string, sha256: string): Event => ({ type: 'plugin', plugin: facts({ name, sha256 }) });
  write([header(), plugin('foo', 'aa'.repeat(32))], 'reports/foo');
  write([header(), plugin('bar', 'bb'.repeat(32))], 'reports/bar');
  write([header(), plugin('baz', 'aa'.repeat(32))], 'reports/baz');
  const named = (name: string) => [...sameBytes(join(cwd, 'reports', name), { name, sha256: 'aa'.repeat(32) }, cwd)];
  expect(named('foo')).toEqual(['foo is the same file as baz (sha256 aaaaaaaaaaaa), whose run is in reports/baz']);
  expect(named('bar').map((line) => basename(line))).toEqual(['baz', 'foo']);
});
