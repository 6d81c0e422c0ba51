/** Types and facts of all values of a program. Programs that the generator did not make, such as shrunken ones, pass only if they are valid. */
import { factOfContents } from './contents.ts';
import { type Fact, integersOf, isComplex, isFloat } from './facts.ts';
import { type Contents, type Node, need, type Program, type Region, type TensorType } from './ir.ts';
import type { Known, Profile } from './rule.ts';
import { RULES } from './rules.ts';

/** The contents of a constant. */
export const contentsOf = ({ attributes }: Node): Contents => ({
  of: attributes.of as Contents['of'],
  seed: attributes.seed as number,
  ...(attributes.bits ? { bits: true } : {}),
});

/** Of a parameter of which nothing is known but its type: as little as rules may be given. */
const someFact = ({ dtype: name }: TensorType): Fact =>
  isFloat(name) || isComplex(name)
    ? { kind: 'float', lo: 1, hi: 1, magnitude: 1, grid: 0, error: 0 }
    : { ...integersOf(name) };

/** A node's result. @throws Invalid */
export function known(node: Node, values: readonly Known[], profile: Profile): Known {
  const operands = node.operands.map((x) => {
    const value = values[x];
    need(value !== undefined, 'no such value');
    return value;
  });
  if (node.op === 'constant') {
    const type = { dtype: node.attributes.dtype as string, shape: node.attributes.shape as readonly number[] };
    return { type, fact: factOfContents(type, contentsOf(node)) };
  }
  const rule = RULES[node.op];
  need(rule !== undefined, `no operation ${node.op}`);
  const types = operands.map(({ type }) => type);
  const type = rule.type(types, node, (region) => typesOf(region).map((t) => ({ type: t, fact: someFact(t) })));
  need(type.shape.length <= 5 && type.shape.reduce((n, d) => n * d, 1) <= MOST_ELEMENTS, 'too large');
  const inner = (region: Region, parameters?: readonly Known[]): Known[] =>
    resultsOf(region, analyse(region, parameters!, profile));
  return { type, fact: rule.fact?.(operands, node, type, profile, inner) ?? operands[0]!.fact };
}

const MOST_ELEMENTS = 40_000;

const resultsOf = (region: Region, values: readonly Known[]): Known[] =>
  region.results.map((r) => {
    need(values[r] !== undefined, 'no such value');
    return values[r];
  });

/** The types of all values of a region. @throws Invalid */
export function typesIn(region: Region): TensorType[] {
  const values = [...region.parameters];
  for (const node of region.nodes) values.push(typeOf(node, values));
  return values;
}

/** The types of the results of a region. @throws Invalid */
function typesOf(region: Region): TensorType[] {
  const values = typesIn(region);
  return region.results.map((r) => {
    need(values[r] !== undefined, 'no such value');
    return values[r];
  });
}

function typeOf(node: Node, values: readonly TensorType[]): TensorType {
  if (node.op === 'constant')
    return { dtype: node.attributes.dtype as string, shape: node.attributes.shape as readonly number[] };
  const types = node.operands.map((x) => {
    need(values[x] !== undefined, 'no such value');
    return values[x];
  });
  const rule = RULES[node.op];
  need(rule !== undefined, `no operation ${node.op}`);
  return rule.type(types, node, (region) => typesOf(region).map((t) => ({ type: t, fact: someFact(t) })));
}

/** All values of a region: its parameters, then its nodes. @throws Invalid */
function analyse(region: Region, parameters: readonly Known[], profile: Profile): Known[] {
  const values = [...parameters];
  for (const node of region.nodes) values.push(known(node, values, profile));
  return values;
}

/** The same for a program, whose arguments have contents. @throws Invalid */
export function analyseProgram(program: Program, profile: Profile): Known[] {
  const parameters = program.parameters.map((type, i) => ({
    type,
    fact: factOfContents(type, program.arguments[i]!),
  }));
  return analyse(program, parameters, profile);
}
