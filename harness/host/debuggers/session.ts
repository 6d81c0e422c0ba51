import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratchDirectory } from '../../base/scratch.ts';
import type { Place } from '../fork-worker.ts';
import { vitalSigns } from '../vital-signs.ts';
import type { StopAt } from '../wire/stop-at.ts';
import { DEBUGGERS, type DebuggerName } from './kinds.ts';

/** The debugger of a run. */
export interface Debugger {
  name: DebuggerName;
  /** Path of the program. */
  program: string;
  stop: StopAt;
  /** Where it records, if it does. */
  recordings: string;
  /** Leaves Ctrl-C to the debugger. @returns ends that */
  holdInterrupts(): () => void;
}

const LOOK_MS = 50;

/**
 * Attaches a debugger to a process, in the terminal of this one.
 * @param signal ends it
 * @returns when it has attached, or will not: whether it has, and its end. Where the system does not say whether it has, at once
 */
export async function attachDebugger(
  { name, program, stop, holdInterrupts }: Debugger,
  pid: number,
  { cwd }: Place,
  signal: AbortSignal,
  signsOf = vitalSigns,
): Promise<{ attached: boolean; ended: Promise<void> }> {
  const { args, commands } = DEBUGGERS[name].attaching!;
  let script = '';
  const directory = scratchDirectory('debugger', {
    furnish: (made) => {
      script = join(made, 'commands');
      writeFileSync(script, `${commands(stop).join('\n')}\n`);
    },
  });
  const release = holdInterrupts();
  const child = spawn(program, args(pid, script), { cwd, stdio: 'inherit' });
  const end = (): boolean => child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  let over = false;
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  }).then(() => {
    over = true;
    signal.removeEventListener('abort', end);
    release();
    rmSync(directory, { recursive: true, force: true });
  });
  if (!signsOf(process.pid)) return { attached: true, ended };
  while (!over && !signsOf(pid)?.traced) await Promise.race([ended, sleep(LOOK_MS)]);
  return { attached: signsOf(pid)?.traced === true, ended };
}
