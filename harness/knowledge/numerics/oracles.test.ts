import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementCount, fromBits, fromValues, type HostArray, reader } from './array.ts';
import { decode, encode } from './codec.ts';
import { compareArrays } from './compare.ts';
import type { Scalar } from './data.ts';
import { dtype } from './dtypes.ts';
import { generate } from './generate.ts';
import { OracleError } from './oracles/parameters.ts';
import { ORACLES } from './oracles.ts';

const none = (): never => {
  throw new Error('no references here');
};
const array = (type: string, shape: number[], of: Scalar[]): HostArray => fromValues(dtype(type), shape, of);
const hash = (type: string, shape: number[], seed = 0, range = 4): HostArray =>
  generate({ hash: { dtype: type, shape, seed, range } }, none);
const values = (a: HostArray): unknown[] => {
  const read = reader(a);
  return Array.from({ length: elementCount(a.shape) }, (_, i) => decode(a.dtype, read(i)));
};
const run = (op: string, args: HostArray[], parameters: Record<string, unknown> = {}): HostArray =>
  ORACLES[op]!(args, parameters);
const of = (op: string, args: HostArray[], parameters: Record<string, unknown> = {}): unknown[] =>
  values(run(op, args, parameters));

describe('elementwise', () => {
  it('floats, wrapping integers, booleans, complex', () => {
    const f = [array('bf16', [3], [1, -2, 0.5]), array('bf16', [3], [3, 2, -0.25])];
    expect(of('add', f)).toEqual([4, 0, 0.25]);
    expect(of('subtract', f)).toEqual([-2, -4, 0.75]);
    expect(of('multiply', f)).toEqual([3, -4, -0.125]);
    expect(of('divide', f.toReversed())).toEqual([3, -1, -0.5]);
    expect(of('add', [array('s8', [2], [127, -128]), array('s8', [2], [1, -1])])).toEqual([-128, 127]);
    expect(of('multiply', [array('u32', [1], [4294967295]), array('u32', [1], [4294967295])])).toEqual([1]);
    expect(of('multiply', [array('s64', [1], ['4611686018427387904']), array('s64', [1], [2])])).toEqual([
      -(2n ** 63n),
    ]);
    expect(of('subtract', [array('u8', [1], [0]), array('u8', [1], [1])])).toEqual([255]);
    expect(of('add', [array('pred', [2], [1, 0]), array('pred', [2], [1, 0])])).toEqual([1, 0]);
    expect(of('multiply', [array('c64', [1], ['1+2i']), array('c64', [1], ['3-1i'])])).toEqual([{ re: 5, im: 5 }]);
    expect(of('divide', [array('s32', [2], [-7, 7]), array('s32', [2], [2, 2])])).toEqual([-3, 3]);
  });

  it('zeros, NaNs, infinities', () => {
    const zeros = [array('f32', [2], ['-0', 0]), array('f32', [2], [0, '-0'])];
    expect(of('maximum', zeros)).toEqual([0, 0]);
    expect(of('minimum', zeros)).toEqual([-0, -0]);
    expect(of('maximum', [array('f32', [1], ['nan']), array('f32', [1], [1])])).toEqual([Number.NaN]);
    expect(of('negate', [array('f32', [2], [0, 'inf'])])).toEqual([-0, Number.NEGATIVE_INFINITY]);
    expect(of('negate', [array('f8e4m3fnuz', [1], [0])])).toEqual([0]);
    expect(of('abs', [array('f16', [2], ['-0', '-inf'])])).toEqual([0, Number.POSITIVE_INFINITY]);
    expect(of('sign', [array('f32', [3], ['-0', -3, 'nan'])])).toEqual([-0, -1, Number.NaN]);
    expect(of('sign', [array('s8', [3], [-128, 0, 5])])).toEqual([-1, 0, 1]);
    expect(of('abs', [array('s8', [2], [-128, -5])])).toEqual([-128, 5]);
    expect(of('floor', [array('f32', [2], [-0.5, 1.5])])).toEqual([-1, 1]);
    expect(of('ceil', [array('f32', [2], [-0.5, 1.5])])).toEqual([-0, 2]);
  });

  it('comparison, selection, bits, conversion', () => {
    const [a, b] = [array('f32', [4], [1, 2, 'nan', '-0']), array('f32', [4], [2, 2, 1, 0])];
    const table = Object.fromEntries(
      ['EQ', 'NE', 'LT', 'LE', 'GT', 'GE'].map((d) => [d, of('compare', [a, b], { direction: d }).join('')]),
    );
    expect(table).toEqual({ EQ: '0101', NE: '1010', LT: '1000', LE: '1101', GT: '0000', GE: '0101' });
    expect(of('select', [array('pred', [4], [1, 0, 1, 0]), a, b])).toEqual([1, 2, Number.NaN, 0]);
    expect(of('select', [array('pred', [], [true]), a, b])).toEqual([1, 2, Number.NaN, -0]);
    expect(of('clamp', [array('s8', [], [-1]), array('s8', [3], [-5, 0, 9]), array('s8', [], [4])])).toEqual([
      -1, 0, 4,
    ]);
    expect(of('xor', [array('u8', [1], [0xf0]), array('u8', [1], [0xff])])).toEqual([0x0f]);
    expect(of('not', [array('s64', [1], [0])])).toEqual([-1n]);
    expect(of('not', [array('pred', [2], [0, 1])])).toEqual([1, 0]);
    expect(of('convert', [array('f32', [3], [-1.5, 2.9, 0])], { dtype: 's8' })).toEqual([-1, 2, 0]);
    expect(of('convert', [array('s32', [2], [300, -1])], { dtype: 'u8' })).toEqual([44, 255]);
    expect(of('convert', [array('f32', [3], [0.5, 0, 'nan'])], { dtype: 'pred' })).toEqual([1, 0, 1]);
    expect(of('convert', [array('f32', [1], [1.5])], { dtype: 'c64' })).toEqual([{ re: 1.5, im: 0 }]);
    expect(
      of('convert', [array('f64', [1], [1 + 2 ** -8 + 2 ** -30])], { dtype: 'bf16', rounding: 'nearest-even' }),
    ).toEqual([1 + 2 ** -7]);
  });

  it('an inexact result is an error, never a rounded value', () => {
    const pair = (type: string, x: Scalar, y: Scalar): HostArray[] => [array(type, [1], [x]), array(type, [1], [y])];
    expect(() => run('add', pair('bf16', 256, 1))).toThrow(/257 is not exact in bf16; the nearest it holds is 256/);
    expect(() => run('add', pair('f64', 1, 2 ** -60))).toThrow(OracleError);
    expect(() => run('multiply', pair('f32', 16777215, 3))).toThrow(/not exact/);
    expect(() => run('multiply', pair('f64', 1 + 2 ** -52, 1 + 2 ** -52))).toThrow(/not exact/);
    expect(() => run('multiply', pair('f32', 2 ** 100, 2 ** 100))).toThrow(/not exact/);
    expect(() => run('divide', pair('f64', 1, 3))).toThrow(/not exact/);
    expect(() => run('divide', pair('s32', 1, 0))).toThrow(/not defined/);
    expect(() => run('convert', [array('f32', [1], [300])], { dtype: 's8' })).toThrow(/not defined/);
    expect(() => run('convert', [array('f32', [1], [0.1])], { dtype: 'bf16' })).toThrow(/not exact/);
  });

  it('misuse is reported by name', () => {
    const x = array('f32', [2], [1, 2]);
    expect(() => run('add', [x])).toThrow(/add takes 2 operands, got 1/);
    expect(() => run('add', [x, array('f64', [2], [1, 2])])).toThrow(/different types: f32, f64/);
    expect(() => run('add', [x, array('f32', [1], [1])])).toThrow(/shapes \[2\] and \[1\] differ/);
    expect(() => run('reduce', [x], { dimension: [0] })).toThrow(/did you mean "dimensions"/);
    expect(() => run('transpose', [x], { permutation: [1] })).toThrow(/not a permutation/);
    expect(() => run('compare', [x, x], { direction: 'XX' })).toThrow(/EQ, NE/);
  });
});

