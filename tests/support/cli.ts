import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import type { Event } from '../../harness/model/events.ts';
import { type JsonReport, readEvents } from '../../harness/report/index.ts';

/** Result of running the built command. */
export interface CliRun {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  events: Event[];
  report: JsonReport;
  junit: string;
  /** Peak memory of the command itself, without its workers; 0 if the system does not report it. */
  peakBytes: number;
  /** Files that it left in the temporary directory. */
  leftovers: string[];
}

/** Limit for the memory of the command itself, whatever a plugin writes or allocates. */
export const PARENT_BYTES = 150_000_000;

export interface CliOptions {
  env?: NodeJS.ProcessEnv;
  /** Other commands than `run` write no reports. */
  command?: string;
  cwd?: string;
  /** Called with the process once it has started. */
  started?: (child: ChildProcess, directory: string) => void;
}

/** The environment of the tests without variables that make the command print more than for a user at a terminal. */
export function quietEnvironment(): NodeJS.ProcessEnv {
  const { GITHUB_ACTIONS: _, GITHUB_STEP_SUMMARY: __, ...rest } = process.env;
  return { ...rest, NO_COLOR: '1' };
}

/** Runs the built command in an empty directory, and reads what it wrote into `out/`, if anything. */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-cli-'));
  const temporary = join(directory, 'tmp');
  mkdirSync(temporary);
  try {
    const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), ...args], {
      cwd: options.cwd ?? directory,
      env: { ...quietEnvironment(), TMPDIR: temporary, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    options.started?.(child, directory);
    const peak = watchMemory(child.pid!);
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
      child.on('close', (code, by) => resolve([code, by])),
    );
    const read = (name: string): string => {
      const path = join(directory, 'out', name);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    };
    const log = join(directory, 'out', 'events.jsonl');
    return {
      exitCode,
      signal,
      stdout: stdout(),
      stderr: stderr(),
      events: existsSync(log) ? [...readEvents(log)] : [],
      report: JSON.parse(read('report.json') || 'null') as JsonReport,
      junit: read('junit.xml'),
      peakBytes: peak(),
      leftovers: readdirSync(temporary),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs `pjrt-conformance run ARGS`; throws if it wrote no reports. */
export async function runCli(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliRun> {
  const run = await cli(['run', ...args, '--output', 'out'], { env });
  if (!run.report || !run.junit) {
    throw new Error(`the run wrote no reports (exit code ${run.exitCode})\n${run.stdout}${run.stderr}`);
  }
  return run;
}

/** The cases in the report of a run. */
export const casesOf = (run: CliRun) => run.report.suites.flatMap((s) => s.cases);

/** Everything that is no success, and no deviation of the manifest. */
export const unexplained = (run: CliRun): string[] =>
  casesOf(run)
    .filter((c) => ['fail', 'warn', 'crash', 'timeout', 'error', 'notrun'].includes(c.status) && !c.knownDeviation)
    .map((c) => `${c.status} ${c.id}: ${c.findings?.[0]?.message}`);

/** Verdicts by case id. */
export const verdicts = (run: CliRun): Record<string, string> =>
  Object.fromEntries(run.report.suites.flatMap((s) => s.cases.map((c) => [c.id, c.status])));

/**
 * Living processes in the process groups of a run's workers. Each worker leads a group, so this also finds what a plugin left
 * behind.
 */
export function livingProcesses(events: readonly Event[]): number[] {
  const groups = new Set(events.flatMap((e) => (e.type === 'worker' && e.what === 'start' ? [e.pid] : [])));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const [state, , group] = statusOf(pid);
      return groups.has(Number(group)) && state !== 'Z' && state !== 'X';
    });
}

/** State, parent and process group of a process; empty when it is gone. */
function statusOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

const SAMPLE_MS = 20;

/** The kernel keeps the peak; it must be read before the process is gone. */
function watchMemory(pid: number): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      peak = Math.max(peak, Number(kilobytes ?? 0) * 1024);
    } catch {
      // No such system, or the process is gone.
    }
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}
