import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Event } from '../../model/events.ts';
import { foldRun } from '../../model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { jsonReport } from '../json.ts';
import { nights } from './ten-runs.test-helper.ts';
import { trendOfFiles } from './trend-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-trend-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const written = (name: string, events: readonly Event[]): string => {
  mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, name, 'events.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return name;
};

let seconds = 0;
const day = (name: string, platformName: string | undefined, given: Parameters<typeof header>[0] = {}): string => {
  const more = { startedAt: new Date(Date.UTC(2026, 10, 20, 0, 0, seconds++)).toISOString(), ...given };
  const plugin = { ...facts(), platformName };
  const cases = suiteEvents('s', [{ name, result: result('pass') }]);
  return written(name, [header(more), { type: 'plugin', plugin }, ...cases, footer()]);
};

let names: string[];
beforeEach(() => {
  names = nights().map(({ name, events }) => written(name, events));
});

const trend = (runs: string[], last?: number) => trendOfFiles({ runs, last }, directory);

test('runs are in the order of their start, whatever they are called', () => {
  expect(trend(names).runs.map(({ name }) => name)).toEqual(
    Array.from({ length: 10 }, (_, i) => `reports/night-${i + 1}`),
  );
  expect(trend(names, 3).runs.map(({ name }) => name)).toEqual([
    'reports/night-8',
    'reports/night-9',
    'reports/night-10',
  ]);
});

test('a JSON report is as good as its log; shards are one run', () => {
  const [one, two] = nights().map(({ events }) => events) as [Event[], Event[]];
  writeFileSync(join(directory, 'one.json'), JSON.stringify(jsonReport(foldRun(one))));
  const [fromReport] = trend(['one.json', written('two', two)]).runs;
  const [fromLog] = trend([written('one', one), 'two']).runs;
  expect({ ...fromReport, name: '' }).toEqual({ ...fromLog, name: '' });
  const part = (index: number) => day(`part-${index}`, 'example', { shard: { index, count: 2 } });
  expect(() => trend([part(1), part(2)])).toThrow('part-1 + part-2: it is the only run; a trend needs two or more');
});

test('what is no trend is refused with a reason', () => {
  expect(() => trend(['reports/night-1'])).toThrow('reports/night-1: it is the only run; a trend needs two or more');
  expect(() => trend(['reports/night-1', 'gone'])).toThrow('gone: there is no such file');
  mkdirSync(join(directory, 'empty'), { recursive: true });
  expect(() => trend(['reports/night-1', 'empty'])).toThrow('empty: the directory has no events.jsonl');
  writeFileSync(join(directory, 'text.jsonl'), 'no log\n');
  expect(() => trend(['reports/night-1', 'text.jsonl'])).toThrow(/text\.jsonl:1/);
  symlinkSync('reports/night-1', join(directory, 'newest'));
  expect(() => trend(['reports/night-1', 'newest'])).toThrow('reports/night-1, newest: they are the same run');
  // A copy, or the report beside the log.
  copyFileSync(join(directory, 'reports/night-1/events.jsonl'), join(directory, 'copy.jsonl'));
  expect(() => trend(['reports/night-1', 'copy.jsonl'])).toThrow('reports/night-1, copy.jsonl: they are the same run');
  const [{ events }] = nights() as [ReturnType<typeof nights>[number]];
  writeFileSync(join(directory, 'reports/night-1/report.json'), JSON.stringify(jsonReport(foldRun(events))));
  expect(() => trend(['reports/night-1', 'reports/night-1/report.json'])).toThrow(
    'reports/night-1, reports/night-1/report.json: they are the same run',
  );
  expect(() => trend(['gone', 'nowhere'], 1)).toThrow('--last 1: a trend needs two runs or more');
});

test('runs of different platforms are refused; one that could not ask for it may be of any', () => {
  const [first, second, third, unknown] = [
    ...[day('a', 'example'), day('b', 'other'), day('c', 'example')],
    day('d', undefined),
  ];
  expect(() => trend([first!, second!, third!])).toThrow(
    'a, b, c: the runs are of different platforms: example in a, c; other in b; give those of one plugin',
  );
  expect(trend([first!, third!, unknown!]).runs).toHaveLength(3);
  // Of runs that are left out nothing is asked.
  const older = day('e', 'other', { startedAt: '2020-01-01T00:00:00.000Z' });
  expect(trend([older, first!, third!], 2).runs.map(({ name }) => name)).toEqual(['a', 'c']);
});
