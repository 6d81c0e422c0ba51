import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, exponentOf, pow2 } from './codec.ts';
import { DTYPES, dtype } from './dtypes.ts';
import { formatBits, formatDecimal } from './format-value.ts';

describe('dtypes', () => {
  it('names, numbers and sizes follow the C enum', () => {
    expect(DTYPES.map((t) => t.enumValue).toSorted((a, b) => a - b)).toEqual(
      [...Array(34).keys()].filter((n) => n !== 0 && n !== 23),
    );
    expect(dtype('f4e2m1fn')).toMatchObject({
      enumName: 'PJRT_Buffer_Type_F4E2M1FN',
      bits: 4,
      hostBytes: 1,
      since: 63,
    });
    expect(() => dtype('f31')).toThrow(/did you mean "f32"/);
    expect(() => dtype('float32')).toThrow(/there are pred, .*\bf32\b/);
  });
});

describe('encode', () => {
  it('rounds once, not through f32', () => {
    const x = 1 + 2 ** -8 + 2 ** -30;
    expect(encode(dtype('bf16'), x)).toBe(0x3f81);
    expect(encode(dtype('bf16'), Math.fround(x))).toBe(0x3f80);
    expect(encode(dtype('f32'), '1.00000005960464477539062500001')).toBe(0x3f800001);
    expect(encode(dtype('f32'), '1.000000059604644775390625')).toBe(0x3f800000);
    // An intermediate double would round this decimal down.
    expect(encode(dtype('f32'), Number('1.00000005960464477539062500001'))).toBe(0x3f800000);
  });

  it('every pattern of every narrow float survives decoding and encoding', () => {
    for (const type of DTYPES.filter((t) => t.kind === 'float' && t.bits <= 16)) {
      for (let bits = 0; bits < 2 ** type.bits; bits++) {
        const value = decode(type, bits) as number;
        if (Number.isNaN(value)) expect(decode(type, encode(type, value))).toBeNaN();
        else if (encode(type, value) !== bits) expect.fail(`${type.name} ${bits.toString(16)} → ${value}`);
      }
    }
  });

  it('known properties of the eight-bit formats', () => {
    const max = Object.fromEntries(
      DTYPES.filter((t) => t.kind === 'float').map((t) => [
        t.name,
        decode(t, t.bits > 32 ? t.float!.maxFinite : Number(t.float!.maxFinite)),
      ]),
    );
    expect(max).toMatchObject({
      f16: 65504,
      bf16: 3.3895313892515355e38,
      f32: 3.4028234663852886e38,
      f64: Number.MAX_VALUE,
      f8e5m2: 57344,
      f8e4m3fn: 448,
      f8e4m3b11fnuz: 30,
      f8e5m2fnuz: 57344,
      f8e4m3fnuz: 240,
      f8e4m3: 240,
      f8e3m4: 15.5,
      f8e8m0fnu: 2 ** 127,
      f4e2m1fn: 6,
      f6e2m3fn: 7.5,
      f6e3m2fn: 28,
    });
    expect(decode(dtype('f8e4m3fn'), 0x7f)).toBeNaN();
    expect(decode(dtype('f8e4m3fnuz'), 0x80)).toBeNaN();
    expect(decode(dtype('f8e4m3'), 0x78)).toBe(Number.POSITIVE_INFINITY);
    expect(decode(dtype('f8e8m0fnu'), 0)).toBe(2 ** -127);
    expect([...Array(8).keys()].map((b) => decode(dtype('f4e2m1fn'), b))).toEqual([0, 0.5, 1, 1.5, 2, 3, 4, 6]);
  });

  it('the number path and the decimal path agree, and both with a search for the nearest value', () => {
    for (const type of DTYPES.filter((t) => t.kind === 'float' && t.bits <= 16 && t.float!.subnormals)) {
      const limit = decode(type, Number(type.float!.maxFinite)) as number;
      const finite = Array.from({ length: 2 ** type.bits }, (_, b) => [decode(type, b) as number, b] as const)
        .filter(([v]) => Number.isFinite(v) && !Object.is(v, -0))
        .sort((a, b) => a[0] - b[0]);
      fc.assert(
        fc.property(fc.double({ min: -limit, max: limit, noNaN: true }), (x) => {
          if (Object.is(x, -0)) return;
          const bits = encode(type, x) as number;
          const text = x < 0 ? `-0x${hexFloat(-x)}` : `0x${hexFloat(x)}`;
          expect(encode(type, text)).toBe(bits);
          const got = decode(type, bits) as number;
          let at = finite.findIndex(([v]) => v >= x);
          if (at < 0) at = finite.length - 1;
          const near = [finite[at]!, finite[Math.max(at - 1, 0)]!];
          // Differences of neighbours are exact here unless x is far below the type's range.
          const best = Math.min(...near.map(([v]) => Math.abs(v - x)));
          expect(Math.abs(got - x)).toBe(best);
        }),
        { numRuns: 300 },
      );
    }
  });

  it('every midpoint of neighbours rounds to even, and anything slightly off it to the nearer one', () => {
    for (const type of DTYPES.filter((t) => t.kind === 'float' && t.bits <= 16 && t.float!.subnormals)) {
      for (let bits = 0; bits < Number(type.float!.maxFinite); bits++) {
        const low = decode(type, bits) as number;
        const high = decode(type, bits + 1) as number;
        const middle = low + (high - low) / 2;
        const got = [middle * (1 - 2 ** -50), middle, middle * (1 + 2 ** -50)].map((x) => encode(type, x));
        const want = [bits, bits + (bits % 2), bits + 1];
        if (String(got) !== String(want)) expect.fail(`${type.name} between ${low} and ${high}: ${got}, not ${want}`);
      }
    }
  });

  it('overflow is infinity if the type has it, else an error', () => {
    expect(encode(dtype('f16'), 65519.99)).toBe(0x7bff);
    expect(encode(dtype('f16'), 65520)).toBe(0x7c00);
    expect(encode(dtype('f16'), '-1e400')).toBe(0xfc00);
    expect(() => encode(dtype('f8e4m3fn'), 480)).toThrow(/no infinity/);
    expect(() => encode(dtype('s8'), 128)).toThrow(/range \[-128, 127\]/);
    expect(() => encode(dtype('s8'), 1.5)).toThrow(/not an integer/);
    expect(() => encode(dtype('f8e8m0fnu'), 3)).toThrow(/power of two/);
  });

  it('parses the values of suites', () => {
    expect(encode(dtype('f32'), '-0')).toBe(0x80000000);
    expect(encode(dtype('f8e4m3fnuz'), '-0')).toBe(0);
    expect(encode(dtype('f32'), 'nan')).toBe(0x7fc00000);
    expect(encode(dtype('bf16'), '-inf')).toBe(0xff80);
    expect(encode(dtype('s64'), '-9223372036854775808')).toBe(1n << 63n);
    expect(encode(dtype('u64'), '0xffffffffffffffff')).toBe((1n << 64n) - 1n);
    expect(encode(dtype('pred'), true)).toBe(1);
    expect(decode(dtype('c64'), encode(dtype('c64'), '1-2.5i'))).toEqual({ re: 1, im: -2.5 });
    expect(decode(dtype('c128'), encode(dtype('c128'), '-1e-3+1e+2i'))).toEqual({ re: -1e-3, im: 100 });
    expect(decode(dtype('c64'), encode(dtype('c64'), 'i'))).toEqual({ re: 0, im: 1 });
    expect(decode(dtype('c64'), encode(dtype('c64'), '(nan, -0)'))).toEqual({ re: Number.NaN, im: -0 });
  });
});

