import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foldRun } from '../model/run.ts';
import { everyStatus, header } from '../model/sample-log.test-helper.ts';
import { EventLog, readEvents } from '../report/index.ts';
import { bundle, report } from './log-files.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pjrt-log-files-'));
const env = {};

beforeAll(() => {
  for (const index of [1, 2]) {
    const log = new EventLog(join(cwd, `part${index}.jsonl`));
    log.write(header({ shard: { index, count: 2 } }));
    for (const event of everyStatus().slice(1)) if (index === 1 || event.type === 'plugin') log.write(event);
    log.close();
  }
});
afterAll(() => rmSync(cwd, { recursive: true }));

test('report gives the run of a log and the paths of what it wrote, and prints nothing', async () => {
  const { exitCode, verdict, run, log, reports } = await report({
    logs: 'part1.jsonl',
    report: ['markdown'],
    output: 'out',
    cwd,
    env: { ...env, GITHUB_ACTIONS: 'true' },
  });
  expect({ exitCode, code: verdict.exitCode }).toEqual({ exitCode: 1, code: 1 });
  expect(run.cases.size).toBeGreaterThan(5);
  expect(log).toBe(join(cwd, 'part1.jsonl'));
  expect(Object.keys(reports)).toEqual(['junit', 'json', 'markdown']);
  for (const path of Object.values(reports)) expect(existsSync(path), path).toBe(true);
});

test('report merges shards, and shows on demand what the command prints', async () => {
  let printed = '';
  const stdout = { write: (text: string) => (printed += text) };
  const logs = ['part1.jsonl', 'part2.jsonl'];
  const { run, log } = await report({
    logs,
    events: 'all.jsonl',
    output: 'merged',
    allowMissing: true,
    cwd,
    env,
    stdout,
  });
  expect(foldRun(readEvents(log)).counts).toEqual(run.counts);
  expect(log).toBe(join(cwd, 'all.jsonl'));
  expect(printed).toContain('all.jsonl');
});

test('wrong requests are usage errors', async () => {
  await expect(report({ logs: 'none.jsonl', cwd, env })).rejects.toThrow('report none.jsonl: there is no such file');
  await expect(bundle({ log: 'none', cwd, env })).rejects.toThrow('bundle none: there is no such file');
  await expect(bundle({ log: 'part1.jsonl', output: 'part1.jsonl', cwd, env })).rejects.toThrow('that is the log');
});
