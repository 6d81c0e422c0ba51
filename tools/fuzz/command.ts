import { printFailure } from '../../harness/cli/failure.ts';
import { runProgram } from '../../harness/cli/program.ts';
import type { CommandEnvironment } from '../../harness/environment.ts';

/** Output of the command, and how it ended. */
export interface CommandOutput {
  exitCode: number;
  stdout: string;
  stderr: string;
}

type Write = (text: string) => unknown;

/** The environment of the command, with streams that are captured here. */
export const capturingEnvironment = (
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
