import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import type { PlatformLibrary, PluginPackage } from '../../model/plugin.ts';
import { errnoOf } from './plugin-error.ts';

/** A program of the user's that can fetch packages, with the user's mirrors, proxies and credentials. */
export interface Installer {
  /** Command as typed, e.g. `python3 -m pip`. */
  label: string;
  command: string;
  /** Arguments that check whether it exists. */
  probe: string[];
  /** Arguments that download the package to `directory`. */
  fetch(of: PluginPackage, library: PlatformLibrary, directory: string): string[];
}

/** Platform tags of a wheel's file name, where several are joined with dots. */
export const wheelPlatforms = (wheel: string): string[] =>
  (
    wheel
      .replace(/\.whl$/, '')
      .split('-')
      .at(-1) ?? ''
  ).split('.');

/** The platform for `uv --python-platform`: the newest manylinux, since it accepts all older ones. */
const uvPlatform = (tag: string): string => {
  const architecture = /(x86_64|aarch64|arm64|amd64)$/.exec(tag)?.[1];
  if (tag.startsWith('macosx')) return architecture === 'x86_64' ? 'x86_64-apple-darwin' : 'aarch64-apple-darwin';
  if (tag.startsWith('win')) return 'x86_64-pc-windows-msvc';
  return `${architecture === 'aarch64' ? 'aarch64' : 'x86_64'}-manylinux_2_40`;
};

const pip = (label: string, command: string, prefix: string[]): Installer => ({
  label,
  command,
  probe: [...prefix, '--version'],
  fetch: (of, library, directory) => [
    ...prefix,
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--no-input',
    '--disable-pip-version-check',
    '--implementation=cp',
    `--python-version=${library.python}`,
    ...wheelPlatforms(library.wheel).map((tag) => `--platform=${tag}`),
    `--dest=${directory}`,
    `${of.name}==${of.version}`,
  ],
});

const uv: Installer = {
  label: 'uv',
  command: 'uv',
  probe: ['--version'],
  // uv has no download command: it installs, unpacked, into our directory.
  fetch: (of, library, directory) => [
    'pip',
    'install',
    '--no-deps',
    '--only-binary=:all:',
    `--python-version=${library.python}`,
    `--python-platform=${uvPlatform(wheelPlatforms(library.wheel)[0] ?? '')}`,
    `--target=${directory}`,
    `${of.name}==${of.version}`,
  ],
};

/** In order of preference. The pip of a virtual environment is found through its `python`. */
export const INSTALLERS: readonly Installer[] = [
  pip('python3 -m pip', 'python3', ['-m', 'pip']),
  pip('python -m pip', 'python', ['-m', 'pip']),
  pip('pip', 'pip', []),
  uv,
];

interface CommandResult {
  /** Exit code; undefined if the program does not exist or was killed by a signal. */
  code: number | undefined;
  /** End of its output, both streams together. */
  output: string;
}

const OUTPUT_LIMIT = 64 << 10;

/** Runs a program to completion, keeping the end of its output; `onText` receives output as it arrives. */
export const runCommand = (
  command: string,
  args: readonly string[],
  env: Environment,
  cwd: string,
  signal?: AbortSignal,
  onText?: (text: string) => void,
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...env }, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer): void => {
      const text = chunk.toString('utf8');
      onText?.(text);
      output = (output + text).slice(-OUTPUT_LIMIT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    let failure: Error | undefined;
    child.on('error', (error) => {
      const errno = errnoOf(error);
      if (errno === 'ENOENT' || errno === 'EACCES') resolve({ code: undefined, output: error.message });
      else failure = error;
    });
    // An aborted program is awaited: its directory can only be removed once nothing writes to it.
    child.on('close', (code) => {
      if (failure === undefined) resolve({ code: code ?? undefined, output });
      else reject(failure);
    });
  });

/** The available installers, best first; each pip only once. That of `$PJRT_CONFORMANCE_PYTHON` comes before the others. */
export const availableInstallers = async (env: Environment, cwd: string): Promise<Installer[]> => {
  const named = env.PJRT_CONFORMANCE_PYTHON;
  const own = named ? [pip(`${named} -m pip`, named, ['-m', 'pip'])] : [];
  const answers = await Promise.all(
    [...own, ...INSTALLERS].map(async (installer) => {
      const { code, output } = await runCommand(installer.command, installer.probe, env, cwd);
      return { installer, version: code === 0 ? output : undefined };
    }),
  );
  return answers
    .filter(({ version }, index) => {
      return version !== undefined && answers.findIndex((other) => other.version === version) === index;
    })
    .map(({ installer }) => installer);
};

/** Bytes in a directory: the progress of an installer that reports none. */
export const bytesUnder = async (directory: string): Promise<number> => {
  let sum = 0;
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => [])) {
    // A temporary file may have been removed in the meantime.
    if (entry.isFile()) sum += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return sum;
};

/** Why an installer failed, judged by its output. */
export const classifyFailure = (output: string): 'no-network' | 'no-wheel' | 'fetch-failed' => {
  const network =
    /NewConnectionError|ConnectTimeout|ReadTimeout|Max retries exceeded|ProxyError|name resolution|Name or service not known|Network is unreachable|Connection refused|dns error|error sending request|tcp connect error|Could not connect|Failed to fetch/i;
  const wheel =
    /No matching distribution found|Could not find a version|no wheels? with a matching|there is no version of|was not found in the package registry|requirements are unsatisfiable/i;
  if (network.test(output)) return 'no-network';
  return wheel.test(output) ? 'no-wheel' : 'fetch-failed';
};
