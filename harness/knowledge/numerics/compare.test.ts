import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBits, fromValues, type HostArray } from './array.ts';
import { type Bits, decode, encode } from './codec.ts';
import { compareArrays, judgeElements, type MismatchKind, type Policy } from './compare.ts';
import { describe as words } from './describe.ts';
import { DTYPES, type DType, dtype } from './dtypes.ts';

const row = (type: DType, bits: readonly Bits[]): HostArray => fromBits(type, [bits.length], bits);
const one = (name: string, bits: Bits): HostArray => row(dtype(name), [bits]);
const source = 'test';

/** An independent implementation: values are ranked, and distance is the difference of ranks. */
function naive(type: DType): (e: number, a: number, policy: Policy) => [MismatchKind | undefined, number] {
  const all = Array.from({ length: 2 ** type.bits }, (_, b) => decode(type, b) as number);
  const points = [...new Set(all.filter((v) => !Number.isNaN(v)).map((v) => (v === 0 ? 0 : v)))].sort((x, y) => x - y);
  const order = new Map(points.map((v, i) => [v, i]));
  const rank = Float64Array.from(all, (v) => order.get(v === 0 ? 0 : v) ?? Number.NaN);
  const smallest = type.float!.subnormals ? (decode(type, 2 ** type.float!.mantissa) as number) : 0;
  const far = Number.POSITIVE_INFINITY;
  return (e, a, policy) => {
    if (e === a) return [undefined, 0];
    const [x, y] = [all[e]!, all[a]!];
    if (Number.isNaN(x) && Number.isNaN(y)) return policy.nan === 'bits' ? ['nan-bits', far] : [undefined, 0];
    if (Number.isNaN(y)) return ['unexpected-nan', far];
    if (Number.isNaN(x)) return ['missing-nan', far];
    if (x === 0 && y === 0) return policy.zero === 'signed' ? ['sign-of-zero', 0] : [undefined, 0];
    if (!Number.isFinite(x) || !Number.isFinite(y)) return ['inf', far];
    const distance = Math.abs(rank[e]! - rank[a]!);
    const tiny = x !== 0 && Math.abs(x) < smallest;
    const flushes = policy.subnormal === 'maybe' || policy.subnormal === 'flush';
    // Flushed before rounding: some value within the bound is smaller than the smallest normal.
    const lowest = points[Math.max(0, order.get(Math.abs(x))! - (policy.ulp ?? 0))]!;
    if (flushes && y === 0 && lowest < smallest) return [undefined, 0];
    if (tiny && policy.subnormal === 'maybe' && y === Math.sign(x) * smallest) return [undefined, 0];
    const passes = distance <= (policy.ulp ?? 0) || Math.abs(x - y) <= (policy.atol ?? -1);
    if (!passes && x * y !== 0 && Math.sign(x) !== Math.sign(y)) return ['sign', far];
    return [passes ? undefined : tiny && y === 0 ? 'flushed' : 'value', distance];
  };
}

const POLICIES: Policy[] = [
  { ulp: 0, nan: 'bits', zero: 'signed' },
  { ulp: 1, subnormal: 'maybe', source },
  { ulp: 2, atol: 0.3, zero: 'signed', subnormal: 'flush', source },
];

function agree(type: DType, expected: readonly number[], actual: readonly number[], second = naive(type)): void {
  for (const policy of POLICIES) {
    judgeElements(row(type, expected), row(type, actual), policy, {}, (i, kind, ulp) => {
      const [want, distance] = second(expected[i]!, actual[i]!, policy);
      if (kind !== want || ulp !== distance) {
        expect.fail(
          `${type.name} ${expected[i]} vs ${actual[i]} ${JSON.stringify(policy)}: ${kind} ${ulp}, naive ${want} ${distance}`,
        );
      }
    });
  }
}

/** Millions of pairs: a second or two of one core, of which a busy machine gives only a part. */
const EXHAUSTIVE = { timeout: 180_000 };

