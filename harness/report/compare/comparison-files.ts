import { appendFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { didYouMean } from '../../base/did-you-mean.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { refuseDash } from '../../base/refuse-dash.ts';
import { UsageError } from '../../base/usage-error.ts';
import { fixedTimeFrom, writeFileAtomically } from '../index.ts';
import type { Comparison } from './compare.ts';
import type { ComparisonFormat, ComparisonOptions } from './format.ts';
import { COMPARISON_FORMATS, findComparisonFormat } from './formats.ts';

/** A comparison to be written. */
export interface ComparisonFile {
  format: ComparisonFormat;
  path: string;
}

/** The format with this name. @throws UsageError */
export function comparisonFormat(where: string, name: string): ComparisonFormat {
  const format = findComparisonFormat(name);
  if (format) return format;
  const names = COMPARISON_FORMATS.map((each) => each.name);
  const hint = didYouMean(name, names) ?? `there are ${names.join(', ')}`;
  throw new UsageError(`${where}: there is no comparison format ${name}; ${hint}`);
}

/** The files requested by `--report format[=file]`. @throws UsageError */
export function comparisonFiles(entries: readonly string[], directory: string, cwd: string): ComparisonFile[] {
  return entries.map((entry) => {
    const at = entry.indexOf('=');
    const format = comparisonFormat(`--report ${entry}`, at === -1 ? entry : entry.slice(0, at));
    if (at === -1) return { format, path: join(directory, format.file) };
    if (at === entry.length - 1) throw new UsageError(`--report ${entry}: expected a file name after the =`);
    refuseDash('report', entry, entry.slice(at + 1));
    return { format, path: resolve(cwd, entry.slice(at + 1)) };
  });
}

/** The comparison in one format, as a string. */
export async function comparisonText(
  comparison: Comparison,
  format: ComparisonFormat,
  environment: CommandEnvironment,
): Promise<string> {
  const produce = await format.load();
  let text = '';
  produce(comparison, (chunk) => (text += chunk), optionsOf(environment));
  return text;
}

/** Writes the files atomically. @throws WriteFileError */
export async function writeComparisons(
  comparison: Comparison,
  files: readonly ComparisonFile[],
  environment: CommandEnvironment,
): Promise<void> {
  for (const { format, path } of files) {
    const produce = await format.load();
    writeFileAtomically(path, (write) => produce(comparison, write, optionsOf(environment)));
  }
}

/** In a step of a GitHub workflow, writes the comparison to the job summary. */
export async function summariseForGithub(comparison: Comparison, environment: CommandEnvironment): Promise<void> {
  const file = environment.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  const text = await comparisonText(comparison, findComparisonFormat('markdown')!, environment);
  try {
    appendFileSync(file, text);
  } catch (error) {
    // Not worth failing for: the other files have been written.
    environment.stderr.write(`warning: the job summary could not be written: ${(error as Error).message}\n`);
  }
}

const optionsOf = ({ env }: CommandEnvironment): ComparisonOptions => {
  const fixedTime = fixedTimeFrom(env);
  return fixedTime ? { fixedTime } : {};
};
