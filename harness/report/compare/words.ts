import { counted } from '../../base/counted.ts';
import { type Action, CHANGE_KINDS, CHANGES, type Change, type ChangeKind } from './change.ts';
import type { ComparedSide, Comparison } from './compare.ts';
import { movedOperations, operationText } from './numeric-changes.ts';

/** A side on one line: `foo 0.72 (reports/old/events.jsonl)`. */
export function sideText({ plugins, logs, runs }: ComparedSide): string {
  const names = plugins.map(({ name, apiVersion }) =>
    apiVersion ? `${name}, API ${apiVersion.major}.${apiVersion.minor}` : name,
  );
  const [first, ...others] = logs;
  const files = others.length === 0 ? first : `${first} and ${others.length} more`;
  return `${names.join(' + ') || 'no plugin'} (${files}${runs > 1 ? `, ${runs} runs` : ''})`;
}

/** `pass → fail`, or nothing. */
export function fromTo({ old, new: now }: Change): string {
  if (old === undefined && now === undefined) return '';
  if (old === now) return now!;
  return `${old ?? 'none'} → ${now ?? 'none'}`;
}

const COUNTS_AS: Readonly<Record<Action, string>> = {
  fail: 'fails the gate',
  warn: 'counts as a warning',
  ignore: 'does not count',
};

/** What a change counts as if not as its kind, and why: `counts as a warning: expected: ticket 7`. */
export const exceptionText = ({ action, exception }: Change): string | undefined =>
  exception === undefined ? undefined : `${COUNTS_AS[action]}: ${exception}`;

/** Changes of one kind with one action, and their heading. */
export interface ChangeGroup {
  title: string;
  kind: ChangeKind;
  changes: Change[];
}

/** Failing and warning changes by kind, in the order of kinds. */
export function groups(changes: readonly Change[]): ChangeGroup[] {
  return CHANGE_KINDS.map((kind) => ({
    kind,
    title: CHANGES[kind].title,
    changes: changes.filter((change) => change.kind === kind),
  })).filter((group) => group.changes.length > 0);
}

/** Changes that need no line each: `3 fixed, 12 new cases`. */
export function quietText({ changes }: Comparison): string {
  return groups(changes.filter(({ action }) => action === 'ignore'))
    .map(({ title, changes: { length } }) => `${length} ${title.toLowerCase()}`)
    .join(', ');
}

/** Changes of statuses: `pass → fail 2, fail → pass 1`, and the number of unchanged ones. */
export function transitionText({ transitions }: Comparison): string {
  const same = transitions.filter(({ old, new: now }) => old === now).reduce((sum, { count }) => sum + count, 0);
  const moved = transitions.filter(({ old, new: now }) => old !== now);
  return [`${same} as before`, ...moved.map(({ old, new: now, count }) => `${count} ${old} → ${now}`)].join(', ');
}

/** Operations in the line on numbers. */
const OPERATIONS = 6;

/** How accuracy changed by operation and type, on one line; nothing without numbers to compare. */
export function numbersText({ numerics }: Comparison): string {
  const { length } = numerics.operations;
  if (length === 0) return '';
  const moved = movedOperations(numerics);
  const compared = `${counted(length, 'operation')} compared by type`;
  if (moved.length === 0) return `${compared}, all as accurate as before`;
  const rest = moved.length - OPERATIONS;
  const listed = moved.slice(0, OPERATIONS).map(operationText).join(', ');
  return `${compared}, ${moved.length} changed: ${listed}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The machine's effect, and whether any function became slower or faster, on one line. */
export function timeText({ times, memory }: Comparison): string {
  const whole = times.records.filter(({ suite, cases }) => suite === undefined && cases > 0);
  const judged = whole.filter(({ verdict }) => verdict !== 'too few cases');
  const time =
    times.omitted !== undefined
      ? `not compared: ${times.omitted}`
      : (judged.length === 0
          ? 'no function took long enough in enough cases to compare'
          : `${counted(judged.length, 'function')} compared`) +
        `; the harness itself took ${times.machine.ratio.toFixed(2)}× the time`;
  if (memory.oldBytes === undefined || memory.newBytes === undefined) return time;
  const mib = (bytes: number): number => Math.round(bytes / (1024 * 1024));
  return `${time}; peak of memory ${mib(memory.oldBytes)} → ${mib(memory.newBytes)} MiB`;
}
