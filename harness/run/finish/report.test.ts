import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyStatus, header } from '../../model/sample-log.test-helper.ts';
import { EventLog } from '../../report/index.ts';
import { type ReportOptions, report } from './report.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pjrt-report-'));
const sink = { write: () => true } as unknown as NodeJS.WriteStream;
const environment = { cwd, env: {}, argv: [], stdout: sink, stderr: sink, signal: new AbortController().signal };

beforeAll(() => {
  for (const index of [1, 2]) {
    const log = new EventLog(join(cwd, `part${index}.jsonl`));
    log.write(header({ shard: { index, count: 2 } }));
    const events = everyStatus().slice(1);
    for (const event of events) if (index === 1 || event.type === 'plugin') log.write(event);
    log.close();
  }
});
afterAll(() => rmSync(cwd, { recursive: true }));

test.each<[string, string[], ReportOptions, RegExp]>([
  ['a log that is also a report', ['part1.jsonl'], { json: 'part1.jsonl' }, /both the event log and the report json/],
  ['a place for a log that is not merged', ['part1.jsonl'], { events: 'all.jsonl' }, /a single log is not merged/],
  [
    'expectations to be updated that have no file',
    ['part1.jsonl'],
    { updateExpectations: true },
    /--update-expectations: expected one --expectations FILE/,
  ],
])('rejects %s', async (_, logs, options, message) => {
  await expect(report(logs, options, environment)).rejects.toThrow(message);
});

test('a merged log may replace a log, but no other file', async () => {
  writeFileSync(join(cwd, 'notes.txt'), 'mine\n');
  const merged = (events: string) =>
    report(['part1.jsonl', 'part2.jsonl'], { events, output: 'out', allowMissing: true }, environment);
  await expect(merged('notes.txt')).rejects.toThrow(/is not an event log and is not overwritten/);
  expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('mine\n');
});
