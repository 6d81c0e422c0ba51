/** How reductions, windows and scatters combine elements. */
import type { Compare } from '../numerics/data.ts';
import { dtype } from '../numerics/dtypes.ts';
import type { TensorType } from './space.ts';
import { operation, region } from './text.ts';

/** Combiners, and the names that oracles have for them. */
export const COMBINERS = {
  add: 'add',
  multiply: 'mul',
  maximum: 'max',
  minimum: 'min',
  and: 'and',
  or: 'or',
  xor: 'xor',
  replace: 'replace',
} as const;

/** Name of a combiner. */
export type Combiner = keyof typeof COMBINERS;

/** Whether the elements of a type can be combined so, with the same result in every order. */
export function takes(combiner: Combiner, name: string): boolean {
  const { kind } = dtype(name);
  if (combiner === 'and' || combiner === 'or' || combiner === 'xor') return kind !== 'float' && kind !== 'complex';
  return kind !== 'complex' && (kind !== 'pred' || combiner !== 'add');
}

/** The value that changes nothing. */
export function neutral(combiner: Combiner, name: string): string {
  const { kind, bits } = dtype(name);
  const signed = kind === 'signed';
  const most = kind === 'pred' ? '1' : String((1n << BigInt(signed ? bits - 1 : bits)) - 1n);
  const least = signed ? String(-(1n << BigInt(bits - 1))) : '0';
  switch (combiner) {
    case 'multiply':
      return '1';
    case 'maximum':
      return kind === 'float' ? '-inf' : least;
    case 'minimum':
      return kind === 'float' ? 'inf' : most;
    case 'and':
      return signed ? '-1' : most;
    default:
      return '0';
  }
}

/**
 * A region that combines scalars in pairs: the first half with the second, each with its own.
 * @param combiner one for all of them, or one for each pair
 */
export function combined(
  prefix: string,
  combiner: Combiner | readonly Combiner[],
  scalars: readonly TensorType[],
): string {
  const half = scalars.length / 2;
  return region(prefix, scalars, (names) => {
    const types = scalars.slice(0, half);
    if (combiner === 'replace') return { returns: names.slice(half), types };
    const returns = types.map((_, i) => `${prefix}_c${i}`);
    const lines = types.map((type, i) =>
      operation(typeof combiner === 'string' ? combiner : combiner[i]!, [names[i]!, names[half + i]!], returns[i]!, {
        types: [type, type],
        results: [type],
      }),
    );
    return { lines, returns, types };
  });
}

/** For what moves elements as they are, and sums that are exact in every order. */
export const MOVED: Compare = {
  ulp: 0,
  nan: 'any',
  zero: 'signed',
  subnormal: 'preserve',
  source: 'elements are moved, or combined exactly in every order',
};

/** The same where the sign of a zero is open. */
export const COMBINED: Compare = { ...MOVED, zero: 'unsigned' };
