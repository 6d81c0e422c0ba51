import { failureWords } from '../../host/plugin-knowledge.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import { type CaseRun, type Run, statusOf } from '../../model/run.ts';
import { breachOf } from '../../verdict/breach.ts';
import { standingOf } from '../../verdict/standing.ts';
import type { Arrangement } from './arrangement.ts';
import type { Cell, CellStatus, Trouble } from './cell.ts';

/** What is known of the plugins alone when a cell in company is judged. */
export interface KnownAlone {
  /** Plugins that cannot be used even alone. */
  unusable: ReadonlySet<string>;
  /** Plugins that create no client even alone. */
  withoutClient: ReadonlySet<string>;
}

/** What a run says about its arrangement. @param place where its log is, and how it is run again */
export function cellOfRun(
  run: Run,
  arrangement: Arrangement,
  alone: KnownAlone,
  place: Pick<Cell, 'directory' | 'reproduce'>,
): Cell {
  const { plugins } = arrangement;
  // Twins have numbers in the run.
  const inMatrix = (inRun: string | undefined): string | undefined => {
    const at = run.plugins.findIndex((facts) => facts.name === inRun);
    return at === -1 ? inRun : plugins[at];
  };
  const withoutClient = run.plugins.flatMap(({ failure }, i) =>
    failure?.stage === 'client' && !failure.ended ? [{ plugin: plugins[i]!, reason: failureWords(failure) }] : [],
  );
  const troubles = [...startTroubles(run, arrangement, alone), ...caseTroubles(run, inMatrix), ...noteTroubles(run)];
  return {
    ...arrangement,
    status: statusOfCell(run, troubles, withoutClient.length > 0, isImpossible(run, arrangement, alone)),
    line: run.footer?.verdict ?? 'the run did not end',
    counts: Object.fromEntries(Object.entries(run.counts).filter(([, count]) => count > 0)),
    withoutClient,
    troubles,
    durationMs: run.footer?.durationMs ?? 0,
    ...place,
  };
}

/** A plugin that is unusable alone is so in company; and a copy may lack what the original has around it. */
const isImpossible = (run: Run, { company, plugins }: Arrangement, { unusable }: KnownAlone): boolean =>
  plugins.some((plugin) => unusable.has(plugin)) || (company === 'copy' && run.plugins.some(lacksLibraries));

const lacksLibraries = ({ failure }: PluginFacts): boolean =>
  failure?.stage === 'load' && failure.problem === 'missing-library';

function statusOfCell(run: Run, troubles: readonly Trouble[], clientless: boolean, impossible: boolean): CellStatus {
  const has = (level: Trouble['level']) => troubles.some((trouble) => trouble.level === level);
  if (impossible) return 'impossible';
  if (has('fail')) return 'fail';
  // Of a run whose plugin creates no client, and which therefore proves little, nothing else is to be said.
  const exit = run.footer?.exitCode;
  if (run.footer === undefined || run.footer.interrupted || run.counts.error > 0) return 'error';
  if (clientless) return 'no-client';
  if (exit !== 0) return 'error';
  return has('known') ? 'known' : has('warn') ? 'warn' : 'pass';
}

const HOW = {
  load: 'cannot be loaded',
  version: 'is refused',
  initialize: 'cannot be initialized',
  client: 'creates no client',
};

/** A plugin that cannot be used, or creates no client, though it does alone. */
function startTroubles(run: Run, { company, plugins }: Arrangement, alone: KnownAlone): Trouble[] {
  return run.plugins.flatMap(({ failure }, i): Trouble[] => {
    const plugin = plugins[i]!;
    if (!failure || company === 'alone' || (company === 'copy' && lacksLibraries(run.plugins[i]!))) return [];
    const others = plugins.filter((_, at) => at !== i).join(', ');
    if (failure.stage === 'client') {
      // One client at a time is allowed, also to two copies that share a device.
      if (!failure.ended && (alone.withoutClient.has(plugin) || company === 'copy' || company === 'same-file'))
        return [];
    } else if (alone.unusable.has(plugin)) return [];
    return [
      {
        where: '(start)',
        level: 'fail',
        type: `pjrt.Start.${failure.stage}`,
        message: `${plugin} ${HOW[failure.stage]} beside ${others}: ${failureWords(failure)}`,
        plugin,
        ...(failure.ended ? { detail: `the process ${failure.ended === 'hang' ? 'had to be killed' : 'died'}` } : {}),
      },
    ];
  });
}

function caseTroubles(run: Run, inMatrix: (name: string | undefined) => string | undefined): Trouble[] {
  return [...run.cases.values()].flatMap((item): Trouble[] => {
    const { plan, result } = item;
    if (!result || breachOf(plan.level, result) === undefined) return [];
    const bad = result.findings.filter(({ level }) => level !== 'info');
    const standing = standingOf(item, { acceptKnown: true });
    const level = standing === 'known' ? 'known' : standing === 'failed' ? 'fail' : 'warn';
    const base = { where: plan.id, reason: result.knownDeviation?.reason };
    if (bad.length === 0) return [{ ...base, level, ...deathOf(item, result) }];
    return bad.map(({ type, message, detail, call, requirements, plugin, culprit, level: own }): Trouble => {
      const about = { type, message, detail, call, requirements, plugin: inMatrix(plugin), culprit: inMatrix(culprit) };
      return { ...base, ...about, level: level === 'fail' && own === 'should' ? 'warn' : level };
    });
  });
}

const deathOf = (item: CaseRun, { signal, exitCode, inFlight }: CaseResult): Pick<Trouble, 'type' | 'message'> => ({
  type: `pjrt.${statusOf(item)}`,
  message: [
    statusOf(item),
    signal && `by ${signal}`,
    exitCode !== undefined && `with exit code ${exitCode}`,
    inFlight && `in ${inFlight}`,
  ]
    .filter(Boolean)
    .join(' '),
});

/** What the run has outside cases and fails because of: a worker that did not end as it should. */
const noteTroubles = (run: Run): Trouble[] =>
  run.notes.flatMap(({ breach, message, detail, fact }): Trouble[] =>
    breach
      ? [{ where: `(${fact?.kind ?? 'run'})`, level: 'fail', type: `pjrt.Run.${fact?.kind ?? 'run'}`, message, detail }]
      : [],
  );
