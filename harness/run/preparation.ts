import { createHash } from 'node:crypto';
import type { Caller } from '../abi/caller.ts';
import { NEWEST_MINOR } from '../abi/index.ts';
import type { CommandEnvironment } from '../environment.ts';
import type { ExpectationsFile } from '../expectations/expectation.ts';
import { partOf } from '../frameworks/profile.ts';
import { releaseName } from '../frameworks/spec.ts';
import { inEffect } from '../host/deadlines.ts';
import type { Event } from '../model/events.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { formatOptionArgument } from '../plugins/options.ts';
import type { ResolvedPlugin } from '../plugins/types.ts';
import { relevantEnvironment, withoutSecrets } from './environment.ts';
import { expectationFiles } from './expectations.ts';
import { type Gate, gateOf } from './gate.ts';
import { suiteEvents } from './plan-events.ts';
import { deadlines, numericsOf, resolveAll, startFacts } from './plugin-setup.ts';
import { checkPlaces, placeOf, type ReportFile, reportFiles } from './report-files.ts';
import { checkUnchanged, type PastRun } from './resume.ts';
import type { RunOptions } from './run-options.ts';
import { type Selected, selectedAgain, selectedCases } from './selection.ts';
import { askedBy } from './timeouts.ts';

/** Everything about a run that is known before its log is opened. */
export interface Preparation extends Selected {
  profileName: string;
  caller: Caller;
  plugins: ResolvedPlugin[];
  /** Facts about the plugins before they are loaded. */
  facts: PluginFacts[];
  /** The suites with their planned cases. */
  plan: Extract<Event, { type: 'suite' }>[];
  expected: ExpectationsFile[];
  /** What must be unchanged when a run is resumed. */
  settings: Record<string, unknown>;
  /** Variables that matter for the plugins, without secrets. */
  environment: Record<string, string>;
  /** Path of the log. */
  log: string;
  files: ReportFile[];
  gate: Gate | undefined;
}

/**
 * Reads everything that the options name: suites, plugins, expectations, the baseline. Writes nothing.
 * @param past the run to resume, which must have the same plugins and cases
 * @throws SuiteError, PluginError, UsageError
 */
export async function prepare(
  options: RunOptions,
  environment: CommandEnvironment,
  past?: PastRun,
): Promise<Preparation> {
  const selected = past?.planned ? await selectedAgain(options, past.run.cases) : await selectedCases(options);
  const { suites, cases, release } = selected;
  const plugins = await resolveAll(options, environment);
  const plan = [
    ...suiteEvents(suites, cases, environment.cwd, (c) => release !== undefined && partOf(release, c) === 'told'),
  ];
  const facts = plugins.map(startFacts);
  const expected = expectationFiles(options, environment);
  const settings = settingsOf(options, plugins, expected);
  if (past) checkUnchanged(past, { plan, plugins: facts, settings });
  const place = placeOf(options, plugins, environment.cwd);
  const planned = cases.map(({ id }) => id);
  const log = past?.log ?? place.log;
  const files = reportFiles(options, place.folder, environment.cwd);
  checkPlaces([log], files, environment.cwd);
  const variables = plugins.flatMap((p) => p.manifest?.environment ?? []).map(({ name }) => name);
  return {
    ...selected,
    profileName: release ? releaseName(release) : (options.profile ?? 'full'),
    caller: options.asApi ?? (release ? { minor: Math.min(release.release.minor, NEWEST_MINOR) } : {}),
    plugins,
    facts,
    plan,
    expected,
    settings,
    environment: relevantEnvironment(environment.env, variables),
    log,
    files,
    gate: gateOf(options, planned, files, place.folder, environment),
  };
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
  variables: resolved.map((p) => withoutSecrets(p.env)),
  deadlines: inEffect(deadlines(askedBy(options), resolved)),
  numerics: numericsOf(options, resolved).profile,
  knownDeviations: resolved.map((p) =>
    createHash('sha256')
      .update(JSON.stringify(p.manifest?.deviations ?? []))
      .digest('hex'),
  ),
  expectations: expected.map((file) => file.sha256),
});
