import { describe, expect, it } from 'vitest';
import { bitsAt, elementCount, fromValues, type HostArray } from './array.ts';
import { decode } from './codec.ts';
import type { Data } from './data.ts';
import { DTYPES, dtype } from './dtypes.ts';
import { exactIntegers, generate } from './generate.ts';

const none = (ref: string): HostArray => {
  throw new Error(`nothing is bound to ${ref}`);
};
const make = (data: Exclude<Data, string>): HostArray => generate(data, none);
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
