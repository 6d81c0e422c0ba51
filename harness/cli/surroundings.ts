/** Streams and surroundings of the process, so that tests and the entry give their own. */
export interface Surroundings {
  cwd: string;
  env: NodeJS.ProcessEnv;
  argv: readonly string[];
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  signal: AbortSignal;
}