describe('integers', () => {
  it('shifts: every bit leaves from the width on, and the distance is unsigned', () => {
    const by = array('s8', [5], [0, 3, 8, 127, -1]);
    const a = array('s8', [5], [-100, -100, -100, 100, -100]);
    expect(of('shift_left', [a, by])).toEqual([-100, -32, 0, 0, 0]);
    expect(of('shift_right_logical', [a, by])).toEqual([-100, 19, 0, 0, 0]);
    expect(of('shift_right_arithmetic', [a, by])).toEqual([-100, -13, -1, 0, -1]);
    // An arithmetic shift copies the highest bit of unsigned numbers too.
    expect(of('shift_right_arithmetic', [array('u8', [2], [200, 100]), array('u8', [2], [8, 8])])).toEqual([255, 0]);
    const wide = [array('u64', [2], ['18446744073709551615', 1]), array('u64', [2], [63, 64])];
    expect(of('shift_right_logical', wide)).toEqual([1n, 0n]);
  });

  it('remainders have the sign of the dividend', () => {
    expect(of('remainder', [array('s8', [4], [-7, 7, -128, 127]), array('s8', [4], [2, -2, 127, -128])])).toEqual([
      -1, 1, -1, 127,
    ]);
    expect(of('remainder', [array('u64', [1], ['18446744073709551615']), array('u64', [1], [10])])).toEqual([5n]);
    expect(() => of('remainder', [array('s8', [1], [1]), array('s8', [1], [0])])).toThrow(/by zero/);
    expect(() => of('remainder', [array('s8', [1], [-128]), array('s8', [1], [-1])])).toThrow(/not defined/);
    expect(() => of('remainder', [array('f32', [1], [1]), array('f32', [1], [2])])).toThrow(/not among/);
  });

  it('counts of bits agree with Math.clz32 and a loop', () => {
    const x = generate({ edges: { dtype: 'u32', shape: [200] } }, none);
    const numbers = values(x) as number[];
    expect(of('count_leading_zeros', [x])).toEqual(numbers.map(Math.clz32));
    let left = numbers.map((n): [number, number] => [n, 0]);
    for (let k = 0; k < 32; k++) left = left.map(([n, ones]) => [n >>> 1, ones + (n & 1)]);
    expect(of('popcnt', [x])).toEqual(left.map(([, ones]) => ones));
    expect(of('count_leading_zeros', [array('s64', [3], [0, 1, -1])])).toEqual([64n, 63n, 0n]);
  });
});

