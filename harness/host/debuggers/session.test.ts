import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { attachDebugger, type Debugger } from './session.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-debugger-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A script instead of gdb. */
const debuggerOf = (script: string): { how: Debugger; held: boolean[] } => {
  const program = join(directory, 'gdb');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const held: boolean[] = [];
  const holdInterrupts = (): (() => void) => {
    held.push(true);
    return () => held.push(false);
  };
  return { how: { name: 'gdb', program, stop: {}, recordings: '', holdInterrupts }, held };
};
const place = { cwd: process.cwd(), env: process.env };
const never = new AbortController().signal;

test('a debugger that ends without having attached has not; Ctrl-C is given back', async () => {
  const { how, held } = debuggerOf('exit 1');
  const { attached, ended } = await attachDebugger(how, process.pid, place, never);
  await ended;
  expect([attached, held]).toEqual([false, [true, false]]);
});

test('where the system does not say whether it has attached, nobody waits until it ends', async () => {
  const { how, held } = debuggerOf('exec sleep 100');
  const stop = new AbortController();
  const { attached, ended } = await attachDebugger(how, process.pid, place, stop.signal, () => undefined);
  expect([attached, held]).toEqual([true, [true]]);
  stop.abort();
  await ended;
});