describe('agrees with an independent implementation', () => {
  it('for every pair of patterns of every float type of at most 8 bits', EXHAUSTIVE, () => {
    for (const type of DTYPES.filter((t) => t.kind === 'float' && t.bits <= 8)) {
      const n = 2 ** type.bits;
      const pairs = Array.from({ length: n * n }, (_, i) => [Math.floor(i / n), i % n] as const);
      agree(
        type,
        pairs.map(([e]) => e),
        pairs.map(([, a]) => a),
      );
    }
  });

  it('for every pattern of f16 and bf16, with itself, its neighbours and distant patterns', EXHAUSTIVE, () => {
    for (const name of ['f16', 'bf16']) {
      const all = Array.from({ length: 65536 }, (_, b) => b);
      const second = naive(dtype(name));
      for (const step of [0, 1, 3, 0x8000, 40503]) {
        agree(
          dtype(name),
          all,
          all.map((b) => (b + step) % 65536),
          second,
        );
      }
    }
  });
});

const finiteBits = (type: DType): fc.Arbitrary<bigint> =>
  fc
    .tuple(fc.bigInt({ min: 0n, max: type.float!.maxFinite }), fc.boolean())
    .map(([m, negative]) => (negative ? m | (1n << BigInt(type.bits - 1)) : m));
const settle = (type: DType, bits: bigint): Bits => (type.bits <= 32 ? Number(bits) : bits);
const key = (type: DType, bits: bigint): bigint => {
  const top = 1n << BigInt(type.bits - 1);
  return bits >= top ? -(bits - top) : bits;
};

describe('properties', () => {
  for (const name of ['bf16', 'f32', 'f64']) {
    const type = dtype(name);
    const pair = fc.tuple(finiteBits(type), finiteBits(type));
    const check = (e: bigint, a: bigint, policy: Policy) =>
      compareArrays(one(name, settle(type, e)), one(name, settle(type, a)), policy);

    it(`${name}: distance is symmetric and agrees with big integers`, () => {
      fc.assert(
        fc.property(pair, ([e, a]) => {
          const there = check(e, a, { ulp: 0 });
          expect(there.maxUlp).toBe(check(a, e, { ulp: 0 }).maxUlp);
          const [x, y] = [key(type, e), key(type, a)];
          const exact = x - y;
          const apart = x * y < 0n;
          expect(there.maxUlp).toBe(apart ? 0 : Number(exact < 0n ? -exact : exact));
          expect(there.without.sign).toBe(apart ? 1 : 0);
          expect(there.ok).toBe(exact === 0n);
        }),
      );
    });

    it(`${name}: n steps pass with n ULP and fail with n - 1, also across zero and word boundaries`, () => {
      const start = fc.oneof(finiteBits(type), fc.constantFrom(0n, 1n, 0xffffffffn % (type.float!.maxFinite - 99n)));
      fc.assert(
        fc.property(start, fc.integer({ min: 1, max: 64 }), (e, n) => {
          const top = 1n << BigInt(type.bits - 1);
          const k = key(type, e) - BigInt(n);
          const a = k < 0n ? top - k : k;
          if (a - (k < 0n ? top : 0n) > type.float!.maxFinite) return;
          expect(check(e, a, { ulp: n, source }).ok).toBe(true);
          const apart = key(type, e) * k < 0n;
          expect(check(e, a, { ulp: n - 1, source })).toMatchObject(
            apart ? { ok: false, kind: 'sign' } : { ok: false, ulp: n },
          );
        }),
      );
    });

    it(`${name}: a larger tolerance never fails what a smaller one passes`, () => {
      fc.assert(
        fc.property(pair, fc.nat(1000), fc.double({ min: 0, max: 1e3, noNaN: true }), ([e, a], ulp, atol) => {
          const near = check(e, a, { ulp, atol, source }).ok;
          const wide = check(e, a, { ulp: ulp * 2 + 1, atol: atol * 2, source }).ok;
          expect(near && !wide).toBe(false);
        }),
      );
    });
  }

  it('atol in f64 does not round the difference', () => {
    const [e, a] = [1, -(2 ** -60)];
    const pass = (atol: number): boolean =>
      compareArrays(fromValues(dtype('f64'), [1], [e]), fromValues(dtype('f64'), [1], [a]), { atol, source }).ok;
    expect(e - a).toBe(1);
    expect(pass(1)).toBe(false);
    expect(pass(1 + 2 ** -52)).toBe(true);
  });
});

