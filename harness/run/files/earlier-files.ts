/** What earlier runs left where a run writes. */

import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { counted } from '../../base/counted.ts';
import { display } from '../../base/display.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { systemReason } from '../../base/system-reason.ts';
import { TOOL } from '../../base/tool.ts';
import { isLibraryName, pluginNameOf, splitNamedPath, stemOf } from '../../host/plugins/plugin-name.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { COMPARISON_FORMATS } from '../../report/compare/formats.ts';
import { EventLogError, type PreviousLog, pluginOf, previousLog, REPORT_FORMATS } from '../../report/index.ts';

/** A run that is about to write its files. */
export interface NewRun {
  /** The directory of its reports. */
  directory: string;
  log: string;
  /** Names of its plugins. */
  plugins: readonly string[];
  /** Ids of its cases. */
  cases: Iterable<string>;
}

/**
 * Makes room for a run, so that no report stays beside the log of another run, and no result is lost. An earlier run in its place
 * is moved to a directory `previous` beside its log, with its reports, if it is unfinished, or of other plugins, or has cases
 * that the new run does not have. Otherwise its reports are removed; the new run overwrites its log.
 * @returns a line that says what was moved; undefined if nothing was
 * @throws EventLogError if the file in place of the log is something else
 */
export function makeRoom({ directory, log, ...next }: NewRun, cwd: string): string | undefined {
  const earlier = previousLog(log);
  const later: PreviousLog = { plugins: next.plugins, cases: new Set(next.cases), finished: true };
  const slot = earlier && slotFor(earlier, later, log);
  if (!slot) {
    removeReports(directory);
    return undefined;
  }
  move(log, directory, slot);
  const [place, kept] = [dirname(log), slot].map((path) => display(cwd, path) || '.') as [string, string];
  const { plugins, cases, finished } = earlier;
  const what = `${cleanLine(plugins.join(' + '))}, ${counted(cases.size, 'case')}`;
  if (!finished)
    return `the unfinished run in ${place} (${what}) is now in ${kept}; to resume it: ${TOOL.name} run --resume ${kept}`;
  const missing = [...cases].filter((id) => !later.cases.has(id)).length;
  const why = missing > 0 ? `, ${missing} of which this run does not have` : '';
  return `the earlier run in ${place} (${what}${why}) is now in ${kept}`;
}

/** Moves a log and its reports. @throws EventLogError */
function move(log: string, directory: string, slot: string): void {
  try {
    mkdirSync(slot, { recursive: true });
    removeReports(slot);
    const isBeside = directory === dirname(log);
    for (const path of [log, ...(isBeside ? reportsIn(directory) : [])]) renameSync(path, join(slot, basename(path)));
    // Reports elsewhere can be made from the log.
    if (!isBeside) removeReports(directory);
  } catch (cause) {
    throw new EventLogError(
      `${log}: this log of an earlier run cannot be moved to ${slot}: ${systemReason(cause)}; choose another directory with --output`,
      { cause },
    );
  }
}

/**
 * The directory for an earlier run that must be kept; undefined if its results may be overwritten. A run that was kept before is
 * replaced by one with all of its cases only.
 */
function slotFor(earlier: PreviousLog, next: PreviousLog, log: string): string | undefined {
  if (earlier.cases.size === 0 || (earlier.finished && hasAllOf(next, earlier))) return undefined;
  for (let number = 1; ; number++) {
    const slot = join(dirname(log), number === 1 ? 'previous' : `previous-${number}`);
    if (!existsSync(slot)) return slot;
    const kept = keptIn(join(slot, basename(log)));
    if (!kept) continue;
    if (hasAllOf(earlier, kept)) return slot;
    // A part of a kept run was repeated, as after a failure.
    if (earlier.finished && hasAllOf(kept, earlier)) return undefined;
  }
}

/** Undefined if the directory is not of this tool. */
function keptIn(log: string): PreviousLog | undefined {
  try {
    return previousLog(log);
  } catch {
    return undefined;
  }
}

const hasAllOf = (one: PreviousLog, other: PreviousLog): boolean =>
  one.plugins.join('\n') === other.plugins.join('\n') && [...other.cases].every((id) => one.cases.has(id));

const MARKED: readonly { file: string; mark?: RegExp }[] = [
  ...REPORT_FORMATS,
  ...COMPARISON_FORMATS,
  { file: 'devices.json', mark: /^\{\s*"version": "1\.\d+",\s*"devices": \[/ },
];

/** Removes the reports of this tool from a directory. */
export function removeReports(directory: string): void {
  for (const path of reportsIn(directory)) rmSync(path, { force: true });
}

/** Reports of this tool in a directory under their usual names; not the files of others. */
const reportsIn = (directory: string): string[] =>
  MARKED.flatMap(({ file, mark }) => {
    const path = join(directory, file);
    return mark?.test(beginning(path)) ? [path] : [];
  });

/** Enough to see what made a report. */
const MARK_BYTES = 4096;

/** The beginning of a regular file; empty if there is none. */
function beginning(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return '';
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const bytes = Buffer.alloc(MARK_BYTES);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, MARK_BYTES, 0));
  } catch {
    // It may not be read; then it is not removed either.
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Removes a file that a run will write. */
export function removeStale(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path, { force: true });
}

/**
 * Says that a file got the name of a known plugin, because it is that plugin, whatever it is called.
 * @param spec what `--plugin` named
 */
export function* renamed(spec: string, { name, recognisedBy, library }: ResolvedPlugin): Generator<string> {
  const file = basename(library);
  if (recognisedBy !== 'sha256' || !isLibraryName(spec) || splitNamedPath(spec) || stemOf(file) === name) return;
  if (pluginNameOf(file) !== undefined) return;
  yield `${cleanLine(file)} is the known plugin ${name}, by its sha256: its manifest applies, and its reports are under that name (--output names another directory)`;
}

/**
 * Says which directories beside that of a run have a run of the same bytes, which then had another name.
 * @param plugin the first plugin of the run
 */
export function* sameBytes(
  directory: string,
  plugin: { name: string; sha256: string },
  cwd: string,
): Generator<string> {
  let names: string[] = [];
  try {
    names = readdirSync(dirname(directory));
  } catch {
    // The first run here.
  }
  for (const name of names.sort()) {
    const beside = join(dirname(directory), name);
    if (beside === directory) continue;
    const other = pluginOf(join(beside, 'events.jsonl'));
    if (other?.sha256 !== plugin.sha256 || other.name === plugin.name) continue;
    yield `${cleanLine(plugin.name)} is the same file as ${cleanLine(other.name)} (sha256 ${plugin.sha256.slice(0, 12)}), whose run is in ${display(cwd, beside)}`;
  }
}
