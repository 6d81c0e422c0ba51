import { statSync } from 'node:fs';
import { EventLogError } from './log.ts';
import { type LogLine, readLines, readPart } from './log-lines.ts';

/** What matters of the log of an earlier run before another one takes its place. */
export interface PreviousLog {
  /** Names of the plugins, in order. */
  plugins: readonly string[];
  /** Ids of the cases with a result. */
  cases: ReadonlySet<string>;
  /** Whether every planned case has one, and the run came to its end. */
  finished: boolean;
}

const HEADER_START = '{"type":"header",';

/**
 * Reads the log at a path.
 * @returns undefined if there is no log: nothing, an empty file, a device
 * @throws EventLogError if the file there is something else
 */
export function previousLog(path: string): PreviousLog | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile() || facts.size === 0) return undefined;
  if (!HEADER_START.startsWith(readPart(path, 0, HEADER_START.length))) {
    throw new EventLogError(
      `${path}: this file is not an event log and is not overwritten: choose another file with --events, or remove it`,
    );
  }
  const cases = new Set<string>();
  let plugins: readonly string[] = [];
  for (const line of readLines(path)) {
    const id = caseOf(line);
    if (id !== undefined) cases.add(id);
    else if (line.offset === 0) plugins = pluginsOf(line);
  }
  return { plugins, cases, finished: isFinished(path, facts.size) };
}

const PLUGIN_START = '{"type":"plugin",';

/** Name and SHA-256 of the first plugin of a log; undefined if that is no log, or one without a plugin. */
export function pluginOf(path: string): { name: string; sha256: string } | undefined {
  try {
    for (const { bytes } of readLines(path)) {
      if (bytes.toString('latin1', 0, PLUGIN_START.length) !== PLUGIN_START) continue;
      const { name, sha256 } = JSON.parse(bytes.toString('utf8')).plugin;
      return { name: String(name), sha256: String(sha256) };
    }
  } catch {
    // It is not there, or something else.
  }
  return undefined;
}

/** Results may be large; the id is at their beginning. */
const CASE_START = /^\{"type":"case","id":"((?:[^"\\]|\\.)*)"/;
const CASE_START_BYTES = 4096;

function caseOf({ bytes, complete }: LogLine): string | undefined {
  const [, id] = complete ? (CASE_START.exec(bytes.toString('utf8', 0, CASE_START_BYTES)) ?? []) : [];
  return id === undefined ? undefined : unescaped(id);
}

/** The text of a string in JSON, without its quotes. */
function unescaped(json: string): string {
  try {
    return json.includes('\\') ? JSON.parse(`"${json}"`) : json;
  } catch {
    return json;
  }
}

function pluginsOf({ bytes }: LogLine): string[] {
  try {
    const { plugins } = JSON.parse(bytes.toString('utf8')) as { plugins: { name: string }[] };
    return plugins.map(({ name }) => String(name));
  } catch {
    // It was cut off in the header.
    return [];
  }
}

const TAIL_BYTES = 1 << 16;

/** Reads only the last line. */
function isFinished(path: string, size: number): boolean {
  const tail = readPart(path, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
  try {
    const last = JSON.parse(tail.trimEnd().split('\n').at(-1)!);
    return last.type === 'footer' && last.interrupted === false && last.counts.notrun === 0;
  } catch {
    return false;
  }
}
