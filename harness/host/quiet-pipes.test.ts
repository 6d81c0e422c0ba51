import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { untilQuiet } from './quiet-pipes.ts';

const open = new Promise<never>(() => {});

/** Stands still until the process has ended, which nobody has noticed by then. */
function stall(pid: number): void {
  while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) block(10);
  block(600);
}

const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('what an ended process wrote is read, also where this one stood still for longer than it waits', async () => {
  const child = spawn('echo', ['its last words'], { stdio: ['ignore', 'pipe', 'ignore'] });
  let heard = 0;
  child.stdout.on('data', () => heard++);
  const quiet = untilQuiet(open, () => heard);
  stall(child.pid!);
  await quiet;
  expect(heard).toBe(1);
});

test('what goes on writing is not waited for', async () => {
  let calls = 0;
  await untilQuiet(open, () => calls++);
  expect(calls).toBeGreaterThan(10);
});

test('closed pipes are not waited for', async () => {
  await untilQuiet(Promise.resolve(), () => 0);
});
