import type { CommandEnvironment, Output } from '../base/environment.ts';
import { GuardedOutput } from '../base/guarded-output.ts';
import { rememberSecrets } from '../base/redact.ts';
import { UsageError } from '../base/usage-error.ts';
import type { DeviceOptions } from '../host/devices/with-devices.ts';
import type { Wait } from '../run/plugin/load-plugin.ts';
import type { HostProcess } from '../run/plugin/python-host.ts';

/** Process settings for a function of the API. Defaults: those of the calling process. */
export interface Context {
  /** Base of relative paths. */
  cwd?: string;
  /** Environment variables, also of the workers. */
  env?: NodeJS.ProcessEnv;
  /** Aborts the work. */
  signal?: AbortSignal;
  /** Receives what the command would print. Without it nothing is printed. */
  stdout?: Output;
}

const SILENT: Output = { write: () => true };

/** The environment that commands expect. */
export function environmentOf({ cwd, env = process.env, signal, stdout = SILENT }: Context): CommandEnvironment {
  rememberSecrets(env);
  const guarded = new GuardedOutput(stdout);
  return {
    cwd: cwd ?? process.cwd(),
    env,
    argv: [],
    stdout: guarded,
    stderr: guarded,
    signal: signal ?? new AbortController().signal,
  };
}

/** Reports no progress. */
export const silently: Wait = (_, work) => work;

/** Values of create options. Integers become int64, lists become int64 lists. */
export type CreateOptions = Readonly<Record<string, string | number | bigint | boolean | readonly (number | bigint)[]>>;

/** The plugin under test and how to obtain it. */
export interface PluginRequest extends Context {
  /** Path of a shared library, a known name such as `reference`, or a manifest. */
  plugin: string;
  /** Its create options: `{ num_devices: 2 }`; `{ 'fraction:float': 1 }` states the type. */
  options?: CreateOptions;
  /** If false, a known plugin is never downloaded. */
  fetch?: boolean;
  /** If true, a manifest may build its plugin or fetch its package, even if it is none of the package. `inspect` and `doctor` never build. */
  allowBuild?: boolean;
  /** As `--host`. */
  host?: HostProcess;
  /** Wait until no other exclusive run on this machine uses the devices, even if the manifest does not demand it. */
  exclusive?: boolean;
  /** How long to wait for devices that another run uses, in milliseconds; 0: not at all. Default: as long as it takes. */
  waitDevice?: number;
}

/** How devices are shared with other runs, as the commands take it. @throws UsageError */
export function deviceOptions({ exclusive, waitDevice }: PluginRequest): DeviceOptions {
  if (waitDevice !== undefined && !(waitDevice >= 0)) {
    throw new UsageError(`waitDevice: ${waitDevice}; expected milliseconds, 0 or more`);
  }
  return { exclusive, waitDevice };
}

/** Create options as `--option` takes them. */
export const optionArguments = (options: CreateOptions = {}): string[] =>
  Object.entries(options).map(([name, value]) => {
    // A string of digits must stay a string.
    const kind = typeof value === 'string' && !name.includes(':') ? ':string' : '';
    return `${name}${kind}=${typeof value === 'object' ? `[${value.join(',')}]` : value}`;
  });
