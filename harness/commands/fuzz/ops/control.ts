/** Operations with regions of further operations, and calls of functions. */

import { scalar, typeText } from '../../../knowledge/ops/text.ts';
import { merged } from '../facts.ts';
import { need, needAll, type Region, sameType, type TensorType } from '../ir.ts';
import type { Draft, Printing, Rule } from '../rule.ts';
import { signature } from '../text.ts';

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const returned = (names: readonly string[], types: readonly TensorType[]): string =>
  `  "stablehlo.return"(${names.join(', ')}) : (${types.map(typeText).join(', ')}) -> ()`;

function parametersFit(region: Region, types: readonly TensorType[]): void {
  need(
    region.parameters.length === types.length && region.parameters.every((p, i) => sameType(p, types[i]!)),
    'other parameters',
  );
}

/** Some values, the newer the likelier. */
function some(draft: Draft, count: number): number[] {
  return [...new Set(Array.from({ length: count }, () => draft.find(() => true)))];
}

const I32 = scalar('s32');

/** A loop that ends after a fixed number of rounds. */
const whileLoop: Rule<{ trips: number; picked: number }> = {
  weight: 3,
  draft: (draft) => {
    const operands = some(draft, draft.random.between(1, 3));
    const known = operands.map(draft.known);
    const types = known.map(({ type }) => type);
    const body = draft.region(known, types);
    need(body !== undefined, 'regions enough');
    const attributes = { trips: draft.random.below(6), picked: draft.random.below(operands.length) };
    return { operands, attributes, regions: [body] };
  },
  type: (types, { attributes, regions }, inner) => {
    const [body] = regions!;
    parametersFit(body!, types);
    const results = inner(body!);
    need(results.length === types.length && results.every(({ type }, i) => sameType(type, types[i]!)), 'other results');
    const picked = types[attributes.picked];
    need(picked !== undefined, 'no such result');
    return picked;
  },
  fact: (operands, { attributes, regions }, _, __, inner) => {
    let values = operands;
    for (let i = 0; i < attributes.trips; i++) values = inner(regions![0]!, values);
    return values[attributes.picked]!.fact;
  },
  print: (printing, { attributes, regions }) => {
    const { name, operands, types, fresh } = printing;
    const all = [I32, ...types];
    const list = all.map(typeText).join(', ');
    const [start, limit, verdict, one, next] = Array.from({ length: 5 }, fresh);
    const block = (): string[] => all.map(fresh);
    const header = (names: readonly string[]): string =>
      `^bb0(${names.map((n, i) => `${n}: ${typeText(all[i]!)}`).join(', ')}):`;
    const [seen, passed] = [block(), block()];
    const body = printing.region(regions![0]!, passed.slice(1));
    return [
      `${start} = stablehlo.constant dense<0> : tensor<i32>`,
      `${name}:${all.length} = "stablehlo.while"(${[start, ...operands].join(', ')}) ({`,
      header(seen),
      `  ${limit} = stablehlo.constant dense<${attributes.trips}> : tensor<i32>`,
      `  ${verdict} = "stablehlo.compare"(${seen[0]}, ${limit}) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>`,
      returned([verdict!], [scalar('pred')]),
      '}, {',
      header(passed),
      ...indented(body.lines),
      `  ${one} = stablehlo.constant dense<1> : tensor<i32>`,
      `  ${next} = "stablehlo.add"(${passed[0]}, ${one}) : (tensor<i32>, tensor<i32>) -> tensor<i32>`,
      returned([next!, ...body.results], all),
      `}) : (${list}) -> (${list})`,
    ];
  },
  reference: (name, { attributes }) => `${name}#${attributes.picked + 1}`,
  simpler: ({ attributes }) => [0, 1, 2].map((trips) => ({ ...attributes, trips })),
};

/** Branches that use values from outside; the first operand chooses. */
const branches = (op: 'if' | 'case', chooser: string, count: (draft: Draft) => number): Rule => ({
  weight: 3,
  draft: (draft) => {
    const captured = some(draft, draft.random.between(1, 3));
    const known = captured.map(draft.known);
    const { type } = draft.known(captured[0]!);
    const regions: Region[] = [];
    for (let left = count(draft); left > 0; left--) {
      const region = draft.region(known, [type]);
      need(region !== undefined, 'regions enough');
      regions.push(region);
    }
    const choice = draft.random.once(2)
      ? draft.make(scalar(chooser))
      : draft.makeOf(scalar(chooser), [op === 'if' ? draft.random.once(2) : draft.random.between(-1, 3)]);
    return { operands: [choice, ...captured], regions };
  },
  type: ([choice, ...types], { regions }, inner) => {
    need(choice!.dtype === chooser && choice!.shape.length === 0, 'another choice');
    need(op === 'case' || regions!.length === 2, 'another number of branches');
    const results = regions!.map((region) => {
      parametersFit(region, types);
      const [only, ...more] = inner(region);
      need(only !== undefined && more.length === 0, 'other results');
      return only.type;
    });
    needAll(results, (type) => sameType(type, results[0]!), 'other results');
    return results[0]!;
  },
  fact: ([, ...captured], { regions }, { dtype: name }, _, inner) =>
    merged(name, ...regions!.map((region) => inner(region, captured)[0]!.fact)),
  print: (printing, { regions }) => {
    const { name, operands, types, result } = printing;
    const texts = regions!.map((region) => {
      const { lines, results } = printing.region(region, operands.slice(1));
      return [...indented(lines), returned(results, [result])].join('\n');
    });
    return [
      `${name} = "stablehlo.${op}"(${operands[0]}) ({`,
      texts.join('\n}, {\n'),
      `}) : ${signature(types.slice(0, 1), result)}`,
    ];
  },
});

const call: Rule = {
  weight: 3,
  draft: (draft) => {
    const operands = some(draft, draft.random.between(1, 3));
    const region = draft.region(operands.map(draft.known));
    need(region !== undefined, 'regions enough');
    return { operands, regions: [region] };
  },
  type: (types, { regions }, inner) => {
    parametersFit(regions![0]!, types);
    const [only, ...more] = inner(regions![0]!);
    need(only !== undefined && more.length === 0, 'other results');
    return only.type;
  },
  fact: (operands, { regions }, _, __, inner) => inner(regions![0]!, operands)[0]!.fact,
  print: (printing: Printing, { regions }) => {
    const { name, operands, types, result } = printing;
    const callee = printing.func(regions![0]!);
    return [`${name} = func.call @${callee}(${operands.join(', ')}) : ${signature(types, result)}`];
  },
};

/** The rules by operation. */
export const CONTROL: Readonly<Record<string, Rule>> = {
  while: whileLoop,
  if: branches('if', 'pred', () => 2),
  case: branches('case', 's32', (draft) => draft.random.between(1, 3)),
  call,
};
