import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CommandEnvironment } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import { applyEvent, emptyRun } from '../../model/run.ts';
import { findFormat, readEvents } from '../../report/index.ts';
import { logFile } from './log-file.ts';
import { writeReports } from './report-files.ts';

/** Where runs are written that name no other place. */
const REPORTS = 'reports';

/**
 * The HTML report of a run, written if it is missing or older than the log.
 * @param given the log or its directory; by default the newest run below `reports`
 * @throws UsageError if there is no run; EventLogError, WriteFileError
 */
export async function pageOfRun(given: string | undefined, environment: CommandEnvironment): Promise<string> {
  const log = given === undefined ? newestLog(environment.cwd) : logFile(given, 'open', environment.cwd);
  const format = findFormat('html')!;
  const path = join(dirname(log), format.file);
  if (existsSync(path) && statSync(path).mtimeMs >= statSync(log).mtimeMs) return path;
  const run = emptyRun();
  for (const event of readEvents(log)) applyEvent(run, event);
  await writeReports(run, [{ format, path }], { github: false }, environment);
  return path;
}

/** The log of the run that wrote last. */
function newestLog(cwd: string): string {
  const directory = resolve(cwd, REPORTS);
  const logs = [directory, ...directoriesIn(directory)]
    .map((at) => join(at, 'events.jsonl'))
    .filter((log) => existsSync(log))
    .map((log) => ({ log, at: statSync(log).mtimeMs }));
  if (logs.length === 0)
    throw new UsageError(`open: there is no run in ${REPORTS}/; name its directory, or make one: run --plugin …`);
  return logs.reduce((newest, one) => (one.at > newest.at ? one : newest)).log;
}

const directoriesIn = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(directory, name))
    : [];
