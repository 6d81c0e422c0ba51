import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { pageOfRun } from './page-of-run.ts';

let cwd = mkdtempSync(join(tmpdir(), 'pjrt-page-'));
beforeEach(() => {
  rmSync(cwd, { recursive: true });
  cwd = mkdtempSync(join(tmpdir(), 'pjrt-page-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** A log, written this many seconds ago. */
function log(path: string, ago: number): string {
  const file = join(cwd, path);
  mkdirSync(dirname(file), { recursive: true });
  const events = [header(), ...suiteEvents('a', [{ name: 'case', result: result('pass') }]), footer()];
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  age(file, ago);
  return file;
}

const age = (file: string, ago: number): void => utimesSync(file, Date.now() / 1000 - ago, Date.now() / 1000 - ago);
const page = (given?: string): Promise<string> => {
  const stream = { write: () => true };
  const { signal } = new AbortController();
  return pageOfRun(given, { cwd, env: {}, argv: [], stdout: stream, stderr: stream, signal });
};

test('the newest run of the usual place is meant, or the one that is named', async () => {
  log('reports/old/events.jsonl', 100);
  log('reports/new/events.jsonl', 10);
  log('elsewhere/events.jsonl', 1);
  expect(await page()).toBe(join(cwd, 'reports', 'new', 'report.html'));
  expect(await page('reports/old')).toBe(join(cwd, 'reports', 'old', 'report.html'));
  expect(await page('elsewhere/events.jsonl')).toBe(join(cwd, 'elsewhere', 'report.html'));
});

test('the page is written if it is not there or older than the log, otherwise left alone', async () => {
  log('reports/a/events.jsonl', 10);
  const path = await page();
  expect(readFileSync(path, 'utf8')).toContain('<meta name="generator" content="pjrt-conformance">');
  writeFileSync(path, 'kept');
  await page();
  expect(readFileSync(path, 'utf8')).toBe('kept');
  age(path, 20);
  await page();
  expect(readFileSync(path, 'utf8')).not.toBe('kept');
});

test('without a run it says what to name', async () => {
  await expect(page()).rejects.toThrow('open: there is no run in reports/; name its directory');
  await expect(page('none')).rejects.toThrow('open none: there is no such file');
});
