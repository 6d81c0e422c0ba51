import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Environment } from '../../base/environment.ts';
import type { Backtrace } from '../../model/backtrace.ts';
import { backtraceOf } from './backtrace.ts';
import { ALL_STACKS, gdbStacks } from './gdb-stacks.ts';
import { memoryMap } from './memory-map.ts';

/** Looks at a process that is about to end. @param died whether a signal ends it */
export type Examine = (pid: number, died: boolean) => Promise<Backtrace | undefined>;

/** To read the symbols of a large plugin takes some seconds. A worker that dies waits longer than this (faults.c). */
const DEADLINE_MS = 60_000;
const OUTPUT_LIMIT = 4 << 20;

/** No file of the user's, no script that the plugin has brought along, no question, no network. */
const ALONE = ['-nx', '-batch', '-iex', 'set auto-load off', '-iex', 'set debuginfod enabled off'];

/** Examines processes with gdb, each for a bounded time. @param gdb its path */
export const examineWith =
  (gdb: string, env: Environment): Examine =>
  async (pid, died) => {
    const maps = mapsOf(pid);
    if (maps === undefined) return undefined;
    const commands = [`attach ${pid}`, ALL_STACKS].flatMap((command) => ['-ex', command]);
    const output = await outputOf(gdb, [...ALONE, ...commands], env);
    return backtraceOf(gdbStacks(output), memoryMap(maps), died);
  };

/** Undefined if it is gone, or the system does not say (it is not Linux). */
function mapsOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8');
  } catch {
    return undefined;
  }
}

/** What a program writes within its deadline, as Latin-1; it detaches from what it has examined when it ends. */
async function outputOf(program: string, args: readonly string[], env: Environment): Promise<string> {
  // In a group of its own: it is not to be interrupted with this process.
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
  let output = '';
  child.stdout.setEncoding('latin1').on('data', (text: string) => {
    if (output.length < OUTPUT_LIMIT) output += text;
  });
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  clearTimeout(timer);
  return output;
}
