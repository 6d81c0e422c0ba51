import { expect, test } from 'vitest';
import { generate } from '../numerics/generate.ts';
import { covering, firstOf } from './pairs.ts';
import { programOf } from './program.ts';
import { type Choice, type Form, legal, type Space, space } from './space.ts';
import { SPACES } from './spaces.ts';

const partsOf = (choice: Choice): string[] => {
  const all = Object.entries(choice).map(([name, value]) => `${name}=${value}`);
  return [...all, ...all.flatMap((a, i) => all.slice(i + 1).map((b) => `${a} ${b}`))];
};

const NOTHING: Form = { operands: [], results: [], text: () => '', expected: () => [], compare: 'bits' };

test('every pair of values is in a form, but for those that are none', () => {
  const small: Space = space({ a: [1, 2, 3], b: ['x', 'y'], c: [true, false] }, (c) => {
    legal(c.a !== 2 || c.b !== 'y', 'two is not for y');
    return NOTHING;
  });
  const { forms, values, pairs } = covering(small);
  const found = new Set(forms.flatMap(({ choice }) => partsOf(choice)));
  expect(found.size).toBe(values.covered + pairs.covered);
  expect([...pairs.illegal]).toEqual([['a=2 b=y', 'two is not for y']]);
  expect(values).toMatchObject({ covered: 7 });
  expect(pairs.covered).toBe(15);
});

test('the first forms have every value', () => {
  for (const space of Object.values(SPACES).slice(0, 5)) {
    const choices = covering(space).forms.map(({ choice }) => choice);
    const valuesOf = (some: readonly Choice[]) => new Set(some.flatMap((choice) => Object.entries(choice).map(String)));
    expect(valuesOf(firstOf(choices))).toEqual(valuesOf(choices));
    expect(firstOf(choices).length).toBeLessThan(choices.length / 2);
  }
});

test.each(Object.entries(SPACES))('forms of %s are what their types say, and exact', (_, space) => {
  for (const form of firstOf(covering(space).forms.map(({ choice }) => choice)).map(space.form)) {
    const results = form.expected(form.operands.map(({ data }) => generate(data)));
    expect(results.map(({ dtype, shape }) => ({ dtype: dtype.name, shape }))).toEqual(form.results);
    expect(programOf([form])).toContain('return');
  }
});
