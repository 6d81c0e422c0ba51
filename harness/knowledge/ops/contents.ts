/** What the arguments of forms hold, and the shapes and dimensions that attributes name. */
import type { Scalar } from '../numerics/data.ts';
import { dtype } from '../numerics/dtypes.ts';
import { legal, type Operand, type TensorType } from './space.ts';

/** Every rank up to 5, with a large dimension in each position, with dimensions of one size, of one element, and of none. */
export const SHAPED = {
  rank: [2, 1, 0, 3, 4, 5],
  extent: ['usual', 'large-0', 'large-1', 'large-2', 'large-3', 'large-4', 'ones', 'empty', 'equal'],
} as const;

type Shaped = { readonly [K in keyof typeof SHAPED]: (typeof SHAPED)[K][number] };

const USUAL = [2, 3, 1, 2, 3];
/** The large dimension of a rank: beyond the tiles of devices, and never a multiple of them. */
const LARGE = [0, 1023, 513, 257, 257, 257];

/** The shape of a rank. @throws Illegal if it has no such dimension */
export function shapeOf({ rank, extent }: Shaped): number[] {
  const shape = USUAL.slice(0, rank);
  if (extent === 'usual') return shape;
  legal(rank > 0, 'a scalar has no dimensions');
  if (extent === 'ones') return shape.map(() => 1);
  if (extent === 'equal') return shape.map(() => 3);
  if (extent === 'empty') return shape.with(rank >> 1, 0);
  const at = Number(extent.slice(6));
  legal(at < rank, `rank ${rank} has no dimension ${at}`);
  return shape.with(at, LARGE[rank]!);
}

/** The same of at least one dimension. */
export function rankedOf(c: Shaped): number[] {
  legal(c.rank > 0, 'a scalar has no dimensions');
  return shapeOf(c);
}

/** `2x3`, or `scalar`. */
export const sizesOf = (text: string): number[] => (text === 'scalar' ? [] : text.split('x').map(Number));

export const sizeOf = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

/** Sets of dimensions by name. */
export const DIMENSIONS = ['last', 'none', 'first', 'middle', 'ends', 'ends-reversed', 'all', 'all-reversed'] as const;

/** The dimensions that a name stands for. @throws Illegal if a rank has none or they are the same */
export function dimensionsOf(name: (typeof DIMENSIONS)[number], rank: number): number[] {
  const all = Array.from({ length: rank }, (_, d) => d);
  if (name === 'none') return [];
  if (name === 'all') return all;
  if (name === 'all-reversed') return all.reverse();
  legal(rank > (name.startsWith('ends') ? 1 : 0), `rank ${rank} has no such dimensions`);
  const [first, last] = [0, rank - 1];
  if (name === 'ends') return [first, last];
  if (name === 'ends-reversed') return [last, first];
  return [name === 'first' ? first : name === 'last' ? last : Math.floor(rank / 2)];
}

/** Orders of dimensions by name. */
export const ORDERS = ['reversed', 'usual', 'rotated', 'swapped'] as const;

/** A permutation by name; some ranks have fewer of them. */
export function orderOf(name: (typeof ORDERS)[number], rank: number): number[] {
  const usual = Array.from({ length: rank }, (_, d) => d);
  if (name === 'reversed') return usual.reverse();
  if (name === 'rotated') return usual.map((d) => (d + 1) % rank);
  if (name === 'swapped' && rank > 1) return usual.map((d) => (d === rank - 1 ? d - 1 : d === rank - 2 ? d + 1 : d));
  return usual;
}

export const isFloat = (name: string): boolean => dtype(name).kind === 'float';

/** Small whole numbers, a different pattern for each seed. */
export const small = (type: TensorType, seed = 0, range = 4): Operand => ({
  ...type,
  data: { hash: { dtype: type.dtype, shape: [...type.shape], seed, range } },
});

/** These values, again and again in an irregular order. */
export function values(type: TensorType, of: readonly Scalar[], seed = 0): Operand {
  const { dtype: name, shape } = type;
  const count = sizeOf(shape);
  const some = of.slice(0, count);
  if (count === 0) return { ...type, data: { values: { dtype: name, shape: [...shape], of: [] } } };
  return { ...type, data: { draw: { dtype: name, shape: [...shape], of: some, seed } } };
}

/** Exactly these values. */
export const exactly = (type: TensorType, of: readonly Scalar[]): Operand => ({
  ...type,
  data: { values: { dtype: type.dtype, shape: [...type.shape], of: [...of] } },
});

/** One value everywhere. */
export const filled = (type: TensorType, value: Scalar): Operand => ({
  ...type,
  data: { fill: { dtype: type.dtype, shape: [...type.shape], value } },
});

const SUBNORMAL: Readonly<Record<string, string>> = {
  f16: '0x1p-24',
  bf16: '0x1p-133',
  f32: '0x1p-149',
  f64: '0x1p-1074',
};

/** Zeros of both signs, infinities, NaN, and for what only moves elements the smallest subnormal numbers. */
export function special(type: TensorType, seed: number, subnormals: boolean): Operand {
  legal(isFloat(type.dtype), `${type.dtype} has no special values`);
  const least = SUBNORMAL[type.dtype];
  const tiny = subnormals && least !== undefined ? [least, `-${least}`] : [];
  return values(type, ['-0', 'nan', 'inf', 0, '-inf', 1, -1, ...tiny], seed);
}

/** What operands hold that an operation moves or compares. */
export const CONTENTS = ['small', 'special', 'negative-zero'] as const;

/** @throws Illegal if the type has no such values */
export function operandOf(
  type: TensorType,
  contents: (typeof CONTENTS)[number],
  seed: number,
  subnormals: boolean,
): Operand {
  if (contents === 'small') return small(type, seed);
  if (contents === 'special') return special(type, seed, subnormals);
  legal(isFloat(type.dtype), `${type.dtype} has no negative zero`);
  return filled(type, '-0');
}
