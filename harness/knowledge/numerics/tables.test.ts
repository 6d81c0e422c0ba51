import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { alloc, elementCount, fromValues, type HostArray, reader, writer } from './array.ts';
import { decode, encode } from './codec.ts';
import { compareArrays } from './compare.ts';
import { describe as words } from './describe.ts';
import { dtype } from './dtypes.ts';
import { loadTable, tableColumn } from './tables.ts';

/** f64 functions of JavaScript: within a few ULP, not correctly rounded, but enough to detect a wrong table. */
const UNARY: Record<string, (x: number) => number> = {
  sine: Math.sin,
  cosine: Math.cos,
  tan: Math.tan,
  exponential: Math.exp,
  exponential_minus_one: Math.expm1,
  log: Math.log,
  log_plus_one: Math.log1p,
  logistic: (x) => 1 / (1 + Math.exp(-x)),
  tanh: Math.tanh,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  cbrt: Math.cbrt,
  abs: Math.abs,
  negate: (x) => -x,
  floor: Math.floor,
  ceil: Math.ceil,
  round_nearest_even: (x) => {
    const r = Math.round(x);
    return r - x === 0.5 && r % 2 !== 0 ? r - 1 : x < 0 && r === 0 ? -0 : r;
  },
  round_nearest_afz: (x) => Math.sign(x) * (Math.abs(x) % 1 === 0.5 ? Math.ceil(Math.abs(x)) : Math.round(Math.abs(x))),
  sign: Math.sign,
};
const BINARY: Record<string, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  maximum: Math.max,
  minimum: Math.min,
  power: Math.pow,
  atan2: Math.atan2,
  remainder: (a, b) => a % b,
};
const EXACT = new Set([
  'abs',
  'negate',
  'floor',
  'ceil',
  'round_nearest_even',
  'round_nearest_afz',
  'sign',
  'sqrt',
  'maximum',
  'minimum',
  'remainder',
  'add',
  'subtract',
  'multiply',
  'divide',
]);

const apply = (f: (...xs: number[]) => number, args: HostArray[]): HostArray => {
  const out = alloc(args[0]!.dtype, args[0]!.shape);
  const write = writer(out);
  const reads = args.map(reader);
  for (let i = 0; i < elementCount(out.shape); i++) {
    const y = f(...reads.map((read) => decode(out.dtype, read(i)) as number));
    write(i, encode(out.dtype, y));
  }
  return out;
};

describe('committed tables', () => {
  for (const type of ['f16', 'bf16', 'f32', 'f64']) {
    it(`agree with an independent library: ${type}`, () => {
      for (const [kind, ops] of [
        ['unary', UNARY],
        ['binary', BINARY],
      ] as const) {
        for (const [op, f] of Object.entries(ops)) {
          const name = `${kind}/${op}_${type}`;
          const columns = Object.keys(loadTable(name).columns);
          expect(columns).toEqual(kind === 'unary' ? ['x', 'y'] : ['a', 'b', 'y']);
          const args = columns.slice(0, -1).map((c) => tableColumn(name, c));
          // A basic operation in f64 rounded again to at most f32 is still correctly rounded (53 ≥ 2·24 + 2).
          const ulp = EXACT.has(op) ? 0 : type === 'f64' ? 4 : 1;
          const zero = EXACT.has(op) ? 'signed' : 'unsigned';
          const got = apply(f as (...xs: number[]) => number, args);
          const comparison = compareArrays(
            tableColumn(name, 'y'),
            got,
            { ulp, zero, source: 'test' },
            { inputs: args },
          );
          expect(comparison.ok, `${name}: ${words(comparison)}`).toBe(true);
        }
      }
    });
  }

  it('the first example: f(3) = -(2 sin 3) + 3 and its derivative', () => {
    for (const [type, value, slope] of [
      ['f64', 2.7177599838802657, 2.979984993200891],
      ['f32', 2.71776, 2.979985],
    ] as const) {
      const table = `composed/sine_residual_${type}`;
      const first = (column: string): unknown => reader(tableColumn(table, column))(0);
      expect(first('x')).toBe(encode(dtype(type), 3));
      expect(first('y')).toBe(encode(dtype(type), value));
      expect(first('dy')).toBe(encode(dtype(type), slope));
    }
  });

  it('a bf16 rounded via f32 would be detected', () => {
    const x = fromValues(dtype('f64'), [1], [1 + 2 ** -8 + 2 ** -30]);
    expect(encode(dtype('bf16'), decode(x.dtype, reader(x)(0)) as number)).toBe(0x3f81);
  });

  it('every table in the manifest loads, with columns of the stated length or shape', () => {
    const manifest = JSON.parse(readFileSync(packagePath('fixtures', 'expected', 'manifest.json'), 'utf8'));
    for (const { name, columns, count } of manifest.tables) {
      for (const column of columns) {
        const { shape } = loadTable(name).columns[column]!;
        expect(tableColumn(name, column).shape).toEqual(shape ?? [count]);
      }
    }
  });

  it('unknown names get suggestions', () => {
    expect(() => tableColumn('unary/sine_f32', 'z')).toThrow(/has no column "z"; it has x, y/);
    expect(() => tableColumn('../package', 'x')).toThrow(/not a table name/);
  });
});
