import { groupedBy } from '../base/grouping.ts';
import type { Run } from '../model/run.ts';
import type { Positive } from '../model/values.ts';
import { type RootCause, rootCauses } from './root-causes.ts';

/** A root cause with its number in the run, which all reports use. */
export interface NumberedCause extends RootCause {
  /** Counted from 1; `rootCause` of a case refers to it. */
  number: Positive;
}

/** The root causes of a run, and the cause of each case. */
export interface CauseIndex {
  causes: readonly NumberedCause[];
  /** Why a case failed or could not be tried; undefined if neither applies. */
  of(id: string): NumberedCause | undefined;
}

/** Computes the root causes of a run once, for a whole report. */
export function causeIndex(run: Run): CauseIndex {
  const causes = rootCauses(run).map((cause, at) => ({ number: at + 1, ...cause }));
  const byCase = new Map(causes.flatMap((cause) => [...cause.failed, ...cause.blocked].map((id) => [id, cause])));
  return { causes, of: (id) => byCase.get(id) };
}

/** Groups items about cases by root cause, in the order of the causes; those without one come last. */
export function byCause<T>(
  { of }: CauseIndex,
  things: readonly T[],
  idOf: (thing: T) => string,
): [cause: NumberedCause | undefined, things: T[]][] {
  const groups = groupedBy(things, (thing) => of(idOf(thing)));
  const place = (cause: NumberedCause | undefined): number => cause?.number ?? Number.POSITIVE_INFINITY;
  return [...groups].sort(([a], [b]) => place(a) - place(b));
}
