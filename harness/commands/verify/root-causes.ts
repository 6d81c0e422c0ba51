import type { VerifiedCase } from './cases.ts';
import type { LogEvent } from './read-log.ts';
import type { Say } from './rules.ts';

const FAILED = new Set(['warn', 'fail', 'crash', 'timeout', 'flaky']);
/** Results that say something about the requirements of their case. */
const TRIED = new Set([...FAILED, 'pass']);

/**
 * Compares the root causes of a JSON report with the log: each failed case belongs to exactly one; one that was not tried
 * belongs to one if the log has the reason; and the count of exercised requirements follows from the results.
 */
export function checkRootCauses(report: LogEvent, cases: ReadonlyMap<string, VerifiedCase>, say: Say): void {
  // Reports before 1.4 have none.
  if (report.rootCauses === undefined) return;
  const causeOf = new Map<string, number>();
  report.rootCauses.forEach(({ number, failed, blocked, level }: LogEvent, at: number) => {
    if (number !== at + 1) say(`the root cause at place ${at + 1} has the number ${number}`);
    if (failed.length + blocked.length === 0) say(`root cause ${number} has no case`);
    if (failed.length > 0 !== (level !== undefined))
      say(`root cause ${number} has a level but fails no case, or the reverse`);
    for (const [ids, fits, what] of [
      [failed, (status: string) => FAILED.has(status), 'failed'],
      [blocked, (status: string) => status === 'unsupported', 'not tried'],
    ] as const) {
      for (const id of ids) {
        const status = cases.get(id)?.result?.status ?? (cases.has(id) ? 'notrun' : 'not a case of the log');
        if (!fits(status)) say(`root cause ${number} says that ${id} is ${what}, it is ${status}`);
        if (causeOf.has(id)) say(`${id} is in two root causes`);
        causeOf.set(id, number);
      }
    }
  });
  for (const { id, result } of cases.values()) {
    const needsOne = FAILED.has(result?.status) || (result?.status === 'unsupported' && result.cause !== undefined);
    if (needsOne && !causeOf.has(id)) say(`${id} is ${result!.status} and has no root cause`);
  }
  for (const { cases: suiteCases } of report.suites) {
    for (const { id, rootCause } of suiteCases) {
      if (rootCause !== causeOf.get(id)) say(`${id} names root cause ${rootCause ?? 'none'}, which does not have it`);
    }
  }
  checkExercised(report.exercised, cases, say);
}

function checkExercised(
  said: { tried: number; planned: number } | undefined,
  cases: ReadonlyMap<string, VerifiedCase>,
  say: Say,
): void {
  const covered = (items: VerifiedCase[]): number => new Set(items.flatMap(({ covers }) => covers)).size;
  const all = [...cases.values()];
  const planned = covered(all);
  const tried = covered(all.filter(({ result }) => TRIED.has(result?.status)));
  if (said?.tried !== tried || said.planned !== planned) {
    say(
      `it says that ${said?.tried} of ${said?.planned} requirements were exercised, the log has ${tried} of ${planned}`,
    );
  }
}
