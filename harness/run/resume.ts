import { dirname, resolve } from 'node:path';
import { display } from '../display.ts';
import { type Event, isOfWorker } from '../model/events.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { foldRun, type Run } from '../model/run.ts';
import { PluginError } from '../plugins/plugin-error.ts';
import { type LogLock, lockLog, type RecoveredLog, recoverLog } from '../report/index.ts';
import { cleanLine } from '../report/sanitize.ts';
import { SuiteError } from '../suite/problem.ts';
import type { Surroundings } from '../surroundings.ts';
import { TOOL } from '../tool.ts';
import { UsageError } from '../usage-error.ts';
import { logFile } from './log-file.ts';
import { placeOf } from './report-files.ts';
import type { RunOptions } from './run-options.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** Options that say nothing of what is run: how a sitting goes, what it prints, and which reports come of it. */
const OF_A_SITTING = new Set<string>([
  'resume',
  'workers',
  'maxFailures',
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
  'config',
  // What a run is compared with changes nothing in it.
  'baseline',
  'gate',
  'policy',
]);

/** Of those, what is not taken over from the sitting before. */
const OF_ONE_SITTING = new Set<string>([
  'resume',
  'maxFailures',
  'quiet',
  'verbose',
  'debug',
  'color',
  'config',
  'configUse',
  'configPlaces',
]);

/** Options that hold paths and may be given when a run goes on: they mean the folder in which that is said. */
const PLACES = ['output', 'junit', 'json', 'baseline', 'policy'] as const;

/** A run that was killed or stopped, taken up again. */
export interface PastRun {
  log: string;
  lock: LogLock;
  /** Those of the log, with what was given anew. */
  options: RunOptions;
  header: Of<'header'>;
  /** What has happened; without the footer, and without a plan that was not written to its end. */
  events: Event[];
  run: Run;
  /** Bytes of the log to keep. */
  bytes: number;
  /** Every planned case is in the log. */
  planned: boolean;
  resume: Of<'resume'>;
  /** Highest number of a worker. */
  workers: number;
  /** Every planned case has a result and the run came to its end. */
  finished: boolean;
}

/** What `header.invocation.options` keeps of the options of a command. */
export const recordedOptions = (options: RunOptions): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(options).filter(([name, value]) => value !== undefined && !OF_ONE_SITTING.has(name)),
  );

/**
 * Takes up a run again from its log. What it runs, and how, is in the log.
 * @param given flags of the options that the command line gives, by their names in `options`
 * @throws UsageError for options that contradict the log, EventLogError for a log that cannot be gone on with
 */
export async function takeUp(
  options: RunOptions,
  given: ReadonlyMap<string, string>,
  around: Surroundings,
): Promise<PastRun> {
  const log = logFile(options.resume!, '--resume', around.cwd);
  const lock = await lockLog(log);
  try {
    return pastRun(log, lock, options, given, around);
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
  around: Surroundings,
): PastRun {
  const recovered = recoverLog(log);
  const header = recovered.events[0] as Of<'header'>;
  const shown = display(around.cwd, log);
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
    const [now, then] = [options, logged].map((all) => JSON.stringify(all[name as keyof RunOptions]));
    if (OF_A_SITTING.has(name) || now === then) continue;
    throw new UsageError(
      `${flag}: with --resume the options come from the log, and the run was started ${then === undefined ? 'without' : `with ${then} for`} ${flag}; omit the option, or start a new run`,
    );
  }
  enter(invocation.cwd, shown);
  const anew = Object.fromEntries(
    [...given.keys()].map((name) => [name, options[name as keyof RunOptions] as unknown]),
  );
  for (const name of PLACES) {
    const place = anew[name];
    if (typeof place === 'string') anew[name] = resolve(around.cwd, place);
    if (Array.isArray(place)) anew[name] = place.map((one) => resolve(around.cwd, one));
  }
  // A log that was moved, or copied from another machine, has its reports beside it.
  const moved = log !== placeOf(logged, header.plugins, invocation.cwd).log;
  return {
    log,
    lock,
    options: {
      ...logged,
      ...(moved ? { output: dirname(log) } : {}),
      ...anew,
      // What a configuration file says of the console still holds.
      ...consoleOptions(options),
      resume: log,
    },
    header,
    ...whatIsThere(recovered, header, around),
  };
}

