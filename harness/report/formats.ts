import type { ReportFormat } from './format.ts';

/** Every format that a run can be written in. */
export const REPORT_FORMATS: readonly ReportFormat[] = [
  {
    name: 'junit',
    file: 'junit.xml',
    mark: /^<\?xml [^>]*>\s*<testsuites name="pjrt-conformance\b/,
    description: 'JUnit XML, for CI systems',
    quotesRequirements: ({ junitFlavor }) => junitFlavor === 'common',
    load: async () => (await import('./junit.ts')).writeJunit,
  },
  {
    name: 'json',
    file: 'report.json',
    mark: /^\{\s*"version": "[\d.]+",\s*"tool": \{\s*"name": "pjrt-conformance"/,
    description: 'complete JSON, for scripts',
    load: async () => (await import('./json.ts')).writeJson,
  },
  {
    name: 'html',
    file: 'report.html',
    mark: /<meta name="generator" content="pjrt-conformance">/,
    description: 'one self-contained HTML file, for people',
    quotesRequirements: () => true,
    showsSources: true,
    load: async () => (await import('./html.ts')).writeHtml,
  },
  {
    name: 'markdown',
    file: 'report.md',
    mark: /^## \S+ PJRT conformance of /,
    description: 'Markdown, for a job summary or an issue',
    load: async () => (await import('./markdown.ts')).writeMarkdown,
  },
  {
    name: 'sarif',
    file: 'report.sarif',
    mark: /"driver": \{\s*"name": "pjrt-conformance"/,
    description: 'violated requirements as SARIF 2.1.0, for code scanning',
    quotesRequirements: () => true,
    load: async () => (await import('./sarif.ts')).writeSarif,
  },
  {
    name: 'gitlab',
    file: 'gl-code-quality.json',
    mark: /^\[\s*(?:\]|\{\s*"engine_name": "pjrt-conformance")/,
    description: 'violated requirements as GitLab code quality, for merge requests',
    load: async () => (await import('./gitlab.ts')).writeGitlab,
  },
  {
    name: 'ctrf',
    file: 'ctrf.json',
    mark: /"tool":\{"name":"pjrt-conformance"/,
    description: 'Common Test Report Format, for dashboards',
    load: async () => (await import('./ctrf.ts')).writeCtrf,
  },
  {
    name: 'badge',
    file: 'badge.json',
    mark: /"label": "PJRT conformance"/,
    description: 'a shields.io endpoint, for a README',
    load: async () => (await import('./badge.ts')).writeBadge,
  },
  {
    name: 'durations',
    file: 'durations.json',
    description: 'what each case cost, to balance the shards of later runs (--durations)',
    load: async () => (await import('./durations.ts')).writeDurations,
  },
];

/** Formats that every run writes. */
export const DEFAULT_FORMATS: readonly string[] = ['junit', 'json'];

export const findFormat = (name: string): ReportFormat | undefined =>
  REPORT_FORMATS.find((format) => format.name === name);
