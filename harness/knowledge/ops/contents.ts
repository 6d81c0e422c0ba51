/** What the arguments of forms hold, and the shapes and dimensions that attributes name. */
import type { GeneratedData, Scalar } from '../numerics/data.ts';
import { dtype } from '../numerics/dtypes.ts';
import { legal, type Operand, type TensorType } from './space.ts';

/** Every rank up to 5, with a large dimension in each position, and without elements. */
export const SHAPES = [
  '3x4',
  'scalar',
  '5',
  '1024',
  '513x2',
  '2x513',
  '257x2x3',
  '2x257x3',
  '3x2x257',
  '130x2x1x3',
  '2x130x3x1',
  '1x3x130x2',
  '3x1x2x130',
  '128x2x1x2x3',
  '2x128x3x1x2',
  '3x2x128x2x1',
  '2x1x2x128x3',
  '1x2x3x2x128',
  '2x0x3',
  '1x1',
] as const;

/** The shapes of at least one dimension. */
export const RANKED = SHAPES.filter((shape) => shape !== 'scalar');

export const shapeOf = (text: string): number[] => (text === 'scalar' ? [] : text.split('x').map(Number));

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
export function operandOf(type: TensorType, contents: (typeof CONTENTS)[number], seed: number, subnormals: boolean): Operand {
  if (contents === 'small') return small(type, seed);
  if (contents === 'special') return special(type, seed, subnormals);
  legal(isFloat(type.dtype), `${type.dtype} has no negative zero`);
  return filled(type, '-0');
}
