import type { Comparison } from './compare.ts';

/** What a comparison file may be told beside the comparison. */
export interface ComparisonOptions {
  /** Written instead of every real time: equal comparisons give equal files. */
  fixedTime?: Date;
}

/** Writes a comparison piece by piece: a function of the comparison alone. */
export type ComparisonWriter = (
  comparison: Comparison,
  write: (chunk: string) => void,
  options: ComparisonOptions,
) => void;

/** A kind of file that a comparison can be written in. */
export interface ComparisonFormat {
  /** As it is named on the command line. */
  name: string;
  /** Name of the file where the user gives none. */
  file: string;
  /** For whom it is, in a few words. */
  description: string;
  /** Formats that are not asked for cost nothing. */
  load(): Promise<ComparisonWriter>;
}

/** Every format of a comparison. */
export const COMPARISON_FORMATS: readonly ComparisonFormat[] = [
  {
    name: 'text',
    file: 'comparison.txt',
    description: 'as on the terminal',
    load: async () => (await import('./text.ts')).writeText,
  },
  {
    name: 'json',
    file: 'comparison.json',
    description: 'everything, for scripts (schemas/comparison.schema.json)',
    load: async () => (await import('./json.ts')).writeJson,
  },
  {
    name: 'html',
    file: 'comparison.html',
    description: 'one HTML file to look through',
    load: async () => (await import('./html.ts')).writeHtml,
  },
  {
    name: 'markdown',
    file: 'comparison.md',
    description: 'a comment on a pull request, within its limit of characters',
    load: async () => (await import('./markdown.ts')).writeMarkdown,
  },
  {
    name: 'junit',
    file: 'comparison.xml',
    description: 'JUnit XML: a failed test case for each change that fails the gate',
    load: async () => (await import('./junit.ts')).writeJunit,
  },
];

export const findComparisonFormat = (name: string): ComparisonFormat | undefined =>
  COMPARISON_FORMATS.find((format) => format.name === name);

/** Formats that `run --baseline` always writes beside its reports. */
export const GATE_FORMATS: readonly string[] = ['json', 'markdown', 'junit'];