describe('movement', () => {
  const x = generate({ iota: { dtype: 's32', shape: [2, 3] } }, none);

  it('matches results computed by hand', () => {
    expect(of('transpose', [x], { permutation: [1, 0] })).toEqual([0, 3, 1, 4, 2, 5]);
    expect(run('reshape', [x], { shape: [3, 2] })).toMatchObject({ shape: [3, 2], bytes: x.bytes });
    expect(of('broadcast_in_dim', [array('s32', [2], [1, 2])], { shape: [2, 2], dims: [0] })).toEqual([1, 1, 2, 2]);
    expect(of('broadcast_in_dim', [array('s32', [], [7])], { shape: [2] })).toEqual([7, 7]);
    expect(of('slice', [x], { start: [0, 0], limit: [2, 3], strides: [1, 2] })).toEqual([0, 2, 3, 5]);
    expect(of('concatenate', [x, x], { dimension: 1 })).toEqual([0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
    expect(
      of('pad', [array('s32', [2], [1, 2]), array('s32', [], [9])], { low: [1], high: [-1], interior: [1] }),
    ).toEqual([9, 1, 9]);
    expect(of('reverse', [x], { dimensions: [1] })).toEqual([2, 1, 0, 5, 4, 3]);
    expect(of('take', [x, array('s32', [3], [1, -9, 9])], { axis: 0 })).toEqual([3, 4, 5, 0, 1, 2, 3, 4, 5]);
    expect(run('take', [x, array('s32', [1, 2], [2, 0])], { axis: 1 })).toMatchObject({ shape: [2, 1, 2] });
    const at = (n: number): HostArray => array('s32', [], [n]);
    expect(of('dynamic_slice', [x, at(5), at(1)], { sizes: [1, 2] })).toEqual([4, 5]);
    expect(of('dynamic_update_slice', [x, array('s32', [1, 1], [9]), at(1), at(-4)])).toEqual([0, 1, 2, 9, 4, 5]);
    expect(of('bitcast_convert', [array('f32', [1], [1])], { dtype: 'u32' })).toEqual([0x3f800000]);
    expect(of('sort', [array('f32', [2, 3], [3, 1, 2, 0, -1, 5])], { dimension: 1 })).toEqual([1, 2, 3, -1, 0, 5]);
    expect(of('sort', [array('u64', [3], [1, '18446744073709551615', 0])], { descending: true })).toEqual([
      2n ** 64n - 1n,
      1n,
      0n,
    ]);
    expect(() => run('sort', [array('f32', [2], ['nan', 1])])).toThrow(/unordered/);
  });

  it('moves bits unchanged, including signalling NaNs', () => {
    const odd = fromBits(dtype('f32'), [2, 1], [0x7fa00001, 0xffa00002]);
    expect(reader(run('transpose', [odd], { permutation: [1, 0] }))(1)).toBe(0xffa00002);
    expect(reader(run('reverse', [odd], { dimensions: [0] }))(1)).toBe(0x7fa00001);
  });

  it('inverse operations cancel', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom('u8', 'bf16', 'c128'),
        (shape, type) => {
          const a = hash(type, shape);
          const permutation = shape.map((_, d) => (d + 1) % shape.length);
          const back = shape.map((_, d) => permutation.indexOf(d));
          expect(run('transpose', [run('transpose', [a], { permutation })], { permutation: back }).bytes).toEqual(
            a.bytes,
          );
          const dimensions = shape.map((_, d) => d);
          expect(run('reverse', [run('reverse', [a], { dimensions })], { dimensions }).bytes).toEqual(a.bytes);
          const half = Math.ceil(shape[0]! / 2);
          const start = shape.map(() => 0);
          const low = run('slice', [a], { start, limit: shape.with(0, half) });
          const high = run('slice', [a], { start: start.with(0, half), limit: shape });
          expect(run('concatenate', [low, high], { dimension: 0 }).bytes).toEqual(a.bytes);
        },
      ),
    );
  });
});

