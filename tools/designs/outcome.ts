import type { Finding } from '../../harness/model/finding.ts';
import type { NoteFact } from '../../harness/model/note-fact.ts';
import type { CaseRun, Run } from '../../harness/model/run.ts';
import type { Status } from '../../harness/model/status.ts';
import { isRed } from '../../harness/verdict/standing.ts';

/** A case that fails the run, and its failure. */
export interface FailingCase {
  id: string;
  status: Status;
  findings: Pick<Finding, 'type' | 'call' | 'message' | 'level'>[];
}

/** Results of a run of a plugin. */
export interface Outcome {
  cases: number;
  counts: Partial<Record<Status, number>>;
  violated: FailingCase[];
  /** What the run itself has against the plugin or the harness, outside cases. */
  notes: OutcomeNote[];
}

/** Something outside cases. */
interface OutcomeNote {
  /** What it is about: the same kind of note on the plain base excuses it. */
  kind: NoteFact['kind'] | 'unfinished' | 'other';
  message: string;
}

/** Failing cases with the same reason. */
export interface Group {
  type: string;
  call: string;
  message: string;
  cases: string[];
}

/** Violations count as in a run of these cases, without excuses: a valid plugin needs none. */
export function outcomeOf(run: Run): Outcome {
  const cases = [...run.cases.values()];
  const notes = run.notes
    .filter(({ level, breach }) => breach || level === 'error')
    .map(({ fact, message }): OutcomeNote => ({ kind: fact?.kind ?? 'other', message }));
  return {
    cases: cases.length,
    counts: Object.fromEntries(Object.entries(run.counts).filter(([, count]) => count > 0)),
    violated: cases.filter((item) => isRed(item, {})).map(failingCase),
    notes:
      run.footer === undefined ? [...notes, { kind: 'unfinished', message: 'the run did not come to its end' }] : notes,
  };
}

function failingCase({ plan, result }: CaseRun): FailingCase {
  const { status, findings, reason, inFlight, signal } = result!;
  const weighty = findings.filter(({ level }) => level === 'must');
  const failures = (weighty.length > 0 ? weighty : findings).map(({ type, call, message, level }) => ({
    type,
    message,
    level,
    ...(call === undefined ? {} : { call }),
  }));
  if (failures.length > 0) return { id: plan.id, status, findings: failures };
  const message = reason ?? signal ?? 'nothing is said';
  const call = inFlight === undefined ? {} : { call: inFlight };
  return { id: plan.id, status, findings: [{ type: `(${status})`, message, level: 'must', ...call }] };
}

const KILLED: readonly Status[] = ['crash', 'timeout', 'error'];

/** Cases that fail on a design and not on the plain base, or worse than there. */
export function newlyFailing(design: Outcome, plain: Outcome): FailingCase[] {
  const before = new Map(plain.violated.map(({ id, status }) => [id, status]));
  return design.violated.filter(({ id, status }) => {
    const was = before.get(id);
    return was === undefined || (KILLED.includes(status) && !KILLED.includes(was));
  });
}

/** Notes on a design of kinds that the plain base has none of. */
export const newNotes = (design: Outcome, plain: Outcome): OutcomeNote[] =>
  design.notes.filter(({ kind }) => !plain.notes.some((note) => note.kind === kind));

export const isKilled = ({ status }: FailingCase): boolean => KILLED.includes(status);

/** Groups cases by their first failure, most frequent first; figures in messages are ignored. */
export function grouped(cases: readonly FailingCase[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { id, findings } of cases) {
    const [{ type, call = '', message } = { type: '', call: '', message: '' }] = findings;
    const key = JSON.stringify([type, call, message.replaceAll(/\d+/g, '#')]);
    const group = groups.get(key) ?? { type, call, message, cases: [] };
    group.cases.push(id);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => b.cases.length - a.cases.length);
}
