import { groupedBy } from '../base/grouping.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import type { CaseRun, Run } from '../model/run.ts';
import { abilities } from '../verdict/abilities.ts';
import type { Weighing } from '../verdict/breach.ts';
import type { CauseIndex } from '../verdict/cause-index.ts';
import type { Exercised } from '../verdict/exercised.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { causeWithEffect } from './cause-lines.ts';
import type { Property } from './junit-document.ts';
import { numericLine, numericSummary, profileText } from './numeric-summary.ts';

/** A run, and the options of its verdict. */
export interface JudgedRun {
  readonly run: Run;
  readonly verdict: Verdict;
  readonly weighing: Weighing;
  readonly causes: CauseIndex;
  readonly exercised: Exercised;
}

/** Number of root causes that every suite lists; suites also list those of their own cases. */
const HEADLINES = 8;

/**
 * Root causes: the most severe ones of the whole run, and further ones that cases of this suite belong to. Counts are those
 * of the run, so that a cause has the same text everywhere.
 */
export function causeProperties(
  { run, causes: { causes, of }, exercised }: JudgedRun,
  cases: readonly CaseRun[] = [],
): Property[] {
  const here = new Set(cases.map(({ plan }) => of(plan.id)));
  return [
    ...(run.cases.size > 0
      ? [['pjrt.exercised', `${exercised.tried} of ${exercised.planned} requirements`] as Property]
      : []),
    ...causes
      .filter((cause) => cause.number <= HEADLINES || here.has(cause))
      .map((cause): Property => [`pjrt.root-cause.${cause.number}`, causeWithEffect(cause)]),
  ];
}

/** Provenance of the results of a suite: tool, profile, host, plugins. */
export function provenance({ run, verdict, weighing }: JudgedRun): Property[] {
  const { header, plugins } = run;
  const numerics = numericSummary(run);
  const known = plugins.length > 0 ? plugins : (header?.plugins ?? []);
  const properties: [string, string | undefined][] = [
    ['pjrt.tool.version', header?.tool.version],
    ['pjrt.profile', header?.profile],
    ['pjrt.numerics', header?.numerics && profileText(header.numerics)],
    ['pjrt.numerics.results', numerics && numerics.comparisons > 0 ? numericLine(numerics) : undefined],
    ['pjrt.host', header && `${header.host.os} ${header.host.arch}`],
    ['pjrt.node', header?.host.node],
    ['pjrt.verdict', verdict.line],
    ['pjrt.selection', header?.selection && `${header.selection.cases} of ${header.selection.of} cases`],
    ['pjrt.shard', header?.shard && `${header.shard.index}/${header.shard.count}`],
    ['pjrt.strict', String(weighing.strict ?? false)],
    ['pjrt.accept-known', String(weighing.acceptKnown ?? false)],
    ['pjrt.allow-flaky', String(weighing.allowFlaky ?? false)],
    ...(header?.expectations?.files ?? []).map(({ file, sha256 }): [string, string] => [
      'pjrt.expectations',
      `${file} sha256 ${sha256}`,
    ]),
    ['pjrt.exit-code', String(verdict.exitCode)],
  ];
  known.forEach((plugin: Partial<PluginFacts>, index) => {
    const prefix = index === 0 ? 'pjrt.plugin' : `pjrt.plugin${index + 1}`;
    const { apiVersion } = plugin;
    properties.push(
      [`${prefix}.name`, plugin.name],
      [`${prefix}.path`, plugin.path],
      [`${prefix}.sha256`, plugin.sha256],
      [`${prefix}.build-id`, plugin.buildId],
      [`${prefix}.manifest`, plugin.manifest],
      [`${prefix}.options`, plugin.options?.join(' ')],
      [`${prefix}.api-version`, apiVersion && `${apiVersion.major}.${apiVersion.minor}`],
      [`${prefix}.platform`, plugin.platformName],
      [`${prefix}.platform-version`, plugin.platformVersion],
      ...abilityProperties(prefix, plugin),
    );
  });
  return properties.filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** The capability matrix: the number of functions by capability, and the names of those that are present and do not work. */
function abilityProperties(prefix: string, plugin: Partial<PluginFacts>): [string, string][] {
  if (!plugin.answers) return [];
  return [...groupedBy(abilities(plugin as PluginFacts), ([, ability]) => ability)].map(([ability, functions]) => [
    `${prefix}.functions.${ability}`,
    ability === 'works' || ability === 'absent' || ability === 'untried'
      ? String(functions.length)
      : `${functions.length}: ${functions.map(([name]) => name).join(' ')}`,
  ]);
}
