import { expect, it } from 'vitest';
import type { NumericsProfile } from '../../host/wire/protocol.ts';
import { fromValues, type HostArray } from '../../knowledge/numerics/array.ts';
import { bound, type Profile, subnormalRule } from '../../knowledge/numerics/bounds.ts';
import type { Rules } from '../../knowledge/numerics/by-profile.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { loadTable, tableColumn } from '../../knowledge/numerics/tables.ts';
import type { Finding } from '../../model/finding.ts';
import type { NumericRecord } from '../../model/numeric-record.ts';
import type { CaseContext } from './context.ts';
import { judgeNumbers, type NumbersToJudge } from './judge-numbers.ts';
import { CheckFailure } from './outcome.ts';

const f32 = (...values: (number | string)[]): HostArray => fromValues(dtype('f32'), [values.length], values);

const tanh = (profile: Profile): Rules => {
  const { ulp, source } = bound('tanh', 'f32', profile);
  return { policy: { ulp, source }, options: {} };
};

/** Judges, and returns the level of the finding, its text, and the record. */
function judged(
  numericsProfile: NumericsProfile,
  numbers: Partial<NumbersToJudge>,
): { level?: 'thrown' | Finding['level']; message?: string; record?: NumericRecord | undefined } {
  const numerics: NumericRecord[] = [];
  const findings: Finding[] = [];
  const report = (finding: Finding): void => void findings.push(finding);
  const context = { numericsProfile, numerics, report, hostArrays: () => [] } as unknown as CaseContext;
  try {
    judgeNumbers(context, { what: 'y', expected: f32(1), actual: f32(1), rules: tanh, ...numbers });
    const [finding] = findings;
    return { ...(finding ? { level: finding.level, message: finding.message } : {}), record: numerics[0] };
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error;
    return { level: 'thrown', message: error.finding.message, record: numerics[0] };
  }
}

const off = (steps: number): HostArray => f32(1 + steps * 2 ** -23);
const DEFAULT: NumericsProfile = { profile: 'standard', chosen: false };

it('beyond the default profile only warns, with a hint, as long as a looser one allows it', () => {
  expect(judged(DEFAULT, { actual: off(8), warns: true })).toMatchObject({
    record: { meets: 'standard', mismatches: 0 },
  });
  const beyond = judged(DEFAULT, { actual: off(9), warns: true });
  expect(beyond).toMatchObject({ level: 'should', record: { meets: 'relaxed', mismatches: 1, maxUlp: 9 } });
  expect(beyond.message).toMatch(/allowed 8 ULP .*; the profile relaxed allows it: --numerics relaxed$/);
  const outside = judged(DEFAULT, { actual: off(17), warns: true });
  expect(outside).toMatchObject({ level: 'thrown', record: { meets: 'none' } });
  expect(outside.message).not.toContain('--numerics');
});

it('a profile that was chosen is a claim', () => {
  for (const [profile, most] of [
    ['strict', 5],
    ['standard', 8],
    ['relaxed', 16],
  ] as const) {
    expect(judged({ profile, chosen: true }, { actual: off(most), warns: true }).level).toBeUndefined();
    expect(judged({ profile, chosen: true }, { actual: off(most + 1), warns: true }).level).toBe('thrown');
  }
});

it('what may not warn fails in every profile', () => {
  expect(judged(DEFAULT, { actual: off(9) }).level).toBe('thrown');
});

it('the record counts what has no distance, and points at it', () => {
  const expected = f32('nan', 1, 'inf', 2, 5);
  const { record } = judged(DEFAULT, { expected, actual: f32(3, 1 + 2 ** -22, 4, -2, 5) });
  expect(record).toEqual({
    what: 'y',
    maxUlp: 2,
    allowedUlp: 8,
    index: 0,
    expectedBits: '0x7fc00000',
    actualBits: '0x40400000',
    elements: 5,
    mismatches: 3,
    nanMismatches: 1,
    infinityMismatches: 1,
    signMismatches: 1,
    meets: 'none',
    dtype: 'f32',
    exact: 1,
    expected: 'nan',
    actual: '3',
    byOrder: {
      of: 'result',
      orders: [
        [0, 0],
        [1, 1],
        [2, 2],
      ],
      negative: [-1, -1, -1],
      positive: [2, null, 0],
    },
  });
});

it('the record of an operation has its bounds, the operands of the worst element, and its place', () => {
  const matrix = (...values: number[]): HostArray => fromValues(dtype('f32'), [2, 2], values);
  const inputs = [matrix(0.5, 1, 2, 3)];
  const rules = { policy: { ulp: 4, source: 'test' }, options: { inputs } };
  const actual = matrix(1, 1, 1 + 2 ** -22, 1);
  const { record } = judged(DEFAULT, { op: 'exponential', expected: matrix(1, 1, 1, 1), actual, rules });
  expect(record).toMatchObject({
    op: 'exponential',
    exact: 3,
    index: 2,
    at: [1, 0],
    operands: [{ dtype: 'f32', bits: '0x40000000', value: '2' }],
    bounds: { strict: { ulp: 3 }, standard: { ulp: 3, growth: 2 }, relaxed: { ulp: 3355, growth: 2 } },
    byOrder: { of: 'operand', positive: [0, 0, 2] },
  });
});

