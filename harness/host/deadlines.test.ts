import { expect, test } from 'vitest';
import { inEffect, largest } from './deadlines.ts';

const minute = 60_000;

test('the largest of user, manifest and suite counts', () => {
  const asked = largest({ call: 5, case: 600 }, { case: 30, clientCreate: 7 }, {});
  expect(asked).toEqual({ call: 5, case: 600, clientCreate: 7 });
  for (const [user, suite] of [
    [20, 600],
    [600, 20],
  ] as const) {
    expect(inEffect({ case: user }, { case: suite }).case).toBe(600);
  }
});

test('a suite that asks for less than the default gets it, unless something asks for more', () => {
  expect(inEffect({}, { case: 20_000 })).toMatchObject({ call: 20_000, case: 20_000, first: 5 * minute });
  expect(inEffect({ case: 10 * minute }, { case: 20_000 })).toMatchObject({ call: 10 * minute, case: 10 * minute });
  expect(inEffect({ call: 10 * minute }, { case: 20_000 })).toMatchObject({ call: 10 * minute, case: 10 * minute });
});

test('deadlines that nothing asks for have a default', () => {
  expect(inEffect({})).toEqual({
    load: minute,
    clientCreate: 5 * minute,
    first: 5 * minute,
    call: minute,
    case: 2 * minute,
    exit: 20_000,
  });
});

test('short deadlines apply to first calls too', () => {
  expect(inEffect({ call: 3000 })).toMatchObject({ first: 15_000, call: 3000, case: 2 * minute });
  expect(inEffect({ case: 5000 })).toMatchObject({ first: 25_000, call: 5000, case: 5000 });
  expect(inEffect({ call: 3000, first: 1000 })).toMatchObject({ first: 3000 });
  expect(inEffect({ call: minute, case: 5000 })).toMatchObject({ call: minute, case: 5000 });
});