describe('policies', () => {
  const verdict = (name: string, e: Bits, a: Bits, policy: Policy | 'bits' = 'bits'): string =>
    compareArrays(one(name, e), one(name, a), policy).kind ?? 'ok';

  it('NaN: signalling bits are compared, payloads only on request', () => {
    expect(verdict('f32', 0x7fa00001, 0x7fa00001)).toBe('ok');
    expect(verdict('f32', 0x7fa00001, 0x7fe00001)).toBe('nan-bits');
    expect(verdict('f64', 0x7ff4000000000001n, 0x7ffc000000000001n)).toBe('nan-bits');
    expect(verdict('f32', 0x7fa00001, 0xffc00000, {})).toBe('ok');
    expect(verdict('f32', 0x7fc00000, 0xffc00000, { nan: 'canonical' })).toBe('ok');
    expect(verdict('f32', 0x7fc00000, 0x7fc00001, { nan: 'canonical' })).toBe('nan-bits');
    expect(verdict('f32', 0, 0x7fc00000, { atol: 1e30, source })).toBe('unexpected-nan');
    expect(verdict('f32', 0x7fc00000, 0, { atol: 1e30, source })).toBe('missing-nan');
  });

  it('infinity is never adjacent to a finite value', () => {
    expect(verdict('f32', 0x7f7fffff, 0x7f800000, { ulp: 4, source })).toBe('inf');
    expect(verdict('f32', 0x7f7fffff, 0x7f800000, { ulp: 1, overflow: 'within-ulp', source })).toBe('ok');
    expect(verdict('f32', 0x7f7ffffe, 0x7f800000, { ulp: 1, overflow: 'within-ulp', source })).toBe('inf');
    expect(verdict('f32', 0x7f800000, 0x7f7fffff, { ulp: 4, overflow: 'within-ulp', source })).toBe('inf');
    expect(verdict('f32', 0x7f800000, 0xff800000, { atol: 1, source })).toBe('inf');
  });

  it('zero and subnormals', () => {
    expect(verdict('f32', 0, 0x80000000)).toBe('sign-of-zero');
    expect(verdict('f32', 0, 0x80000000, {})).toBe('ok');
    expect(verdict('f64', 0n, 1n << 63n, { zero: 'signed' })).toBe('sign-of-zero');
    expect(verdict('f32', 5, 0)).toBe('flushed');
    expect(verdict('f32', 5, 0x80000000, { subnormal: 'maybe' })).toBe('ok');
    expect(verdict('f32', 5, 0x00800000, { subnormal: 'maybe' })).toBe('ok');
    expect(verdict('f32', 5, 0x80800000, { subnormal: 'maybe' })).toBe('sign');
    expect(verdict('f32', 5, 0x00800000, { subnormal: 'flush' })).toBe('value');
    expect(verdict('f64', 1n << 40n, 0n, { subnormal: 'maybe' })).toBe('ok');
    expect(verdict('f32', 0x00800000, 0, { subnormal: 'maybe' })).toBe('value');
    expect(verdict('f32', 0x00800000, 0, { subnormal: 'maybe', ulp: 1, source })).toBe('ok');
    expect(verdict('f32', 0x80800001, 0, { subnormal: 'flush', ulp: 2, source })).toBe('ok');
    expect(verdict('f32', 0x00800001, 0, { subnormal: 'maybe', ulp: 1, source })).toBe('value');
    expect(verdict('f32', 0x00800000, 0, { ulp: 1, source })).toBe('value');
  });

  it('only a flushed operand allows the alternatives', () => {
    const [e, a] = [one('f32', 0x3f800000), one('f32', 0x40000000)];
    const flushed = [a];
    const kind = (input: number, policy: Policy): unknown =>
      compareArrays(e, a, policy, { inputs: [one('f32', input)], flushed }).kind;
    expect(kind(1, { subnormal: 'maybe' })).toBeUndefined();
    expect(kind(0x3f800000, { subnormal: 'maybe' })).toBe('value');
    expect(kind(1, {})).toBe('value');
  });

  it('poison is reported even if it is within the tolerance', () => {
    const poison = 0xa5;
    const kind = (name: string, e: Bits, a: Bits, policy: Policy | 'bits'): unknown =>
      compareArrays(one(name, e), one(name, a), policy, { poison }).kind;
    expect(kind('f32', 0, 0xa5a5a5a5, { atol: 1e-4, source })).toBe('unwritten');
    expect(kind('f32', 0xa5a5a5a5, 0xa5a5a5a5, 'bits')).toBeUndefined();
    expect(kind('u8', 1, 0xa5, 'bits')).toBe('unwritten');
    expect(kind('s64', 1n, 0xa5a5a5a5a5a5a5a5n, 'bits')).toBe('unwritten');
    expect(kind('bf16', 0xa5a4, 0xa5a5, { ulp: 1, source })).toBeUndefined();
  });

  it('a range applies whatever the tolerance', () => {
    const policy: Policy = { ulp: 4, range: [-1, 1], source };
    expect(verdict('f32', 0x3f800000, 0x3f800001, policy)).toBe('range');
    expect(verdict('f32', 0x3f800000, 0x3f7fffff, policy)).toBe('ok');
  });

  it('integers, pred and sub-byte types are compared bit by bit under any policy', () => {
    expect(verdict('s32', 1, 2, { ulp: 5, atol: 5, source })).toBe('value');
    expect(verdict('pred', 1, 255)).toBe('value');
    expect(compareArrays(one('s4', 0xf), one('s4', 0xff)).ok).toBe(true);
    expect(compareArrays(one('s64', 1n), one('s64', (1n << 64n) - 1n))).toMatchObject({ ulp: 2, abs: 2 });
    expect(compareArrays(one('s64', 1n << 62n), one('s64', (1n << 62n) - 62n))).toMatchObject({ ulp: 62, abs: 62 });
    expect(compareArrays(one('u64', 1n << 63n), one('u64', (1n << 63n) + 62n))).toMatchObject({ ulp: 62, abs: 62 });
    expect(compareArrays(one('u64', (1n << 64n) - 1n), one('u64', (1n << 64n) - 2n))).toMatchObject({
      ok: false,
      ulp: 1,
    });
  });

  it('complex numbers are compared part by part', () => {
    const c = (text: string): HostArray => one('c64', encode(dtype('c64'), text));
    expect(compareArrays(c('1+2i'), c('1+2i')).ok).toBe(true);
    expect(compareArrays(c('1+2i'), c('2+1i'))).toMatchObject({ ok: false, countMismatch: 1, total: 1 });
    expect(compareArrays(c('(0, nan)'), c('(0, 1)'))).toMatchObject({ kind: 'missing-nan' });
    expect(compareArrays(c('(-0, 1)'), c('(0, 1)'))).toMatchObject({ kind: 'sign-of-zero' });
  });

  it('bounds may be given by element', () => {
    const [e, a] = [fromValues(dtype('f32'), [2], [1, 1]), fromValues(dtype('f32'), [2], [1.5, 1.5])];
    expect(compareArrays(e, a, { source }, { bounds: { atol: [0.5, 0.4] } })).toMatchObject({
      countMismatch: 1,
      index: 1,
    });
  });

  it('mismatches without a distance are counted separately', () => {
    const f = (values: (number | string)[]): HostArray => fromValues(dtype('f32'), [values.length], values);
    const wrong = compareArrays(f([1, 'nan', 1, 'inf', 2, 1, '-0']), f([1, 0, 'nan', 1, -2, -1e-40, 0]), {
      zero: 'signed',
    });
    expect(wrong).toMatchObject({ countMismatch: 6, maxUlp: 0, maxUlpIndex: 0 });
    expect(wrong.without).toEqual({ nan: 2, infinity: 1, sign: 3 });
    expect(wrong.histogram).toMatchObject({ '0': 1, sign: 3, 'nan/inf': 3 });
    expect(words(wrong).split('\n')[0]).toBe(
      '6 of 7 elements differ (86 %); 2 with NaN, 1 with infinity, 3 with the wrong sign; otherwise max 0 ULP at [0]; allowed 0 ULP',
    );
  });

  it('where bits are compared, the first mismatches are kept, not those farthest apart', () => {
    const rising = Array.from({ length: 20 }, (_, i) => i);
    const f = (values: number[]): HostArray => fromValues(dtype('f32'), [values.length], values);
    const wrong = compareArrays(f(rising), f(rising.map((value) => value + 1)));
    expect(wrong.worst.map(({ index }) => index)).toEqual(rising.slice(0, 10));
    expect(words(wrong).split('\n')[0]).toBe(
      '20 of 20 elements differ (100 %); the first at [0]; allowed the same bits',
    );
  });

  it('elements that pass only by the absolute bound do not count for the largest distance', () => {
    const f = (values: number[]): HostArray => fromValues(dtype('f32'), [values.length], values);
    const near = compareArrays(f([1e-9, 1e-9, 1]), f([-1e-9, 3e-9, 1 + 2 ** -23]), { ulp: 2, atol: 1e-6, source });
    expect(near).toMatchObject({ ok: true, maxUlp: 1, maxUlpIndex: 2, countAbsolute: 2 });
    expect(near.histogram).toMatchObject({ '1': 1, abs: 2 });
  });

  it('types and shapes are compared first', () => {
    const f = fromValues(dtype('f32'), [2], [1, 2]);
    expect(words(compareArrays(f, fromValues(dtype('f64'), [2], [1, 2])))).toBe('expected dtype f32, got f64');
    expect(words(compareArrays(f, { ...f, shape: [1, 2] }))).toBe('expected shape [2], got [1,2]');
    expect(words(compareArrays(f, { ...f, bytes: new Uint8Array(7) }))).toBe('expected 8 bytes, got 7');
    expect(compareArrays(f, { ...f, shape: [1, 2] })).toMatchObject({ ok: false, countMismatch: 0 });
  });

  it('unaligned memory is read correctly', () => {
    const f = fromValues(dtype('f64'), [2], [1, 2]);
    const bytes = new Uint8Array(17);
    bytes.set(f.bytes, 1);
    expect(compareArrays(f, { ...f, bytes: bytes.subarray(1) }).ok).toBe(true);
  });

  it('an empty comparison passes and is recorded as such', () => {
    const empty = fromBits(dtype('f32'), [0, 3], []);
    expect(words(compareArrays(empty, empty))).toBe('0 elements agree; no distances; allowed the same bits');
  });
});

