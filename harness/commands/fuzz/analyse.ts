/** Types and facts of all values of a program. Programs that the generator did not make, such as shrunken ones, pass only if they are valid. */
import { factOfContents } from './contents.ts';
import { type Fact, integersOf, isComplex, isFloat } from './facts.ts';
import { type Contents, type Node, need, type Program, type Region, sizeOf, type TensorType } from './ir.ts';
import type { Known, Profile, Rule } from './rule.ts';
import { RULES } from './rules.ts';

/** The contents of a constant. */
export const contentsOf = ({ attributes }: Node): Contents => ({
  of: attributes.of as Contents['of'],
  seed: attributes.seed as number,
});

/** Of a parameter of which nothing is known but its type: as little as rules may be given. */
const someFact = ({ dtype: name }: TensorType): Fact =>
  isFloat(name) || isComplex(name)
    ? { kind: 'float', lo: 1, hi: 1, magnitude: 1, grid: 0, error: 0 }
    : { ...integersOf(name) };

const MOST_ELEMENTS = 40_000;

/** Values by their numbers. @throws Invalid */
const valuesAt = <T>(numbers: readonly number[], values: readonly T[]): T[] =>
  numbers.map((x) => {
    const value = values[x];
    need(value !== undefined, 'no such value');
    return value;
  });

function ruleOf(op: string): Rule {
  const rule = RULES[op];
  need(rule !== undefined, `no operation ${op}`);
  return rule;
}

function typeOf(node: Node, operands: readonly TensorType[]): TensorType {
  const { dtype, shape } = node.attributes;
  if (node.op === 'constant') return { dtype: dtype as string, shape: shape as readonly number[] };
  return ruleOf(node.op).type(operands, node, (region) =>
    valuesAt(region.results, typesIn(region)).map((type) => ({ type, fact: someFact(type) })),
  );
}

/** A node's result. @throws Invalid */
export function known(node: Node, values: readonly Known[], profile: Profile): Known {
  const operands = valuesAt(node.operands, values);
  const type = typeOf(
    node,
    operands.map((operand) => operand.type),
  );
  if (node.op === 'constant') return { type, fact: factOfContents(type, contentsOf(node)) };
  need(type.shape.length <= 5 && sizeOf(type) <= MOST_ELEMENTS, 'too large');
  const inner = (region: Region, parameters?: readonly Known[]): Known[] =>
    valuesAt(region.results, analyse(region, parameters!, profile));
  return { type, fact: ruleOf(node.op).fact?.(operands, node, type, profile, inner) ?? operands[0]!.fact };
}

/** The types of all values of a region. @throws Invalid */
export function typesIn(region: Region): TensorType[] {
  const values = [...region.parameters];
  for (const node of region.nodes) values.push(typeOf(node, valuesAt(node.operands, values)));
  return values;
}

/** All values of a region: its parameters, then its nodes. @throws Invalid */
function analyse(region: Region, parameters: readonly Known[], profile: Profile): Known[] {
  const values = [...parameters];
  for (const node of region.nodes) values.push(known(node, values, profile));
  return values;
}

/** The same for a program, whose arguments have contents. @throws Invalid */
export function analyseProgram(program: Program, profile: Profile): Known[] {
  const facts = program.parameters.map((type, i) => factOfContents(type, program.arguments[i]!));
  return analyse(
    program,
    program.parameters.map((type, i) => ({ type, fact: facts[i]! })),
    profile,
  );
}
