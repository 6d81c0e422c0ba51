import type { Wait } from '../run/look.ts';
import type { Output, Surroundings } from '../surroundings.ts';

/** Where a function of the API acts; without it, as the process that calls it. */
export interface Context {
  /** Relative paths start here. */
  cwd?: string;
  /** Variables of the environment; those of the workers too. */
  env?: NodeJS.ProcessEnv;
  /** Ends the work early. */
  signal?: AbortSignal;
  /** Gets what the command would print; nothing is printed without it. */
  stdout?: Output;
}

const SILENT: Output = { write: () => true };

/** What commands ask of their process. */
export const surroundingsOf = ({ cwd, env, signal, stdout = SILENT }: Context): Surroundings => ({
  cwd: cwd ?? process.cwd(),
  env: env ?? process.env,
  argv: [],
  stdout,
  stderr: stdout,
  signal: signal ?? new AbortController().signal,
});

/** Nobody is told what is waited for. */
export const silently: Wait = (_, work) => work;

/** Values of create options. A whole number is an int64, a list one of int64. */
export type CreateOptions = Readonly<Record<string, string | number | bigint | boolean | readonly (number | bigint)[]>>;

/** The plugin that a function is about, and how to get it. */
export interface PluginRequest extends Context {
  /** Path of a shared library, a known name such as `reference`, or a manifest. */
  plugin: string;
  /** Its create options: `{ num_devices: 2 }`; `{ 'fraction:float': 1 }` says the kind. */
  options?: CreateOptions;
  /** False: a known plugin is never downloaded. */
  fetch?: boolean;
}

/** Create options as `--option` takes them. */
export const optionArguments = (options: CreateOptions = {}): string[] =>
  Object.entries(options).map(([name, value]) => {
    // Text must not be taken for a number.
    const kind = typeof value === 'string' && !name.includes(':') ? ':string' : '';
    return `${name}${kind}=${typeof value === 'object' ? `[${value.join(',')}]` : value}`;
  });
