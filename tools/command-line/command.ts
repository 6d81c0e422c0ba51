import { join } from 'node:path';
import type { CommandEnvironment } from '../../harness/base/environment.ts';
import { applyConfig } from '../../harness/cli/config/apply.ts';
import { readConfigFile } from '../../harness/cli/config/read.ts';
import { printFailure } from '../../harness/cli/failure.ts';
import { createProgram, runProgram } from '../../harness/cli/program.ts';
import { readable } from '../../harness/cli/readable.ts';

/** Output of the command, and how it ended. */
export interface CommandOutput {
  exitCode: number;
  stdout: string;
  stderr: string;
}

type Write = (text: string) => unknown;

/** The environment of the command, with streams that are captured here. */
const capturingEnvironment = (
  cwd: string,
  env: NodeJS.ProcessEnv,
  argv: readonly string[] = [],
  out: Write = () => true,
  err: Write = () => true,
): CommandEnvironment => ({
  cwd,
  env,
  argv,
  stdout: { write: out } as unknown as NodeJS.WriteStream,
  stderr: { write: err } as unknown as NodeJS.WriteStream,
  signal: new AbortController().signal,
});

/** Runs the command in this process: the same code as the built one, from its arguments to its exit code. */
export async function command(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<CommandOutput> {
  const output: CommandOutput = { exitCode: 0, stdout: '', stderr: '' };
  const err = (text: string): string => (output.stderr += text);
  try {
    output.exitCode = await runProgram(capturingEnvironment(cwd, env, args, (text) => (output.stdout += text), err));
  } catch (error) {
    output.exitCode = printFailure(error, { write: err });
  }
  return output;
}

/** What the command would print about problems that a reader has returned. */
export const refused = (problems: string): CommandOutput => ({
  exitCode: problems === '' ? 0 : 2,
  stdout: '',
  stderr: readable(problems),
});

/** What the command would print about the error that a reader throws. */
export async function attempt(act: () => Promise<unknown>): Promise<CommandOutput> {
  let stderr = '';
  try {
    await act();
    return refused('');
  } catch (error) {
    const exitCode = printFailure(error, { write: (text: string) => (stderr += text) });
    return { exitCode, stdout: '', stderr };
  }
}

/** Reads `config.yaml` in a directory and applies it to `run`, which reads every key, without running it. */
export function applyToRun(directory: string, cwd: string, env: NodeJS.ProcessEnv): void {
  const { commands } = createProgram(capturingEnvironment(cwd, env), () => {});
  const run = commands.find((candidate) => candidate.name() === 'run')!;
  applyConfig(run, readConfigFile(join(directory, 'config.yaml'), cwd), { directory, cwd });
}
