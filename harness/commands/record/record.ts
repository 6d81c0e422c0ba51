import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { programOnPath } from '../../base/program-on-path.ts';
import { scratchDirectory } from '../../base/scratch.ts';
import { systemReason } from '../../base/system-reason.ts';
import { UsageError } from '../../base/usage-error.ts';
import { openTrace } from '../../knowledge/trace/open-trace.ts';
import { usedBytes } from '../../knowledge/trace/used-bytes.ts';
import { cannotPreload } from './cannot-preload.ts';
import { beginTrace, type RecordOptions, settingsOf } from './new-trace.ts';
import { recorderLibrary } from './recorder-library.ts';

/** How a recording ended. */
export interface Recording {
  /** Absolute path of the trace. */
  trace: string;
  /** Exit code of the program; undefined if a signal ended it. */
  code: number | undefined;
  signal: NodeJS.Signals | undefined;
  /** Plugins that were recorded, by path. */
  plugins: string[];
  /** Why nothing was recorded, if so. */
  nothing: string | undefined;
}

/**
 * Runs a program, and records what it and the programs that it starts call of PJRT plugins.
 * @throws UsageError if it cannot be run or recorded, TraceError
 */
export async function record(
  command: readonly string[],
  options: RecordOptions,
  environment: CommandEnvironment,
): Promise<Recording> {
  const { cwd, env } = environment;
  const [name = '', ...args] = command;
  const path = name.includes('/') ? resolve(cwd, name) : programOnPath(name, env);
  if (path === undefined || !existsSync(path))
    throw new UsageError(
      `${name}: there is no such program; what is recorded stands behind --, as in -- python train.py`,
    );
  const library = usableLibrary();
  const reason = cannotPreload(path);
  if (reason !== undefined) throw new UsageError(reason);
  const trace = resolve(cwd, options.output);
  beginTrace(trace, options);
  const preloaded = { LD_PRELOAD: env.LD_PRELOAD ? `${library}:${env.LD_PRELOAD}` : library };
  const ended = await run(path, args, { ...environment, env: { ...env, ...preloaded, ...settingsOf(trace, options) } });
  trimSegments(trace);
  const plugins = pluginsOf(trace);
  const nothing =
    plugins.length > 0
      ? undefined
      : 'no plugin was loaded: neither the program nor one that it started asked a library for GetPjrtApi with dlsym. Does it use a PJRT plugin (for JAX, JAX_PLATFORMS and PJRT_NAMES_AND_LIBRARY_PATHS), or a backend of its own, as jaxlib has for "cpu"? A program that it starts may also be linked statically, setuid, or have removed LD_PRELOAD';
  // The directory can be named again.
  if (nothing !== undefined) rmSync(trace, { recursive: true, force: true });
  return { trace, ...ended, plugins, nothing };
}

/** @throws UsageError on a system without one */
function usableLibrary(): string {
  const library = recorderLibrary();
  if (process.platform !== 'linux') throw new UsageError('record: only programs on Linux can be recorded');
  if (!existsSync(library))
    throw new UsageError(
      `record: this package has no recorder for ${process.platform}-${process.arch} (${basename(library)}); in a clone, npm run build makes it with a C++ compiler`,
    );
  // The loader cuts LD_PRELOAD at spaces and colons.
  if (!/[\s:]/.test(library)) return library;
  const copy = join(scratchDirectory('record'), basename(library));
  if (/[\s:]/.test(copy))
    throw new UsageError(`record: ${copy}: LD_PRELOAD takes no path with spaces or colons; set TMPDIR`);
  copyFileSync(library, copy);
  return copy;
}

/** Runs the program with the streams of this one. Ctrl-C is the program's. */
async function run(
  path: string,
  args: readonly string[],
  { cwd, env, signal, interrupts }: CommandEnvironment,
): Promise<Pick<Recording, 'code' | 'signal'>> {
  const release = interrupts?.hold();
  try {
    return await new Promise((done, fail) => {
      const child = spawn(path, args, { cwd, env, stdio: 'inherit', signal, killSignal: 'SIGTERM' });
      child.on('error', (error) => {
        if (error.name !== 'AbortError') fail(new UsageError(`${path}: cannot be run: ${systemReason(error)}`));
      });
      child.on('exit', (code, ended) => done({ code: code ?? undefined, signal: ended ?? undefined }));
    });
  } finally {
    release?.();
  }
}

/** Gives the space back that segments have beyond their records, as after a kill. */
function trimSegments(trace: string): void {
  for (const name of readdirSync(trace).filter((entry) => entry.startsWith('pid-'))) {
    const directory = join(trace, name);
    for (const file of readdirSync(directory)) {
      const path = join(directory, file);
      const used = usedBytes(path);
      if (used !== undefined) truncateSync(path, used);
    }
  }
}

function pluginsOf(trace: string): string[] {
  const found = openTrace(trace, display(process.cwd(), trace));
  return [...new Set(found.processes.flatMap(({ plugins }) => plugins()))];
}

/** The exit code of a program that a shell would give. */
export const exitCodeOf = ({ code, signal }: Pick<Recording, 'code' | 'signal'>): number =>
  code ?? 128 + (signal ? constants.signals[signal] : 0);
