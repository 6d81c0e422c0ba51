import { expect, test } from 'vitest';
import { fromValues } from '../../knowledge/numerics/array.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import type { Case } from '../../suite/types.ts';
import { Instrument } from '../pjrt/instrument.ts';
import { CaseContext } from './context.ts';

test('host arrays are those that are bound, lists element by element', async () => {
  const context = new CaseContext({ line: 1 } as Case, [], new Instrument());
  const [x, y] = [1, 2].map((value) => fromValues(dtype('f32'), [], [value])) as [never, never];
  context.bind('number', 3);
  context.bind('x', x);
  context.bind('list', [y, 'no array', x]);
  expect(context.hostArrays()).toEqual([
    ['x', x],
    ['list[0]', y],
    ['list[2]', x],
  ]);
  await context.within(async () => context.bind('inner', y));
  expect(context.hostArrays().map(([name]) => name)).not.toContain('inner');
});
