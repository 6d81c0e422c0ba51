import { deviationFor } from '../../host/plugins/deviations.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { Event } from '../../model/events.ts';
import type { Deviation, ResolvedPlugin } from '../../model/plugin.ts';
import type { Run } from '../../model/run.ts';
import { VIOLATING_STATUSES } from '../../model/status.ts';
import { matchesCase } from '../../suite/case-glob.ts';
import { type Expectations, type Judge, judgeOf } from '../../verdict/expectations/apply.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** Annotates results with known deviations of the plugins' manifests, and with expectations. */
export class Annotator {
  readonly #plugins: readonly ResolvedPlugin[];
  readonly #expectations: Expectations | undefined;
  readonly #run: Run;
  #judge: Judge | undefined;

  constructor(plugins: readonly ResolvedPlugin[], expectations: Expectations | undefined, run: Run) {
    this.#plugins = plugins;
    this.#expectations = expectations;
    this.#run = run;
  }

  readonly annotate = (id: string, result: CaseResult): CaseResult => {
    const explained = withDeviation(this.#plugins, id, result);
    return this.#judging()?.judge(id, explained) ?? explained;
  };

  /** Whether a plugin's manifest or an expectations file has an entry for this case, whatever its conditions. */
  readonly knownToFail = (id: string): boolean =>
    deviationOf(this.#plugins, id) !== undefined ||
    (this.#expectations?.files ?? []).some(({ entries }) => entries.some(({ cases }) => matchesAny(cases, id)));

  /** Statuses of the expectations entries; undefined without any. */
  entries(allIds: readonly string[]): Of<'expectations'>['entries'] | undefined {
    return this.#judging()?.entries(allIds);
  }

  // Expectations depend on facts about the plugin, which are known by the time of the first result.
  #judging(): Judge | undefined {
    this.#judge ??= this.#expectations && judgeOf(this.#expectations, this.#run);
    return this.#judge;
  }
}

const matchesAny = (globs: readonly string[], id: string): boolean => globs.some((glob) => matchesCase(glob, id));

/** The first deviation of any plugin of the process that explains a failure of this case. */
const deviationOf = (plugins: readonly ResolvedPlugin[], id: string): Deviation | undefined =>
  plugins.map(({ manifest }) => deviationFor(manifest, id)).find((deviation) => deviation !== undefined);

/** Marks a failure as known if a manifest has an entry for this case. */
function withDeviation(plugins: readonly ResolvedPlugin[], id: string, result: CaseResult): CaseResult {
  if (!VIOLATING_STATUSES.includes(result.status)) return result;
  const deviation = deviationOf(plugins, id);
  return deviation ? { ...result, knownDeviation: { reason: deviation.reason, evidence: deviation.evidence } } : result;
}
