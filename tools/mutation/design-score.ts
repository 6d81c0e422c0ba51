import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import type { Fault } from './catalogue.ts';
import type { Outcome } from './judge.ts';
import type { FaultRecord } from './results.ts';

type Open = Exclude<Outcome, 'detected' | 'absent'>;

/** Results of the faults on a plugin of another design. */
export interface DesignScore {
  /** Its base. */
  base: string;
  /** 1: the whole catalogue was planted; 8: about one fault in eight. */
  every: number;
  detected: string[];
  /** Faults that apply and were not detected. */
  open: Record<string, Open>;
  /** Faults that do not apply there, by reason. */
  absent: Record<string, string[]>;
}

/** By design. */
export type DesignScores = Record<string, DesignScore>;

/** The results behind the table of designs in docs/mutation.md. */
export const DESIGNS_FILE = packagePath('plugins', 'faults', 'designs.json');

/** The stored results. */
export const loadDesignScores = (): DesignScores =>
  existsSync(DESIGNS_FILE) ? (JSON.parse(readFileSync(DESIGNS_FILE, 'utf8')) as DesignScores) : {};

/**
 * The faults of the catalogue that can be planted in this plugin, or about one in this many. Only the name decides whether a
 * fault is selected, so that a new one does not affect the others.
 */
export const faultsFor = (catalogue: readonly Fault[], base: string, every = 1): Fault[] =>
  catalogue.filter(
    ({ name, base: needed }) => (needed === 'any' || base === 'reference') && numberOf(name) % every === 0,
  );

const numberOf = (name: string): number => createHash('sha256').update(name).digest().readUInt32BE();

export function designScoreOf(base: string, every: number, records: Iterable<FaultRecord>): DesignScore {
  const score: DesignScore = { base, every, detected: [], open: {}, absent: {} };
  for (const { name, outcome, reason = '' } of [...records].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (outcome === 'detected') score.detected.push(name);
    else if (outcome === 'absent') {
      score.absent[reason] ??= [];
      score.absent[reason].push(name);
    } else score.open[name] = outcome;
  }
  return score;
}

/** Every planted fault with its result. */
export const faultsOf = ({ detected, open, absent }: DesignScore): string[] =>
  [...detected, ...Object.keys(open), ...Object.values(absent).flat()].sort();

/** The stored result, updated from a run of some faults. */
export function updated(kept: DesignScore | undefined, fresh: DesignScore): DesignScore {
  if (kept === undefined) return fresh;
  const renewed = new Set(faultsOf(fresh));
  const stays = (name: string): boolean => !renewed.has(name);
  const absent = Object.entries(kept.absent).map(([reason, names]) => [reason, names.filter(stays)] as const);
  for (const [reason, names] of Object.entries(fresh.absent)) absent.push([reason, names]);
  const byReason = new Map<string, string[]>();
  for (const [reason, names] of absent) {
    if (names.length > 0) byReason.set(reason, [...(byReason.get(reason) ?? []), ...names].sort());
  }
  const open = { ...Object.fromEntries(Object.entries(kept.open).filter(([name]) => stays(name))), ...fresh.open };
  return {
    base: fresh.base,
    every: kept.every,
    detected: [...kept.detected.filter(stays), ...fresh.detected].sort(),
    open: Object.fromEntries(Object.entries(open).sort(([a], [b]) => (a < b ? -1 : 1))),
    absent: Object.fromEntries([...byReason].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Number of applicable faults, and the detected share. */
export function shareOf({ detected, open }: DesignScore): { apply: number; share: number } {
  const apply = detected.length + Object.keys(open).length;
  return { apply, share: apply === 0 ? 1 : detected.length / apply };
}

/** Why a fault may be undetected on this design: on any design, or on this one. */
export const reasonOn = (fault: Fault, design: string): string | undefined =>
  fault.survivesOn?.find(({ designs }) => designs.includes(design))?.because ?? fault.survives;

/** The result as text for the console. */
export function designTable(design: string, score: DesignScore): string {
  const { apply, share } = shareOf(score);
  const absent = Object.entries(score.absent).map(
    ([reason, names]) => `absent     ${names.length} x ${reason}: ${names.join(', ')}`,
  );
  const open = Object.entries(score.open).map(([name, outcome]) => `${outcome.padEnd(10)} ${name}`);
  const total = faultsOf(score).length;
  const last = `${design}: ${total} faults, ${apply} apply, ${score.detected.length} detected; score ${(share * 100).toFixed(1)} %`;
  return [...absent, ...open, last].join('\n');
}
