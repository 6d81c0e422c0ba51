import { join, resolve } from 'node:path';
import type { CommandEnvironment } from '../../base/environment.ts';
import { type ComparisonOptions, fixedTimeFrom, formatNamed, requestedFile } from '../format.ts';
import { appendToJobSummary } from '../job-summary.ts';
import { writeFileAtomically } from '../write-file.ts';
import type { Comparison } from './compare.ts';
import { COMPARISON_FORMATS, type ComparisonFormat } from './formats.ts';

/** A comparison to be written. */
export interface ComparisonFile {
  format: ComparisonFormat;
  path: string;
}

/** The files requested by `--report format[=file]`. @throws UsageError */
export const comparisonFiles = (entries: readonly string[], directory: string, cwd: string): ComparisonFile[] =>
  entries.map((entry) => {
    const { format, file } = requestedFile(entry, COMPARISON_FORMATS, 'comparison format');
    return { format, path: file === undefined ? join(directory, format.file) : resolve(cwd, file) };
  });

/** The format of `--format`. @throws UsageError */
export const comparisonFormat = (name: string): ComparisonFormat =>
  formatNamed(COMPARISON_FORMATS, name, ['format', name], 'comparison format');

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
export const summariseForGithub = (comparison: Comparison, environment: CommandEnvironment): Promise<void> =>
  appendToJobSummary(async (write) => (await import('./markdown.ts')).writeMarkdown(comparison, write), environment);

const optionsOf = ({ env }: CommandEnvironment): ComparisonOptions => ({ fixedTime: fixedTimeFrom(env) });
