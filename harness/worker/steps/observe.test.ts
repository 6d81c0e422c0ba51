import { expect, it } from 'vitest';
import { fromValues } from '../../knowledge/numerics/array.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import type { Observation } from '../../model/observation.ts';
import type { CaseContext } from './context.ts';
import { observe } from './observe.ts';
import type { Origin } from './origin.ts';
import { CheckFailure, SuiteFault } from './outcome.ts';

const is = { ordered: ['nan', 0], first: ['nan', '-0'] };

function observed(values: (number | string)[], elements?: number[], origins: Origin[] = []): Observation {
  const found: Observation[] = [];
  const array = fromValues(dtype('f32'), [values.length], values);
  const context = { observed: found, resolve: () => array, originsOf: () => origins } as unknown as CaseContext;
  const step = { verb: 'observe', behaviour: 'zeros', of: 'f32', value: '$y', is } as const;
  observe(context, elements ? { ...step, elements } : step);
  return found[0]!;
}

it('is the first word whose values the elements have; zeros have signs', () => {
  expect(observed(['nan', '-0'])).toEqual({
    ...{ behaviour: 'zeros', of: 'f32', is: 'first' },
    values: ['nan 0x7fc00000', '-0 0x80000000'],
  });
  expect(observed([5, 'nan', 6, 0], [1, 3]).is).toBe('ordered');
  expect(observed(['nan', 7])).toMatchObject({ is: 'other', values: ['nan 0x7fc00000', '7 0x40e00000'] });
});

it('a table that does not fit is an internal error', () => {
  expect(() => observed([1, 2, 3])).toThrow(SuiteFault);
  expect(() => observed([1, 2], [0, 2])).toThrow('no element 2');
});

it('an array of the plugin that does not fit has other dimensions than it should', () => {
  const origin = { call: 'PJRT_LoadedExecutable_Execute', text: 'the output of a/b' };
  expect(() => observed([1, 2, 3], undefined, [origin])).toThrow('y (the output of a/b) has 3 elements, expected 2');
  expect(() => observed([1, 2], [0, 2], [origin])).toThrow(CheckFailure);
});