describe('contraction', () => {
  /** The definition, with plain loops and numbers. */
  const matmul = (a: HostArray, b: HostArray): number[] => {
    const [m, k] = a.shape as [number, number];
    const n = b.shape[1]!;
    const [x, y] = [values(a) as number[], values(b) as number[]];
    return Array.from({ length: m * n }, (_, i) => {
      let sum = 0;
      for (let j = 0; j < k; j++) sum += x[Math.floor(i / n) * k + j]! * y[j * n + (i % n)]!;
      return sum;
    });
  };

  it('dot agrees with the definition in every type that can hold it', () => {
    for (const type of ['bf16', 'f16', 'f32', 'f64', 's32']) {
      const [a, b] = [hash(type, [5, 16]), hash(type, [16, 7], 1)];
      expect(of('dot', [a, b])).toEqual(matmul(a, b));
    }
    const [p, q] = [array('c64', [1, 2], ['1+1i', '2']), array('c64', [2, 1], ['1-1i', 'i'])];
    expect(of('dot', [p, q])).toEqual([{ re: 2, im: 2 }]);
  });

  it('batched and transposed contractions are rearranged plain ones', () => {
    const [a, b] = [hash('f32', [2, 3, 4]), hash('f32', [2, 5, 4], 1)];
    const got = run('dot_general', [a, b], {
      lhs_batching: [0],
      rhs_batching: [0],
      lhs_contracting: [2],
      rhs_contracting: [2],
    });
    expect(got.shape).toEqual([2, 3, 5]);
    for (const n of [0, 1]) {
      const part = (x: HostArray): HostArray =>
        run('reshape', [run('slice', [x], { start: [n, 0, 0], limit: x.shape.with(0, n + 1) })], {
          shape: x.shape.slice(1),
        });
      expect(values(part(got))).toEqual(matmul(part(a), run('transpose', [part(b)], { permutation: [1, 0] })));
    }
  });

  it('a sum that another order or precision could round is rejected', () => {
    const many = [hash('bf16', [1, 64]), hash('bf16', [64, 1], 1)];
    expect(() => run('dot', many)).toThrow(/more than bf16 sums exactly in every order \(256 steps\)/);
    expect(() => run('dot', [hash('f32', [1, 64]), hash('f32', [64, 1], 1)])).not.toThrow();
  });

  it('wrong indices change at least half of the outputs', () => {
    const n = 16;
    const [a, b] = [hash('f32', [n, n]), hash('f32', [n, n], 1)];
    const right = run('dot', [a, b]);
    const roll = (x: HostArray, by: number): HostArray =>
      run(
        'take',
        [
          x,
          array(
            's32',
            [n],
            Array.from({ length: n }, (_, i) => (i + by) % n),
          ),
        ],
        { axis: 0 },
      );
    const zero = (x: HostArray): HostArray =>
      run('dynamic_update_slice', [
        x,
        array('f32', [1, n], new Array(n).fill(0)),
        array('s32', [], [3]),
        array('s32', [], [0]),
      ]);
    const t = { permutation: [1, 0] };
    const mutants = {
      'left transposed': run('dot', [run('transpose', [a], t), b]),
      'right transposed': run('dot', [a, run('transpose', [b], t)]),
      'result transposed': run('transpose', [right], t),
      'operands swapped': run('dot', [b, a]),
      'contraction dropped a term': run('dot', [a, zero(b)]),
      ...Object.fromEntries(
        Array.from({ length: n - 1 }, (_, i) => [`rows shifted by ${i + 1}`, run('dot', [a, roll(b, i + 1)])]),
      ),
    };
    for (const [name, wrong] of Object.entries(mutants)) {
      expect(compareArrays(right, wrong).countMismatch, name).toBeGreaterThanOrEqual((n * n) / 2);
    }
  });

  it('convolution in one and two dimensions, with strides and padding', () => {
    const x = array('f32', [1, 4, 1], [1, 2, 3, 4]);
    const w = array('f32', [2, 1, 1], [1, 10]);
    expect(of('convolution', [x, w])).toEqual([21, 32, 43]);
    expect(of('convolution', [x, w], { strides: [2] })).toEqual([21, 43]);
    expect(of('convolution', [x, w], { padding: [1, 0] })).toEqual([10, 21, 32, 43]);
    const image = hash('f32', [2, 4, 5, 3]);
    const kernel = hash('f32', [1, 1, 3, 2], 1);
    // A 1×1 kernel is a matrix product over channels.
    const flat = run('dot', [run('reshape', [image], { shape: [40, 3] }), run('reshape', [kernel], { shape: [3, 2] })]);
    expect(run('convolution', [image, kernel]).bytes).toEqual(flat.bytes);
    // A kernel with a single tap is a slice.
    const pick = array('f32', [2, 2, 1, 1], [0, 0, 1, 0]);
    const one = hash('f32', [1, 4, 5, 1], 2);
    expect(run('convolution', [one, pick]).bytes).toEqual(
      run('slice', [one], { start: [0, 1, 0, 0], limit: [1, 4, 4, 1] }).bytes,
    );
  });
});

