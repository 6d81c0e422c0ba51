import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { counted } from '../../base/counted.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { REDACTED, redactAll } from '../../base/redact.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { TOOL } from '../../base/tool.ts';
import { UsageError } from '../../base/usage-error.ts';
import { PluginError } from '../../host/plugins/plugin-error.ts';
import { type Event, isOfWorker } from '../../model/events.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import { type CaseRun, foldRun, type Run } from '../../model/run.ts';
import { type LogLock, lockLog, type RecoveredLog, recoverLog } from '../../report/index.ts';
import { SuiteError } from '../../suite/problem.ts';
import { CUT, isWhole } from '../../verdict/mustpass/resumed.ts';
import { logFile } from '../files/log-file.ts';
import { placeOf } from '../files/report-files.ts';
import type { ShardOfSelection } from '../fleet/shard-of-selection.ts';
import type { RunOptions } from './run-options.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** Options that do not affect which cases are run: how a session runs, what it prints, and which reports it writes. */
const SESSION_OPTIONS = new Set<string>([
  'resume',
  'workers',
  'exclusive',
  'allowBuild',
  'waitDevice',
  'resetCommand',
  'backtrace',
  'maxFailures',
  'budget',
  'quiet',
  'verbose',
  'debug',
  'color',
  'report',
  'junit',
  'json',
  'junitHostname',
  'junitFlavor',
  'github',
  'output',
  'outcomes',
  'config',
  // The baseline of a comparison changes nothing in the run.
  'baseline',
  'gate',
  'policy',
]);

/** Options that the log does not store: every session has its own. */
const NOT_CARRIED_OVER = new Set<string>([
  'resume',
  'maxFailures',
  'budget',
  'dryRun',
  'watch',
  'outcomes',
  'quiet',
  'verbose',
  'debug',
  'gdb',
  'lldb',
  'rr',
  'break',
  'color',
  'config',
  'configUse',
  'configPlaces',
  // Stands for the deadlines one by one.
  'timeout',
  // In the header.
  'task',
]);

/** Options with paths that may be given when resuming: they are relative to the directory of this command. */
const PLACES = ['output', 'outcomes', 'junit', 'json', 'baseline', 'policy'] as const;

/** A killed or stopped run to resume. */
export interface PastRun {
  log: string;
  /** The log as the user would type it. */
  shown: string;
  /** Names of the options that the command line gives this time. */
  given: ReadonlySet<string>;
  lock: LogLock;
  /** Those of the log, with the new ones. */
  options: RunOptions;
  header: Of<'header'>;
  /** Earlier events, without the footer, and without an incomplete plan. */
  events: Event[];
  run: Run;
  /** Bytes of the log to keep. */
  bytes: number;
  /** Whether every planned case is in the log. */
  planned: boolean;
  resume: Of<'resume'>;
  /** Highest worker number. */
  workers: number;
  /** Whether every planned case has a result and the run came to its end. */
  finished: boolean;
}

/** The options of a command that are stored in `header.invocation.options`. */
export const recordedOptions = (options: RunOptions): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(options).filter(([name, value]) => value !== undefined && !NOT_CARRIED_OVER.has(name)),
  );

/**
 * Prepares to resume a run from its log, which defines what is run, and how.
 * @param given options on the command line, by their names in `options`
 * @throws UsageError for options that contradict the log, EventLogError for a log that cannot be resumed
 */
