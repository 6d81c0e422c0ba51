/** Random valid programs, the same for a seed and a number on every machine. */

import type { Scalar } from '../../knowledge/numerics/data.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import { known } from './analyse.ts';
import { factOfContents } from './contents.ts';
import { integersOf, isComplex, isFloat } from './facts.ts';
import {
  type Contents,
  Invalid,
  type Node,
  need,
  type Program,
  type Region,
  sameType,
  sizeOf,
  type TensorType,
} from './ir.ts';
import { Random } from './random.ts';
import type { Draft, Known, Profile, Rule } from './rule.ts';
import { RULES } from './rules.ts';

/** Element types, as often as their weights say. */
const DTYPES = [
  ...['f32', 'f32', 's32'].map((name) => ({ name, weight: 6 })),
  ...['f16', 'bf16', 'f64', 'pred', 's8', 's64', 'u8', 'u32'].map((name) => ({ name, weight: 3 })),
  ...['s16', 'u16', 'u64'].map((name) => ({ name, weight: 2 })),
  { name: 'c64', weight: 1 },
];

const SIZES = [1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 11, 13] as const;
/** Sizes around the tiles of devices. */
const TILES = [16, 31, 64, 127, 128, 129] as const;

/** How often an operation is tried that turns out to be invalid. */
const TRIES = 12;

const LIST = Object.entries(RULES).map(([op, rule]) => ({ op, rule, weight: rule.weight }));
const WITHOUT_REGIONS = LIST.filter(({ op }) => !['while', 'if', 'case', 'call'].includes(op));

/** The program of a number. */
export function generateProgram(seed: number, index: number, profile: Profile): Program {
  if (index % 4 === 3) return programOfOne(seed, index, Math.floor(index / 4), profile);
  const random = new Random(`${seed}/${index}`);
  const dtypes = new Set(Array.from({ length: random.between(1, 4) }, () => random.weighted(DTYPES).name));
  // Parts of complex numbers are f32; indices and choices come on their own.
  if (dtypes.has('c64')) dtypes.add('f32');
  const builder = new Builder(random, [...dtypes], profile, []);
  builder.begin(random.between(1, 3));
  // Some programs are about one operation.
  const few = random.once(6);
  const [least, most] = few ? [1, 2] : random.once(3) ? [1, 6] : random.once(2) ? [4, 16] : [12, 40];
  builder.grow(random.between(least!, most!), LIST);
  return builder.program();
}

/**
 * A program of one operation on its arguments, where nothing hides what it does. The operations take turns, and after each round
 * the element types, so a long campaign has every pair.
 */
function programOfOne(seed: number, index: number, turn: number, profile: Profile): Program {
  const entry = LIST[turn % LIST.length]!;
  const types = [...new Set(DTYPES.map(({ name }) => name))];
  const first = seed + Math.floor(turn / LIST.length);
  const order = types.map((_, i) => types[(first + i) % types.length]!);
  for (const name of order) {
    for (let tries = 0; tries < TRIES; tries++) {
      const random = new Random(`${seed}/${index}/${name}/${tries}`);
      const others = random.shuffled(types).slice(0, 2);
      const dtypes = [name, ...others, ...(name === 'c64' ? ['f32'] : [])];
      const builder = new Builder(random, dtypes, profile, [], 'argument');
      builder.begin(1);
      builder.grow(1, [entry]);
      if (builder.operations === 1) return builder.program();
    }
  }
  throw new Error(`no element type is one for ${entry.op}`);
}

function randomShape(random: Random): number[] {
  const rank = random.pick([0, 1, 1, 2, 2, 2, 3, 3, 4]);
  const shape = Array.from({ length: rank }, () => random.pick(SIZES));
  if (rank > 0 && random.once(12)) shape[random.below(rank)] = 0 as never;
  const wide: number[] = [...shape];
  if (rank > 0 && random.once(6)) wide[random.below(rank)] = random.pick(TILES);
  while (wide.reduce((n, d) => n * d, 1) > 4096) wide[wide.indexOf(Math.max(...wide))] = random.pick([1, 2, 3]);
  return wide;
}

