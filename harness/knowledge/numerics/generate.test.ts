import { describe, expect, it } from 'vitest';
import { bitsAt, elementCount, fromValues, type HostArray } from './array.ts';
import { decode } from './codec.ts';
import type { GeneratedData } from './data.ts';
import { DTYPES, dtype } from './dtypes.ts';
import { exactIntegers, generate } from './generate.ts';

const none = (ref: string): HostArray => {
  throw new Error(`nothing is bound to ${ref}`);
};
const make = (data: GeneratedData): HostArray => generate(data, none);
const values = (a: HostArray): unknown[] =>
  Array.from({ length: elementCount(a.shape) }, (_, i) => decode(a.dtype, bitsAt(a, i)));

describe('iota', () => {
  it('counts, and wraps where the type no longer holds consecutive integers', () => {
    expect(values(make({ iota: { dtype: 's2', shape: [6] } }))).toEqual([0, 1, -2, -1, 0, 1]);
    expect(values(make({ iota: { dtype: 'f4e2m1fn', shape: [6] } }))).toEqual([0, 1, 2, 3, 0, 1]);
    expect(values(make({ iota: { dtype: 'pred', shape: [3] } }))).toEqual([0, 1, 0]);
    expect(values(make({ iota: { dtype: 'f8e8m0fnu', shape: [3] } }))).toEqual([1, 2, 4]);
    expect(values(make({ iota: { dtype: 'c64', shape: [2] } }))[1]).toEqual({ re: 1, im: 0 });
    expect(values(make({ iota: { dtype: 'bf16', shape: [2, 129] } })).slice(254)).toEqual([254, 255, 0, 1]);
  });

  it('every type holds all values that it counts, none lost to rounding', () => {
    for (const type of DTYPES) {
      const seen = values(make({ iota: { dtype: type.name, shape: [3] } }));
      expect(new Set(seen.map((v) => JSON.stringify(v, (_, x) => (typeof x === 'bigint' ? Number(x) : x)))).size).toBe(
        Math.min(3, 2 ** type.bits, type.kind === 'pred' ? 2 : 3),
      );
      const { lo, hi } = exactIntegers(type);
      expect(hi).toBeGreaterThanOrEqual(lo);
    }
  });
});

describe('hash', () => {
  it('stays in range, uses all of it, and depends on the seed', () => {
    for (const type of DTYPES.filter((t) => !t.component && t.name !== 'f8e8m0fnu')) {
      const a = make({ hash: { dtype: type.name, shape: [500] } });
      const seen = [...new Set(values(a).map(Number))].sort((x, y) => x - y);
      const { lo, hi } = exactIntegers(type);
      const from = type.kind === 'unsigned' || type.kind === 'pred' ? 0 : Math.max(-4, lo);
      const to = type.kind === 'pred' ? 1 : Math.min(type.kind === 'unsigned' ? 8 : 4, hi);
      expect([type.name, seen]).toEqual([type.name, Array.from({ length: to - from + 1 }, (_, i) => from + i)]);
      if (type.bits > 1) {
        const b = make({ hash: { dtype: type.name, shape: [500], seed: 1 } });
        expect(a.bytes).not.toEqual(b.bytes);
      }
    }
  });

  it('a scale makes fractions of the same integers, exact in every type that holds the integers', () => {
    const whole = values(make({ hash: { dtype: 'f64', shape: [500], seed: 3, range: 127 } })) as number[];
    for (const type of ['bf16', 'f16', 'f32', 'f64']) {
      const scaled = values(
        make({ hash: { dtype: type, shape: [500], seed: 3, range: 127, scale: 2 ** -9 } }),
      ) as number[];
      expect(scaled).toEqual(whole.map((v) => v * 2 ** -9));
    }
    expect(() => make({ hash: { dtype: 'f32', shape: [1], scale: 0.1 } })).toThrow(/power of two/);
    expect(() => make({ hash: { dtype: 's32', shape: [1], scale: 2 } })).toThrow(/floating-point/);
  });

  it('the same descriptions always give the same bytes', () => {
    expect(values(make({ hash: { dtype: 's32', shape: [12] } }))).toMatchInlineSnapshot(`
      [
        -1,
        -2,
        3,
        0,
        0,
        0,
        0,
        -2,
        3,
        2,
        0,
        -1,
      ]
    `);
  });

  it('a transposed, shifted or dropped index changes at least half of the elements', () => {
    const n = 24;
    const a = values(make({ hash: { dtype: 'f32', shape: [n, n] } })) as number[];
    const wrong = (at: (i: number, j: number) => number): number =>
      a.filter((x, k) => x !== a[at(Math.floor(k / n), k % n)]).length / a.length;
    expect(wrong((i, j) => j * n + i)).toBeGreaterThan(0.5);
    for (let s = 1; s < 40; s++) expect(wrong((i, j) => (i * n + j + s) % (n * n))).toBeGreaterThan(0.5);
    for (let s = 1; s < n; s++) expect(wrong((i, j) => ((i + s) % n) * n + j)).toBeGreaterThan(0.5);
    expect(wrong((i) => i * n)).toBeGreaterThan(0.5);
    expect(wrong((_, j) => j)).toBeGreaterThan(0.5);
  });

  it('a million elements are generated at once without computing any value twice', () => {
    const a = make({ hash: { dtype: 'f64', shape: [1024, 1024], range: 1 } });
    expect(a.bytes.length).toBe(2 ** 23);
    expect(decode(a.dtype, bitsAt(a, 2 ** 20 - 1))).toBeTypeOf('number');
  });
});