export async function takeUp(
  options: RunOptions,
  given: ReadonlyMap<string, string>,
  environment: CommandEnvironment,
): Promise<PastRun> {
  const log = logFile(options.resume!, '--resume', environment.cwd);
  const lock = await lockLog(log);
  try {
    return pastRun(log, lock, options, given, environment);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function pastRun(
  log: string,
  lock: LogLock,
  options: RunOptions,
  given: ReadonlyMap<string, string>,
  environment: CommandEnvironment,
): PastRun {
  const recovered = recoverLog(log);
  const header = recovered.events[0] as Of<'header'>;
  const shown = display(environment.cwd, log);
  if (header.tool.version !== TOOL.version) {
    const version = cleanLine(header.tool.version);
    throw new UsageError(
      `--resume ${shown}: the run was started with version ${version}, this is ${TOOL.version}; use that one: npx ${TOOL.name}@${version} run --resume ${shown}`,
    );
  }
  const { invocation } = header;
  if (!invocation) {
    throw new UsageError(
      `--resume ${shown}: this log does not record how the run was started (it is merged, or of an earlier version); resume the parts of a merged log, or start a new run`,
    );
  }
  const logged = invocation.options as unknown as RunOptions;
  for (const [name, flag] of given) {
    // The log has no credentials.
    const [now, then] = [redactAll(options), logged].map((all) => JSON.stringify(all[name as keyof RunOptions]));
    if (SESSION_OPTIONS.has(name) || now === then) continue;
    throw new UsageError(
      `${flag}: with --resume the options come from the log, and the run was started ${then === undefined ? 'without' : `with ${then} for`} ${flag}; omit the option, or start a new run`,
      { options: [flag.replace(/^--/, '')] },
    );
  }
  demandSecrets(logged, given, shown);
  demandDirectory(invocation.cwd, shown);
  const overrides = Object.fromEntries(
    [...given.keys()].map((name) => [name, options[name as keyof RunOptions] as unknown]),
  );
  for (const name of PLACES) {
    const place = overrides[name];
    if (typeof place === 'string') overrides[name] = resolve(environment.cwd, place);
    if (Array.isArray(place)) overrides[name] = place.map((one) => resolve(environment.cwd, one));
  }
  // The reports of a log that was moved, or copied from another machine, go beside it.
  const moved = log !== placeOf(logged, header.plugins, invocation.cwd).log;
  return {
    log,
    shown,
    given: new Set(given.keys()),
    lock,
    options: {
      ...logged,
      ...(moved ? { output: dirname(log) } : {}),
      ...overrides,
      // Console options of a configuration file still apply.
      ...consoleOptions(options),
      resume: log,
    },
    header,
    ...earlierRun(recovered, header, environment),
  };
}

/** @throws UsageError if a value that the log has without its credential is not given again */
function demandSecrets(logged: RunOptions, given: ReadonlyMap<string, string>, log: string): void {
  for (const [name, value] of Object.entries(logged)) {
    const values = [value].flat().map((one: unknown) => (typeof one === 'string' ? one : JSON.stringify(one)));
    if (given.has(name) || !values.some((one) => one?.includes(REDACTED))) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const flags = values.map((one) => `--${flag} '${one}'`).join(' ');
    throw new UsageError(
      `--resume ${log}: the log keeps no credentials, so give this again, with what was ${REDACTED}: ${flags}`,
      { options: [flag] },
    );
  }
}

const consoleOptions = ({ quiet, verbose, color }: RunOptions): Partial<RunOptions> => ({
  ...(quiet === undefined ? {} : { quiet }),
  ...(verbose === undefined ? {} : { verbose }),
  ...(color === undefined ? {} : { color }),
});

/** @throws UsageError if the directory in which the run was started is gone: paths are relative to it */
function demandDirectory(cwd: string, log: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new UsageError(
    `--resume ${log}: the run was started in ${cleanLine(cwd)}, which no longer exists; start a new run`,
  );
}

const AFTER_THE_PLAN: readonly Event['type'][] = ['worker', 'plugin', 'start', 'case', 'framework'];

function earlierRun(
  { events, footer, headerBytes, bytes, tornBytes, sizeBytes }: RecoveredLog,
  header: Of<'header'>,
  environment: CommandEnvironment,
): Pick<PastRun, 'events' | 'run' | 'bytes' | 'planned' | 'resume' | 'workers' | 'finished'> {
  const planned = events.some(({ type }) => AFTER_THE_PLAN.includes(type));
  const kept = planned ? events : [header];
  const run = foldRun(kept);
  let atMs = footer?.durationMs ?? 0;
  let workers = 0;
  for (const event of kept) {
    if (isOfWorker(event)) workers = Math.max(workers, event.worker);
    if (isOfWorker(event) || event.type === 'resume') atMs = Math.max(atMs, event.atMs);
  }
  return {
    events: kept,
    run,
    bytes: planned ? bytes : headerBytes,
    planned,
    workers,
    finished: footer !== undefined && !footer.interrupted && run.counts.notrun === 0,
    resume: {
      type: 'resume',
      startedAt: new Date().toISOString(),
      argv: [...environment.argv],
      atMs,
      after: footer === undefined ? 'cut-off' : footer.interrupted ? 'interrupted' : 'stopped',
      tornBytes,
      cutBytes: sizeBytes - (planned ? bytes : headerBytes),
      repeated: [...run.cases.values()].filter(isBegun).map(({ plan }) => plan.id),
      // Its seal is about all that came before it.
      ...(footer?.seal && planned ? { footer } : {}),
    },
  };
}

/** Whether a case had begun and has no result: it runs again. */
const isBegun = ({ startedAtMs, result }: CaseRun): boolean => startedAtMs !== undefined && !result;

/**
 * Follows options. If a resumed run takes them from its log, an error about them says that it was the log.
 * @param names options that may also be given on the command line; then they are not from the log
 */
export async function asTheLogSays<T>(
  past: PastRun | undefined,
  act: () => T | Promise<T>,
  names: readonly (keyof RunOptions)[] = [],
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isOfLog = past && !names.some((name) => past.given.has(name));
    if (isOfLog && SAID_BY_OPTIONS.some((kind) => error instanceof kind)) {
      const { message } = error as Error;
      (error as Error).message = `${past.shown}:1: the log's record of the run is invalid:\n${indented(message)}`;
    }
    throw error;
  }
}

const SAID_BY_OPTIONS = [UsageError, SuiteError, PluginError];

const indented = (text: string): string => text.replace(/^/gm, '  ');

/** Checks that the run still has the same plugins, suites and options. @throws UsageError with one line per difference */
export function checkUnchanged(
  past: PastRun,
  now: {
    plan: readonly Of<'suite'>[];
    plugins: readonly PluginFacts[];
    settings: Record<string, unknown>;
    shard: ShardOfSelection | undefined;
    /** Digest of the files of this program. */
    tool: string | undefined;
  },
): void {
  const found: string[] = [];
  for (const then of past.run.plugins) {
    const plugin = now.plugins.find(({ name }) => name === then.name);
    if (!plugin) found.push(`plugin ${then.name} (${then.path}) is not there`);
    else if (plugin.path !== then.path) found.push(`plugin ${then.name} was ${then.path}, now it is ${plugin.path}`);
    else if (plugin.sha256 !== then.sha256) {
      found.push(`${then.path} has changed: sha256 ${then.sha256} then, ${plugin.sha256} now`);
    } else if (then.manifestFile && plugin.manifestFile?.sha256 !== then.manifestFile.sha256) {
      found.push(`the manifest ${then.manifestFile.file} has changed`);
    }
  }
  const { sha256: tool } = past.header.tool;
  if (tool !== now.tool)
    found.push(`the files of ${TOOL.name}: sha256 ${tool ?? 'unknown'} then, ${now.tool ?? 'unknown'} now`);
  const then = past.header.invocation!.settings ?? {};
  for (const name of new Set([...Object.keys(then), ...Object.keys(now.settings)])) {
    const [a, b] = [then[name], now.settings[name]].map((value) => JSON.stringify(value) ?? 'nothing');
    if (a !== b) found.push(`${name}: ${a} then, ${b} now`);
  }
  if (past.planned) found.push(...changedSuites(past, now.plan));
  else {
    const durations = [past.header.shard, now.shard].map((shard) => shard?.durations?.sha256 ?? 'none');
    if (durations[0] !== durations[1]) found.push(`durations: ${durations[0]} then, ${durations[1]} now`);
  }
  if (found.length === 0) return;
  throw new UsageError(
    `--resume ${past.shown}: the plugin or the suites have changed since the run; restore them, or start a new run:\n${found.map((line) => `  ${cleanLine(line)}`).join('\n')}`,
  );
}

function changedSuites({ run }: PastRun, plan: readonly Of<'suite'>[]): string[] {
  const byName = new Map(plan.map((suite) => [suite.suite, suite]));
  return run.suites.flatMap((then) => {
    const now = byName.get(then.suite);
    if (!now) return [`suite ${then.suite} (${then.file}) is not there`];
    if (now.sha256 !== then.sha256) return [`${then.file} has changed: sha256 ${then.sha256} then, ${now.sha256} now`];
    const same = JSON.stringify(now.cases) === JSON.stringify(then.cases.map(({ plan: planned }) => planned));
    return same ? [] : [`suite ${then.suite}: its cases have changed (was sets.yaml or requirements.yaml edited?)`];
  });
}

/** Variables with different values now. */
function changedEnvironment(then: Record<string, string>, now: Record<string, string>): string[] {
  const text = (value: string | undefined): string => (value === undefined ? 'not set' : JSON.stringify(value));
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .sort()
    .filter((name) => then[name] !== now[name])
    .map((name) => `${name}: ${text(then[name])} then, ${text(now[name])} now`);
}

/** The note about resumption for every report. */
export function* resumeNotes({ run, resume, header }: PastRun, environment: Record<string, string>): Generator<Event> {
  const before = {
    'cut-off': 'was killed',
    interrupted: 'was interrupted',
    stopped: 'had stopped',
  }[resume.after];
  const done = run.cases.size - run.counts.notrun;
  const again = resume.repeated!.length > 0 ? `, and ${counted(resume.repeated!.length, 'case')} began again` : '';
  const message = `the run ${before} and was resumed at ${resume.startedAt}: ${done} of ${run.cases.size} cases had a result${again}`;
  yield { type: 'note', level: 'info', message };
  if (
    header.mustpass &&
    !isWhole({ ...resume, begun: [...run.cases.values()].some(({ startedAtMs }) => startedAtMs !== undefined) })
  )
    yield {
      type: 'note',
      level: 'warning',
      message: `\`results check\` refuses this run: ${CUT}`,
    };
  const changes = changedEnvironment(header.environment ?? {}, environment);
  if (changes.length === 0) return;
  yield {
    type: 'note',
    level: 'warning',
    message: 'the run was resumed in a different environment',
    detail: changes.join('\n'),
  };
}