/** Values of a type: small numbers that stay exact in many operations, and of integers also the limits. */
function randomValues(random: Random, name: string, size: number): Scalar[] {
  const { bits } = dtype(name);
  const count = Math.max(1, Math.min(size, random.pick([1, 4, 8, 12, 16])));
  const list = (value: () => Scalar): Scalar[] => Array.from({ length: count }, value);
  if (name === 'pred') return list(() => random.once(2));
  if (isFloat(name)) {
    // Now and then whole numbers far from zero, as conversions and range reductions get wrong.
    const far = name === 'f32' || name === 'f64' ? [4, 20, 26] : [4];
    const step = 2 ** (random.once(8) ? random.pick(far) : random.pick([0, 0, 0, -1, -2, -3, 1]));
    const range = random.pick([1, 2, 4, 4, 8, 16, 64]);
    const least = random.once(3) ? 1 : -range;
    return list(() => step * random.between(least, range));
  }
  if (isComplex(name)) return list(() => `${random.between(-4, 4)}+${random.between(0, 4)}i`);
  const { lo, hi } = integersOf(name);
  if (random.once(3)) {
    return list(() => {
      const power = 1n << BigInt(random.below(bits));
      const edge = random.pick([lo, hi, 0n, 1n, lo + 1n, hi - 1n, power - 1n, power, hi - power, lo + power]);
      return String(edge > hi ? hi : edge < lo ? lo : edge);
    });
  }
  const range = random.pick([1, 4, 10, 100]);
  return list(() => random.between(lo < 0n ? -range : 0, range));
}

class Builder {
  readonly #random: Random;
  readonly #dtypes: readonly string[];
  readonly #profile: Profile;
  /** Parameters; arguments that are made later are numbered behind all of these, so a program gets its final numbers at the end. */
  readonly #values: Known[] = [];
  readonly #made: (Node | { argument: Contents } | 'parameter')[] = [];
  /** What fresh values become: arguments alone, constants alone, or either. */
  readonly #makes: 'argument' | 'constant' | 'either';

  constructor(
    random: Random,
    dtypes: readonly string[],
    profile: Profile,
    parameters: readonly Known[],
    makes: 'argument' | 'constant' | 'either' = 'either',
  ) {
    this.#random = random;
    this.#dtypes = dtypes;
    this.#profile = profile;
    this.#makes = makes;
    this.#draft = this.#drafting();
    for (const value of parameters) {
      this.#values.push(value);
      this.#made.push('parameter');
    }
  }

  /** The first arguments; one alone is of the first element type. */
  begin(count: number): void {
    const shape = randomShape(this.#random);
    for (let i = count; i > 0; i--) {
      const type = {
        dtype: count === 1 ? this.#dtypes[0]! : this.#random.pick(this.#dtypes),
        shape: this.#random.once(2) ? shape : randomShape(this.#random),
      };
      this.#fresh(type, randomValues(this.#random, type.dtype, sizeOf(type)), true);
    }
  }

  #push(made: Node | { argument: Contents }, value: Known): number {
    this.#values.push(value);
    this.#made.push(made);
    return this.#values.length - 1;
  }

