import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Event } from '../../model/events.ts';
import type { Run } from '../../model/run.ts';
import { everyStatus, facts, footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { jsonReport } from '../json.ts';
import { compareRuns } from './compare.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { readRuns } from './read-runs.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-read-runs-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const log = (name: string, events: readonly Event[]): string => {
  writeFileSync(join(directory, name), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return name;
};
const read = (...names: string[]): { name: string; run: Run }[] =>
  readRuns(names.map((name) => ({ name, path: join(directory, name) })));

const part = (index: number, count: number, name: string): Event[] => [
  header({ shard: { index, count } }),
  { type: 'plugin', plugin: facts() },
  ...suiteEvents('s', [{ name, result: result('pass') }]),
  footer(),
];

test('a log and its JSON report are the same run', () => {
  log('all.jsonl', everyStatus());
  const [whole] = read('all.jsonl');
  writeFileSync(join(directory, 'all.json'), JSON.stringify(jsonReport(whole!.run), null, 2));
  writeFileSync(join(directory, 'short.json'), JSON.stringify(jsonReport(whole!.run)));
  for (const file of ['all.json', 'short.json']) {
    const { changes, cautions, transitions, old, new: now } = compareRuns([whole!], read(file), DEFAULT_POLICY);
    expect([file, changes]).toEqual([file, []]);
    expect(cautions.filter((text) => !text.includes('is no whole proof'))).toEqual([]);
    expect(transitions.every((each) => each.old === each.new)).toBe(true);
    expect({ ...now, logs: [] }).toEqual({ ...old, logs: [] });
  }
});

test('a case in the report equals the case in the log', () => {
  log('rich.jsonl', [
    header(),
    ...suiteEvents('s', [
      {
        name: 'a',
        result: result('pass', {
          callMs: { PJRT_Client_Compile: 3 },
          numerics: [{ what: 'y', maxUlp: 1, allowedUlp: 4, index: 0, expectedBits: '0x0', actualBits: '0x1' }],
        }),
      },
      { name: 'b' },
    ]),
    { type: 'worker', worker: 1, what: 'exit', pid: 1, atMs: 1, peakRssBytes: 1000 },
    footer(),
  ]);
  const { run } = read('rich.jsonl')[0]!;
  writeFileSync(join(directory, 'rich.json'), JSON.stringify(jsonReport(run)));
  const again = read('rich.json')[0]!.run;
  for (const id of ['s:a', 's:b']) expect(again.cases.get(id)!.result).toEqual(run.cases.get(id)!.result);
  expect([again.peakRssBytes, again.counts, again.faults]).toEqual([1000, run.counts, []]);
});

describe('several files', () => {
  test('parts of a sharded run are one run, in any order', () => {
    const runs = read(log('p2', part(2, 2, 'b')), log('p1', part(1, 2, 'a')));
    expect(runs.map(({ name, run }) => [name, [...run.cases.keys()]])).toEqual([['p2 + p1', ['s:a', 's:b']]]);
  });

  test('the same part again begins the next repeat; whole runs are repeats', () => {
    const runs = read('p1', log('q1', part(1, 2, 'a')), 'p2', log('q2', part(2, 2, 'b')), log('w', everyStatus()));
    expect(runs.map(({ name }) => name)).toEqual(['p1 + p2', 'q1 + q2', 'w']);
  });

  test('parts that contradict each other are an error', () => {
    const other = part(2, 2, 'b').map((event) =>
      event.type === 'plugin' ? { ...event, plugin: facts({ sha256: 'ef'.repeat(32) }) } : event,
    );
    expect(() => read('p1', log('o2', other))).toThrow(
      /^p1, o2: the logs are not shards of one run:\n.*plugins: \w+ has/,
    );
  });
});

test('a directory stands for the run that wrote it', () => {
  mkdirSync(join(directory, 'run'));
  log('run/events.jsonl', everyStatus());
  expect(read('run')[0]!.run.cases.size).toBe(10);
});

describe('what cannot be read is one clear error', () => {
  test('there is no such file', () => {
    expect(() => read('absent')).toThrow(/^absent: there is no such file; expected events\.jsonl/);
  });

  test('the system refuses', () => {
    symlinkSync('loop', join(directory, 'loop'));
    expect(() => read('loop')).toThrow(/^loop: cannot be read: it is a link that leads to itself/);
    mkdirSync(join(directory, 'odd/events.jsonl'), { recursive: true });
    expect(() => read('odd')).toThrow(/^odd: cannot be read: it is a directory/);
  });

  test('a device or a pipe, which cannot be read twice', () => {
    expect(() => readRuns([{ name: '/dev/null', path: '/dev/null' }])).toThrow(
      /^\/dev\/null: it is not a regular file/,
    );
  });
});

test('a truncated log is read up to its end', () => {
  const [first, second] = everyStatus().map((event) => JSON.stringify(event));
  writeFileSync(join(directory, 'torn'), `${first}\n${second!.slice(0, 20)}`);
  expect(read('torn')[0]!.run.footer).toBeUndefined();
});

test('a member of a report that violates the schema is reported by name', () => {
  const report = JSON.parse(JSON.stringify(jsonReport(read(log('whole', everyStatus()))[0]!.run)));
  const withStatus = (status: unknown): string => {
    report.suites[0].cases[1].status = status;
    writeFileSync(join(directory, 'changed.json'), JSON.stringify(report, null, 2));
    return 'changed.json';
  };
  expect(() => read(withStatus('odd'))).toThrow(
    /^changed\.json: not a JSON report of a run: \/suites\/0\/cases\/1\/status must be equal to one of/,
  );
  expect(() => read(withStatus('warn'))).not.toThrow();
});

describe('a file that is neither is one clear error', () => {
  test.each<[string, string, RegExp]>([
    ['empty', '', /empty:1: the log is empty/],
    ['text', 'hello\n', /text:1: not JSON/],
    ['cut in the header', '{"type":"hea', /cut in the header:1/],
    ['other JSON', '{"a": [1]}', /other JSON: not a JSON report of a run: the report must have required property/],
    ['cut off JSON', '{\n  "a": 1,\n', /cut off JSON:3:1: neither an event log nor a JSON report/],
    ['odd text', '{\n"a":\n? [b\n', /odd text:3:1: neither .*\\n\? \[b/],
    ['a list', '[]', /a list:1: expected an object/],
    ['a report of another kind', '{"version": 1}', /must have required property/],
    ['a newer log', JSON.stringify(header({ version: '2.0' })), /a newer log:1: the log has version 2\.0/],
  ])('%s', (name, text, message) => {
    writeFileSync(join(directory, name), text);
    expect(() => read(name)).toThrow(message);
  });
});
