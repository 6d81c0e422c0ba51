/** An environment like `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a command writes: a stream of the process, or anything else that takes text. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number | undefined;
  /** Writes a line that the CI system is to obey; without it, `write` does. */
  command?(line: string): unknown;
}

/** Where a command reads keys from, if it is a terminal. */
export type Input = Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;

/**
 * The environment of a command: working directory, variables, arguments, output streams, and a signal, which the user or an
 * error of the harness (`faultOf`) aborts.
 */
export interface CommandEnvironment {
  cwd: string;
  env: NodeJS.ProcessEnv;
  argv: readonly string[];
  stdout: Output;
  stderr: Output;
  stdin?: Input;
  signal: AbortSignal;
  /** Leaves Ctrl-C to another program in the same terminal; `hold` returns what ends that. */
  interrupts?: { hold(): () => void };
}

/** The error of the harness that ended a command, if it was not the user who did. */
export const faultOf = ({ reason }: AbortSignal): unknown =>
  reason === undefined || (reason as Error).name === 'AbortError' ? undefined : reason;

/** Whether to colour the output: https://no-color.org, FORCE_COLOR, else on a terminal only. */
export function wantsColor({ env, stdout }: Pick<CommandEnvironment, 'env' | 'stdout'>): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return stdout.isTTY === true;
}