it('a failure says where the arrays differ, by how much, and which other arrays there are', () => {
  const column = (wrong: number): HostArray =>
    fromValues(
      dtype('f32'),
      [3, 4],
      Array.from({ length: 12 }, (_, i) => (i % 4 === 3 ? i + wrong : i)),
    );
  const [expected, actual] = [column(0), column(0.5)];
  const bound: [string, HostArray][] = [
    ['x', f32(1, 2)],
    ['y', actual],
    ['z', expected],
    ['table', f32(...new Array<number>(65).fill(0))],
  ];
  const context = { numericsProfile: DEFAULT, numerics: [], hostArrays: () => bound } as unknown as CaseContext;
  const rules: Rules = { policy: 'bits', options: {} };
  try {
    judgeNumbers(context, { what: 'y', expected, actual, rules });
    expect.unreachable();
  } catch (error) {
    const { where, detail, numbers, message } = (error as CheckFailure).finding;
    expect(message).toBe('y: 3 of 12 elements differ (25 %); the first at [0,3]; allowed the same bits');
    expect(numbers).toMatchObject({ dtype: 'f32', elements: { wrong: [3, 7, 11] } });
    expect(numbers?.inputs).toEqual([
      { name: 'x', dtype: 'f32', shape: [2], bits: '3f800000 40000000' },
      { name: 'table', dtype: 'f32', shape: [65] },
    ]);
    expect(where).toMatchObject({ shape: [3, 4], mismatches: 3, grid: { cells: ['...#', '...#', '...#'] } });
    expect(detail).toContain('where: exactly these differ: column 3, all rows');
  }
});

it('of cases that run together, a failure shows the arrays of its own', () => {
  const [expected, actual] = [f32(1), f32(2)];
  const bound = Object.entries({ Member1_x: f32(1), Member12_x: f32(3), Member12_y: actual, f: f32(4) });
  const context = { numericsProfile: DEFAULT, numerics: [], hostArrays: () => bound } as unknown as CaseContext;
  try {
    judgeNumbers(context, { what: 'y', expected, actual, rules: { policy: 'bits', options: {} } });
    expect.unreachable();
  } catch (error) {
    expect((error as CheckFailure).finding.numbers?.inputs).toMatchObject([{ name: 'x', bits: '40400000' }]);
  }
});

it('where no profile decides, none is met', () => {
  const rules: Rules = { policy: { ulp: 1, source: 'test' }, options: {} };
  expect(judged(DEFAULT, { rules, actual: off(1) }).record).not.toHaveProperty('meets');
  expect(judged(DEFAULT, { rules: { policy: 'bits', options: {} } }).record).toBeUndefined();
});

it('nothing to compare is no deviation', () => {
  expect(judged(DEFAULT, { expected: f32(), actual: f32() }).record).toMatchObject({ elements: 0, expectedBits: '' });
});

/** Subnormals of an array as zeros of the same sign. */
function flushed(array: HostArray): HostArray {
  const bytes = array.bytes.slice();
  const words = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += 4) {
    const word = words.getUint32(at, true);
    if ((word & 0x7f800000) === 0) words.setUint32(at, word & 0x80000000, true);
  }
  return { ...array, bytes };
}

it.each(['unary/abs', 'unary/ceil', 'unary/exponential', 'unary/sqrt', 'unary/tanh', 'binary/add', 'binary/multiply'])(
  'a device may flush operands, results or both of %s, except under strict',
  (name) => {
    const op = name.split('/')[1]!;
    const table = `subnormal/${op}_f32`;
    const inputs = Object.keys(loadTable(table).columns)
      .filter((column) => !['y', 'flushed'].includes(column))
      .map((column) => tableColumn(table, column));
    const [expected, both] = [tableColumn(table, 'y'), tableColumn(table, 'flushed')];
    const rules = (profile: Profile): Rules => {
      const { ulp, source } = bound(op, 'f32', profile);
      return {
        policy: { ulp, source, subnormal: subnormalRule(profile).policy },
        options: { inputs, flushed: [both] },
      };
    };
    for (const actual of [expected, flushed(expected), both]) {
      expect(judged(DEFAULT, { expected, actual, rules }).level).toBeUndefined();
      const same = Buffer.compare(actual.bytes, expected.bytes) === 0;
      const strict = judged({ profile: 'strict', chosen: true }, { expected, actual, rules });
      expect(strict.level === undefined).toBe(same || strict.record?.meets === 'strict');
    }
    const strictly = judged({ profile: 'strict', chosen: true }, { expected, actual: flushed(expected), rules });
    if (op === 'abs') expect(strictly.level).toBe('thrown');
  },
);
