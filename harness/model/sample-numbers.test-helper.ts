import type { Event } from './events.ts';
import type { NumericRecord } from './numeric-record.ts';
import type { Observation } from './observation.ts';
import { footer, header, result, suiteEvents } from './sample-log.test-helper.ts';

/** A comparison of an exponential whose worst element is 2 ULP off. */
export const exponential = (more: Partial<NumericRecord> = {}): NumericRecord => ({
  what: 'y',
  maxUlp: 2,
  allowedUlp: 5,
  index: 1,
  expectedBits: '0x402df854',
  actualBits: '0x402df856',
  elements: 4,
  mismatches: 0,
  meets: 'strict',
  op: 'exponential',
  dtype: 'f32',
  exact: 3,
  expected: '2.7182817',
  actual: '2.7182822',
  operands: [{ dtype: 'f32', bits: '0x3f800000', value: '1' }],
  bounds: { strict: { ulp: 3 }, standard: { ulp: 3, growth: 2 }, relaxed: { ulp: 3355, growth: 2 } },
  byOrder: {
    of: 'operand',
    orders: [
      [-8, -8],
      [0, 1],
    ],
    negative: [0, -1],
    positive: [0, 2],
    zero: 0,
  },
  ...more,
});

export const contraction = (is: string, values = ['0 0x00000000']): Observation => ({
  ...{ behaviour: 'fma-contraction', of: 'f32', is, values },
});

/** A run that compared numbers, failed in the last column of a matrix, and observed a behaviour. */
export const numberEvents = (): Event[] => [
  header(),
  ...suiteEvents('numerics/made', [
    { name: 'bounded[op=exponential]', result: result('pass', { numerics: [exponential()] }) },
    {
      name: 'exact',
      result: result('pass', {
        numerics: [
          {
            ...{ what: 'y', maxUlp: 0, allowedUlp: 0, index: 0, expectedBits: '0x0', actualBits: '0x0' },
            ...{ elements: 2, mismatches: 0, dtype: 's32', exact: 2 },
          },
        ],
      }),
    },
    {
      name: 'matmul',
      result: result('fail', {
        findings: [
          {
            type: 'pjrt.NumericMismatch',
            level: 'must',
            message: 'z: 2 of 8 elements differ',
            detail: 'where: exactly these differ: column 3, all rows',
            where: {
              shape: [2, 4],
              mismatches: 2,
              grid: { rowsPerCell: 1, columnsPerCell: 1, cells: ['...#', '...#'] },
              facts: [{ kind: 'box', dimensions: [null, { first: 3, last: 3, step: 1 }], whole: true }],
            },
          },
        ],
      }),
    },
    { name: 'contraction', result: result('pass', { observed: [contraction('rounds-twice')] }) },
  ]),
  footer(),
];
