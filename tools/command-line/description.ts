import { createProgram } from '../../harness/cli/program.ts';

/** The commands, to read their options; nothing is run. */
export const commandLine = (): ReturnType<typeof createProgram> =>
  createProgram(
    {
      cwd: process.cwd(),
      env: {},
      argv: [],
      stdout: process.stdout,
      stderr: process.stderr,
      signal: new AbortController().signal,
    },
    () => {},
  );
