import { AbiError } from './abi-error.ts';

/**
 * Minors in which something exists, as written in the tables: `48-` (from 48 on), `31-46`, `56`, `56,60-70`.
 * The open end matters: an item that a newer minor leaves alone needs no edit.
 */
export type MinorRange = string;

/** Does the range hold this minor? A missing range holds every minor. */
export function inRange(range: MinorRange | undefined, minor: number): boolean {
  if (range === undefined) return true;
  for (const part of range.split(',')) {
    const [, from, dash, to] = /^(\d+)(-?)(\d*)$/.exec(part) ?? [];
    if (from === undefined)
      throw new AbiError(`bad minor range ${JSON.stringify(range)}: expected forms like 48-, 31-46, 56`);
    const last = to ? Number(to) : dash ? Number.POSITIVE_INFINITY : Number(from);
    if (minor >= Number(from) && minor <= last) return true;
  }
  return false;
}

/** First minor of a range. */
export function rangeStart(range: MinorRange): number {
  return Number(/^\d+/.exec(range)?.[0]);
}

/** The range of a non-empty set of minors; a run that reaches `newest` stays open. */
export function toRange(minors: Iterable<number>, newest: number): MinorRange {
  const sorted = [...minors].sort((a, b) => a - b);
  const runs: Array<[number, number]> = [];
  for (const minor of sorted) {
    const run = runs.at(-1);
    if (run && run[1] === minor - 1) run[1] = minor;
    else runs.push([minor, minor]);
  }
  return runs.map(([from, to]) => (to === newest ? `${from}-` : from === to ? `${from}` : `${from}-${to}`)).join(',');
}
