import { tellFailure } from '../../harness/cli/failure.ts';
import { runProgram } from '../../harness/cli/program.ts';
import type { Surroundings } from '../../harness/surroundings.ts';

/** Output of the command, and how it ended. */
export interface Told {
  exitCode: number;
  stdout: string;
  stderr: string;
}

type Write = (text: string) => unknown;

/** The environment of the command, with streams that are captured here. */
export const quietSurroundings = (
  cwd: string,
  env: NodeJS.ProcessEnv,
  argv: readonly string[] = [],
  out: Write = () => true,
  err: Write = () => true,
): Surroundings => ({
  cwd,
  env,
  argv,
  stdout: { write: out } as unknown as NodeJS.WriteStream,
  stderr: { write: err } as unknown as NodeJS.WriteStream,
  signal: new AbortController().signal,
});

/** Runs the command in this process: the same code as the built one, from its arguments to its exit code. */
export async function command(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Told> {
  const told: Told = { exitCode: 0, stdout: '', stderr: '' };
  const err = (text: string): string => (told.stderr += text);
  try {
    told.exitCode = await runProgram(quietSurroundings(cwd, env, args, (text) => (told.stdout += text), err));
  } catch (error) {
    told.exitCode = tellFailure(error, { write: err });
  }
  return told;
}
