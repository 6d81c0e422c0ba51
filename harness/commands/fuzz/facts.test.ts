import { expect, test } from 'vitest';
import { decode, encode } from '../../knowledge/numerics/codec.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { known } from './analyse.ts';
import { type Fact, type FloatFact, factOf, holds, result, union, wrapped } from './facts.ts';
import { Invalid, type Node } from './ir.ts';
import { Random } from './random.ts';
import type { Known } from './rule.ts';

const value = (name: string, ...of: number[]): Known => ({
  type: { dtype: name, shape: [of.length] },
  fact: factOf(
    name,
    of.map((x) => encode(dtype(name), x)),
  ),
});

const node = (op: string, operands: number[]): Node => ({ op, operands, attributes: {} });
const factIn = (op: string, ...operands: Known[]): Fact =>
  known(node(op, [...operands.keys()]), operands, 'standard').fact;

test('facts follow from values', () => {
  expect(value('f32', -1.5, 4).fact).toEqual({ kind: 'float', lo: -1.5, hi: 4, magnitude: 4, grid: -1, error: 0 });
  expect(value('f32', 0).fact).toMatchObject({ lo: 0, hi: 0, magnitude: 1, grid: 0 });
  expect(value('s8', -3, 7).fact).toEqual({ kind: 'integer', lo: -3n, hi: 7n });
});

test('integers wrap to every value of the type', () => {
  expect(wrapped('s8', 0n, 127n)).toEqual({ kind: 'integer', lo: 0n, hi: 127n });
  expect(wrapped('s8', 0n, 128n)).toEqual({ kind: 'integer', lo: -128n, hi: 127n });
});

test('a sum that needs more bits than the type has is rounded from there on', () => {
  expect(result('bf16', { lo: 0, hi: 256, magnitude: 256, grid: 0, error: 0 }).error).toBe(0);
  expect(result('bf16', { lo: 0, hi: 257, magnitude: 257, grid: 0, error: 0 }).error).toBeGreaterThanOrEqual(2);
  expect(() => result('f16', { lo: 0, hi: 2 ** 14, magnitude: 2 ** 14, grid: 0, error: 0 })).toThrow(Invalid);
});

test('what StableHLO leaves open is not generated', () => {
  const [some, negative] = [value('s32', 1, 5), value('s32', -1)];
  const lowest = value('s32', -(2 ** 31));
  expect(() => factIn('divide', some, value('s32', 0, 1))).toThrow(Invalid);
  expect(() => factIn('divide', lowest, negative)).toThrow(Invalid);
  expect(() => factIn('remainder', value('s32', 1), value('s32', 0))).toThrow(Invalid);
  expect(() => factIn('shift_left', value('s32', 1), value('s32', 32))).toThrow(Invalid);
  expect(() => factIn('abs', lowest)).toThrow(Invalid);
  expect(() => factIn('floor', { ...value('f32', 1), fact: rounded })).toThrow(Invalid);
  const convert = { ...node('convert', [0]), attributes: { to: 's8' } };
  expect(() => known(convert, [value('f32', 128)], 'standard')).toThrow(Invalid);
});

const rounded: FloatFact = { kind: 'float', lo: 0, hi: 2, magnitude: 2, grid: 0, error: 2 ** -12 };

const EXACT: Readonly<Record<string, (x: number, y: number) => number>> = {
  add: (x, y) => x + y,
  subtract: (x, y) => x - y,
  multiply: (x, y) => x * y,
  maximum: Math.max,
  minimum: Math.min,
  remainder: (x, y) => x % y,
};

test.each(Object.entries(EXACT))(
  '%s: what is called exact is a number of the type, and within what is known',
  (op, f) => {
    const random = new Random(op);
    let exact = 0;
    for (let i = 0; i < 400; i++) {
      const name = random.pick(['f16', 'bf16', 'f32']);
      const list = (): number[] => {
        const step = 2 ** random.between(-6, 2);
        const range = 2 ** random.between(0, 7);
        return Array.from({ length: 4 }, () => step * random.between(-range, range)).map((x) =>
          op === 'remainder' && x === 0 ? step : x,
        );
      };
      const [xs, ys] = [list(), list()];
      const [a, b] = [fitting(name, xs), fitting(name, ys)];
      if (!a || !b) continue;
      let fact: Fact;
      try {
        fact = factIn(op, a, b);
      } catch (error) {
        expect(error).toBeInstanceOf(Invalid);
        continue;
      }
      expect(fact.kind).toBe('float');
      for (const x of xs) {
        for (const y of ys) {
          const z = f(x, y);
          const bits = encode(dtype(name), z);
          expect(holds(fact, dtype(name), bits), `${op} ${name} ${x} ${y}`).toBe(true);
          const { error } = fact as FloatFact;
          expect(Math.abs(Number(decode(dtype(name), bits)) - z)).toBeLessThanOrEqual(error);
          if (error === 0) exact++;
        }
      }
    }
    expect(exact).toBeGreaterThan(500);
  },
);

function fitting(name: string, values: readonly number[]): Known | undefined {
  return values.every((x) => decode(dtype(name), encode(dtype(name), x)) === x) ? value(name, ...values) : undefined;
}

const ROUNDED: Readonly<Record<string, (x: number) => number>> = {
  exponential: Math.exp,
  tanh: Math.tanh,
  sine: Math.sin,
  logistic: (x) => 1 / (1 + Math.exp(-x)),
  log: Math.log,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
};

test.each(Object.entries(ROUNDED))('%s: an error in the operand and one of rounding stay within the bound', (op, f) => {
  for (let x = 1.5; x <= 4; x += 0.125) {
    const error = 2 ** -12;
    const fact: FloatFact = { kind: 'float', lo: x - error, hi: x + error, magnitude: x, grid: 0, error };
    const known = factIn(op, { type: { dtype: 'f32', shape: [] }, fact });
    for (const end of [-error, 0, error]) {
      const z = f(x + end);
      expect(Math.abs(z - f(x))).toBeLessThan((known as FloatFact).error);
      expect(holds(known, dtype('f32'), encode(dtype('f32'), z))).toBe(true);
    }
  }
});

test('a union is as uncertain as its most uncertain part', () => {
  expect(union(rounded, value('f32', -8).fact)).toMatchObject({ lo: -8, hi: 2, magnitude: 8, error: 2 ** -12 });
});