describe('convolution with attributes', () => {
  const image = hash('f32', [2, 4, 5, 4]);
  const kernel = hash('f32', [2, 3, 4, 6], 1);
  const zero = array('f32', [], [0]);

  it('dilation, padding below zero and a reversed kernel are operations on the operands', () => {
    const spread = run('pad', [image, zero], { low: [0, 1, -1, 0], high: [0, 0, 2, 0], interior: [0, 1, 2, 0] });
    expect(
      run('convolution', [image, kernel], { lhs_dilation: [2, 3], padding: [1, 0, -1, 2], strides: [1, 2] }).bytes,
    ).toEqual(run('convolution', [spread, kernel], { strides: [1, 2] }).bytes);
    const wide = run('pad', [kernel, zero], { low: [0, 0, 0, 0], high: [0, 0, 0, 0], interior: [2, 0, 0, 0] });
    expect(run('convolution', [image, kernel], { rhs_dilation: [3, 1] }).bytes).toEqual(
      run('convolution', [image, wide]).bytes,
    );
    expect(run('convolution', [image, kernel], { reversal: [0, 1] }).bytes).toEqual(
      run('convolution', [image, run('reverse', [kernel], { dimensions: [1] })]).bytes,
    );
  });

  it('groups are convolutions of parts', () => {
    const part = (x: HostArray, d: number, i: number, n: number) => {
      const size = x.shape[d]! / n;
      const start = x.shape.map((_, k) => (k === d ? i * size : 0));
      return run('slice', [x], { start, limit: x.shape.map((m, k) => (k === d ? (i + 1) * size : m)) });
    };
    const narrow = hash('f32', [2, 3, 2, 6], 2);
    const features = [0, 1].map((i) => run('convolution', [part(image, 3, i, 2), part(narrow, 3, i, 2)]));
    expect(run('convolution', [image, narrow], { feature_groups: 2 }).bytes).toEqual(
      run('concatenate', features, { dimension: 3 }).bytes,
    );
    const batches = [0, 1].map((i) => run('convolution', [part(image, 0, i, 2), part(kernel, 3, i, 2)]));
    expect(run('convolution', [image, kernel], { batch_groups: 2 }).bytes).toEqual(
      run('concatenate', batches, { dimension: 3 }).bytes,
    );
  });

  it('other orders of dimensions are transposes', () => {
    const plain = run('convolution', [image, kernel]);
    const first = run('transpose', [image], { permutation: [0, 3, 1, 2] });
    const outputs = run('transpose', [kernel], { permutation: [3, 2, 0, 1] });
    expect(run('convolution', [first, outputs], { dims: 'bf01_oi01->bf01' }).bytes).toEqual(
      run('transpose', [plain], { permutation: [0, 3, 1, 2] }).bytes,
    );
    expect(() => run('convolution', [image, kernel], { dims: 'b01f_01io->b01' })).toThrow('not like');
  });
});

