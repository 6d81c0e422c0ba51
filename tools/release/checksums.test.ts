import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CHECKSUMS, checksums } from './checksums.ts';

test('sha256sum accepts the files, and notices a change', () => {
  const directory = mkdtempSync(join(tmpdir(), 'checksums-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const name of ['b.whl', 'a.tgz']) writeFileSync(join(directory, name), name);
  for (let i = 0; i < 2; i++) writeFileSync(join(directory, CHECKSUMS), checksums(directory));
  const check = ['--check', '--strict', CHECKSUMS];
  expect(execFileSync('sha256sum', check, { cwd: directory, encoding: 'utf8' })).toBe('a.tgz: OK\nb.whl: OK\n');
  appendFileSync(join(directory, 'a.tgz'), '!');
  expect(spawnSync('sha256sum', check, { cwd: directory }).status).toBe(1);
});
