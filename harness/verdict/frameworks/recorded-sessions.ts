import { releasesOf } from '../../knowledge/trace/session-files.ts';
import { type CaseRun, statusOf } from '../../model/run.ts';
import type { Case } from '../../suite/types.ts';
import { dataFailuresOf } from './data-failures.ts';
import type { RecordedResult } from './plugin-view.ts';
import { nearest } from './predict/nearest.ts';
import type { Chosen } from './types.ts';

/** The suite of what releases of frameworks did in small scripts; a case's name is the framework's. */
const RECORDED = 'framework/sessions';

/** Whether a case is such a session. */
export const isRecorded = ({ suite }: Pick<Case, 'suite'>): boolean => suite === RECORDED;

/** Whether a case is what this very release did. */
export const isOfRelease = ({ framework, release }: Chosen, one: Pick<Case, 'suite' | 'name' | 'params'>): boolean =>
  isRecorded(one) && one.name === framework.name && one.params.release === release.version;

/** The release whose recorded sessions say most about another: itself, or the nearest; undefined if there are none of its framework. */
export function recordedFor({ framework, release }: Chosen): Chosen | undefined {
  const known = new Set(releasesOf(framework.name));
  const recorded = framework.releases.filter(({ version }) => known.has(version));
  const found = nearest(
    { framework, release },
    recorded.map((one) => ({ release: one.version, recorded: one })),
  );
  return found && { framework, release: found.recorded };
}

/** What became of the sessions among these cases; without those that the plugin does not support. */
export function recordedResultsOf(cases: readonly Case[], runs: Iterable<CaseRun>): RecordedResult[] {
  const sessions = new Map(cases.filter(isRecorded).map((one) => [one.id, one]));
  return [...runs].flatMap((run) => {
    const session = sessions.get(run.plan.id);
    if (!session) return [];
    const { release, script } = session.params as { release: string; script: string };
    const about = { framework: session.name, release, script };
    const [failure] = dataFailuresOf([run]);
    if (failure) return [{ ...about, failure }];
    return statusOf(run) === 'pass' ? [about] : [];
  });
}
