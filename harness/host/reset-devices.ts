import { spawn } from 'node:child_process';
import type { BadEnd } from '../model/note-fact.ts';
import type { Place } from './fork-worker.ts';
import { untilQuiet } from './quiet-pipes.ts';

/** Longer than any reset of a device, short enough for a command that waits for an answer. */
const DEADLINE_MS = 300_000;
const OUTPUT_LIMIT = 16 << 10;

/** How a command ended, and the last of what it wrote to both streams. */
export interface Reset extends BadEnd {
  output: string;
  ms: number;
}

/**
 * Runs a command of the shell that resets the devices, with a deadline.
 * @param place working directory and environment of workers
 */
export async function resetDevices(
  command: string,
  { cwd, env }: Place,
  signal: AbortSignal,
  deadlineMs = DEADLINE_MS,
): Promise<Reset> {
  const began = performance.now();
  const child = spawn('/bin/sh', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let heard = 0;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      heard++;
      output = (output + text).slice(-OUTPUT_LIMIT);
    });
  const kill = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended, or never started.
    }
  };
  let missed = false;
  const timer = setTimeout(() => {
    missed = true;
    kill();
  }, deadlineMs);
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  const closing = new Promise((resolve) => child.once('close', resolve));
  const end = await new Promise<BadEnd>((resolve) => {
    child.once('error', ({ message }) => {
      output = message;
      resolve({});
    });
    child.once('exit', (code, by) => resolve(by === null ? { exitCode: code! } : { signal: by }));
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  // What it has started may live on with its pipes: a daemon of the driver.
  await untilQuiet(closing, () => heard);
  child.stdout.destroy();
  child.stderr.destroy();
  return { ...(missed ? { deadlineMs } : end), output, ms: Math.round(performance.now() - began) };
}
