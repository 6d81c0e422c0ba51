/** Committed programs that sessions run: what they take, what they give, what they may take over. */
import type { Data } from '../../knowledge/numerics/data.ts';
import { type ArrayType, sameType } from './world.ts';

interface Program {
  takes: readonly ArrayType[];
  gives: readonly { type: ArrayType; is: (args: readonly string[]) => Data }[];
  /** Indices of the arguments whose memory it may take over. */
  donates: readonly number[];
}

const type = (dtype: string, ...shape: number[]): ArrayType => ({ dtype, shape });

export const VECTOR = type('f32', 4);
const MATRIX = type('f32', 2, 3);

const ones = ({ dtype, shape }: ArrayType): Data => ({ fill: { dtype, shape: [...shape], value: 1 } });
/** Data of the name of a type's ones, which every session binds as it needs them. */
export const onesName = ({ dtype, shape }: ArrayType): string => `ones_${[dtype, ...shape].join('_')}`;
export const onesData = ones;

const argument =
  (i: number) =>
  (args: readonly string[]): Data =>
    `$${args[i]!}`;
const computed =
  (op: string, ...of: number[]) =>
  (args: readonly string[]): Data => ({ oracle: { op, of: of.map((i) => `$${args[i]!}`) } });
const more =
  (op: 'add' | 'subtract', of: ArrayType, i = 0) =>
  (args: readonly string[]): Data => ({ oracle: { op, of: [`$${args[i]!}`, `$${onesName(of)}`] } });

const addOne = (of: ArrayType, donates: readonly number[] = []): Program => ({
  takes: [of],
  gives: [{ type: of, is: more('add', of) }],
  donates,
});

const each = (of: ArrayType, ...is: ((args: readonly string[]) => Data)[]): Program['gives'] =>
  is.map((one) => ({ type: of, is: one }));

/** Programs that give their argument. */
const SAME: readonly (readonly [string, ArrayType])[] = [
  ['empty', type('f32', 0)],
  ['bf16', type('bf16', 2, 3)],
  ['pred', type('pred', 2, 3)],
  ['u64', type('u64', 2, 3)],
];

export const PROGRAMS: Readonly<Record<string, Program>> = {
  'misc/add_one': addOne(VECTOR),
  'misc/add_one_s32': addOne(type('s32', 4)),
  'misc/add_one_matrix': addOne(MATRIX),
  'misc/add_one_scalar': addOne(type('f32')),
  'misc/add_one_1024': addOne(type('f32', 1024)),
  'args/two': { takes: [VECTOR, VECTOR], gives: each(VECTOR, computed('subtract', 0, 1)), donates: [] },
  'args/none': {
    takes: [],
    gives: each(type('s32', 8), () => ({ iota: { dtype: 's32', shape: [8] } })),
    donates: [],
  },
  'outputs/input_twice': { takes: [VECTOR], gives: each(VECTOR, argument(0), argument(0)), donates: [] },
  'outputs/swapped': {
    takes: [VECTOR, MATRIX],
    gives: [...each(MATRIX, argument(1)), ...each(VECTOR, argument(0))],
    donates: [],
  },
  'outputs/input_and_result': { takes: [VECTOR], gives: each(VECTOR, argument(0), computed('negate', 0)), donates: [] },
  'outputs/none': { takes: [VECTOR], gives: [], donates: [] },
  'outputs/mixed_types': {
    takes: [VECTOR, type('s32', 2, 3), type('pred', 5)],
    gives: [
      ...each(VECTOR, computed('negate', 0)),
      ...each(type('s32', 2, 3), computed('add', 1, 1)),
      ...each(type('pred', 5), computed('not', 2)),
    ],
    donates: [],
  },
  'outputs/scalar_vector_matrix': {
    takes: [type('f32'), VECTOR, MATRIX],
    gives: [type('f32'), VECTOR, MATRIX].flatMap((of, i) => each(of, computed('negate', i))),
    donates: [],
  },
  'args/unused': { takes: [VECTOR, MATRIX], gives: each(VECTOR, computed('negate', 0)), donates: [] },
  ...Object.fromEntries(
    SAME.map(([name, of]) => [`identity/${name}`, { takes: [of], gives: each(of, argument(0)), donates: [] }]),
  ),
  'donation/aliased': addOne(VECTOR, [0]),
  'donation/donor': addOne(VECTOR, [0]),
  'donation/identity': { takes: [VECTOR], gives: each(VECTOR, argument(0)), donates: [0] },
  'donation/crossed': {
    takes: [VECTOR, VECTOR],
    gives: each(VECTOR, more('add', VECTOR, 0), more('subtract', VECTOR, 1)),
    donates: [0, 1],
  },
  'donation/rotated': {
    takes: [VECTOR, VECTOR, VECTOR],
    gives: each(VECTOR, argument(2), argument(0), argument(1)),
    donates: [0, 1, 2],
  },
  'donation/first_of_two': { takes: [VECTOR, VECTOR], gives: each(VECTOR, computed('add', 0, 1)), donates: [0] },
  'donation/second_of_two': { takes: [VECTOR, VECTOR], gives: each(VECTOR, computed('add', 0, 1)), donates: [1] },
};

/** Programs that run on two devices at once, each of one argument: what a device gives, by the arguments of both. */
export const SPREAD: Readonly<
  Record<string, { gives: ArrayType; is: (args: readonly string[], device: number) => Data; donates?: true }>
> = {
  'misc/add_one': { gives: VECTOR, is: (args, device) => more('add', VECTOR, device)(args) },
  'donation/aliased': { gives: VECTOR, is: (args, device) => more('add', VECTOR, device)(args), donates: true },
  'multi/replicas_all_gather': {
    gives: type('f32', 8),
    is: (args) => ({ oracle: { op: 'concatenate', of: args.map((arg) => `$${arg}`), with: { dimension: 0 } } }),
  },
};

/** Types of arrays that no program takes. */
const OTHERS = [
  ...SAME.map(([, of]) => of),
  type('u8', 33),
  type('pred', 5),
  type('s32', 2, 3),
  type('u8', 257),
  type('f32', 3, 1, 2),
];

/** Types that programs compute with: sums of their elements stay exact, and are numbers. */
const COMPUTED: readonly ArrayType[] = [
  VECTOR,
  MATRIX,
  type('s32', 4),
  type('s32', 2, 3),
  type('f32'),
  type('f32', 1024),
];
export const isComputed = (one: ArrayType): boolean => COMPUTED.some((other) => sameType(one, other));

/** Types of the arrays of a session; the vector, which most programs take, more often than others. */
export const TYPES: readonly ArrayType[] = [
  ...[1, 2, 3, 4, 5, 6].map(() => VECTOR),
  ...[MATRIX, type('s32', 4), type('f32'), type('f32', 1024)],
  ...OTHERS,
  // What no program takes: other widths and ranks, and more than two bytes of a size hold.
  ...[type('f16', 3, 5), type('s64', 3), type('s8', 5), type('u16', 3, 2), type('f64', 2, 2), type('c64', 3)],
  ...['f8e5m2', 'f8e4m3fn', 'f8e4m3b11fnuz', 'f8e5m2fnuz', 'f8e4m3fnuz'].map((dtype) => type(dtype, 5)),
  ...[type('f32', 2, 1, 3, 2), type('f32', 1, 2, 1, 3, 2), type('f32', 2, 1, 2, 1, 2, 1)],
  ...[type('f32', 20_000)],
];
