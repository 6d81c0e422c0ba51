import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Environment } from '../../base/environment.ts';
import { cleanLine, cut } from '../../base/sanitize.ts';
import type { Backtrace } from '../../model/backtrace.ts';
import { backtraceOf } from './backtrace.ts';
import { ALL_STACKS, gdbStacks } from './gdb-stacks.ts';
import { memoryMap } from './memory-map.ts';

/** Looks at a process that is about to end. @param died whether a signal ends it */
export type Examine = (pid: number, died: boolean) => Promise<Backtrace | undefined>;

/** To read the symbols of a large plugin takes some seconds. A worker that dies waits longer than this (faults.c). */
const DEADLINE_MS = 60_000;
const OUTPUT_LIMIT = 4 << 20;
const WIDTH = 300;

/** No file of the user's, no script that the plugin has brought along, no question, no network. */
const ALONE = ['-nx', '-batch', '-iex', 'set auto-load off', '-iex', 'set debuginfod enabled off'];

/**
 * Examines processes with gdb, each for a bounded time.
 * @param gdb its path
 * @param complain is given the reason why a process that was there has no stacks
 */
export const examineWith =
  (gdb: string, env: Environment, complain: (why: string) => void, deadlineMs = DEADLINE_MS): Examine =>
  async (pid, died) => {
    const maps = mapsOf(pid);
    if (maps === undefined) return undefined;
    const commands = [`attach ${pid}`, ALL_STACKS].flatMap((command) => ['-ex', command]);
    const { output, why } = await outputOf(gdb, [...ALONE, ...commands], env, deadlineMs);
    const stacks = gdbStacks(output);
    // One that has been killed meanwhile need not have any.
    if (stacks.length === 0 && mapsOf(pid) !== undefined) complain(why);
    return backtraceOf(stacks, memoryMap(maps), died);
  };

/** Undefined if it is gone, or the system does not say (it is not Linux). */
function mapsOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8') || undefined;
  } catch {
    return undefined;
  }
}

/**
 * What a program writes within its deadline, as Latin-1, and why that may be nothing; it detaches from what it has examined when it
 * ends.
 */
async function outputOf(
  program: string,
  args: readonly string[],
  env: Environment,
  deadlineMs: number,
): Promise<{ output: string; why: string }> {
  // In a group of its own: it is not to be interrupted with this process, and may be a script that starts gdb.
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killGroup(child.pid);
  }, deadlineMs);
  const [output, errors] = [child.stdout, child.stderr].map((stream) => {
    const text = { so: '' };
    stream.setEncoding('latin1').on('data', (more: string) => {
      if (text.so.length < OUTPUT_LIMIT) text.so += more;
    });
    return text;
  });
  let failure: Error | undefined;
  await new Promise<void>((resolve) => {
    child.once('error', (error) => {
      failure = error;
      resolve();
    });
    child.once('close', () => resolve());
  });
  clearTimeout(timer);
  const said = errors!.so.split('\n').find((line) => line.trim() !== '');
  const why = late ? `it did not end within ${deadlineMs / 1000} s` : (failure?.message ?? said ?? 'it says nothing');
  return { output: output!.so, why: cut(cleanLine(why), WIDTH) };
}

function killGroup(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
