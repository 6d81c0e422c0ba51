import { describe, expect, test } from 'vitest';
import type { Predicate } from '../../suite/types.ts';
import { violatedPredicates } from './predicate.ts';

const handle = (pointer: bigint) => ({ kind: 'PJRT_Device', pointer });
const named = (name: string, type = 0, valueSize = 1) => ({ name, type, value: '', valueSize, structSize: 56 });
const bound: Record<string, unknown> = { $all: [1, 2, 3], $device: handle(5n) };
const resolve = (v: unknown) => (typeof v === 'string' && v in bound ? bound[v] : v);
const violated = (value: unknown, predicate: Predicate) => violatedPredicates(value, predicate, resolve);

/** Each predicate once where it holds and once where it does not: none of them can be blind. */
test.each<[keyof Predicate, Predicate, unknown, unknown]>([
  ['equals', { equals: 3 }, 3n, 4],
  ['equals', { equals: '$device' }, handle(5n), handle(6n)],
  ['equals', { equals: [1, 2] }, [1n, 2], [1, 2, 3]],
  ['not', { not: '$device' }, handle(6n), handle(5n)],
  ['nonEmpty', { nonEmpty: true }, 'x', ''],
  ['nonEmpty', { nonEmpty: false }, [], [1]],
  ['isNull', { isNull: true }, undefined, handle(5n)],
  ['isNull', { isNull: false }, 7n, 0n],
  ['atLeast', { atLeast: 0 }, 0, -1],
  ['atMost', { atMost: 4 }, 4, 5],
  ['oneOf', { oneOf: [0, 1] }, 1, 2],
  ['contains', { contains: 'add' }, 'main_add', 'main'],
  ['matches', { matches: '^\\{1,0\\}$' }, new TextEncoder().encode('{1,0}'), new TextEncoder().encode('{0}')],
  ['printable', { printable: true }, 'cpu:0\n\tü', 'cpu:0\0'],
  ['printable', { printable: true }, '', 'cpu\u0001'],
  ['printable', { printable: true }, 'cpu', 'cpu\uFFFD'],
  ['matches', { matches: '^\\{1,0\\}' }, '{1,0}', '{0,1}'],
  ['unique', { unique: true }, [1, 2], [1, 1n]],
  ['subsetOf', { subsetOf: '$all' }, [3, 1], [4]],
  ['length', { length: 2 }, [1, 2], [1]],
  ['oneOf', { oneOf: '$all' }, 3n, 4],
  ['contains', { contains: '$device' }, [handle(6n), handle(5n)], [handle(6n)]],
  ['unique', { unique: { except: [-1] } }, [-1, 2, -1n], [-1, 2, 2]],
  ['sameElements', { sameElements: '$all' }, [3n, 1, 2], [1, 2, 2]],
  ['each', { each: { atLeast: 0 } }, [0, 1n], [0, -1]],
  ['each', { each: { atLeast: 0 } }, [], undefined],
  ['names', { names: { unique: true } }, [named('a'), named('b')], [named('a'), named('a')]],
  ['types', { types: { each: { oneOf: ['string', 'bool'] } } }, [named('a'), named('b', 4)], [named('a', 3)]],
  ['types', { types: { each: { oneOf: ['string'] } } }, [], 'no list'],
  [
    'numbers',
    { numbers: { each: { atLeast: 0 } } },
    [
      { ...named('a'), value: 'x' },
      { ...named('b'), value: 2 },
    ],
    [{ ...named('a'), value: Number.NaN }],
  ],
  ['structSizes', { structSizes: { each: { equals: 56 } } }, [named('a')], [{ ...named('a'), structSize: 0 }]],
  ['sized', { sized: true }, [named('a', 0, 7), named('b', 2, 3), named('c', 1)], [named('a'), named('b', 3, 2)]],
  ['sized', { sized: true }, [named('a', 0, 0)], [{ ...named('a', 0, 7), isNull: true }]],
  ['orders', { orders: [5, 7] }, [1, 0n], [1, 1]],
  ['orders', { orders: '$all' }, [2, 0, 1], [1, 0]],
  ['written', { written: 1 }, [0, -842150451], [0, 0]],
  ['written', { written: 2 }, [3, 4], [3, -842150451]],
])('%s', (_, predicate, good, bad) => {
  expect(violated(good, predicate)).toEqual([]);
  expect(violated(bad, predicate)).toHaveLength(1);
});

describe('what does not hold', () => {
  test('is said without addresses, which change from run to run', () => {
    expect(violated(handle(0x7fff1234n), { equals: '$device' })).toEqual([
      'is a PJRT_Device, but not the one expected',
    ]);
    expect(violated(undefined, { isNull: false })).toEqual(['is NULL, expected not NULL']);
  });

  test('NaN is not at least anything', () => {
    expect(violated(Number.NaN, { atLeast: 0 })).toHaveLength(1);
    expect(violated('text', { atMost: 1 })).toHaveLength(1);
  });
});