describe('edges', () => {
  it('mixes limits, powers of two and numbers of every magnitude', () => {
    for (const type of DTYPES.filter((t) => (t.kind === 'signed' || t.kind === 'unsigned') && t.bits > 1)) {
      const seen = values(make({ edges: { dtype: type.name, shape: [2000] } })).map(BigInt as (x: unknown) => bigint);
      const high = 1n << BigInt(type.bits - 1);
      const [min, max] = type.kind === 'signed' ? [-high, high - 1n] : [0n, 2n * high - 1n];
      for (const limit of [0n, 1n, min, max, high / 2n]) expect(seen).toContain(limit);
      if (type.bits < 8) continue;
      const small = seen.filter((x) => x > -100n && x < 100n).length;
      expect([type.name, small > 50 && small < 1950]).toEqual([type.name, true]);
    }
  });

  it('floats have specials of both signs and no subnormals', () => {
    for (const type of DTYPES.filter((t) => t.float?.subnormals && t.float.nan === 'ieee')) {
      const array = make({ edges: { dtype: type.name, shape: [500] } });
      const f = type.float!;
      const seen = values(array) as number[];
      for (const special of [0, -0, 1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]) {
        expect(seen.some((x) => Object.is(x, special))).toBe(true);
      }
      const smallest = 2 ** (1 - f.bias);
      expect(seen.filter((x) => x !== 0 && Math.abs(x) < smallest)).toEqual([]);
    }
  });

  it('depends on the seed, in both parts of complex numbers', () => {
    for (const name of ['pred', 's64', 'f16', 'c64', 'c128']) {
      const [a, b] = [0, 1].map((seed) => make({ edges: { dtype: name, shape: [64], seed } }));
      expect(a!.bytes).not.toEqual(b!.bytes);
    }
    const z = values(make({ edges: { dtype: 'c64', shape: [64] } })) as { re: number; im: number }[];
    expect(z.filter(({ re, im }) => !Object.is(re, im)).length).toBeGreaterThan(32);
  });
});

describe('draw', () => {
  it('gives all values, then chooses among them, in the same way for every type', () => {
    const a = values(make({ draw: { dtype: 's32', shape: [5, 7], of: [10, 20, 30] } }));
    const b = values(make({ draw: { dtype: 'f32', shape: [35], of: [1, 2, 3] } }));
    expect(a.slice(0, 3)).toEqual([10, 20, 30]);
    expect(a.map((x) => Number(x) / 10)).toEqual(b);
    expect(new Set(a.slice(3))).toEqual(new Set([10, 20, 30]));
    expect(values(make({ draw: { dtype: 's32', shape: [35], of: [10, 20, 30], seed: 1 } }))).not.toEqual(a);
  });

  it('refuses more values than there are elements', () => {
    expect(() => make({ draw: { dtype: 'u8', shape: [1], of: [1, 2] } })).toThrow(/2 values for shape \[1\]/);
  });
});

describe('the other forms', () => {
  it('fill, values and bits', () => {
    expect(values(make({ fill: { dtype: 'f16', shape: [2], value: 'inf' } }))).toEqual([Infinity, Infinity]);
    expect(values(make({ values: { dtype: 'f32', shape: [3], of: [1.5, 'nan', '-0'] } }))).toEqual([
      1.5,
      Number.NaN,
      -0,
    ]);
    expect(bitsAt(make({ bits: { dtype: 'f32', shape: [1], of: ['0x7fa00001'] } }), 0)).toBe(0x7fa00001);
    expect(values(make({ bits: { dtype: 'c64', shape: [], of: ['3f800000,40000000'] } }))).toEqual([{ re: 1, im: 2 }]);
  });

  it('describes errors', () => {
    expect(() => make({ values: { dtype: 'f32', shape: [3], of: [1] } })).toThrow(/shape \[3\] has 3 elements, but 1/);
    expect(() => make({ bits: { dtype: 'u8', shape: [1], of: ['0x100'] } })).toThrow(/more than u8's 8 bits/);
    expect(() => make({ bits: { dtype: 'u8', shape: [1], of: ['xyz'] } })).toThrow(/not hexadecimal/);
    expect(() => make({ oracle: { op: 'frobnicate', of: [] } })).toThrow(/unknown oracle "frobnicate"/);
    expect(() => make({ table: { name: 'unary/nope', column: 'x' } })).toThrow(/no table/);
    expect(() => make({ fill: { dtype: 'f33', shape: [1], value: 1 } })).toThrow(/did you mean/);
  });

  it('special patterns: all of the narrow types, signalling NaNs and limits of the wide ones', () => {
    for (const type of DTYPES) {
      const a = make({ special: { dtype: type.name } });
      const bits = new Set(Array.from({ length: elementCount(a.shape) }, (_, i) => String(bitsAt(a, i))));
      if (!type.component) expect(bits.size).toBe(a.shape[0]);
      if (type.kind !== 'pred' && type.bits <= 8) expect(bits.size).toBe(2 ** type.bits);
    }
    const f32 = make({ special: { dtype: 'f32' } });
    const bits = Array.from({ length: f32.shape[0]! }, (_, i) => bitsAt(f32, i));
    expect(bits).toEqual(
      expect.arrayContaining([
        0, 0x80000000, 1, 0x7fffff, 0x800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0xffffffff,
      ]),
    );
  });

  it('an oracle gets its operands through the resolver', () => {
    const x = fromValues(dtype('f32'), [2], [1, 2]);
    const sum = generate({ oracle: { op: 'add', of: ['$x', '$x'] } }, () => x);
    expect(values(sum)).toEqual([2, 4]);
  });
});
