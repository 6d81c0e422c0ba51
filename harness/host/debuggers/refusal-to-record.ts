import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Environment } from '../../base/environment.ts';
import { cleanLine, cut } from '../../base/sanitize.ts';
import { scratchDirectory } from '../../base/scratch.ts';
import type { Recording } from './kinds.ts';

const DEADLINE_MS = 30_000;
const WIDTH = 300;

/**
 * Why a program cannot record processes on this machine, in its own words. Whether it can depends on the processor, the kernel and its
 * settings, so it is tried, with a process that ends at once.
 * @returns undefined if it can
 */
export function refusalToRecord(
  program: string,
  { prefix, directory }: Recording,
  env: Environment,
): string | undefined {
  const recordings = scratchDirectory('debugger');
  try {
    const { status, signal, error, stderr } = spawnSync(program, [...prefix, process.execPath, '--version'], {
      env: { ...env, [directory]: recordings },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    if (status === 0) return undefined;
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT')
      return `it did not end within ${DEADLINE_MS / 1000} s`;
    return reasonIn(stderr ?? '') ?? `it ended with ${signal ?? `exit code ${status ?? 'unknown'}`}`;
  } finally {
    rmSync(recordings, { recursive: true, force: true });
  }
}

/** What is fatal, or else the last thing that it says. */
export function reasonIn(output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  const said = lines.find((line) => line.startsWith('[FATAL')) ?? lines.findLast((line) => line !== '');
  return said && cut(cleanLine(said.replace(/^\[[A-Z]+ [^\]]*\] */, '')), WIDTH);
}
