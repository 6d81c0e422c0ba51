import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { escaped } from './escaped.ts';
import { MARK } from './fork-worker.ts';

test.runIf(process.platform === 'linux')('a process is known by what it inherited', async () => {
  const start = (mark: string) =>
    spawn('sh', ['-c', 'echo; read never'], {
      env: { ...process.env, [MARK]: mark },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  const [own, other] = [start('0a'), start('0b')];
  try {
    await Promise.all([once(own.stdout!, 'data'), once(other.stdout!, 'data')]);
    const expected = [{ pid: own.pid, group: own.pid, command: 'sh -c echo; read never' }];
    expect(escaped(new Set(['0a']))).toEqual(expected);
    expect(escaped(new Set(['0a']), process.pid)).toEqual(expected);
    expect(escaped(new Set(['0c']))).toEqual([]);
  } finally {
    own.kill('SIGKILL');
    other.kill('SIGKILL');
  }
});
