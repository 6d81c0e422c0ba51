import type { UlpDistances } from '../../harness/model/mismatch-numbers.ts';
import type { Numeric } from './report.ts';

/** Comparisons whose largest deviation is between two powers of two. */
export interface Bin {
  label: string;
  inside: number;
  /** Beyond the bound. */
  beyond: number;
}

/** Wrong elements without a distance: NaN, infinity, sign. */
export const withoutDistance = (numeric: Numeric): number =>
  numeric.nanMismatches + numeric.infinityMismatches + numeric.signMismatches;

/** Without any deviation. */
export const isExact = ({ maxUlp, beyond, withinAbsolute }: Numeric): boolean =>
  maxUlp === 0 && !beyond && withinAbsolute === 0;

/** Share of its bound that a comparison used; 0 is exact. Infinite if a mismatch has no distance. */
export function share(numeric: Numeric): number {
  const { maxUlp, allowedUlp } = numeric;
  if (withoutDistance(numeric) > 0) return Number.POSITIVE_INFINITY;
  if (maxUlp === 0) return numeric.beyond ? Number.POSITIVE_INFINITY : 0;
  return allowedUlp === 0 ? Number.POSITIVE_INFINITY : maxUlp / allowedUlp;
}

/**
 * Distances by powers of two: 0, 1, 2, 3–4, 5–8 … Most comparisons are exact or nearly so; a few are far off. If a mismatch
 * has no distance, the distances of the other elements mean nothing: those comparisons are separate.
 */
export function histogram(numerics: readonly Numeric[]): Bin[] {
  const bins: Bin[] = [];
  let infinite: Bin | undefined;
  for (const numeric of numerics) {
    const finite = Number.isFinite(numeric.maxUlp) && withoutDistance(numeric) === 0;
    const at = finite ? binOf(numeric.maxUlp) : -1;
    while (bins.length <= at) bins.push({ label: labelOf(bins.length), inside: 0, beyond: 0 });
    if (!finite) infinite ??= { label: 'NaN, ∞, ±', inside: 0, beyond: 0 };
    const bin = finite ? bins[at]! : infinite!;
    if (numeric.beyond) bin.beyond++;
    else bin.inside++;
  }
  return infinite ? [...bins, infinite] : bins;
}

/** The distances of the elements of one comparison, from the smallest that occurs on. */
export function distanceBins({ within, beyond, absolute = 0, noDistance = 0 }: UlpDistances): Bin[] {
  const all = Array.from({ length: Math.max(within.length, beyond.length) }, (_, bin) => ({
    label: labelOf(bin),
    inside: within[bin] ?? 0,
    beyond: beyond[bin] ?? 0,
  }));
  const first = all.findIndex((bin) => bin.inside + bin.beyond > 0);
  const bins = first === -1 ? [] : all.slice(first);
  if (absolute > 0) bins.push({ label: 'abs', inside: absolute, beyond: 0 });
  if (noDistance > 0) bins.push({ label: 'NaN, ∞, ±', inside: 0, beyond: noDistance });
  return bins;
}

const binOf = (ulp: number): number => (ulp === 0 ? 0 : Math.max(1, Math.ceil(Math.log2(ulp)) + 1));

function labelOf(bin: number): string {
  if (bin === 0) return '0';
  const top = 2 ** (bin - 1);
  if (bin <= 2) return String(top);
  if (top > 4096) return `≤2^${bin - 1}`;
  return `${top / 2 + 1}–${top}`;
}

/** All comparisons of one operation: cases of one name and `op`, whatever their other parameters. */
export interface Operation {
  name: string;
  comparisons: number;
  exact: number;
  /** The comparison that used most of its bound. */
  worst: Numeric;
}

/** Operations, those closest to their bound or beyond it first. */
export function operations(numerics: readonly Numeric[]): Operation[] {
  const found = new Map<string, Operation>();
  for (const numeric of numerics) {
    const name = operationOf(numeric.row.id);
    const known = found.get(name);
    if (!known) {
      found.set(name, { name, comparisons: 1, exact: isExact(numeric) ? 1 : 0, worst: numeric });
      continue;
    }
    known.comparisons++;
    if (isExact(numeric)) known.exact++;
    if (byShare(numeric, known.worst) < 0) known.worst = numeric;
  }
  return [...found.values()].sort((a, b) => byShare(a.worst, b.worst));
}

/** `numerics/unary:bounded[op=tanh]` of `numerics/unary:bounded[op=tanh,dtype=f32]`. */
function operationOf(id: string): string {
  const at = id.indexOf('[');
  if (at === -1) return id;
  const op = /[[,](op=[^,\]]*)/.exec(id.slice(at))?.[1];
  return id.slice(0, at) + (op === undefined ? '' : `[${op}]`);
}

/** Those beyond their bound first, then those that use most of it; ties by distance. */
export const byShare = (a: Numeric, b: Numeric): number => {
  if (a.beyond !== b.beyond) return a.beyond ? -1 : 1;
  const [x, y] = [share(a), share(b)];
  if (x !== y) return y - x;
  return a.maxUlp === b.maxUlp ? a.row.index - b.row.index : b.maxUlp - a.maxUlp;
};
