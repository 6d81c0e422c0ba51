import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examineWith } from './examine.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-examine-'));
let looked: ChildProcess;
beforeAll(() => {
  looked = spawn('sleep', ['1000']);
});
afterAll(() => {
  looked.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** What is said if this script is gdb. */
async function complaints(script: string, deadlineMs?: number, pid = looked.pid!): Promise<string[]> {
  const gdb = join(directory, 'gdb');
  writeFileSync(gdb, `#!/bin/sh\n${script}\n`);
  chmodSync(gdb, 0o755);
  const said: string[] = [];
  const backtrace = await examineWith(gdb, process.env, (why) => said.push(why), deadlineMs)(pid, false);
  expect(backtrace).toBeUndefined();
  return said;
}

describe.runIf(process.platform === 'linux')('a debugger', () => {
  test('that may not attach is quoted', async () => {
    expect(await complaints('echo "ptrace: Operation not permitted." >&2; echo "No threads." >&2')).toEqual([
      'ptrace: Operation not permitted.',
    ]);
    expect(await complaints('exit 0')).toEqual(['it says nothing']);
  });

  test('that hangs is killed with what it has started', { timeout: 10_000 }, async () => {
    expect(await complaints('sleep 1000', 200)).toEqual(['it did not end within 0.2 s']);
  });

  test('that sees nothing of the plugin, or comes too late, has nothing to complain of', async () => {
    expect(await complaints(`echo '^done,stack=[frame={level="0",addr="0x1"}]'`)).toEqual([]);
    const brief = spawn('sleep', ['1000']);
    const ended = new Promise((resolve) => brief.once('exit', resolve));
    expect(await complaints(`kill -9 ${brief.pid}; sleep 0.2; exit 1`, undefined, brief.pid)).toEqual([]);
    await ended;
    expect(await complaints('exit 1', undefined, brief.pid)).toEqual([]);
  });
});
