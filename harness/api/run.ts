import { suggestion } from '../base/did-you-mean.ts';
import { UsageError } from '../base/usage-error.ts';
import type { AskedDeadlines } from '../host/deadlines.ts';
import { CALLERS, callerOf } from '../knowledge/abi/caller.ts';
import type { Event } from '../model/events.ts';
import type { AccuracyProfile } from '../model/numeric-record.ts';
import type { Run } from '../model/run.ts';
import { taskOptions } from '../run/devices/array-task.ts';
import type { RunOutcome } from '../run/finish/run-outcome.ts';
import { shardText } from '../run/fleet/shard.ts';
import type { RunOptions } from '../run/plan/run-options.ts';
import { asOptions } from '../run/plugin/timeouts.ts';
import { runTask } from '../run/run-command.ts';
import type { SelectionOptions } from '../run/suites/selection.ts';
import type { ExitCode } from '../verdict/exit-codes.ts';
import { recordedVerdict, type Verdict } from '../verdict/verdict.ts';
import { deviceOptions, environmentOf, optionArguments, type PluginRequest } from './context.ts';

/** Options of a run; the help of the command `run` describes them in full. */
export interface RunRequest extends Omit<PluginRequest, 'plugin'>, Omit<SelectionOptions, 'shard'> {
  /** As {@link PluginRequest.plugin}. Several are loaded into the same process, and the first is tested. */
  plugin: string | string[];
  /** Number of worker processes. Default: by cores; 1 for plugins that allow only one process. */
  workers?: number;
  /** Shell command that resets the devices after each death of a worker; there is one worker then. Default: that of the manifest. */
  resetCommand?: string;
  /** The findings of processes that die or hang say where they were, as gdb sees it. */
  backtrace?: boolean;
  binding?: 'now' | 'lazy';
  /** Number of processes of a job, in the suites `distributed/*`. Default: 2. */
  nodes?: number;
  /** Statement of a submission, with `mustpass`; it is checked before the run. */
  statement?: string;
  /** Waivers file of a submission. */
  waivers?: string;
  /** `I/N`: this run has node I of N, from 0; runs on other machines have the others. Needs `store`. */
  node?: string;
  /** URL of the key-value store of jobs, `redis://` or `etcd://`. Default: a built-in one. */
  store?: string;
  /** The API version of the simulated consumer: `0.67`, or `newer`. */
  asApi?: string;

  /**
   * Part `index` of `count`, from 1. `auto`: the shard of this task, from the variables of a scheduler in `env`; `auto/8` where it
   * does not say how many tasks there are. The reports then go to `shard-I-of-N` below `output`, and a task that its scheduler
   * runs again resumes its log.
   */
  shard?: { index: number; count: number } | 'auto' | `auto/${number}`;

  /** Only the cases that failed in the run whose place this one takes. */
  lastFailed?: boolean;

  /** A violated SHOULD also fails the run. */
  strict?: boolean;
  /** Required accuracy of rounded results. */
  numerics?: AccuracyProfile;
  /** Known deviations of the plugin's manifest do not fail the run. */
  acceptKnown?: boolean;
  /** Cases that pass in one attempt and fail in another do not fail the run. */
  allowFlaky?: boolean;
  /** Stop after this many cases that fail the run. */
  maxFailures?: number;
  /** Milliseconds: the most valuable cases run first, and none begins later. */
  budget?: number;
  /** Run every case this many times. */
  repeat?: number;
  /** Rerun a failing case up to this many times. */
  rerunFailed?: number;

  /** Expectations files. */
  expectations?: string[];
  strictExpectations?: boolean;
  /** Write the expectations file that would have made this run pass. */
  updateExpectations?: boolean;

  /** Earlier runs to compare with: directories, logs or JSON reports. */
  baseline?: string[];
  /** A change that the policy calls a regression also fails the run. */
  gate?: boolean;
  /** Policy file: which changes are regressions. */
  policy?: string;

  /** Deadlines of the plugin, in milliseconds. */
  deadlines?: AskedDeadlines;

  /** Directory of the reports. Default: `reports/<plugin>`. */
  output?: string;
  /** Path of the event log. */
  events?: string;
  /** Reports beside JUnit and JSON: `html`, `sarif=out/a.sarif` and so on. */
  report?: string[];

  /** Receives every event as it happens. */
  onEvent?: (event: Event) => void;
}

