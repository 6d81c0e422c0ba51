import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { EarlyWorker } from './early-worker.ts';

const here = { cwd: process.cwd(), env: { ...process.env } };

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('the process is handed out once, to a plan with the same directory and environment', async () => {
  const early = new EarlyWorker(here);
  expect(early.take({ ...here, env: { ...here.env, MORE: '1' } })).toBeUndefined();
  expect(early.take({ ...here, cwd: '/' })).toBeUndefined();
  const { child } = early.take({ ...here, env: { ...here.env } })!;
  expect(early.take(here)).toBeUndefined();
  early.end();
  expect(alive(child.pid!)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('a process that nobody took is killed', async () => {
  const early = new EarlyWorker(here);
  expect(alive(early.pid!)).toBe(true);
  early.end();
  await vi.waitFor(() => expect(alive(early.pid!)).toBe(false));
});

test('a process that could not be started is not handed out', () => {
  const place = { ...here, cwd: '/nonexistent-directory' };
  const early = new EarlyWorker(place);
  expect(early.pid).toBeUndefined();
  expect(early.take(place)).toBeUndefined();
  early.end();
});
