import { counted } from '../base/counted.ts';
import { type LoadOptions, readSuites } from './load.ts';
import { formatProblem, SuiteError, type SuiteProblem } from './problem.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Result of a check of suites. */
export interface Validation {
  /** Number of valid files, and of cases in them. */
  suites: number;
  cases: number;
  problems: SuiteProblem[];
  /** What files that are no suites were taken for; absent if there are none. */
  files?: { file: string; kind: string; valid: boolean }[];
}

/** Reads and checks suites without running anything; problems are data here, not errors. */
export function validateSuites(
  paths: readonly string[],
  vocabulary: Vocabulary = {},
  options: Omit<LoadOptions, 'vocabulary'> = {},
): Validation {
  try {
    const { suites, cases, problems } = readSuites(paths, { ...options, vocabulary });
    const invalid = new Set(problems.map((problem) => problem.file));
    return { suites: suites.filter((suite) => !invalid.has(suite.file)).length, cases: cases.length, problems };
  } catch (error) {
    // The requirements catalogue or the shared sets are invalid.
    if (error instanceof SuiteError) return { suites: 0, cases: 0, problems: [...error.problems] };
    throw error;
  }
}

/** The problems, then what each file that is no suite was taken for, then a line of totals. */
export function formatValidation({ suites, cases, problems, files = [] }: Validation): string {
  const summary = `${counted(suites, 'valid suite')}, ${counted(cases, 'valid case')}, ${counted(problems.length, 'problem')}`;
  const kinds = files.map(({ file, kind, valid }) => `${file}: ${valid ? 'a valid' : 'taken for a'} ${kind}`);
  return `${[...problems.map(formatProblem), ...kinds, summary].join('\n')}\n`;
}
