import type { Indices, MismatchPlaces, PlaceFact } from './mismatch-places.ts';

/** Where the mismatches lie, in words: a line for each fact; none if nothing else than their number is remarkable. */
export const placeLines = ({ facts, shape }: MismatchPlaces): string[] =>
  facts.flatMap((fact) => factText(fact, shape) ?? []);

function factText(fact: PlaceFact, shape: readonly number[]): string | undefined {
  switch (fact.kind) {
    case 'everywhere':
      // The count says so.
      return undefined;
    case 'from':
      return `every element from row-major index ${fact.index} on differs`;
    case 'constant':
      return `all wrong elements are ${fact.value} (${fact.bits})`;
    case 'shifted': {
      const { by } = fact;
      const elements = `${Math.abs(by)} ${Math.abs(by) === 1 ? 'element' : 'elements'}`;
      return `the expected values are there, ${elements} too ${by > 0 ? 'late' : 'early'} in row-major order`;
    }
    case 'transposed':
      return 'the expected values are there, with the last two dimensions in the other order';
    case 'reversed':
      return 'the expected values are there, in reverse order';
    case 'box':
      return `${fact.whole ? 'exactly these differ:' : 'all that differ lie in'} ${boxText(fact.dimensions, shape)}`;
  }
}

function boxText(dimensions: readonly (Indices | null)[], shape: readonly number[]): string {
  const rank = shape.length;
  const parts = dimensions.flatMap((indices, d) =>
    indices ? [{ d, text: indicesText(indices, nameOf(d, rank)) }] : [],
  );
  const open = dimensions.flatMap((indices, d) => (indices || shape[d] === 1 ? [] : [nameOf(d, rank).all]));
  const [texts, all] = [parts.map(({ text }) => text).reverse(), open.reverse()];
  return [...texts, ...(all.length > 0 ? [`all ${all.join(' and ')}`] : [])].join(', ');
}

/** The last two dimensions have names of their own. */
function nameOf(d: number, rank: number): { one: string; all: string } {
  if (rank === 1) return { one: 'element', all: 'elements' };
  if (d === rank - 1) return { one: 'column', all: 'columns' };
  if (d === rank - 2) return { one: 'row', all: 'rows' };
  return { one: `index of dimension ${d}`, all: `indices of dimension ${d}` };
}

function indicesText({ first, last, step }: Indices, { one, all }: { one: string; all: string }): string {
  if (first === last) return `${one} ${first}`;
  if (step > 1) return `every ${ordinal(step)} ${one} from ${first} to ${last}`;
  return `${all} ${first}..${last}`;
}

const ordinal = (n: number): string => {
  const tens = n % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${suffix}`;
};
