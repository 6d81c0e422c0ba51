import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { refuseDash } from '../../base/refuse-dash.ts';
import { textTable } from '../../base/text-table.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { Run } from '../../model/run.ts';
import { requestedFile } from '../../report/format.ts';
import {
  DEFAULT_FORMATS,
  fixedTimeFrom,
  type JunitFlavor,
  REPORT_FORMATS,
  type ReportFormat,
  type ReportOptions,
  writeFileAtomically,
} from '../../report/index.ts';
import { appendToJobSummary } from '../../report/job-summary.ts';
import { asReported } from '../../report/text-bounds.ts';
import type { Weighing } from '../../verdict/breach.ts';
import { violatedRequirementsOf } from '../../verdict/violated-requirements.ts';

/** Options that select reports and their paths; the same for `run` and `report`. */
export interface ReportFileOptions extends Weighing {
  output?: string;
  /** `format` or `format=file`, in addition to the formats that are always written. */
  report?: string[];
  junit?: string;
  json?: string;
  junitFlavor?: JunitFlavor;
  junitHostname?: string;
  /** Files or directories with further suites, whose catalogues of requirements reports quote. */
  suites?: string[];
  /** False: write nothing for GitHub, even in a step of its workflows. */
  github?: boolean;
}

/** Paths of the reports and of the log of a run. */
export function placeOf(
  { output, events, collection }: { output?: string; events?: string; collection?: { kind: string } },
  plugins: readonly { name: string }[],
  cwd: string,
): { directory: string; log: string } {
  if (events !== undefined) refuseDash('events', events);
  const directory = resolve(
    cwd,
    output ?? join('reports', [plugins.map(({ name }) => name).join('+'), collection?.kind].filter(Boolean).join('.')),
  );
  return { directory, log: resolve(cwd, events ?? join(directory, 'events.jsonl')) };
}

/** A report to write. */
export interface ReportFile {
  format: ReportFormat;
  path: string;
}

/**
 * The reports that the options request, in the order of the formats.
 * @param directory default directory of reports
 * @throws UsageError for an unknown format
 */
export function reportFiles(options: ReportFileOptions, directory: string, cwd: string): ReportFile[] {
  const paths = new Map<string, string | undefined>(DEFAULT_FORMATS.map((name) => [name, undefined]));
  for (const entry of options.report ?? []) {
    const { format, file } = requestedFile(entry, REPORT_FORMATS);
    paths.set(format.name, file);
  }
  for (const name of ['junit', 'json'] as const) {
    const path = options[name];
    if (path === undefined) continue;
    refuseDash(name, path);
    paths.set(name, path);
  }
  return REPORT_FORMATS.filter(({ name }) => paths.has(name)).map((format) => ({
    format,
    path: resolve(cwd, paths.get(format.name) ?? join(directory, format.file)),
  }));
}

/** A file and what it is to a command: `the event log`, `the report html`. */
export type Place = readonly [what: string, path: string];

/** The places of reports, of comparisons, or of trends. */
export const placesOf = (
  files: readonly { format: { name: string }; path: string }[],
  kind: 'report' | 'comparison' | 'trend' = 'report',
): Place[] => files.map(({ format, path }) => [`the ${kind} ${format.name}`, path]);

/**
 * No file may have two roles: the last writer would overwrite the others, or what was read.
 * @param first files that are read, or written before the others
 * @throws UsageError
 */
export function checkPlaces(first: readonly Place[], written: readonly Place[], cwd: string): void {
  const taken = new Map(first.map(([what, path]) => [path, what]));
  for (const [what, path] of written) {
    const other = taken.get(path);
    const there = statSync(path, { throwIfNoEntry: false });
    // A device can be written several times.
    if (other && (!there || there.isFile())) {
      const shown = display(cwd, path);
      const message = `${shown}: it cannot be both ${other} and ${what}; give each its own file`;
      throw new UsageError(message, { paths: [shown] });
    }
    taken.set(path, what);
  }
}

/** The written files, one line each, for the end of a run. */
export function reportLines(written: readonly (readonly [name: string, path: string])[], cwd: string): string[] {
  return textTable(written.map(([name, path]) => [name, display(cwd, path)]));
}

/** Writes the reports atomically. @throws WriteFileError */
export async function writeReports(
  whole: Run,
  files: readonly ReportFile[],
  options: ReportFileOptions,
  environment: CommandEnvironment,
): Promise<void> {
  const run = asReported(whole);
  const fixedTime = fixedTimeFrom(environment.env);
  const reportOptions: ReportOptions = {
    junitFlavor: options.junitFlavor,
    ...(options.junitHostname ? { hostname: options.junitHostname } : {}),
    fixedTime,
  };
  const violated = await violatedTexts(run, options.suites, environment.cwd);
  for (const { format, path } of files) {
    const produce = await format.load();
    const more: ReportOptions = {
      ...(format.quotesRequirements?.(reportOptions)
        ? await requirementFacts(options.suites ?? [], environment.cwd)
        : violated),
      ...(format.showsSources ? { sources: await sourcesOf(run, environment.cwd) } : {}),
    };
    writeFileAtomically(path, (write) => produce(run, write, { ...reportOptions, ...more }));
  }
  if (options.github !== false) await writeForGithub(run, { ...reportOptions, ...violated }, environment);
}

/** What reports quote of requirements, if a case violates one; reading the catalogue takes longer than a small run. */
export async function violatedTexts(
  run: Run,
  suites: readonly string[] | undefined,
  cwd: string,
): Promise<Pick<ReportOptions, 'requirements' | 'bases' | 'levels'>> {
  const isViolated = [...run.cases.values()].some((item) => violatedRequirementsOf(item).length > 0);
  return isViolated ? requirementFacts(suites ?? [], cwd) : {};
}

async function requirementFacts(
  suites: readonly string[],
  cwd: string,
): Promise<Pick<ReportOptions, 'requirements' | 'bases' | 'levels'>> {
  const { requirementsFor } = await import('../../suite/requirements.ts');
  const all = [...requirementsFor(suites, cwd)];
  return {
    requirements: new Map(all.map(([id, { text }]) => [id, text])),
    bases: new Map(all.flatMap(([id, { source }]) => (source === undefined ? [] : [[id, source]]))),
    levels: new Map(all.map(([id, { level }]) => [id, level])),
  };
}

async function sourcesOf(run: Run, cwd: string): Promise<ReportOptions['sources'] & object> {
  const { caseSources } = await import('../suites/case-sources.ts');
  return caseSources(run, cwd);
}

/** In a step of a GitHub workflow, writes the job's summary and annotations. */
async function writeForGithub(run: Run, options: ReportOptions, environment: CommandEnvironment): Promise<void> {
  await appendToJobSummary(
    async (write) => (await import('../../report/markdown.ts')).writeMarkdown(run, write, options),
    environment,
  );
  const { env, stdout } = environment;
  if (env.GITHUB_ACTIONS === 'true') {
    const { githubAnnotations } = await import('../../report/github.ts');
    for (const line of githubAnnotations(run, options))
      stdout.command ? stdout.command(line) : stdout.write(`${line}\n`);
  }
}
