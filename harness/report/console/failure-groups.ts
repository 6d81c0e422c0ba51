import { counted } from '../../base/counted.ts';
import type { CaseRun, Run } from '../../model/run.ts';
import { breachOf, type Weighing } from '../../verdict/breach.ts';
import type { CauseIndex, NumberedCause } from '../../verdict/cause-index.ts';
import { causeEffect, checkText } from '../../verdict/cause-text.ts';
import { isStalePass, type Standing, standingOf } from '../../verdict/standing.ts';
import { causeLine } from '../cause-lines.ts';
import { headline } from '../failure-text.ts';

/** Cases of one root cause that the console shows together. */
export interface CaseGroup {
  /** The defect on one line. */
  text: string;
  /** The one to show first; never empty. */
  items: CaseRun[];
  /** Cases that could not be tried because of it. */
  blocked: number;
  /** Whether its cases fail the run; the others only warn, even by a crash. */
  fails: boolean;
  cause?: NumberedCause;
}

/** What is worth a person's attention: what fails the run, and violations that nothing explains. */
export interface Attention {
  /** Cases that fail the run or ended in an internal error, the cause to look at first at the beginning. */
  failures: CaseGroup[];
  /** Violations that neither fail the run nor are known or expected, in the same order. */
  warnings: CaseGroup[];
  /** Known deviations of the plugin's manifest, which do not fail the run. */
  known: CaseRun[];
  /** Failures that an expectations file explains. */
  expected: CaseRun[];
  /** Cases that passed against an expectation, and do not fail the run. */
  unexpected: CaseRun[];
}

/** Sorts the violations of a run by what a reader has to do about them, and groups those by root cause. */
export function attention(run: Run, weighing: Weighing, { of }: CauseIndex): Attention {
  const failing: CaseRun[] = [];
  const warning: CaseRun[] = [];
  const known: CaseRun[] = [];
  const expected: CaseRun[] = [];
  const unexpected: CaseRun[] = [];
  const lists: Partial<Record<Standing, CaseRun[]>> = {
    ...{ failed: failing, error: failing, warned: warning, flaky: warning, outside: warning },
    ...{ expected, waived: expected, known },
  };
  for (const item of run.cases.values())
    (isStalePass(item, weighing) ? unexpected : lists[standingOf(item, weighing)])?.push(item);
  return { failures: grouped(failing, true, of), warnings: grouped(warning, false, of), known, expected, unexpected };
}

/** By root cause, in its order; what has none, such as an internal error, by its message. */
function grouped(items: readonly CaseRun[], fails: boolean, of: CauseIndex['of']): CaseGroup[] {
  const groups = new Map<NumberedCause | string, CaseGroup>();
  for (const item of items) {
    const cause = of(item.plan.id);
    const text = cause ? causeLine(cause) : headline(item);
    const group = groups.get(cause ?? text);
    if (group) group.items.push(item);
    else groups.set(cause ?? text, { text, items: [item], blocked: cause?.blocked.length ?? 0, fails, cause });
  }
  for (const group of groups.values()) {
    const lead = group.cause?.looksLike && group.cause.failed[0];
    const notLead = ({ plan }: CaseRun): number => (lead === undefined || plan.id === lead ? 0 : 1);
    group.items.sort((a, b) => rank(a) - rank(b) || notLead(a) - notLead(b) || wrongArray(a) - wrongArray(b));
    // The cases of a failed check have their own numbers; those of the example are shown below.
    if (group.cause?.kind === 'check' && group.cause.after === undefined)
      group.text = checkText(group.cause, headline(group.items[0]!));
  }
  const place = ({ cause }: CaseGroup): number => cause?.number ?? Number.POSITIVE_INFINITY;
  return [...groups.values()].sort((a, b) => place(a) - place(b));
}

/** What an example should be: a violated MUST, which nothing explained so far. */
const rank = ({ plan, result }: CaseRun): number =>
  (breachOf(plan.level, result) === 'must' ? 0 : 2) + (result?.knownDeviation || result?.expectation ? 1 : 0);

/** Elements of the array that is wrong: a small one is easier to understand. 0: none is. */
const wrongArray = ({ result }: CaseRun): number =>
  result?.numerics?.find(({ mismatches = 0 }) => mismatches > 0)?.elements ?? 0;

/** What the cause of a group does, in all its cases; of what has no cause, such as an internal error, how many there are. */
export const groupEffect = ({ cause, items, fails }: CaseGroup): string =>
  cause
    ? causeEffect(cause)
    : counted(items.length, fails ? 'case fails' : 'case warns', fails ? 'cases fail' : 'cases warn');
