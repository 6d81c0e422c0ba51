import { expect, test } from 'vitest';
import { observe } from './observation.ts';

const begins = (...moments: string[]): string => moments.map((m) => `${JSON.stringify({ begins: m })}\n`).join('');
const ended = { exitCode: 0, signal: null, timedOut: false, stderr: '' };

test('a process that came to its end works', () => {
  expect(observe(begins('import', 'exit'), ended)).toEqual({ outcome: 'works' });
});

test('an exception is a refusal in the phase in progress', () => {
  const log = `${begins('import', 'client creation')}{"failed": "RuntimeError: no"}\n`;
  expect(observe(log, ended)).toEqual({ outcome: 'refuses', moment: 'client creation', message: 'RuntimeError: no' });
});

test('a wrong result is not a refusal', () => {
  const log = `${begins('first execution')}{"wrong": "x + x: 3 instead of 2"}\n`;
  expect(observe(log, ended)).toMatchObject({ outcome: 'wrong', moment: 'first execution' });
});

test('a signal, another exit code and a hang end the process', () => {
  const log = begins('import', 'first compile');
  const stderr = `${'noise\n'.repeat(20)}F0000 Check failed\n`;
  expect(observe(log, { ...ended, exitCode: null, signal: 'SIGABRT', stderr })).toEqual({
    outcome: 'aborts',
    moment: 'first compile',
    message: 'SIGABRT',
    stderr: `${'noise\n'.repeat(5)}F0000 Check failed`,
  });
  expect(observe(begins('exit'), { ...ended, exitCode: 3 })).toMatchObject({ moment: 'exit', message: 'exit code 3' });
  expect(observe(log, { ...ended, exitCode: null, signal: 'SIGKILL', timedOut: true }).message).toBe('it hung');
});

test('a line truncated by the end of the process is ignored', () => {
  const log = `${begins('first transfer')}{"begins": "first comp`;
  expect(observe(log, { ...ended, exitCode: null, signal: 'SIGSEGV' }).moment).toBe('first transfer');
});

test('a process that ended before the first phase did so at import', () => {
  expect(observe('', { ...ended, exitCode: 1 }).moment).toBe('import');
});
