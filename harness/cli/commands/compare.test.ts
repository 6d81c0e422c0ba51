import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyStatus } from '../../model/sample-log.test-helper.ts';
import { runProgram } from '../program.ts';

const log = everyStatus()
  .map((event) => `${JSON.stringify(event)}\n`)
  .join('');

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pjrt-compare-'));
  mkdirSync(join(cwd, 'old'));
  writeFileSync(join(cwd, 'old', 'events.jsonl'), log);
  writeFileSync(join(cwd, 'new.jsonl'), log);
  writeFileSync(join(cwd, 'gate.yaml'), '');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function compare(...args: string[]): Promise<number> {
  const stdout = { write: () => true };
  const argv = ['compare', 'old', 'new.jsonl', '--no-github', '--no-config', ...args];
  return runProgram({ cwd, env: {}, argv, stdout, stderr: stdout, signal: new AbortController().signal });
}

test.each([
  [['--report', 'json=new.jsonl'], /^new\.jsonl: it cannot be both a run to compare and the comparison json/],
  [['--report', 'json=old/events.jsonl'], /^old\/events\.jsonl: it cannot be both a run to compare and/],
  [['--policy', 'gate.yaml', '--report', 'junit=gate.yaml'], /^gate\.yaml: it cannot be both the policy and/],
  [['--report', 'json=a', '--report', 'junit=a'], /^a: it cannot be both the comparison json and the comparison junit/],
])('a report overwrites neither what was compared nor another report: %j', async (args, message) => {
  await expect(compare(...args)).rejects.toThrow(message);
  expect(readFileSync(join(cwd, 'new.jsonl'), 'utf8')).toBe(log);
});

test('other reports are written', async () => {
  expect(await compare('--report', 'json=b', '--report', 'junit=c')).toBe(0);
});
