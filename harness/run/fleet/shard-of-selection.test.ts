import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Event } from '../../model/events.ts';
import { foldRun } from '../../model/run.ts';
import { everyStatus, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { writeDurations } from '../../report/durations.ts';
import { readDurations } from './read-durations.ts';
import { shardOfSelection } from './shard-of-selection.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-shards-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const CASES = ['s:a', 's:b', 's:c', 's:d'].map((id) => ({ id }));
const write = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return name;
};
const cut = (shard: string | undefined, durations?: string) =>
  shardOfSelection(CASES, { ...(shard ? { shard } : {}), ...(durations ? { durations } : {}) }, directory);

test('the shards have the cases in their order, and in common what was selected and by which file it was split', async () => {
  const cases = { 's:a': 10, 's:b': 6, 's:c': 5, 's:d': 1 };
  const file = write('durations.json', JSON.stringify({ type: 'durations', version: 1, cases }));
  const parts = await Promise.all(['1/2', '2/2'].map((shard) => cut(shard, file)));
  expect(parts.map((part) => part.cases.map(({ id }) => id))).toEqual([
    ['s:a', 's:d'],
    ['s:b', 's:c'],
  ]);
  const [first, second] = parts.map(({ shard }) => shard!);
  expect(first).toMatchObject({ index: 1, count: 2, selection: { cases: 4 }, durations: { file: 'durations.json' } });
  expect(second).toEqual({ ...first, index: 2 });
  expect(await cut(undefined)).toEqual({ cases: CASES });
});

test('a shard without a case is an error that says how many there are', async () => {
  const all = Array.from({ length: 9 }, (_, i) => cut(`${i + 1}/9`));
  await expect(Promise.all(all)).rejects.toThrow(/this shard has none of the 4 selected cases; use fewer/);
});

test('the report that a run writes is such a file', async () => {
  let text = '';
  writeDurations(foldRun(everyStatus()), (chunk) => (text += chunk), {});
  const { cases } = readDurations(write('written.json', text), directory);
  expect(cases.get('buffers/host-transfer:sine[dtype=f32]')).toBe(4);
  // A case without a result cost nothing that is known.
  expect(cases.size).toBe(9);
});

test('a case with a process of its own costs what the process cost', () => {
  const events: Event[] = [
    header(),
    { type: 'worker', worker: 1, what: 'start', pid: 7, atMs: 10 },
    ...suiteEvents('a', [{ name: 'alone', result: result('pass', { durationMs: 3 }) }]),
    { type: 'worker', worker: 1, what: 'exit', pid: 7, atMs: 261.5 },
  ];
  let text = '';
  writeDurations(foldRun(events), (chunk) => (text += chunk), {});
  expect(JSON.parse(text).cases).toEqual({ 'a:alone': 251.5 });
});

test.each<[string, string, RegExp]>([
  [
    'no file',
    '',
    /^--durations absent\.json: cannot be read: there is no such file[\s\S]*expected: a file that `run --report durations`/,
  ],
  ['no JSON', '{"type": durations', /^wrong\.json:1:\d+: /],
  ['another file', '{"tool": {}}', /^wrong\.json:1:\d+: .*type/],
  ['no object', 'null', /^wrong\.json:1:1: /],
  ['a newer version', '{"type":"durations",\n"version":2,"cases":{}}', /^wrong\.json:2:11: version/],
  ['no duration', '{"type":"durations",\n"version":1,\n"cases":{"s:a":"4"}}', /^wrong\.json:3:16: cases\."s:a"/],
])('%s is an error that says where', async (_, text, message) => {
  const file = text === '' ? 'absent.json' : write('wrong.json', text);
  await expect(cut('1/2', file)).rejects.toThrow(message);
});

test('durations without shards are an error', async () => {
  await expect(cut(undefined, 'durations.json')).rejects.toThrow('--durations: it balances shards, and there is no');
});