const hexFloat = (x: number): string => {
  if (x === 0) return '0';
  const e = exponentOf(x);
  const whole = BigInt(e >= -1022 ? (x / pow2(e)) * 2 ** 52 : x * 2 ** 537 * 2 ** 537);
  return e >= -1022 ? `${whole.toString(16)}p${e - 52}` : `${whole.toString(16)}p-1074`;
};

describe('pow2 and exponentOf', () => {
  it('agree with repeated doubling over the whole range of doubles', () => {
    let x = 2 ** -1074;
    for (let k = -1074; k <= 1023; k++, x *= 2) {
      expect(pow2(k)).toBe(x);
      expect(exponentOf(x)).toBe(k);
    }
  });
});

describe('formatDecimal and formatBits', () => {
  const shown = (...value: Parameters<typeof formatBits>) => `${formatDecimal(...value)} ${formatBits(...value)}`;

  it('prints the shortest decimal that reads back, and the bits', () => {
    expect(shown(dtype('f32'), 0x3f3504f3)).toBe('0.70710677 0x3f3504f3');
    expect(shown(dtype('f32'), 0x80000000)).toBe('-0 0x80000000');
    expect(shown(dtype('f32'), 0x7fa00001)).toBe('nan 0x7fa00001');
    expect(shown(dtype('bf16'), 0x3dcd)).toBe('0.1 0x3dcd');
    expect(shown(dtype('s4'), 0xf)).toBe('-1 0xf');
    expect(shown(dtype('c64'), encode(dtype('c64'), '1-2i'))).toBe('1-2i 0x3f800000,0xc0000000');
    expect(shown(dtype('u64'), (1n << 64n) - 1n)).toBe('18446744073709551615 0xffffffffffffffff');
  });
});
