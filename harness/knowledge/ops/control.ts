/** The spaces of loops and branches: how much they carry, how often they run, which branch is chosen. */
import type { HostArray } from '../numerics/array.ts';
import { generate } from '../numerics/generate.ts';
import { ORACLES } from '../numerics/oracles.ts';
import { COMBINED } from './combining.ts';
import { exactly, isFloat, sizesOf, small } from './contents.ts';
import { type Form, legal, type Operand, type Space, space, type TensorType } from './space.ts';
import { operation, region, scalar, typeText } from './text.ts';

/** More than the slots that anyone has for the usual loop. */
const MANY = 40;

const CARRIED = {
  shape: ['2x3', 'scalar', '0', '1025', '1'],
  dtype: ['f32', 's32', 'bf16', 'f64', 's8'],
} as const;

const COUNT = scalar('s32');

const add = (x: HostArray, y: HostArray): HostArray => ORACLES.add!([x, y], {});
const sum = (x: string, y: string, result: string, type: TensorType): string =>
  operation('add', [x, y], result, { types: [type, type], results: [type] });
const constant = (name: string, value: number, type: TensorType): string =>
  `${name} = stablehlo.constant dense<${isFloat(type.dtype) ? value.toFixed(1) : value}> : ${typeText(type)}`;

/** What one round makes of the values: each is added to the next, or only the last one changes. */
const ROUNDS = {
  all: (values: readonly HostArray[]) => values.map((x, i) => add(x, values[(i + 1) % values.length]!)),
  last: (values: readonly HostArray[]) => values.with(-1, add(values.at(-1)!, values.at(-1)!)),
};

const loop = space(
  { carried: [2, 1, 3, MANY], rounds: [3, 0, 1], changes: ['all', 'last'], mixed: [false, true], ...CARRIED },
  (c) => {
    legal(!c.mixed || (c.changes === 'last' && c.carried > 1), 'only values of one type are added');
    const shape = sizesOf(c.shape);
    const operands = Array.from({ length: c.carried }, (_, i) =>
      c.mixed && i % 2 === 0 ? small({ dtype: 's32', shape: [3] }, i, 3) : small({ dtype: c.dtype, shape }, i, 3),
    );
    const results = [COUNT, ...operands.map(({ dtype, shape: own }) => ({ dtype, shape: own }))];
    return {
      operands,
      results,
      text: (names, name) => {
        const [start, end, one] = ['start', 'end', 'one'].map((what) => `${name}_${what}`) as [string, string, string];
        const condition = region(`${name}_c`, results, ([count]) => ({
          lines: [
            operation('compare', [count!, end], `${name}_go`, {
              types: [COUNT, COUNT],
              results: [scalar('pred')],
              properties: [
                'comparison_direction = #stablehlo<comparison_direction LT>',
                'compare_type = #stablehlo<comparison_type SIGNED>',
              ],
            }),
          ],
          returns: [`${name}_go`],
          types: [scalar('pred')],
        }));
        const body = region(`${name}_b`, results, ([count, ...values]) => {
          const next = values.map((_, i) => `${name}_n${i}`);
          const isChanged = (i: number): boolean => c.changes === 'all' || i === values.length - 1;
          return {
            lines: [
              sum(count!, one, `${name}_next`, COUNT),
              ...values.flatMap((value, i) =>
                isChanged(i)
                  ? [
                      sum(
                        value,
                        c.changes === 'all' ? values[(i + 1) % values.length]! : value,
                        next[i]!,
                        results[i + 1]!,
                      ),
                    ]
                  : [],
              ),
            ],
            returns: [`${name}_next`, ...values.map((value, i) => (isChanged(i) ? next[i]! : value))],
            types: results,
          };
        });
        return [
          constant(start, 0, COUNT),
          constant(end, c.rounds, COUNT),
          constant(one, 1, COUNT),
          operation('while', [start, ...names], name, { types: results, results, regions: [condition, body] }),
        ].join('\n');
      },
      expected: (arrays) => {
        let values = arrays;
        for (let round = 0; round < c.rounds; round++) values = ROUNDS[c.changes](values);
        return [generate({ fill: { dtype: 's32', shape: [], value: c.rounds } }), ...values];
      },
      compare: COMBINED,
    };
  },
);

/** A branch that gives these values, each with a number of its own added. */
const branch = (prefix: string, values: readonly string[], type: TensorType, own: number): string =>
  region(prefix, [], () => ({
    lines: [
      constant(`${prefix}_k`, own, type),
      ...values.map((value, i) => sum(value, `${prefix}_k`, `${prefix}_v${i}`, type)),
    ],
    returns: values.map((_, i) => `${prefix}_v${i}`),
    types: values.map(() => type),
  }));

/** A choice between branches that give two values in turn, every other branch beginning with the second. */
function chosen(
  op: 'if' | 'case',
  selector: Operand,
  c: { dtype: string; shape: string; results: number },
  branches: number,
  taken: number,
): Form {
  const type = { dtype: c.dtype, shape: sizesOf(c.shape) };
  const operands = [selector, small(type, 1, 3), small(type, 2, 3)];
  const results = Array.from({ length: c.results }, () => type);
  const inTurn = <T>(n: number, a: T, b: T): T[] => results.map((_, i) => ((i + n) % 2 === 0 ? a : b));
  return {
    operands,
    results,
    text: ([select, a, b], name) =>
      operation(op, [select!], name, {
        types: [selector],
        results,
        regions: Array.from({ length: branches }, (_, n) => branch(`${name}_b${n}`, inTurn(n, a!, b!), type, n + 1)),
      }),
    expected: ([, a, b]) => {
      const own = generate({ fill: { dtype: type.dtype, shape: [...type.shape], value: taken + 1 } });
      return inTurn(taken, a!, b!).map((value) => add(value, own));
    },
    compare: COMBINED,
    shares: false,
  };
}

const RESULTS = [2, 1, 3, MANY] as const;

const either = space({ taken: [true, false], results: RESULTS, ...CARRIED }, (c) =>
  chosen('if', exactly(scalar('pred'), [c.taken]), c, 2, c.taken ? 0 : 1),
);

const oneOf = space(
  { branches: [3, 1, 2, 9], index: ['middle', 'first', 'last', 'beyond', 'negative'], results: RESULTS, ...CARRIED },
  (c) => {
    const last = c.branches - 1;
    const index = { middle: last >> 1, first: 0, last, beyond: c.branches, negative: -1 }[c.index];
    // An index of no branch selects the last one.
    return chosen('case', exactly(COUNT, [index]), c, c.branches, index < 0 || index > last ? last : index);
  },
);

/** The spaces by operation. */
export const CONTROL: Readonly<Record<string, Space>> = { while: loop, if: either, case: oneOf };
