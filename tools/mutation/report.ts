import { readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { textTable } from '../../harness/base/text-table.ts';
import type { Fault } from './catalogue.ts';
import type { Outcome } from './judge.ts';
import type { FaultRecord } from './results.ts';
import type { Base } from './runs.ts';

/** Stored result of one fault. */
export interface FaultResult {
  outcome: Outcome;
  /** The case that detected it. */
  by?: string;
  /** For a fault that affects another consumer: the result with the default one. */
  byDefault?: Outcome;
  /** First line of that case's finding. */
  finding?: string;
  trouble?: string;
  /** Cases that failed, without their parameters. */
  failing: string[];
  /** Duration if it is long: the next run begins with it. */
  seconds?: number;
}

/** The result of a run over the catalogue, written by `--json` and stored in plugins/faults/score.json. */
export interface Score {
  base: { name: string; sha256: string };
  /** Cases that ran on some fault, without their parameters. */
  ran: string[];
  faults: Record<string, FaultResult>;
}

/** Most faults take a few seconds. */
const LONG_SECONDS = 20;

/** The result behind docs/mutation.md. */
export const SCORE_FILE = packagePath('plugins', 'faults', 'score.json');

/** The number of detected faults that violate each requirement. */
export function detectedByRequirement(score: Score, catalogue: readonly Fault[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name, breaks } of catalogue) {
    if (score.faults[name]?.outcome !== 'detected') continue;
    for (const id of breaks) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** The stored result. */
export const loadScore = (): Score => JSON.parse(readFileSync(SCORE_FILE, 'utf8')) as Score;

/** A case without its parameters. */
export const templateOf = (id: string): string => id.replace(/\[.*$/s, '');

const unique = (list: readonly string[]): string[] => [...new Set(list)];

export function scoreOf(base: Base, records: ReadonlyMap<string, FaultRecord>, ran: Iterable<string>): Score {
  const faults = [...records].map(
    ([name, { outcome, caughtBy, byDefault, finding, trouble, failing, seconds }]): [string, FaultResult] => [
      name,
      {
        outcome,
        ...(caughtBy === undefined ? {} : { by: caughtBy }),
        ...(byDefault === undefined ? {} : { byDefault }),
        ...(finding === undefined ? {} : { finding: finding.replaceAll(packagePath('/'), '') }),
        ...(trouble === undefined ? {} : { trouble }),
        failing: unique(failing.map(templateOf)).sort(),
        ...(seconds < LONG_SECONDS ? {} : { seconds: Math.round(seconds) }),
      },
    ],
  );
  return {
    base: { name: base.name, sha256: base.sha256 },
    ran: unique([...ran].map(templateOf)).sort(),
    faults: Object.fromEntries(faults.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The kept result with that of a run of some faults in it. */
export const withFaults = (kept: Score, fresh: Score): Score => ({
  base: fresh.base,
  ran: unique([...kept.ran, ...fresh.ran]).sort(),
  faults: Object.fromEntries(Object.entries({ ...kept.faults, ...fresh.faults }).sort(([a], [b]) => (a < b ? -1 : 1))),
});

const OUTCOMES: readonly Outcome[] = ['detected', 'wrong-case', 'missed', 'disturbed', 'absent'];

/** Number of faults by result, and the detected share of the applicable ones. */
function tally({ faults }: Score): { counts: Record<Outcome, number>; share: number } {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcome } of Object.values(faults)) counts[outcome] += 1;
  const possible = Object.values(faults).length - counts.absent;
  return { counts, share: possible === 0 ? 0 : counts.detected / possible };
}

/** The faults on which each case fails. */
export function killsOf({ ran, faults }: Score): Map<string, string[]> {
  const kills = new Map(ran.map((template) => [template, [] as string[]]));
  for (const [name, { failing, outcome }] of Object.entries(faults)) {
    if (outcome === 'disturbed') continue;
    for (const template of failing) kills.get(template)?.push(name);
  }
  return kills;
}

/** The result as a table for the console. */
export function tableOf(score: Score, catalogue: readonly Fault[]): string {
  const reasons = new Map(catalogue.map(({ name, survives }) => [name, survives]));
  const open = Object.entries(score.faults).filter(([, { outcome }]) => outcome !== 'detected');
  const rows = open.map(([name, { outcome, by, trouble }]) => {
    const reason = reasons.get(name);
    const words = trouble ?? by ?? (reason === undefined ? '' : `(known: ${reason})`);
    return [outcome, name, words];
  });
  return [...textTable(rows, { gap: ' ', atLeast: [10] }), line(score)].join('\n');
}

/** Faults of each kind: its name, their number, how many were detected and how many were not. */
export function kindRows(score: Score, catalogue: readonly Fault[], kinds: Iterable<string>): string[][] {
  return [...kinds].map((kind) => {
    const outcomes = catalogue.flatMap(({ name, kind: of }) =>
      of === kind ? (score.faults[name]?.outcome ?? []) : [],
    );
    const possible = outcomes.filter((outcome) => outcome !== 'absent').length;
    const detected = outcomes.filter((outcome) => outcome === 'detected').length;
    return [kind, outcomes.length, detected, possible - detected].map(String);
  });
}

/** The result on one line. */
export function line(score: Score): string {
  const { counts, share } = tally(score);
  const parts = OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) => `${counts[outcome]} ${outcome}`);
  return `${Object.keys(score.faults).length} faults: ${parts.join(', ')}; score ${(share * 100).toFixed(1)} %`;
}
