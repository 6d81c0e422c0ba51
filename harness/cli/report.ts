import { dirname, join, resolve } from 'node:path';
import {
  createConsoleReporter,
  type Event,
  EventLog,
  foldRun,
  MergeError,
  mergeLogs,
  readEvents,
} from '../report/index.ts';
import { type Weighing, weighingOf } from '../verdict/breach.ts';
import { recordedVerdict, verdict } from '../verdict/verdict.ts';
import type { ConfigOptions } from './config/option.ts';
import { display } from './display.ts';
import { type ReportFileOptions, reportFiles, reportLines, writeReports } from './report-files.ts';
import type { Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';
import { wantsColor } from './wants-color.ts';

export interface ReportOptions extends ReportFileOptions, ConfigOptions {
  events?: string;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

/**
 * `report`: writes the reports of one log again, or of the logs of a sharded run as if it had been one.
 * @returns the exit code of the run that the logs describe
 * @throws EventLogError, UsageError
 */
export async function report(logs: readonly string[], options: ReportOptions, around: Surroundings): Promise<number> {
  const paths = logs.map((log) => resolve(around.cwd, log));
  const folder = resolve(around.cwd, options.output ?? (paths.length === 1 ? dirname(paths[0]!) : 'reports/merged'));
  const files = reportFiles(options, folder, around.cwd);
  const weighing = weighingOf(options);
  const mergedLog = resolve(around.cwd, options.events ?? join(folder, 'events.jsonl'));
  if (paths.length > 1 && paths.includes(mergedLog)) {
    throw new UsageError(`--events ${display(around.cwd, mergedLog)}: that is one of the logs to be merged`);
  }
  const events = reweighed(merged(paths, around.cwd), weighing);
  const reporter = createConsoleReporter({
    stream: around.stdout,
    isTTY: false,
    color: options.color ?? wantsColor(around),
    ...(options.verbose ? { verbose: true } : {}),
    ...(options.quiet ? { quiet: true } : {}),
  });
  for (const event of events) reporter.event(event);
  const run = foldRun(events);
  const written = files.map(({ format, path }) => [format.name, path] as const);
  if (paths.length > 1) {
    const log = new EventLog(mergedLog);
    for (const event of events) log.write(event);
    log.close();
    written.unshift(['events', mergedLog]);
  }
  await writeReports(run, files, options, around);
  reporter.close(reportLines(written, around.cwd));
  return recordedVerdict(run).exitCode;
}

function merged(paths: readonly string[], cwd: string): Event[] {
  try {
    return mergeLogs(paths.map((path) => ({ name: display(cwd, path), events: [...readEvents(path)] })));
  } catch (error) {
    if (error instanceof MergeError) throw new UsageError(error.message);
    throw error;
  }
}

/** The log as a run with these options would have written it: the verdict in the footer goes with them. */
function reweighed(events: readonly Event[], weighing: Weighing): Event[] {
  if (Object.keys(weighing).length === 0) return [...events];
  const changed = events.map((event) =>
    event.type === 'header' ? { ...event, options: { ...event.options, ...weighing } } : event,
  );
  const outcome = verdict(foldRun(changed));
  return changed.map((event) =>
    event.type === 'footer' ? { ...event, exitCode: outcome.exitCode, verdict: outcome.line } : event,
  );
}
