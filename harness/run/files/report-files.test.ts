import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkPlaces, placeOf, placesOf, reportFiles } from './report-files.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pjrt-places-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const check = (report: string[], log = 'events.jsonl'): void =>
  checkPlaces([['the event log', join(cwd, log)]], placesOf(reportFiles({ report }, cwd, cwd)), cwd);

test('no file is written twice', () => {
  expect(() => check(['html', 'ctrf=out/a.ctrf'])).not.toThrow();
  expect(() => check(['ctrf=out/a', 'markdown=out/./a'])).toThrow(
    'out/a: it cannot be both the report markdown and the report ctrf; give each its own file',
  );
  expect(() => check(['ctrf=report.json'])).toThrow(/both the report json and the report ctrf/);
  expect(() => check(['html=events.jsonl'])).toThrow(/both the event log and the report html/);
});

test.each([{ report: ['ctrf=-'] }, { junit: '-' }, { json: '-' }])(
  'standard output is not a file for a report: %j',
  (options) => {
    expect(() => reportFiles(options, cwd, cwd)).toThrow(
      /^--(report ctrf=|junit |json )-: standard output has what the command prints; give the name of a file \(\.\/- is a file of this name\)$/,
    );
  },
);

test('nor for the log, but a file may have that name', () => {
  expect(() => placeOf({ events: '-' }, [], cwd)).toThrow('--events -: standard output has what the command prints');
  expect(reportFiles({ report: ['ctrf=./-'] }, cwd, cwd).at(-1)?.path).toBe(join(cwd, '-'));
});

test('a device may be written twice', () => {
  expect(() => check(['junit=/dev/null', 'json=/dev/null'])).not.toThrow();
});

test('a comparison overwrites neither what it was made of, nor the reports of the run, nor another one', () => {
  const [json, junit] = [{ format: { name: 'json' } }, { format: { name: 'junit' } }];
  const read = [['a run to compare', join(cwd, 'old.json')]] as const;
  const at = (one: string, other: string) => () =>
    checkPlaces(
      read,
      placesOf(
        [
          { ...json, path: join(cwd, one) },
          { ...junit, path: join(cwd, other) },
        ],
        'comparison',
      ),
      cwd,
    );
  expect(at('a', 'b')).not.toThrow();
  expect(at('old.json', 'b')).toThrow('old.json: it cannot be both a run to compare and the comparison json');
  expect(at('a', 'a')).toThrow('a: it cannot be both the comparison json and the comparison junit');
});