/** Result of a run. */
export interface RunResult {
  /** Exit code of the command: 0 the run passes, 1 it fails, 3 the plugin could not be used, and so on (docs/reports.md). */
  exitCode: ExitCode;
  /** The verdict on the cases; a `gate` affects only `exitCode`. */
  verdict: Verdict;
  /** The contents of the log: cases with their results, plugins, notes. */
  run: Run;
  /** Path of the event log. */
  log: string;
  /** Paths of the reports by format: `junit`, `json`, and those requested. */
  reports: Record<string, string>;
}

/** Every key of a request, because a misspelt one must not be ignored. */
const NAMES: Record<keyof RunRequest, true> = {
  plugin: true,
  collection: true,
  options: true,
  fetch: true,
  allowBuild: true,
  host: true,
  exclusive: true,
  waitDevice: true,
  workers: true,
  resetCommand: true,
  backtrace: true,
  binding: true,
  nodes: true,
  node: true,
  store: true,
  asApi: true,
  suites: true,
  suite: true,
  tests: true,
  tag: true,
  requirement: true,
  exclude: true,
  testsFrom: true,
  failedOf: true,
  lastFailed: true,
  shard: true,
  durations: true,
  profile: true,
  mustpass: true,
  statement: true,
  waivers: true,
  strict: true,
  numerics: true,
  acceptKnown: true,
  allowFlaky: true,
  maxFailures: true,
  budget: true,
  repeat: true,
  rerunFailed: true,
  expectations: true,
  strictExpectations: true,
  updateExpectations: true,
  baseline: true,
  gate: true,
  policy: true,
  deadlines: true,
  output: true,
  events: true,
  report: true,
  onEvent: true,
  cwd: true,
  env: true,
  signal: true,
  stdout: true,
};

/**
 * Runs the suites against a plugin in worker processes and writes the log and the reports, like the command `run`. Whatever
 * the plugin does, crashes included, is in the result. An abort by `signal` gives the result so far.
 * @throws UsageError, SuiteError, PluginError, EventLogError, WriteFileError if the request cannot be carried out
 */
export async function run(request: RunRequest): Promise<RunResult> {
  const environment = environmentOf(request);
  const task = await taskOptions(runOptions(request), environment);
  return resultOf(await runTask(task, environment, request.onEvent));
}

/** The result of a command that judges a run and writes its reports. */
export const resultOf = ({ exitCode, run, log, reports }: RunOutcome): RunResult => ({
  exitCode,
  verdict: recordedVerdict(run),
  run,
  log,
  reports: Object.fromEntries(reports.map(({ format, path }) => [format.name, path])),
});

/** Part of the cases, as `--shard` takes it. */
export const shardArgument = (shard: RunRequest['shard']): Pick<SelectionOptions, 'shard'> =>
  shard ? { shard: typeof shard === 'string' ? shard : shardText(shard) } : {};

/** The options of the equivalent command line. @throws UsageError */
export function runOptions(request: RunRequest): RunOptions {
  for (const name of Object.keys(request)) {
    if (Object.hasOwn(NAMES, name)) continue;
    throw new UsageError(`run: there is no ${name}${suggestion(name, Object.keys(NAMES))}`);
  }
  const { plugin, options, deadlines, shard, asApi } = request;
  const { cwd: _cwd, env: _env, signal: _signal, stdout: _stdout, onEvent: _onEvent, ...rest } = request;
  const plugins = [plugin].flat();
  if (plugins.length === 0 || plugins.some((one) => typeof one !== 'string')) {
    throw new UsageError('run: expected plugin: a path, a known name or a manifest');
  }
  const { options: _options, deadlines: _deadlines, shard: _shard, ...plain } = rest;
  return {
    ...plain,
    plugin: plugins,
    ...(options ? { option: optionArguments(options) } : {}),
    fetch: request.fetch ?? true,
    binding: request.binding ?? 'now',
    asApi: asApi === undefined ? undefined : callerNamed(asApi),
    ...shardArgument(shard),
    // The calling program may be a workflow step that writes its own summary.
    github: false,
    ...asOptions(deadlines ?? {}),
    ...deviceOptions({ ...request, plugin: plugins[0]! }),
  };
}

function callerNamed(text: string): RunOptions['asApi'] {
  const caller = callerOf(text);
  if (!caller) throw new UsageError(`run: asApi ${JSON.stringify(text)}: it must be ${CALLERS}`);
  return caller;
}
