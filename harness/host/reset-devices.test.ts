import { expect, test } from 'vitest';
import { resetDevices } from './reset-devices.ts';

const place = { cwd: '/', env: { PATH: process.env.PATH, CARD: '7' } };
const never = new AbortController().signal;
const reset = (command: string, deadlineMs?: number, signal = never) =>
  resetDevices(command, place, signal, deadlineMs);

test('what it writes to both streams is kept, in its environment', async () => {
  expect(await reset('echo card $CARD; pwd >&2')).toMatchObject({ exitCode: 0, output: 'card 7\n/\n' });
});

test.each([
  ['exit 3', { exitCode: 3 }],
  ['kill -TERM $$', { signal: 'SIGTERM' }],
  ['no-such-command', { exitCode: 127 }],
])('%s fails', async (command, end) => {
  expect(await reset(command)).toMatchObject(end);
});

test('of much output the end is kept', async () => {
  const { output } = await reset('yes | head -c 1000000; echo the end');
  expect(output.length).toBe(16 << 10);
  expect(output).toMatch(/y\nthe end\n$/);
});

test('one that does not end is killed, with what it has started', async () => {
  const { output, ms, ...end } = await reset('echo begins; sleep 1000 | cat', 300);
  expect([end, output]).toEqual([{ deadlineMs: 300 }, 'begins\n']);
});

test('what it leaves behind is not waited for', async () => {
  expect(await reset('sleep 5 & echo done')).toMatchObject({ exitCode: 0, output: 'done\n' });
});

test('an interrupted run kills it', async () => {
  const stop = new AbortController();
  const ended = reset('sleep 1000', undefined, stop.signal);
  stop.abort();
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
});