describe('gather and scatter', () => {
  const x = array('s32', [3, 2], [0, 1, 10, 11, 20, 21]);

  it('rows, clamped when they are read and dropped when they are written', () => {
    const rows = array('s32', [3, 1], [2, -1, 7]);
    const dims = { start_index_map: [0], index_vector_dim: 1 };
    expect(of('gather', [x, rows], { ...dims, offset_dims: [1], collapsed: [0], sizes: [1, 2] })).toEqual([
      20, 21, 0, 1, 20, 21,
    ]);
    const updates = array('s32', [3, 2], [1, 2, 3, 4, 5, 6]);
    expect(of('scatter', [x, rows, updates], { ...dims, window_dims: [1], inserted: [0] })).toEqual([
      0, 1, 10, 11, 21, 23,
    ]);
  });

  it('batching dimensions, an index vector in front, and repeated elements', () => {
    const columns = array('s32', [3, 2, 1], [1, 0, 0, 0, 1, 1]);
    const batching = { operand_batching: [0], indices_batching: [0], start_index_map: [1], index_vector_dim: 2 };
    expect(of('gather', [x, columns], { ...batching, collapsed: [1], sizes: [1, 1] })).toEqual([1, 0, 10, 10, 21, 21]);
    const ones = array('s32', [3, 2], [1, 1, 1, 1, 1, 1]);
    expect(of('scatter', [x, columns, ones], { ...batching, inserted: [1] })).toEqual([1, 2, 12, 11, 20, 23]);
    const pairs = array('s32', [2, 2], [1, 0, 2, 1]);
    expect(
      of('gather', [x, pairs], { start_index_map: [1, 0], index_vector_dim: 0, collapsed: [0, 1], sizes: [1, 1] }),
    ).toEqual([21, 10]);
  });

  it('an element that two updates replace has no value', () => {
    const rows = array('s32', [2, 1], [1, 1]);
    const updates = array('s32', [2, 2], [1, 2, 3, 4]);
    const with_ = { op: 'replace', window_dims: [1], inserted: [0], start_index_map: [0], index_vector_dim: 1 };
    expect(() => run('scatter', [x, rows, updates], with_)).toThrow('two updates');
  });
});

