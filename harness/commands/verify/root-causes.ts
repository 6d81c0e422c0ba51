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
  said: { tried: number; inPart?: number; planned: number } | undefined,
  cases: ReadonlyMap<string, VerifiedCase>,
  say: Say,
): void {
  const all = [...cases.values()];
  const planned = valuesTried(all);
  const tried = valuesTried(
    all.filter(({ result }) => TRIED.has(result?.status)).map((one) => ({ ...one, covers: judgedBy(one) })),
  );
  const whole = [...planned].filter(([id, values]) => tried.get(id)?.size === values.size).length;
  const counted = { tried: whole, inPart: tried.size - whole, planned: planned.size };
  const text = (found: typeof said): string =>
    `${found?.tried} of ${found?.planned} requirements were exercised, and ${found?.inPart ?? 0} in part`;
  if (text(said) !== text(counted)) say(`it says that ${text(said)}, the log has ${text(counted)}`);
}

/** What a case says something of: all that it covers; if its process ended, what the finding blames, if it blames any. */
function judgedBy({ covers, result }: VerifiedCase): string[] {
  if (result?.status !== 'crash' && result?.status !== 'timeout') return covers;
  const blamed = result.findings.flatMap(({ level, requirements = [] }: LogEvent) =>
    level === 'info' ? [] : requirements,
  );
  return blamed.length === 0 ? covers : covers.filter((id) => blamed.includes(id));
}

/** For each requirement of the cases, what distinguishes their rows: `dtype=f32` of `round-trip[dtype=f32]`. */
function valuesTried(cases: readonly VerifiedCase[]): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  for (const { name, covers } of cases) {
    const own = name.endsWith(']') ? name.slice(name.indexOf('[') + 1, -1).split(',') : [''];
    for (const id of covers) values.set(id, new Set([...(values.get(id) ?? []), ...own]));
  }
  return values;
}
