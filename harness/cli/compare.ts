import { resolve } from 'node:path';
import { commonCases, compareRuns } from '../compare/compare.ts';
import { DEFAULT_POLICY, type Policy, readPolicy } from '../compare/policy.ts';
import { ReadRunError, readRuns } from '../compare/read-runs.ts';
import type { NamedRun } from '../compare/side.ts';
import { comparisonLines } from '../compare/text.ts';
import { type ExitCode, exitCode } from '../verdict/exit-codes.ts';
import {
  comparisonFiles,
  comparisonFormat,
  comparisonText,
  summariseForGithub,
  writeComparisons,
} from './comparison-files.ts';
import { reportLines } from './report-files.ts';
import type { Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';
import { wantsColor } from './wants-color.ts';

/** Options of `compare` as commander gives them. */
export interface CompareOptions {
  old?: string[];
  new?: string[];
  policy?: string;
  format: string;
  report?: string[];
  output?: string;
  github?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

/**
 * `compare`: what changed between two runs.
 * @returns 0, or 1 when a change is one that the policy calls a regression
 * @throws UsageError, EventLogError, SuiteError (for the policy)
 */
export async function compare(
  files: readonly string[],
  options: CompareOptions,
  around: Surroundings,
): Promise<ExitCode> {
  const sides = sidesOf(files, options);
  const format = comparisonFormat(`--format ${options.format}`, options.format);
  const written = comparisonFiles(options.report ?? [], resolve(around.cwd, options.output ?? '.'), around.cwd);
  const policy = policyOf(options.policy, around.cwd);
  const [old, now] = [runsOf(sides.old, around.cwd), runsOf(sides.new, around.cwd)];
  if (commonCases(old, now) === 0) {
    const names = [...old, ...now].map(({ name }) => name).join(', ');
    throw new UsageError(
      `${names}: no case is in both runs: there is nothing to compare; were they of the same suites?`,
    );
  }
  const comparison = compareRuns(old, now, policy);
  if (format.name === 'text') {
    const color = options.color ?? wantsColor(around);
    const lines = comparisonLines(comparison, { ...options, color });
    around.stdout.write(`${lines.join('\n')}\n`);
  } else around.stdout.write(await comparisonText(comparison, format, around));
  await writeComparisons(comparison, written, around);
  if (written.length > 0 && !options.quiet) {
    const lines = reportLines(
      written.map(({ format: { name }, path }) => [name, path]),
      around.cwd,
    );
    // Standard output may be a document.
    for (const line of lines) (format.name === 'text' ? around.stdout : around.stderr).write(`${line}\n`);
  }
  if (options.github !== false) await summariseForGithub(comparison, around);
  return exitCode(comparison.gate.verdict === 'fail' ? 'not-conformant' : 'conformant');
}

/** The policy in this file, or the default one. @throws SuiteError */
export const policyOf = (file: string | undefined, cwd: string): Policy =>
  file === undefined ? DEFAULT_POLICY : readPolicy(resolve(cwd, file), file);

/** The runs in these files or folders. @throws UsageError, EventLogError */
export function runsOf(files: readonly string[], cwd: string): NamedRun[] {
  try {
    return readRuns(files.map((name) => ({ name, path: resolve(cwd, name) })));
  } catch (error) {
    if (error instanceof ReadRunError) throw new UsageError(error.message);
    throw error;
  }
}

function sidesOf(files: readonly string[], options: CompareOptions): { old: string[]; new: string[] } {
  const usage = 'expected compare OLD NEW, or compare --old OLD… --new NEW… where a side is several logs';
  if (options.old || options.new) {
    if (files.length > 0 || !options.old || !options.new) throw new UsageError(usage);
    return { old: options.old, new: options.new };
  }
  if (files.length !== 2) {
    const many = files.length > 2 ? `; got ${files.length} files: which are the old ones?` : '';
    throw new UsageError(`${usage}${many}`);
  }
  return { old: [files[0]!], new: [files[1]!] };
}
