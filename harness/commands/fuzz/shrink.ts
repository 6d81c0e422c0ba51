/** Makes a failing program smaller, as long as it fails in the same way. */
import { analyseProgram, contentsOf } from './analyse.ts';
import { countOps, Invalid, type Node, type Program, type Region, sameType, sizeOf } from './ir.ts';
import type { Known, Profile } from './rule.ts';
import { RULES } from './rules.ts';

/** Which of the programs fail as the original does; called with a few at a time, since that costs a process. */
type Fails = (programs: readonly Program[]) => Promise<boolean[]>;

/** Rounds after which shrinking ends, whatever is left. */
const MOST_ROUNDS = 40;
/** Programs that are tried together. */
const AT_ONCE = 48;

/** The smallest program found that still fails. @param program one that fails */
export async function shrink(program: Program, profile: Profile, fails: Fails): Promise<Program> {
  // If it fails because of something that no result needs, that becomes a result too, since all other steps leave such things out.
  const starts = [tidy(program), withAllResults(program)];
  const failing = await fails(starts);
  let best = starts[failing.indexOf(true)] ?? program;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const smaller = candidates(best, profile);
    const found = await firstFailing(smaller, fails);
    if (!found) break;
    best = found;
  }
  return best;
}

async function firstFailing(programs: readonly Program[], fails: Fails): Promise<Program | undefined> {
  for (let i = 0; i < programs.length; i += AT_ONCE) {
    const some = programs.slice(i, i + AT_ONCE);
    const failing = await fails(some);
    // They are ordered by size: the first is the smallest.
    const first = failing.indexOf(true);
    if (first >= 0) return some[first];
  }
  return undefined;
}

/** What a program costs to read: operations above all, then the sizes of its arrays. */
function weightOf(program: Program, known: readonly Known[]): number {
  const elements = known.reduce((n, { type }) => n + Math.min(sizeOf(type), 10_000), 0);
  const values = program.arguments.reduce((n, { of }) => n + of.length, 0);
  const settings = JSON.stringify(program.nodes).replace(/[01,[\]]/g, '').length;
  return (
    1e6 * countOps(program) +
    1e5 * (program.results.length + program.parameters.length) +
    20 * elements +
    values +
    settings
  );
}

/** Valid smaller programs, the smallest first. */
export function candidates(program: Program, profile: Profile): Program[] {
  const before = weightOf(program, analyseProgram(program, profile));
  const seen = new Set<string>();
  const valid: { program: Program; weight: number }[] = [];
  for (const candidate of changes(program, profile)) {
    const tidied = tidy(candidate);
    const key = JSON.stringify(tidied);
    if (seen.has(key)) continue;
    seen.add(key);
    try {
      const weight = weightOf(tidied, analyseProgram(tidied, profile));
      if (weight < before) valid.push({ program: tidied, weight });
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
    }
  }
  return valid.sort((a, b) => a.weight - b.weight).map(({ program: smaller }) => smaller);
}

/** Removes what no result needs, and numbers the rest again. */
export function tidy(program: Program): Program {
  const { nodes, results, used } = pruned(program);
  const kept = program.parameters.flatMap((_, i) => (used.has(i) ? [i] : []));
  const count = program.parameters.length;
  const place = (x: number): number => (x < count ? kept.indexOf(x) : x - count + kept.length);
  return {
    parameters: kept.map((i) => program.parameters[i]!),
    arguments: kept.map((i) => program.arguments[i]!),
    nodes: nodes.map(moved(place)),
    results: results.map(place),
  };
}

/** Whatever nothing uses as a further result. */
function withAllResults(program: Program): Program {
  const used = new Set([...program.results, ...program.nodes.flatMap(({ operands }) => operands)]);
  const unused = program.nodes.flatMap((_, i) => {
    const x = program.parameters.length + i;
    return used.has(x) ? [] : [x];
  });
  return { ...program, results: [...program.results, ...unused] };
}

/** A region without nodes that nothing uses; its parameters stay. */
function pruned(region: Region): { nodes: Node[]; results: number[]; used: Set<number> } {
  const count = region.parameters.length;
  const used = new Set(region.results);
  for (let i = region.nodes.length - 1; i >= 0; i--) {
    if (used.has(count + i)) for (const x of region.nodes[i]!.operands) used.add(x);
  }
  const kept = region.nodes.flatMap((_, i) => (used.has(count + i) ? [count + i] : []));
  const place = (x: number): number => (x < count ? x : count + kept.indexOf(x));
  const nodes = kept.map((x): Node => {
    const node = region.nodes[x - count]!;
    const regions = node.regions?.map((inner) => {
      const { nodes: left, results } = pruned(inner);
      return { parameters: inner.parameters, nodes: left, results };
    });
    return { ...node, operands: node.operands.map(place), ...(regions ? { regions } : {}) };
  });
  return { nodes, results: region.results.map(place), used };
}

