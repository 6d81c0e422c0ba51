/** Programs are edited by jaxlib, in the user's Python: its reader knows all of MLIR (consumers/assemble/edit.py). */
import { execFile } from 'node:child_process';
import { packagePath } from '../../base/paths.ts';
import { pythonWith } from '../../base/python.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { Cut, Edited } from './edited.ts';

/** One program that is made of another. */
export type Job = {
  program: string;
  output: string;
  /** The same as an artifact of this StableHLO version. */
  artifact?: string;
  version?: string;
} & Edit;

/** What is done to a program. */
export type Edit =
  | { kind: 'normal' }
  | ({ kind: 'cut' } & Cut)
  | { kind: 'open'; op: number; region: number }
  | { kind: 'bypass'; op: number; inner: number }
  | { kind: 'uncarry'; op: number; value: number }
  | { kind: 'resize'; from: number; to: number };

/** The program that was written, or why there is none. */
export type Answer = Edited | { error: string };

const SCRIPT = packagePath('consumers', 'assemble', 'edit.py');
const LARGEST = 2 ** 31 - 1;

/** The command of a Python that can. @throws UsageError */
export function demandEditor(): string {
  const python = pythonWith('jaxlib');
  if ('missing' in python) throw new UsageError(`programs are edited by jaxlib, and this needs ${python.missing}`);
  return python.command;
}

/** Does jobs. @throws UsageError if it cannot be done here */
export async function edit(jobs: readonly Job[], signal: AbortSignal): Promise<Answer[]> {
  if (jobs.length === 0) return [];
  const command = demandEditor();
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(command, [SCRIPT], { maxBuffer: LARGEST, signal }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else reject(new UsageError(failure(stdout, stderr, error)));
    });
    child.stdin!.on('error', () => {
      // It has ended before it has read everything; its exit code says so.
    });
    child.stdin!.end(JSON.stringify(jobs));
  });
  return JSON.parse(output) as Answer[];
}

/** What it says: an object with an error, or at least the last line. */
function failure(stdout: string, stderr: string, { message }: Error): string {
  try {
    return (JSON.parse(stdout) as { error: string }).error;
  } catch {
    return `programs cannot be edited: ${stderr.trim().split('\n').at(-1) || message}`;
  }
}