  #fresh(type: TensorType, of: readonly Scalar[], argument: boolean): number {
    const random = this.#random;
    const contents = { of: of.slice(0, Math.max(1, sizeOf(type))), seed: random.below(1000) };
    const value = { type, fact: factOfContents(type, contents) };
    if (this.#makes === 'argument' || (argument && this.#makes === 'either'))
      return this.#push({ argument: contents }, value);
    // Large constants have a value that is written once.
    const few = sizeOf(type) > 256 ? contents.of.slice(0, 1) : contents.of;
    const attributes = { dtype: type.dtype, shape: type.shape, of: few as string[], seed: contents.seed };
    return this.#push(
      { op: 'constant', operands: [], attributes },
      { type, fact: factOfContents(type, { ...contents, of: few }) },
    );
  }

  /** Operations so far, without constants. */
  get operations(): number {
    return this.#made.filter((made) => made !== 'parameter' && 'op' in made && made.op !== 'constant').length;
  }

  /** Adds up to so many operations. */
  grow(ops: number, list: readonly { op: string; rule: Rule; weight: number }[]): void {
    for (let i = 0; i < ops; i++) {
      for (let tries = 0; tries < TRIES; tries++) {
        const { op, rule } = this.#random.weighted(list);
        if (this.#tryAdd(op, rule)) break;
      }
    }
  }

  #tryAdd(op: string, rule: Rule): boolean {
    const before = this.#values.length;
    try {
      const node: Node = { op, attributes: {}, ...rule.draft(this.#draft) };
      this.#push(node, known(node, this.#values, this.#profile));
      return true;
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      this.#values.length = before;
      this.#made.length = before;
      return false;
    }
  }

  readonly #find = (qualifies: (value: Known) => boolean): number | undefined => {
    const random = this.#random;
    const all = this.#values.flatMap((value, i) => (qualifies(value) ? [i] : []));
    if (all.length === 0) return undefined;
    return random.once(2) ? random.pick(all.slice(-4)) : random.pick(all);
  };

  readonly #draft: Draft;

  #drafting = (): Draft => ({
    random: this.#random,
    dtypes: this.#dtypes,
    find: (qualifies) => {
      const found = this.#find(qualifies);
      need(found !== undefined, 'nothing to draft');
      return found;
    },
    known: (i) => this.#values[i]!,
    make: (type) => {
      const random = this.#random;
      const like = random.once(4) ? undefined : this.#find((v) => sameType(v.type, type));
      if (like !== undefined) return like;
      return this.#fresh(type, randomValues(random, type.dtype, sizeOf(type)), !random.once(3));
    },
    makeOf: (type, of) => this.#fresh(type, of, this.#random.once(2)),
    argumentOf: (type, of) => {
      need(this.#makes !== 'constant', 'no arguments');
      return this.#fresh(type, of, true);
    },
    shape: () => randomShape(this.#random),
    region: (parameters, results) => this.#region(parameters, results),
  });

  /** A region of few operations, whose results have the types asked for, or one of any type. */
  #region(parameters: readonly Known[], results?: readonly TensorType[]): Region | undefined {
    const random = this.#random;
    const inner = new Builder(random, this.#dtypes, this.#profile, parameters, 'constant');
    inner.grow(random.between(1, 4), WITHOUT_REGIONS);
    const found = results
      ? results.map((type) => inner.#find((v) => sameType(v.type, type)))
      : [random.once(3) ? random.below(inner.#values.length) : inner.#values.length - 1];
    if (found.some((x) => x === undefined)) return undefined;
    return {
      parameters: parameters.map(({ type }) => type),
      nodes: inner.#made.filter((m): m is Node => m !== 'parameter' && 'op' in m),
      results: found as number[],
    };
  }

  /** The program: arguments first, and some of the values as results, those that nothing uses among them. */
  program(): Program {
    const random = this.#random;
    const made = this.#made.map((m, i) => ({ m, i }));
    const args = made.filter(({ m }) => m !== 'parameter' && 'argument' in m);
    const nodes = made.filter(({ m }) => m !== 'parameter' && 'op' in m);
    const place = new Map([...args, ...nodes].map(({ i }, at) => [i, at]));
    const used = new Set(nodes.flatMap(({ m }) => [...(m as Node).operands]));
    const ends = nodes.filter(({ i, m }) => !used.has(i) && (m as Node).op !== 'constant');
    const others = nodes.filter(({ i }) => used.has(i) && random.once(12));
    const results = [...ends, ...others].slice(0, 8).map(({ i }) => place.get(i)!);
    if (results.length === 0) results.push(random.below(this.#values.length));
    // The same result twice, and an argument as it came.
    if (random.once(10)) results.push(random.pick(results));
    if (random.once(10)) results.push(random.below(args.length));
    return {
      parameters: args.map(({ i }) => this.#values[i]!.type),
      arguments: args.map(({ m }) => (m as { argument: Contents }).argument),
      nodes: nodes.map(({ m }) => {
        const node = m as Node;
        return { ...node, operands: node.operands.map((x) => place.get(x)!) };
      }),
      results,
    };
  }
}
