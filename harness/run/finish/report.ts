import { dirname, join, resolve } from 'node:path';
import { display, suiteOnDisk } from '../../base/display.ts';
import { type CommandEnvironment, wantsColor } from '../../base/environment.ts';
import { refuseDash } from '../../base/refuse-dash.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { Event } from '../../model/events.ts';
import { applyEvent, emptyRun, type Run } from '../../model/run.ts';
import {
  createConsoleReporter,
  EventLog,
  isIncomplete,
  lockLog,
  MergeError,
  mergeLogs,
  readEvents,
} from '../../report/index.ts';
import { type Weighing, weighingOf } from '../../verdict/breach.ts';
import { recordedVerdict, verdict } from '../../verdict/verdict.ts';
import { makeRoom, type NewRun } from '../files/earlier-files.ts';
import { type ExpectationOptions, updateExpectations, withExpectations } from '../files/expectations.ts';
import { logFile, shardLogs } from '../files/log-file.ts';
import {
  checkPlaces,
  type Place,
  placesOf,
  type ReportFileOptions,
  reportFiles,
  reportLines,
  violatedTexts,
  writeReports,
} from '../files/report-files.ts';
import type { RunOutcome } from './run-outcome.ts';

export interface ReportOptions extends ReportFileOptions, ExpectationOptions {
  events?: string;
  /** Merge what there is, if shards or results are missing. */
  allowMissing?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

/**
 * `report`: writes the reports of one log again, or those of the logs of a sharded run as if it had been one.
 * @returns the run that the logs add up to, with its exit code
 * @throws EventLogError, UsageError
 */
export async function report(
  logs: readonly string[],
  options: ReportOptions,
  environment: CommandEnvironment,
): Promise<RunOutcome> {
  const { cwd, stdout, stderr } = environment;
  const { paths, isMerged, directory, log: path } = inputOf(logs, options, cwd);
  const files = reportFiles(options, directory, cwd);
  const places = placesOf(files);
  checkPlaces(isMerged ? [['the event log', path]] : [], places, cwd);
  const run = emptyRun();
  const pending: string[] = [];
  const say = (): unknown => stdout.write(pending.splice(0).join(''));
  const reporter = createConsoleReporter({
    // Prints nothing about a file that later turns out not to be a log.
    stream: { write: (text) => pending.push(text) },
    run,
    live: false,
    isTTY: stdout.isTTY === true,
    columns: stdout.columns || undefined,
    color: options.color ?? wantsColor(environment),
    verbose: options.verbose,
    quiet: options.quiet,
    onDisk: (file) => suiteOnDisk(cwd, file),
  });
  // A single log is read event by event, so that a large run is never held twice.
  const whole = isMerged ? merged(paths, options, cwd) : undefined;
  const expected = await withExpectations(options, environment, run);
  const lock = isMerged ? await lockLog(path) : undefined;
  if (whole) {
    const moved = makeRoom({ directory, log: path, ...plannedIn(whole) }, cwd);
    if (moved && !options.quiet) stderr.write(`note: ${moved}\n`);
  }
  const log = lock && new EventLog(path);
  const events = whole ?? readEvents(path);
  const weighing = weighingOf(options);
  const isAnother = options.expectations !== undefined || Object.keys(weighing).length > 0;
  for (const event of isAnother ? reweighed(expected(events), weighing, run) : events) {
    applyEvent(run, event);
    reporter.event(event);
    log?.write(event);
  }
  log?.close();
  await lock?.release();
  // Not earlier: if the file is not a log, that error comes first.
  const read = paths.map((log): Place => ['the event log', log]);
  checkPlaces(read, places, cwd);
  say();
  await writeReports(run, files, options, environment);
  const written = files.map(({ format, path: file }) => [format.name, file] as const);
  if (isMerged) written.unshift(['events', path]);
  const updated = await updateExpectations(options, environment, run);
  reporter.close({
    reports: reportLines(written, cwd),
    log: display(cwd, path),
    texts: await violatedTexts(run, options.suites, cwd),
  });
  if (updated) pending.push(`${updated}\n`);
  say();
  return { exitCode: recordedVerdict(run).exitCode, run, log: path, reports: files };
}

/** What is read, and where it goes. */
interface Input {
  paths: string[];
  /** Several logs become one, which is written too. */
  isMerged: boolean;
  directory: string;
  /** The log that reports are of: the merged one, or the only one. */
  log: string;
}

/** @throws UsageError if the option about merged logs does not fit */
function inputOf(logs: readonly string[], { output, events }: ReportOptions, cwd: string): Input {
  const arrays = logs.map((log) => shardLogs(log, cwd));
  const paths = logs.flatMap((log, at) => (arrays[at]!.length > 0 ? arrays[at]! : [logFile(log, 'report', cwd)]));
  // A directory of shards stands for the whole run, even if there is only one of them.
  const isMerged = paths.length > 1 || arrays.some((shards) => shards.length > 0);
  const directory = resolve(cwd, output ?? (isMerged ? mergedDirectory(logs) : dirname(paths[0]!)));
  const refuse = (name: string, why: string): never => {
    throw new UsageError(`--events ${name}: ${why}`, { options: ['events'] });
  };
  if (events !== undefined) refuseDash('events', events);
  const log = isMerged ? resolve(cwd, events ?? join(directory, 'events.jsonl')) : paths[0]!;
  if (isMerged && paths.includes(log)) refuse(display(cwd, log), 'that is one of the logs to merge');
  if (!isMerged && events !== undefined)
    refuse(events, 'this option is for merged logs, and a single log is not merged');
  return { paths, isMerged, directory, log };
}

/** Where reports of several logs go: below the directory of an array, if it is one. */
const mergedDirectory = (logs: readonly string[]): string =>
  logs.length === 1 ? join(logs[0]!, 'merged') : 'reports/merged';

function merged(paths: readonly string[], { allowMissing = false }: ReportOptions, cwd: string): Event[] {
  const logs = paths.map((path) => ({ name: display(cwd, path), events: [...readEvents(path)] }));
  try {
    return mergeLogs(logs, { allowMissing });
  } catch (error) {
    if (error instanceof MergeError) {
      const hint = error.faults.every(isIncomplete)
        ? '\n--allow-missing reports what there is; the verdict is then at best 5'
        : '';
      throw new UsageError(error.message + hint, { cause: error });
    }
    throw error;
  }
}

/** Plugins and cases of a run. */
function plannedIn(events: readonly Event[]): Pick<NewRun, 'plugins' | 'cases'> {
  const plugins = events.flatMap((event) => (event.type === 'header' ? event.plugins.map(({ name }) => name) : []));
  return { plugins, cases: events.flatMap((event) => (event.type === 'suite' ? event.cases.map(({ id }) => id) : [])) };
}

/**
 * The log as a run with these options would have written it, including the verdict in the footer.
 * @param run state after the events so far
 */
function* reweighed(events: Iterable<Event>, weighing: Weighing, run: Run): Generator<Event> {
  for (const event of events) {
    if (event.type === 'header') yield { ...event, options: { ...event.options, ...weighing } };
    else if (event.type === 'footer') {
      const outcome = verdict(run, { ending: event.interrupted ? 'interrupted' : 'complete' });
      yield { ...event, exitCode: outcome.exitCode, verdict: outcome.line };
    } else yield event;
  }
}
