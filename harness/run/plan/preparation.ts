import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { redactAll, redactVariables } from '../../base/redact.ts';
import { inEffect } from '../../host/deadlines.ts';
import { deviceVariables } from '../../host/devices/device-rows.ts';
import { formatOptionArgument } from '../../host/plugins/options.ts';
import type { Caller } from '../../knowledge/abi/caller.ts';
import { NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import type { Event } from '../../model/events.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import { throwIfAny } from '../../suite/problem.ts';
import type { ExpectationsFile } from '../../verdict/expectations/expectation.ts';
import { partOf } from '../../verdict/frameworks/profile.ts';
import { releaseName } from '../../verdict/frameworks/spec.ts';
import { expectationFiles } from '../files/expectations.ts';
import type { Gate } from '../files/gate.ts';
import { logFile } from '../files/log-file.ts';
import { checkPlaces, type Place, placeOf, placesOf, type ReportFile, reportFiles } from '../files/report-files.ts';
import { type Submission, submissionOf } from '../files/submission.ts';
import { checkReset, deadlines, numericsOf, resolveAll, startFacts } from '../plugin/plugin-setup.ts';
import { askedBy } from '../plugin/timeouts.ts';
import { type Selected, selectedAgain, selectedCases } from '../suites/selection.ts';
import { relevantEnvironment } from './environment.ts';
import { checkJobs } from './job-options.ts';
import { demandOwnCode } from './own-code.ts';
import { suiteEvents } from './plan-events.ts';
import { asTheLogSays, checkUnchanged, type PastRun } from './resume.ts';
import type { RunOptions } from './run-options.ts';

/** Everything about a run that is known before its log is opened. */
export interface Preparation extends Selected {
  profileName: string;
  caller: Caller;
  plugins: ResolvedPlugin[];
  /** The plugin whose outputs are the expectations of programs without any. */
  oracle?: ResolvedPlugin;
  /** Facts about the plugins before they are loaded. */
  facts: PluginFacts[];
  /** The suites with their planned cases. */
  plan: Extract<Event, { type: 'suite' }>[];
  /** Expectations files, and waivers. */
  expected: ExpectationsFile[];
  /** What must be unchanged when a run is resumed. */
  settings: Record<string, unknown>;
  /** Variables that matter for the plugins, without secrets. */
  environment: Record<string, string>;
  /** The directory of the reports. */
  directory: string;
  /** Path of the log. */
  log: string;
  files: ReportFile[];
  gate: Gate | undefined;
  submission: Submission | undefined;
}

/**
 * Reads everything that the options name: suites, plugins, expectations, the baseline. Writes nothing.
 * @param past the run to resume, which must have the same plugins and cases
 * @param resolved the plugins, if they are resolved already
 * @throws SuiteError, PluginError, UsageError
 */
export async function prepare(
  given: RunOptions,
  environment: CommandEnvironment,
  past?: PastRun,
  resolved?: readonly ResolvedPlugin[],
): Promise<Preparation> {
  const { cwd } = environment;
  const options = past ? given : await withLastRun(given, environment, resolved);
  const selected = await asTheLogSays(past, () =>
    past?.planned ? selectedAgain(options, past.run.cases, cwd) : selectedCases(options, cwd),
  );
  const { suites, cases, release } = selected;
  // The files of a collection are checked where its cases are made.
  if (options.suites && !options.collection) {
    const { fileProblems } = await import('../suites/file-problems.ts');
    throwIfAny(await fileProblems(cases, cwd));
  }
  const named = await asTheLogSays(past, () => namedBy(options, environment, selected, past, resolved));
  const { plugins, expected, submission } = named;
  checkReset(options, plugins);
  if (submission) submission.toolSha256 = demandOwnCode(plugins, environment.env);
  const plan = [
    ...suiteEvents(suites, cases, cwd, (c) => release !== undefined && partOf(release, c) === 'informative'),
  ];
  const facts = plugins.map(startFacts);
  const settings = redactAll(settingsOf(options, plugins, expected));
  if (past)
    checkUnchanged(past, { plan, plugins: facts, settings, shard: selected.shard, tool: submission?.toolSha256 });
  const place = placeOf(options, plugins, cwd);
  const planned = cases.map(({ id }) => id);
  const log = past?.log ?? place.log;
  const { files, gate } = await outputs(options, environment, { directory: place.directory, log }, planned, past);
  const variables = plugins.flatMap(({ manifest }) => [
    ...(manifest?.environment ?? []).map(({ name }) => name),
    ...(manifest?.devices?.visibleBy ?? []),
  ]);
  variables.push(...Object.keys(deviceVariables(options.deviceEnv)));
  return {
    ...selected,
    profileName: options.collection?.kind ?? (release ? releaseName(release) : (options.profile ?? 'full')),
    caller: options.asApi ?? (release ? { minor: Math.min(release.release.minor, NEWEST_MINOR) } : {}),
    ...named,
    facts,
    plan,
    settings,
    environment: relevantEnvironment(environment.env, variables),
    directory: place.directory,
    log,
    files,
    gate,
  };
}

/** The run whose failed cases `--last-failed` means lies where this one writes. @throws PluginError, UsageError */
async function withLastRun(
  options: RunOptions,
  environment: CommandEnvironment,
  resolved: readonly ResolvedPlugin[] | undefined,
): Promise<RunOptions> {
  if (!options.lastFailed) return options;
  const { cwd } = environment;
  const { log } = placeOf(options, resolved ?? (await resolveAll(options, environment)), cwd);
  return { ...options, failedOf: [display(cwd, logFile(display(cwd, log), '--last-failed', cwd))] };
}

/** What the options name besides cases: plugins, the papers of a submission, expectations. */
async function namedBy(
  options: RunOptions,
  environment: CommandEnvironment,
  { cases, mustpass }: Selected,
  past: PastRun | undefined,
  resolved: readonly ResolvedPlugin[] | undefined,
): Promise<Pick<Preparation, 'oracle' | 'plugins' | 'submission' | 'expected'>> {
  const { collection, fetch, allowBuild } = options;
  await checkJobs(options, cases, environment);
  const named = collection?.oracle === undefined ? [] : [collection.oracle];
  const [oracle] = await resolveAll({ plugin: named, fetch, allowBuild }, environment);
  const plugins = resolved ? [...resolved] : await resolveAll(options, environment);
  const directory = dirname(past?.log ?? placeOf(options, plugins, environment.cwd).log);
  const submission = submissionOf({ ...options }, mustpass, plugins, directory, environment);
  const expected = [...(await expectationFiles(options, environment)), ...(submission?.expected ?? [])];
  return { oracle, plugins, submission, expected };
}

const REPORTS = ['report', 'junit', 'json', 'output'] as const;
const GATE = ['baseline', 'gate', 'policy'] as const;

/** The reports of a run and its comparison with a baseline, of options that may be given again when it is resumed. */
export async function outputs(
  options: RunOptions,
  environment: CommandEnvironment,
  { directory, log }: { directory: string; log: string },
  planned: readonly string[],
  past: PastRun | undefined,
): Promise<Pick<Preparation, 'files' | 'gate'>> {
  const files = await asTheLogSays(past, () => reportFiles(options, directory, environment.cwd), REPORTS);
  const gate = await asTheLogSays(past, () => comparison(options, environment, directory, planned, files), GATE);
  const places = [...placesOf(files), ...placesOf(gate?.files ?? [], 'comparison')];
  const first: Place[] = [['the event log', log]];
  if (options.outcomes !== undefined) places.push(['the outcomes', resolve(environment.cwd, options.outcomes)]);
  await asTheLogSays(past, () => checkPlaces(first, places, environment.cwd), [...REPORTS, ...GATE]);
  return { files, gate };
}

/** The code for comparisons is loaded if there is one. */
async function comparison(
  options: RunOptions,
  environment: CommandEnvironment,
  directory: string,
  planned: readonly string[],
  files: readonly ReportFile[],
): Promise<Gate | undefined> {
  if (!GATE.some((name) => options[name])) return undefined;
  const { gateOf } = await import('../files/gate.ts');
  return gateOf(options, planned, files, directory, environment);
}

const compileSettings = ({ manifest }: ResolvedPlugin): string[] => [
  manifest?.compileOptions?.style ?? 'jax',
  ...Object.entries(manifest?.compileOptions?.overrides ?? {}).map(([name, o]) => formatOptionArgument(name, o)),
];

/** Effective options and manifests, which must be the same when the run is resumed. */
export const settingsOf = (
  options: RunOptions,
  resolved: readonly ResolvedPlugin[],
  expected: readonly ExpectationsFile[],
): Record<string, unknown> => ({
  createOptions: resolved.map((p) => Object.entries(p.options).map(([name, o]) => formatOptionArgument(name, o))),
  ...(resolved.some((p) => p.manifest?.compileOptions) ? { compileOptions: resolved.map(compileSettings) } : {}),
  ...(resolved.some((p) => p.manifest?.declares)
    ? { declares: resolved.map((p) => JSON.stringify(p.manifest?.declares ?? {})) }
    : {}),
  variables: resolved.map((p) => redactVariables(p.env)),
  deadlines: inEffect(deadlines(askedBy(options), resolved)),
  numerics: numericsOf(options, resolved).profile,
  knownDeviations: resolved.map((p) =>
    createHash('sha256')
      .update(JSON.stringify(p.manifest?.deviations ?? []))
      .digest('hex'),
  ),
  expectations: expected.map((file) => file.sha256),
});