describe('argmax and argmin', () => {
  it('the first of equal elements, and the first NaN', () => {
    const x = array('f32', [4, 4], [1, 3, 3, 0, -5, -5, -5, -5, 1, 'nan', 9, 'nan', 0, '-0', 0, '-0']);
    expect(of('argmax', [x])).toEqual([1, 0, 1, 0]);
    expect(of('argmin', [x], { dtype: 's64' })).toEqual([3n, 0n, 1n, 0n]);
  });
});

describe('reduction', () => {
  it('matches results computed by hand', () => {
    const x = array('f32', [2, 3], [1, 2, 3, 4, 5, -6]);
    expect(of('reduce', [x], { dimensions: [1] })).toEqual([6, 3]);
    expect(of('reduce', [x], { dimensions: [0], op: 'max' })).toEqual([4, 5, 3]);
    expect(of('reduce', [x], { op: 'min' })).toEqual([-6]);
    expect(of('reduce', [x], { dimensions: [1], op: 'mul' })).toEqual([6, -120]);
    expect(of('reduce', [array('u8', [3], [7, 14, 28])], { op: 'and' })).toEqual([4]);
    expect(of('reduce', [array('pred', [2], [0, 1])], { op: 'or' })).toEqual([1]);
    expect(of('reduce', [array('s64', [0], [])], { op: 'and' })).toEqual([-1n]);
    expect(of('reduce_window', [array('s32', [5], [1, 2, 3, 4, 5])], { window: [2], strides: [2] })).toEqual([3, 7]);
    expect(of('reduce_window', [x], { window: [2, 2], op: 'max' })).toEqual([5, 5]);
    const line = array('s32', [3], [1, 2, 4]);
    expect(of('reduce_window', [line], { window: [2], base_dilation: [2], padding: [1, -1] })).toEqual([1, 1, 2, 2]);
    expect(of('reduce_window', [line], { window: [2], window_dilation: [2] })).toEqual([5]);
    expect(of('reduce', [array('u8', [3], [7, 14, 28])], { op: 'xor' })).toEqual([21]);
    expect(of('cumsum', [x], { dimension: 1 })).toEqual([1, 3, 6, 4, 9, 3]);
    expect(of('cumsum', [x], { dimension: 0 })).toEqual([1, 2, 3, 5, 7, -3]);
    const updates = array('f32', [3, 3], [1, 1, 1, 10, 10, 10, 100, 100, 100]);
    expect(of('scatter_add', [x, array('s32', [3], [0, 0, 7]), updates])).toEqual([12, 13, 14, 4, 5, -6]);
    expect(of('iota', [], { dtype: 'u8', shape: [2, 2], dimension: 1 })).toEqual([0, 1, 0, 1]);
    expect(of('iota', [], { dtype: 's64', shape: [2] })).toEqual([0n, 1n]);
  });

  it('rejects sums and products that are not exact on every path', () => {
    expect(() => run('reduce', [array('bf16', [3], [256, 1, -1])])).toThrow(/every order/);
    expect(() => run('reduce', [array('f16', [3], [255, 255, 0])], { op: 'mul' })).toThrow(/not exact/);
    expect(() => run('reduce', [array('f32', [0], [])], { op: 'max' })).toThrow(/no value/);
    expect(() => run('reduce', [array('f32', [2], [1, 0.5 ** 24])])).toThrow(/in steps of/);
  });

  it('NaN propagates through max, infinity through add', () => {
    expect(of('reduce', [array('f32', [3], [1, 'nan', 2])], { op: 'max' })).toEqual([Number.NaN]);
    expect(of('reduce', [array('f32', [2], ['inf', 2])])).toEqual([Number.POSITIVE_INFINITY]);
    expect(encode(dtype('f32'), 'inf')).toBe(0x7f800000);
  });
});
