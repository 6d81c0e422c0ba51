import { createProgram } from '../../harness/cli/program.ts';

/** The commands as they are, to read their options from; nothing is run. */
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