/** Programs with one change, valid or not. */
function* changes(program: Program, profile: Profile): Generator<Program> {
  const known = analyseProgram(program, profile);
  yield* fewerResults(program, known);
  yield* fewerNodes(program, known);
  yield* inlined(program);
  yield* smallerShapes(program);
  yield* simplerAttributes(program);
  yield* simplerContents(program);
}

/** One value of the program as its only result, and each result left out. */
function* fewerResults(program: Program, known: readonly Known[]): Generator<Program> {
  for (let i = program.parameters.length; i < known.length; i++) yield { ...program, results: [i] };
  if (program.results.length > 1) {
    for (const i of program.results.keys()) yield { ...program, results: program.results.toSpliced(i, 1) };
  }
}

/** A region in which a value stands for another. */
const replacing = <T extends Region>(region: T, from: number, to: number): T => ({
  ...region,
  nodes: region.nodes.map(moved((x) => (x === from ? to : x))),
  results: region.results.map((x) => (x === from ? to : x)),
});

/** Each operation replaced by a value of the same type that came before it, or by an argument. */
function* fewerNodes(program: Program, known: readonly Known[]): Generator<Program> {
  const count = program.parameters.length;
  for (let i = 0; i < program.nodes.length; i++) {
    const x = count + i;
    const { type } = known[x]!;
    const node = program.nodes[i]!;
    for (let y = x - 1, tried = 0; y >= 0 && tried < 3; y--) {
      if (!sameType(known[y]!.type, type)) continue;
      tried++;
      yield replacing(program, x, y);
    }
    for (const of of node.op === 'constant' ? [contentsOf(node).of] : argumentsFor(known[x]!)) {
      const seed = node.op === 'constant' ? contentsOf(node).seed : 0;
      const added = {
        parameters: [...program.parameters, type],
        arguments: [...program.arguments, { of, seed }],
        nodes: program.nodes.map(moved(past(count))),
        results: program.results.map(past(count)),
      };
      yield replacing(added, x + 1, count);
    }
    for (const [r, region] of (node.regions ?? []).entries()) {
      for (const smaller of smallerRegions(region)) {
        yield withNode(program, i, { ...node, regions: node.regions!.with(r, smaller) });
      }
    }
    if (node.op === 'case' && node.regions!.length > 1) {
      for (const r of node.regions!.keys()) {
        yield withNode(program, i, { ...node, regions: node.regions!.toSpliced(r, 1) });
      }
    }
  }
}

const past =
  (count: number) =>
  (x: number): number =>
    x < count ? x : x + 1;

/** A node whose operands have other numbers. */
const moved =
  (to: (x: number) => number) =>
  (node: Node): Node => ({ ...node, operands: node.operands.map(to) });

/** Values that an argument in the place of an operation may have: within what is known of its results. */
function argumentsFor({ type, fact }: Known): (string | number)[][] {
  if (type.dtype === 'pred') return [[0, 1]];
  if (fact.kind === 'integer') {
    const { lo, hi } = fact;
    const list = [lo, hi, 0n, 1n, 2n, 3n, -1n, 5n, lo / 2n, hi / 2n, hi / 3n + 1n, hi - 1n];
    const within = list.filter((x) => x >= lo && x <= hi);
    return [[...new Set(within.map(String))], ...(lo <= 1n && hi >= 3n ? [['1', '2', '3']] : [])];
  }
  const step = fact.error > 0 ? 2 ** -8 : 2 ** Math.max(fact.grid, -8);
  const list = [fact.lo, fact.hi, 0, step, 1, 2, 3, -1, -step, fact.lo / 2, fact.hi / 2, fact.hi / 3].map(
    (x) => step * Math.round(x / step),
  );
  const within = list.filter((x) => x >= fact.lo && x <= fact.hi);
  return within.length > 0 ? [[...new Set(within)]] : [];
}

const withNode = <T extends Region>(region: T, i: number, node: Node): T => ({
  ...region,
  nodes: region.nodes.with(i, node),
});

/** A region with one operation less. */
function* smallerRegions(region: Region): Generator<Region> {
  const count = region.parameters.length;
  for (let i = 0; i < region.nodes.length; i++) {
    for (let y = count + i - 1; y >= 0; y--) yield replacing(region, count + i, y);
    yield* simplerAt(region, i);
  }
  for (const [r, x] of region.results.entries()) {
    for (let y = 0; y < count + region.nodes.length; y++) {
      if (y !== x) yield { ...region, results: region.results.with(r, y) };
    }
  }
}

