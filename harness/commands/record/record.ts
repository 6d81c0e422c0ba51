import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { asJson } from '../../base/as-json.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { programOnPath } from '../../base/program-on-path.ts';
import { scratchDirectory } from '../../base/scratch.ts';
import { systemReason } from '../../base/system-reason.ts';
import { UsageError } from '../../base/usage-error.ts';
import { TRACE_FORMAT, TRACE_MAJOR, TRACE_MINOR } from '../../knowledge/trace/format.ts';
import { openTrace, type TraceManifest } from '../../knowledge/trace/open-trace.ts';
import { usedBytes } from '../../knowledge/trace/used-bytes.ts';
import { cannotPreload } from './cannot-preload.ts';
import { recorderLibrary } from './recorder-library.ts';
import { traceReadme } from './trace-readme.ts';

/** What to record, and how much of it. */
export interface RecordOptions {
  /** Directory of the trace, which does not exist, or is empty. */
  output: string;
  /** Of host data: all, only digests, or nothing. */
  keep: 'all' | 'hashes' | 'none';
  /** Of which executions arguments and results are read. */
  contents: 'first' | 'every' | 'none';
  programsOnly: boolean;
  /** Whether callers learn that the host can read a buffer where it is. */
  views: boolean;
  /** Bytes of records and data, for each process. */
  maxSize?: number;
  /** The latest StableHLO that plugins may say they read: `1.13.0`. */
  stablehlo?: string;
}

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
  begin(trace, options);
  const ended = await run(path, args, { ...environment, env: { ...env, ...variables(trace, library, env, options) } });
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

/** Makes the directory of the trace with what it says of itself. @throws UsageError */
function begin(trace: string, options: RecordOptions): void {
  const { output, keep, contents, programsOnly, stablehlo } = options;
  if (existsSync(trace) && entriesOf(trace, output).length > 0)
    throw new UsageError(`--output ${output}: exists and is not empty; name another directory for the trace`, {
      options: ['output'],
    });
  makeDirectory(join(trace, 'blobs'));
  const manifest: TraceManifest = {
    format: TRACE_FORMAT,
    version: `${TRACE_MAJOR}.${TRACE_MINOR}`,
    recorded: new Date().toISOString(),
    keep,
    contents,
    programsOnly,
    ...(stablehlo !== undefined && { stablehlo }),
  };
  writeFileSync(join(trace, 'manifest.json'), asJson(manifest));
  writeFileSync(join(trace, 'README.md'), traceReadme(manifest));
}

function entriesOf(directory: string, shown: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    throw new UsageError(`--output ${shown}: ${systemReason(error)}`, { options: ['output'] });
  }
}

/** What the recorder reads. */
function variables(
  trace: string,
  library: string,
  { LD_PRELOAD: others }: NodeJS.ProcessEnv,
  { keep, contents, programsOnly, views, maxSize, stablehlo }: RecordOptions,
): Record<string, string> {
  return {
    LD_PRELOAD: others ? `${library}:${others}` : library,
    PJRT_CONFORMANCE_RECORD: trace,
    PJRT_CONFORMANCE_RECORD_KEEP: keep,
    PJRT_CONFORMANCE_RECORD_CONTENTS: contents,
    PJRT_CONFORMANCE_RECORD_PROGRAMS_ONLY: programsOnly ? '1' : '0',
    PJRT_CONFORMANCE_RECORD_NO_VIEWS: views ? '0' : '1',
    ...(maxSize === undefined ? {} : { PJRT_CONFORMANCE_RECORD_MAX_SIZE: String(maxSize) }),
    ...(stablehlo === undefined ? {} : { PJRT_CONFORMANCE_RECORD_STABLEHLO: stablehlo }),
  };
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