describe('failure text', () => {
  it('shows the worst elements with value, bits, distance and input', () => {
    const type = dtype('f32');
    const n = 400;
    const x = fromValues(
      type,
      [20, 20],
      Array.from({ length: n }, () => 0.785398),
    );
    const e = fromBits(
      type,
      [20, 20],
      Array.from({ length: n }, () => 0x3f3504f3),
    );
    const wrong = new Map([
      [67, 17],
      [68, 1],
      [70, 5],
      [80, 0x7fc00000 - 0x3f3504f3],
    ]);
    const a = fromBits(
      type,
      [20, 20],
      Array.from({ length: n }, (_, i) => 0x3f3504f3 + (wrong.get(i) ?? 0)),
    );
    const comparison = compareArrays(e, a, { ulp: 4, source: 'OpenCL C accuracy table, sin' }, { inputs: [x] });
    expect(comparison).toMatchObject({
      ok: false,
      index: 67,
      ulp: 17,
      countMismatch: 3,
      total: 400,
      maxUlp: 17,
      maxUlpIndex: 67,
    });
    expect(words(comparison)).toMatchInlineSnapshot(`
      "3 of 400 elements differ (0.75 %); 1 with NaN; otherwise max 17 ULP at [3,7]; allowed 4 ULP (source: OpenCL C accuracy table, sin)
        index   expected                actual                  ulp  abs     kind            input
        [4,0]   0.70710677  0x3f3504f3  nan         0x7fc00000  -    -       unexpected-nan  0.785398  0x3f490fd8
        [3,7]   0.70710677  0x3f3504f3  0.7071078   0x3f350504  17   1.0e-6  value           0.785398  0x3f490fd8
        [3,10]  0.70710677  0x3f3504f3  0.70710707  0x3f3504f8  5    3.0e-7  value           0.785398  0x3f490fd8
        where: all that differ lie in columns 0..10, rows 3..4
        ulp histogram: 0:396  1:1  5-16:1  17+:1  nan/inf:1"
    `);
    expect(words(compareArrays(e, e, 'bits'))).toMatchInlineSnapshot(
      `"400 elements agree; max 0 ULP at [0,0]; allowed the same bits"`,
    );
  });
});

describe('the words for a mismatch', () => {
  const said = (type: string, expected: number, actual: number, policy: Policy = { source: '' }): string => {
    const [from, to] = [expected, actual].map((value) => fromValues(dtype(type), [1], [value]));
    return words(compareArrays(from!, to!, policy)).split('\n')[0]!;
  };

  it('speak of ULP only where one value is near another', () => {
    expect(said('s32', 5, 4)).toBe(
      '1 of 1 elements differ (100 %); the largest difference is -1 at [0]; allowed no difference',
    );
    expect(said('pred', 1, 0)).toBe('1 of 1 elements differ (100 %); the first at [0]; allowed no difference');
    expect(said('f32', 1, 1.5, { ulp: 2, source: '' })).toContain('max 4.2e+6 ULP at [0]; allowed 2 ULP');
    expect(said('f32', 1, -1)).toContain('1 with the wrong sign');
  });
});
