import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandEnvironment } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { Header } from '../../model/run.ts';
import { EventLogError, readEvents } from '../../report/index.ts';
import { placeOf } from '../files/report-files.ts';
import { chosenShard, isAuto } from '../fleet/chosen-shard.ts';
import { shardDirectory, shardText } from '../fleet/shard.ts';
import { recordedOptions } from '../plan/resume.ts';
import type { RunOptions } from '../plan/run-options.ts';
import { resolveAll } from '../plugin/plugin-setup.ts';

/**
 * The options of this task of an array, for `--shard auto`: its shard, and a directory of its own below the one that all tasks
 * share. Other options are returned unchanged.
 * @throws UsageError, PluginError
 */
export async function taskOptions(options: RunOptions, environment: CommandEnvironment): Promise<RunOptions> {
  if (!isAuto(options.shard)) return options;
  const { from, job, ...shard } = chosenShard(options.shard, environment.env);
  // The default directory has the name of the plugin.
  const plugins = options.output === undefined ? await resolveAll(options, environment) : [];
  const { directory } = placeOf(options, plugins, environment.cwd);
  const task = { from, job };
  return { ...options, shard: shardText(shard), task, output: join(directory, shardDirectory(shard)) };
}

/** The log of a task that its scheduler runs again. */
interface OwnLog {
  path: string;
  job: string;
  /** Options that must be as they were: their flags, by their names. */
  given: ReadonlyMap<string, string>;
}

/**
 * The log that this task wrote before its scheduler ran it again: that of the same job and shard.
 */
export function ownLog(options: RunOptions, { cwd }: CommandEnvironment): OwnLog | undefined {
  const { task, output, shard } = options;
  if (task?.job === undefined || output === undefined) return undefined;
  const path = placeOf(options, [], cwd).log;
  const header = existsSync(path) ? headerOf(path) : undefined;
  if (!header?.shard || header.shard.job !== task.job || shardText(header.shard) !== shard) return undefined;
  const names = Object.keys({ ...header.invocation?.options, ...recordedOptions(options) });
  return { path, job: task.job, given: new Map(names.map((name) => [name, flagOf(name)])) };
}

/** Resumes the run of a task's own log. Errors say so, because nobody wrote `--resume`. */
export async function asOwnLog<T>({ path, job }: OwnLog, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof UsageError) {
      error.message = `${error.message}\nThis task of job ${job} resumes its own log; to start again instead, remove ${path}`;
    }
    throw error;
  }
}

/** Undefined for a file without one: the task was killed before it wrote a line, or this is another file. */
function headerOf(path: string): Header | undefined {
  try {
    for (const event of readEvents(path)) return event as Header;
  } catch (error) {
    if (!(error instanceof EventLogError)) throw error;
  }
  return undefined;
}

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
