import type { Event } from '../../harness/model/events.ts';
import type { Status } from '../../harness/model/status.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { type Fault, RUN } from './catalogue.ts';
import type { FaultReport } from './fault-report.ts';

/**
 * Result of a fault.
 * detected · missed (every case passed) · wrong-case (cases failed, none of which covers what is defective) · disturbed (an
 * internal error, or cases without a result) · absent (the base has nothing where the fault could be put)
 */
export type Outcome = 'detected' | 'missed' | 'wrong-case' | 'disturbed' | 'absent';

/** What one run of the command left behind, as far as it matters here. */
export interface Observation {
  exitCode: number | null;
  /** Status of each case that has a result. */
  statuses: ReadonlyMap<string, Status>;
  /** First finding of each case that did not pass. */
  findings: ReadonlyMap<string, string>;
  /** Requirements that each planned case covers, or that its findings name: what monitors see is no matter of the case. */
  covers: ReadonlyMap<string, readonly string[]>;
  /** Why the plugin could not be used, and notes that violate a MUST. */
  outside: readonly string[];
  /** Cases were left out because enough of them had failed. */
  stopped?: boolean;
}

export interface Judgement {
  outcome: Outcome;
  /** The first case that catches it for the right reason, else the first that fails at all. */
  caughtBy?: string;
  finding?: string;
  /** Every case that fails, in the order of the suites. */
  failing: string[];
  /** Why it counts as disturbed. */
  trouble?: string;
  /** Why it counts as absent. */
  reason?: string;
}

const FAILED: readonly Status[] = ['fail', 'crash', 'timeout', 'warn'];

/** Reads an event log. */
export function observe(events: readonly Event[], exitCode: number | null): Observation {
  const statuses = new Map<string, Status>();
  const findings = new Map<string, string>();
  const covers = new Map<string, readonly string[]>();
  const outside: string[] = [];
  let stopped = false;
  for (const event of events) {
    if (event.type === 'suite') for (const planned of event.cases) covers.set(planned.id, planned.covers);
    if (event.type === 'case') {
      statuses.set(event.id, event.result.status);
      const named = event.result.findings.flatMap(({ requirements = [] }) => requirements);
      covers.set(event.id, [...(covers.get(event.id) ?? []), ...named]);
      if (event.result.status !== 'pass') {
        findings.set(event.id, event.result.findings[0]?.message ?? event.result.reason ?? '');
      }
    }
    if (event.type === 'plugin' && event.plugin.failure) outside.push(event.plugin.failure.message.split('\n')[0]!);
    if (event.type === 'note' && event.fact?.kind === 'max-failures') stopped = true;
    if (event.type === 'note' && (event.breach || event.level === 'error')) outside.push(event.message.split('\n')[0]!);
  }
  return { exitCode, statuses, findings, covers, outside, stopped };
}

/** Whether a glob of the catalogue, on a case or a suite, means this case. */
export function means(glob: string, id: string): boolean {
  if (glob.includes(':')) return matchesCase(glob, id);
  const suite = id.slice(0, id.indexOf(':'));
  return suite === glob || suite.startsWith(`${glob}/`);
}

/** Whether a case that fails detects the fault: it covers what the fault breaks, or the catalogue names it. */
export const couldCatch = (fault: Fault, id: string, covers: readonly string[]): boolean =>
  covers.some((requirement) => fault.breaks.includes(requirement)) || fault.cases.some((glob) => means(glob, id));

/** Whether monitors judge what the fault breaks, so that any case could show it. */
export const isMonitored = ({ breaks }: Fault): boolean => breaks.some((id) => MONITORED.test(id));

/** What harness/worker/process-monitor.ts reports. */
const MONITORED = /^(HYG-|RES-001$)/;

/** Judges a run with a fault in it, of cases that all pass without the fault. */
export function judge(
  fault: Fault,
  planned: readonly string[],
  seen: Observation,
  { missing }: FaultReport,
): Judgement {
  const failing = planned.filter((id) => FAILED.includes(seen.statuses.get(id) ?? 'notrun'));
  const proper = failing.filter((id) => couldCatch(fault, id, seen.covers.get(id) ?? []));
  const outside = seen.outside.length > 0 ? [RUN] : [];
  const all = [...failing, ...outside];
  const trouble = troubleOf(planned, seen);
  const first = proper[0] ?? (outside.length > 0 && fault.cases.includes(RUN) ? RUN : undefined);
  const finding = (id: string | undefined): string | undefined =>
    id === RUN ? seen.outside[0] : id === undefined ? undefined : seen.findings.get(id);
  if (trouble !== undefined) return { outcome: 'disturbed', failing: all, trouble };
  if (first !== undefined) return { outcome: 'detected', caughtBy: first, finding: finding(first), failing: all };
  if (all.length > 0) return { outcome: 'wrong-case', caughtBy: all[0], finding: finding(all[0]), failing: all };
  if (missing !== undefined) return { outcome: 'absent', failing: [], reason: `missing ${missing}` };
  return { outcome: 'missed', failing: [] };
}

/** What makes the run no statement about the fault. */
function troubleOf(planned: readonly string[], seen: Observation): string | undefined {
  const error = planned.find((id) => seen.statuses.get(id) === 'error');
  if (error !== undefined) return `${error} ended in an internal error: ${seen.findings.get(error)}`;
  if (seen.exitCode === null || ![0, 1, 3, 4, 5].includes(seen.exitCode))
    return `the command ended with ${seen.exitCode}`;
  const lost = planned.filter((id) => !seen.statuses.has(id) || seen.statuses.get(id) === 'notrun');
  if (lost.length > 0 && !seen.stopped) return `${lost.length} cases have no result, ${lost[0]} among them`;
  // 5 without a failed case and without a word about the plugin: the harness gave up.
  const violated = [...seen.statuses.values()].some((status) => FAILED.includes(status));
  if (seen.exitCode === 5 && !violated && seen.outside.length === 0) return 'the command ended with 5';
  return undefined;
}