/** Calls, branches and loops replaced by what one of their regions does, once. */
function* inlined(program: Program): Generator<Program> {
  const count = program.parameters.length;
  for (const [i, node] of program.nodes.entries()) {
    const operands = node.op === 'if' || node.op === 'case' ? node.operands.slice(1) : node.operands;
    for (const region of node.regions ?? []) {
      const more = region.nodes.length;
      const inside = (x: number): number =>
        x < region.parameters.length ? operands[x]! : count + i + x - region.parameters.length;
      const result = inside(region.results[node.op === 'while' ? (node.attributes.picked as number) : 0]!);
      const outside = (x: number): number => (x < count + i ? x : x === count + i ? result : x - 1 + more);
      yield {
        ...program,
        nodes: [
          ...program.nodes.slice(0, i),
          ...region.nodes.map(moved(inside)),
          ...program.nodes.slice(i + 1).map(moved(outside)),
        ],
        results: program.results.map(outside),
      };
    }
  }
}

/** Attributes that are lists of sizes, or of limits that follow from sizes. */
const SIZED = ['shape', 'limit', 'sizes'] as const;

/** One size replaced by a smaller one, everywhere. */
function* smallerShapes(program: Program): Generator<Program> {
  const sizes = new Set<number>();
  visit(program, (d) => {
    sizes.add(d);
    return d;
  });
  for (const d of [...sizes].sort((a, b) => b - a)) {
    for (const smaller of new Set([1, 2, 3, d >> 1, d - 1])) {
      if (smaller < d && smaller > 0) yield visit(program, (x) => (x === d ? smaller : x));
    }
  }
  // The same for one parameter alone.
  for (const [p, { dtype, shape }] of program.parameters.entries()) {
    for (const [i, d] of shape.entries()) {
      for (const smaller of new Set([1, 2, d >> 1])) {
        if (smaller >= d || smaller === 0) continue;
        yield fitted({ ...program, parameters: program.parameters.with(p, { dtype, shape: shape.with(i, smaller) }) });
      }
    }
  }
  // Elementwise programs do without any shape.
  yield scalars(program);
}

const scalars = (program: Program): Program =>
  fitted({
    ...program,
    parameters: program.parameters.map(({ dtype }) => ({ dtype, shape: [] })),
    nodes: program.nodes.map((node) =>
      node.op === 'constant' ? { ...node, attributes: { ...node.attributes, shape: [] } } : node,
    ),
  });

/** Contents are cut to the sizes of their types. */
const fitted = (program: Program): Program => ({
  ...program,
  arguments: program.arguments.map((contents, i) => ({
    ...contents,
    of: contents.of.slice(0, Math.max(1, sizeOf(program.parameters[i]!))),
  })),
});

/** Changes every size of a program. */
function visit(program: Program, change: (size: number) => number): Program {
  const inRegion = <T extends Region>(region: T): T => ({
    ...region,
    parameters: region.parameters.map(({ dtype, shape }) => ({ dtype, shape: shape.map(change) })),
    nodes: region.nodes.map((node) => ({
      ...node,
      attributes: Object.fromEntries(
        Object.entries(node.attributes).map(([name, value]) => [
          name,
          (SIZED as readonly string[]).includes(name) && Array.isArray(value)
            ? (value as readonly number[]).map(change)
            : value,
        ]),
      ),
      ...(node.regions ? { regions: node.regions.map(inRegion) } : {}),
    })),
  });
  return fitted(inRegion(program));
}

function* simplerAttributes(program: Program): Generator<Program> {
  for (const i of program.nodes.keys()) yield* simplerAt(program, i);
}

/** One operation made a simpler one. */
function* simplerAt<T extends Region>(region: T, i: number): Generator<T> {
  const node = region.nodes[i]!;
  for (const attributes of RULES[node.op]?.simpler?.(node) ?? []) yield withNode(region, i, { ...node, attributes });
}

/** Fewer values in arguments. */
function* simplerContents(program: Program): Generator<Program> {
  const fixed = new Set(program.nodes.flatMap(({ op, operands }) => (RULES[op]?.fixed ? operands : [])));
  for (const [i, { of, seed }] of program.arguments.entries()) {
    if (fixed.has(i)) continue;
    const fewer = [...of.map((value) => [value]), of.slice(0, of.length >> 1), of.slice(of.length >> 1)];
    for (const some of fewer) {
      if (some.length === 0 || some.length >= of.length) continue;
      yield { ...program, arguments: program.arguments.with(i, { of: some, seed }) };
    }
  }
}
