/** Operations with any choice of their attributes, on the arguments that the choice asks for (harness/knowledge/ops). */
import { type HostArray, reader } from '../../../knowledge/numerics/array.ts';
import { decode } from '../../../knowledge/numerics/codec.ts';
import type { Scalar } from '../../../knowledge/numerics/data.ts';
import { generate } from '../../../knowledge/numerics/generate.ts';
import { OracleError } from '../../../knowledge/numerics/oracles/parameters.ts';
import { type Choice, type Form, Illegal, type Space } from '../../../knowledge/ops/space.ts';
import { SPACES } from '../../../knowledge/ops/spaces.ts';
import { type Fact, holds, integersOf, isComplex, isFloat, limitsOf } from '../facts.ts';
import { Invalid, need, needAll, sameType } from '../ir.ts';
import type { Rule } from '../rule.ts';

/** @throws Invalid */
function formOf(space: Space, choice: Choice): Form {
  try {
    return space.form(choice);
  } catch (error) {
    if (error instanceof Illegal) throw new Invalid(error.message);
    throw error;
  }
}

/** All elements of an operand, in order. @throws Invalid if one is not finite */
function valuesOf(array: HostArray): Scalar[] {
  const read = reader(array);
  const count = array.bytes.length / array.dtype.hostBytes;
  return Array.from({ length: count }, (_, i) => {
    const value = decode(array.dtype, read(i));
    if (typeof value === 'object') return `${value.re}${value.im < 0 ? '' : '+'}${value.im}i`;
    need(typeof value !== 'number' || Number.isFinite(value), 'not finite');
    return String(value);
  });
}

/** @throws Invalid if the result is not exact, or is not what is said of it */
function checkResult(form: Form, arrays: readonly HostArray[]): void {
  try {
    for (const array of form.expected(arrays)) {
      const [read, fact] = [reader(array), exactly(array.dtype.name)];
      const count = array.bytes.length / array.dtype.hostBytes;
      for (let i = 0; i < count; i++) need(holds(fact, array.dtype, read(i)), 'other numbers');
    }
  } catch (error) {
    if (error instanceof OracleError) throw new Invalid(error.message);
    throw error;
  }
}

/** Exact results of small numbers, as far as every type holds them. */
function exactly(name: string): Fact {
  if (!isFloat(name) && !isComplex(name)) return integersOf(name);
  const grid = -2;
  const most = 2 ** Math.min(limitsOf(name).precision + grid, 30);
  return { kind: 'float', lo: -most, hi: most, magnitude: most, grid, error: 0 };
}

const ruleOf = (space: Space): Rule<Record<string, string | number | boolean>> => {
  const choiceOf = ({ picked: _, ...choice }: Record<string, string | number | boolean>): Choice => choice;
  return {
    weight: 1,
    fixed: true,
    draft: (draft) => {
      const { random } = draft;
      const choice = Object.fromEntries(
        Object.entries(space.attributes).map(([name, all]) => {
          const known = name === 'dtype' ? all.filter((one) => draft.dtypes.includes(String(one))) : all;
          need(known.length > 0, 'no such element type');
          return [name, random.once(2) ? random.pick(known) : known[0]!];
        }),
      );
      const form = formOf(space, choice);
      const arrays = form.operands.map(({ data }) => generate(data));
      checkResult(form, arrays);
      const operands = form.operands.map(({ dtype, shape }, i) => {
        const of = valuesOf(arrays[i]!);
        return draft.argumentOf({ dtype, shape }, of.length > 0 ? of : [0]);
      });
      return { operands, attributes: { ...choice, picked: random.below(form.results.length) } };
    },
    type: (types, { attributes }) => {
      const { operands, results } = formOf(space, choiceOf(attributes));
      need(types.length === operands.length, 'another number of operands');
      needAll(types, (type, i) => sameType(type, operands[i]!), 'other operands');
      return results[attributes.picked as number]!;
    },
    fact: (_, __, { dtype }) => exactly(dtype),
    print: ({ operands, name }, { attributes }) => [formOf(space, choiceOf(attributes)).text(operands, name)],
    reference: (name, { attributes }) =>
      formOf(space, choiceOf(attributes)).results.length > 1 ? `${name}#${attributes.picked}` : name,
    simpler: ({ attributes }) =>
      Object.entries(space.attributes).map(([name, [usual]]) => ({ ...attributes, [name]: usual! })),
  };
};

const usualOf = ({ attributes, form }: Space): Form =>
  form(Object.fromEntries(Object.entries(attributes).map(([name, [usual]]) => [name, usual!])));

const isExact = (space: Space): boolean => {
  const { compare } = usualOf(space);
  return compare === 'bits' || compare.ulp === 0;
};

/** The rules by operation: of those that are exact on small numbers. */
export const FORMS: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries(SPACES)
    .filter(([, space]) => isExact(space))
    .map(([op, space]) => [`${op}_form`, ruleOf(space) as unknown as Rule]),
);
