import type { ReportFormat } from './format.ts';

/** Every format that a run can be written in. */
export const REPORT_FORMATS: readonly ReportFormat[] = [
  {
    name: 'junit',
    file: 'junit.xml',
    description: 'JUnit XML, for CI systems',
    quotesRequirements: ({ junitFlavor }) => junitFlavor === 'common',
    load: async () => (await import('./junit.ts')).writeJunit,
  },
  {
    name: 'json',
    file: 'report.json',
    description: 'complete JSON, for scripts',
    load: async () => (await import('./json.ts')).writeJson,
  },
  {
    name: 'html',
    file: 'report.html',
    description: 'one self-contained HTML file, for people',
    quotesRequirements: () => true,
    showsSources: true,
    load: async () => (await import('./html.ts')).writeHtml,
  },
  {
    name: 'markdown',
    file: 'report.md',
    description: 'Markdown, for a job summary or an issue',
    load: async () => (await import('./markdown.ts')).writeMarkdown,
  },
  {
    name: 'sarif',
    file: 'report.sarif',
    description: 'violated requirements as SARIF 2.1.0, for code scanning',
    quotesRequirements: () => true,
    load: async () => (await import('./sarif.ts')).writeSarif,
  },
  {
    name: 'gitlab',
    file: 'gl-code-quality.json',
    description: 'violated requirements as GitLab code quality, for merge requests',
    load: async () => (await import('./gitlab.ts')).writeGitlab,
  },
  {
    name: 'ctrf',
    file: 'ctrf.json',
    description: 'Common Test Report Format, for dashboards',
    load: async () => (await import('./ctrf.ts')).writeCtrf,
  },
  {
    name: 'tap',
    file: 'report.tap',
    description: 'TAP 14, for test harnesses',
    load: async () => (await import('./tap.ts')).writeTap,
  },
  {
    name: 'badge',
    file: 'badge.json',
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
