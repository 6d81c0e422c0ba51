import { readFileSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { jsonSchemas } from '../../base/json-schema.ts';
import { jsonErrorOffset } from '../../base/json-syntax.ts';
import { packagePath } from '../../base/paths.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { systemReason } from '../../base/system-reason.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { Event } from '../../model/events.ts';
import { foldRun, type Header, type Run } from '../../model/run.ts';
import type { JsonReport } from '../json.ts';
import { readEvents } from '../log.ts';
import { readPart } from '../log-lines.ts';
import { MergeError, mergeLogs } from '../merge.ts';
import { reportEvents } from './report-events.ts';
import type { NamedRun } from './side.ts';

/** Source of a run: its name in messages, and the file or output directory. */
interface RunPath {
  name: string;
  path: string;
}

/** A log of which only the header has been read. */
interface Opened {
  name: string;
  header: Header;
  /** All its events, from the beginning. */
  events(): Iterable<Event>;
}

/**
 * The runs of one side. Logs of the parts of a sharded run are merged. Logs of whole runs are repeats, read event by event so
 * that a large run is never held twice.
 * @throws UsageError, EventLogError
 */
export const readRuns = (paths: readonly RunPath[]): NamedRun[] => [...eachRun(paths)];

/** The same, one after the other, for who need not hold all of them at once. @throws UsageError, EventLogError */
export function* eachRun(paths: readonly RunPath[]): Generator<NamedRun> {
  for (const logs of grouped(paths.map(open))) {
    const name = logs.map((log) => log.name).join(' + ');
    if (logs.length === 1) yield { name, run: foldRun(logs[0]!.events()) };
    else yield { name, run: merged(logs) };
  }
}

function merged(logs: readonly Opened[]): Run {
  try {
    const whole = logs.map((log) => ({ name: log.name, events: [...log.events()] }));
    return foldRun(mergeLogs(whole, { allowMissing: true }));
  } catch (error) {
    if (error instanceof MergeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** The runs in these files or directories of a command line. @throws UsageError, EventLogError */
export const runsIn = (files: readonly string[], cwd: string): NamedRun[] =>
  readRuns(files.map((name) => ({ name, path: resolve(cwd, name) })));

/** Parts with the same count belong together, each part once; a second one begins the next repeat. */
function grouped(logs: readonly Opened[]): Opened[][] {
  const groups: Opened[][] = [];
  for (const log of logs) {
    const part = log.header.shard;
    const isSibling = ({ header: { shard } }: Opened): boolean =>
      shard?.count === part?.count && shard?.index !== part?.index;
    const group = part && groups.find((others) => others.every(isSibling));
    if (group) group.push(log);
    else groups.push([log]);
  }
  return groups;
}

function open({ name, path }: RunPath): Opened {
  const file = runFile({ name, path });
  const events = isJsonReport(name, file) ? readReport(name, file) : undefined;
  const all = (): Iterable<Event> => events ?? readEvents(file);
  // Leaving the loop closes the file; an empty log throws before that.
  for (const header of all()) return { name, header: header as Header, events: all };
  throw new UsageError(`${name}: the log is empty`, { paths: [name] });
}

/** The file of a run: the given one, or the log or JSON report in an output directory. @throws UsageError */
export function runFile({ name, path }: RunPath): string {
  const factsOf = (file: string): Stats | undefined => readable(name, () => statSync(file, { throwIfNoEntry: false }));
  const facts = factsOf(path);
  if (!facts) {
    throw new UsageError(
      `${name}: there is no such file; expected events.jsonl, report.json, or a directory with one`,
      { paths: [name] },
    );
  }
  if (facts.isFile()) return path;
  if (!facts.isDirectory())
    throw new UsageError(`${name}: it is not a regular file, and it is read more than once`, { paths: [name] });
  const found = ['events.jsonl', 'report.json'].map((file) => join(path, file)).find(factsOf);
  if (found === undefined)
    throw new UsageError(`${name}: the directory has no events.jsonl and no report.json`, { paths: [name] });
  return found;
}

/** Reads a file. @throws UsageError if the system refuses */
function readable<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UsageError(`${name}: cannot be read: ${systemReason(cause)}`, { cause, paths: [name] });
  }
}

/** A report is one object over many lines; every line of a log is an object. */
function isJsonReport(name: string, file: string): boolean {
  const head = readable(name, () => readPart(file, 0, HEAD_BYTES)).trimStart();
  if (!head.startsWith('{')) return false;
  const [line] = head.split('\n', 1);
  try {
    return (JSON.parse(line!) as { type?: unknown }).type === undefined;
  } catch {
    // A log truncated in its first line is still a log.
    return !line!.startsWith('{"type"');
  }
}

const HEAD_BYTES = 1 << 16;

function readReport(name: string, file: string): Event[] {
  let text = '';
  let report: unknown;
  try {
    text = readFileSync(file, 'utf8');
    report = JSON.parse(text);
  } catch (cause) {
    const before = text.slice(0, jsonErrorOffset(text)).split('\n');
    const place = `${name}:${before.length}:${before.at(-1)!.length + 1}`;
    throw new UsageError(`${place}: neither an event log nor a JSON report: ${cleanLine((cause as Error).message)}`, {
      cause,
    });
  }
  const validate = reportValidator();
  if (!validate(report)) {
    const error = validate.errors?.[0];
    throw new UsageError(
      `${name}: not a JSON report of a run: ${cleanLine(error?.instancePath || 'the report')} ${error?.message}; expected report.json or events.jsonl`,
      { paths: [name] },
    );
  }
  const { tool, startedAt, host, profile, reproduce } = report as unknown as JsonReport;
  if (!tool || !startedAt || !host || profile === undefined || reproduce === undefined) {
    throw new UsageError(`${name}: the report was made from a log without a header; it cannot be compared`, {
      paths: [name],
    });
  }
  return reportEvents(report as unknown as JsonReport);
}

let compiled: ValidateFunction | undefined;

function reportValidator(): ValidateFunction {
  if (compiled === undefined) {
    const read = (file: string): object => JSON.parse(readFileSync(packagePath('schemas', file), 'utf8')) as object;
    const ajv = jsonSchemas({ allowUnionTypes: true });
    ajv.addSchema(read('events.schema.json'), 'events.schema.json');
    compiled = ajv.compile(read('report.schema.json'));
  }
  return compiled;
}
