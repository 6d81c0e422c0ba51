import { asJson } from '../../base/as-json.ts';
import type { ComparisonOptions, Format } from '../format.ts';
import type { Comparison } from './compare.ts';

/** A file format for comparisons. */
export type ComparisonFormat = Format<Comparison, ComparisonOptions>;

/** Version of schemas/comparison.schema.json. */
const COMPARISON_VERSION = '1.0';

function writeJson(comparison: Comparison, write: (chunk: string) => void): void {
  write(asJson({ version: COMPARISON_VERSION, ...comparison }));
}

/** Every format of a comparison. */
export const COMPARISON_FORMATS: readonly ComparisonFormat[] = [
  {
    name: 'text',
    file: 'comparison.txt',
    mark: /^old {9}.*\nnew {9}/,
    description: 'as on the terminal',
    load: async () => (await import('./text.ts')).writeText,
  },
  {
    name: 'json',
    file: 'comparison.json',
    mark: /^\{\s*"version": "[\d.]+",\s*"old": \{\s*"logs": \[/,
    description: 'complete JSON, for scripts (schemas/comparison.schema.json)',
    load: async () => writeJson,
  },
  {
    name: 'html',
    file: 'comparison.html',
    mark: /<meta name="generator" content="pjrt-conformance">/,
    description: 'one self-contained HTML file',
    load: async () => (await import('./html.ts')).writeHtml,
  },
  {
    name: 'markdown',
    file: 'comparison.md',
    mark: /^## \S+ PJRT gate: /,
    description: 'Markdown, for a comment on a pull request, within its size limit',
    load: async () => (await import('./markdown.ts')).writeMarkdown,
  },
  {
    name: 'junit',
    file: 'comparison.xml',
    mark: /^<\?xml [^>]*>\s*<testsuites name="pjrt-conformance gate\b/,
    description: 'JUnit XML: a failed test case for each change that fails the gate',
    load: async () => (await import('./junit.ts')).writeJunit,
  },
];

/** Formats that `run --baseline` always writes beside its reports. */
export const GATE_FORMATS: readonly string[] = ['json', 'markdown', 'junit'];