const consoleOptions = ({ quiet, verbose, color }: RunOptions): Partial<RunOptions> => ({
  ...(quiet === undefined ? {} : { quiet }),
  ...(verbose === undefined ? {} : { verbose }),
  ...(color === undefined ? {} : { color }),
});

/** Paths among the options, and what plugins read, are relative to the folder in which the run was begun. */
function enter(cwd: string, log: string): void {
  try {
    process.chdir(cwd);
  } catch {
    throw new UsageError(
      `--resume ${log}: the run was started in ${cleanLine(cwd)}, which no longer exists; start a new run`,
    );
  }
}

const AFTER_THE_PLAN: readonly Event['type'][] = ['worker', 'plugin', 'start', 'case', 'framework'];

function whatIsThere(
  { events, footer, headerBytes, bytes, tornBytes }: RecoveredLog,
  header: Of<'header'>,
  around: Surroundings,
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
      argv: [...around.argv],
      atMs,
      after: footer === undefined ? 'cut-off' : footer.interrupted ? 'interrupted' : 'stopped',
      tornBytes,
    },
  };
}

/** Does what goes on with a run; an error about what the log says of it tells that it was the log. */
export async function asTheLogSays<T>({ log, lock }: PastRun, around: Surroundings, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (SAID_BY_OPTIONS.some((kind) => error instanceof kind)) {
      const { message } = error as Error;
      (error as Error).message =
        `${display(around.cwd, log)}:1: the log's record of the run is invalid:\n${indented(message)}`;
    }
    throw error;
  } finally {
    await lock.release();
  }
}

const SAID_BY_OPTIONS = [UsageError, SuiteError, PluginError];

const indented = (text: string): string => text.replace(/^/gm, '  ');

/**
 * Whether what is here now is what the run was begun with.
 * @throws UsageError with a line for each difference
 */
export function checkUnchanged(
  past: PastRun,
  now: { plan: readonly Of<'suite'>[]; plugins: readonly PluginFacts[]; settings: Record<string, unknown> },
): void {
  const found: string[] = [];
  for (const then of past.run.plugins) {
    const plugin = now.plugins.find(({ name }) => name === then.name);
    if (!plugin) found.push(`plugin ${then.name} (${then.path}) is not there`);
    else if (plugin.path !== then.path) found.push(`plugin ${then.name} was ${then.path}, now it is ${plugin.path}`);
    else if (plugin.sha256 !== then.sha256) {
      found.push(`${then.path} has changed: sha256 ${then.sha256} then, ${plugin.sha256} now`);
    }
  }
  const then = past.header.invocation!.settings ?? {};
  for (const name of new Set([...Object.keys(then), ...Object.keys(now.settings)])) {
    const [a, b] = [then[name], now.settings[name]].map((value) => JSON.stringify(value) ?? 'nothing');
    if (a !== b) found.push(`${name}: ${a} then, ${b} now`);
  }
  if (past.planned) found.push(...changedSuites(past, now.plan));
  if (found.length === 0) return;
  throw new UsageError(
    `the plugin or the suites have changed since the run:\n${found.map((line) => `  ${cleanLine(line)}`).join('\n')}\nrestore them, or start a new run`,
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

/** Variables that have other values now. */
function changedEnvironment(then: Record<string, string>, now: Record<string, string>): string[] {
  const text = (value: string | undefined): string => (value === undefined ? 'not set' : JSON.stringify(value));
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .sort()
    .filter((name) => then[name] !== now[name])
    .map((name) => `${name}: ${text(then[name])} then, ${text(now[name])} now`);
}

/** What a run that goes on says of itself in every report. */
export function* resumeNotes({ run, resume, header }: PastRun, environment: Record<string, string>): Generator<Event> {
  const before = {
    'cut-off': 'was killed',
    interrupted: 'was interrupted',
    stopped: 'had stopped',
  }[resume.after];
  const done = run.cases.size - run.counts.notrun;
  const message = `the run ${before} and was resumed at ${resume.startedAt}: ${done} of ${run.cases.size} cases had a result`;
  yield { type: 'note', level: 'info', message };
  const changes = changedEnvironment(header.environment ?? {}, environment);
  if (changes.length === 0) return;
  yield {
    type: 'note',
    level: 'warning',
    message: 'the run was resumed in a different environment',
    detail: changes.join('\n'),
  };
}
